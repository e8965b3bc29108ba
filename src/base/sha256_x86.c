/* sha256_x86.c: SHA-256's compression with the instructions that x86 processors have for it since 2017 or so: six times as fast as plain C.
 *
 * sha256rnds2 makes two rounds. It keeps the eight words in two registers, as (a b e f) and (c d g h), each with its first word
 * highest, and takes the sum of schedule and constant for two rounds from the low half of a third. */
#include "sha256.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

/* 0: not asked yet, 1: there, 2: not there. Threads that ask at the same time find the same. */
static int asked;

static bool ask(void)
{
    unsigned a, b, c, d;
    bool sse = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) && (c & bit_SSE4_1);
    bool there = sse && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
    __atomic_store_n(&asked, there ? 1 : 2, __ATOMIC_RELAXED);
    return there;
}

/* Four rounds with the schedule's words w, which begin at number i. */
#define FOUR(w, i)                                                                                        \
    do {                                                                                                  \
        __m128i k = _mm_add_epi32(w, _mm_loadu_si128((const __m128i *)(const void *)(sha256_rounds + (i)))); \
        cdgh = _mm_sha256rnds2_epu32(cdgh, abef, k);                                                      \
        abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(k, 0x0e));                             \
    } while (0)
/* The next four words of the schedule in the place of the oldest, w0. */
#define NEXT(w0, w1, w2, w3) \
    w0 = _mm_sha256msg2_epu32(_mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4)), w3)

__attribute__((target("sha,sse4.1"))) static void blocks(uint32_t h[8], const uint8_t *p, size_t n)
{
    const __m128i swap = _mm_set_epi8(12, 13, 14, 15, 8, 9, 10, 11, 4, 5, 6, 7, 0, 1, 2, 3);
    __m128i badc = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)h), 0xb1);
    __m128i hgfe = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(h + 4)), 0x1b);
    __m128i abef = _mm_alignr_epi8(badc, hgfe, 8), cdgh = _mm_blend_epi16(hgfe, badc, 0xf0);
    for (; n; n--, p += SHA256_BLOCK) {
        const __m128i abef0 = abef, cdgh0 = cdgh;
        __m128i w0 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)p), swap);
        __m128i w1 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 16)), swap);
        __m128i w2 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 32)), swap);
        __m128i w3 = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(p + 48)), swap);
        for (size_t i = 0;; i += 16) {
            FOUR(w0, i);
            FOUR(w1, i + 4);
            FOUR(w2, i + 8);
            FOUR(w3, i + 12);
            if (i == 48) break;
            NEXT(w0, w1, w2, w3);
            NEXT(w1, w2, w3, w0);
            NEXT(w2, w3, w0, w1);
            NEXT(w3, w0, w1, w2);
        }
        abef = _mm_add_epi32(abef, abef0);
        cdgh = _mm_add_epi32(cdgh, cdgh0);
    }
    __m128i feba = _mm_shuffle_epi32(abef, 0x1b), dchg = _mm_shuffle_epi32(cdgh, 0xb1);
    _mm_storeu_si128((__m128i *)(void *)h, _mm_blend_epi16(feba, dchg, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(h + 4), _mm_alignr_epi8(dchg, feba, 8));
}

bool sha256_compress_x86(uint32_t h[8], const uint8_t *p, size_t n)
{
    int known = __atomic_load_n(&asked, __ATOMIC_RELAXED);
    if (known ? known != 1 : !ask()) return false;
    blocks(h, p, n);
    return true;
}

#else

bool sha256_compress_x86(uint32_t h[8], const uint8_t *p, size_t n)
{
    (void)h, (void)p, (void)n;
    return false;
}

#endif
