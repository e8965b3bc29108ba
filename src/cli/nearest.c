/* nearest.c: the word that a mistyped one was probably meant to be. */
#include "cli.h"
#include "../model/problem.h"

#define MOST 1024

const char *nearest(const char *name, const char *const *words, size_t n)
{
    struct slice list[MOST] = { { NULL, 0 } };
    if (n > MOST) n = MOST;
    for (size_t i = 0; i < n; i++) list[i] = slice_str(words[i]);
    struct slice found = near_name(slice_str(name), list, n);
    for (size_t i = 0; found.n && i < n; i++)
        if (slice_eq(list[i], found)) return words[i];
    return NULL;
}
