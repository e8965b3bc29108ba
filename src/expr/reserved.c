/* reserved.c: is this word reserved? */
#include "expr.h"

static const struct slice words[] = {
#define W(word) { (const uint8_t *)(word), sizeof(word) - 1 },
#include "reserved_words.inc"
#undef W
};

#define LONGEST 32 /* more than any word in the list */

bool expr_is_reserved(struct slice word)
{
    uint8_t upper[LONGEST];
    if (word.n > LONGEST) return false;
    for (size_t i = 0; i < word.n; i++) {
        uint8_t c = word.p[i];
        upper[i] = c >= 'a' && c <= 'z' ? (uint8_t)(c - 'a' + 'A') : c;
    }
    struct slice key = slice_of(upper, word.n);
    size_t lo = 0, hi = sizeof(words) / sizeof(words[0]);
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        int c = slice_cmp(words[mid], key);
        if (c == 0) return true;
        if (c < 0)
            lo = mid + 1;
        else
            hi = mid;
    }
    return false;
}
