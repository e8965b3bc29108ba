/* nearest.c: the word that a mistyped one was probably meant to be. */
#include "cli.h"

#define LONGEST 64

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Insertions, deletions, replacements and swaps of neighbours that turn a into b. */
static size_t distance(const char *a, size_t n, const char *b, size_t m)
{
    size_t rows[3][LONGEST + 1];
    for (size_t j = 0; j <= m; j++) rows[0][j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t d = above[j - 1] + (a[i - 1] != b[j - 1]);
            d = smaller(d, smaller(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d = smaller(d, above2[j - 2] + 1);
            row[j] = d;
        }
    }
    return rows[n % 3][m];
}

const char *nearest(const char *name, const char *const *words, size_t n)
{
    size_t length = strlen(name), best = length <= 4 ? 2 : 3; /* fewer than so many slips */
    const char *found = NULL;
    if (!length || length > LONGEST) return NULL;
    for (size_t i = 0; i < n; i++) {
        size_t m = strlen(words[i]);
        size_t d = m > LONGEST ? best : distance(name, length, words[i], m);
        if (d >= best) continue;
        best = d;
        found = words[i];
    }
    return found;
}
