/* model_regex.c: compiles an attribute's pattern so that it matches the whole value, after refusing those that would
 * take the C library's compiler more memory or stack than a model is worth: its automaton writes a{100} out. */
#include "model_reader.h"

#define PATTERN_MAX_BYTES 1000
#define PATTERN_MAX_DEPTH 20
#define PATTERN_MAX_SIZE  1000 /* atoms, repetitions written out; the compiler's work and memory is its square */

/* The end of [...], where i is after the bracket. */
static size_t skip_bracket(struct slice t, size_t i)
{
    if (i < t.n && t.p[i] == '^') i++;
    if (i < t.n && t.p[i] == ']') i++;
    while (i < t.n && t.p[i] != ']') {
        if (t.p[i] == '[' && i + 1 < t.n && (t.p[i + 1] == ':' || t.p[i + 1] == '.' || t.p[i + 1] == '=')) {
            uint8_t kind = t.p[i + 1];
            i += 2;
            while (i + 1 < t.n && !(t.p[i] == kind && t.p[i + 1] == ']')) i++;
            i++;
        }
        i++;
    }
    return i < t.n ? i + 1 : t.n;
}

static bool is_repetition(uint8_t c)
{
    return c == '*' || c == '+' || c == '?' || c == '{';
}

/* How often the compiler writes out what is repeated. i is after the repetition's first character, then after all of
 * it. x{2,5} is written five times, x{2,} three times: xxx*; x+ is xx*. */
static uint64_t repeat(struct slice t, uint8_t c, size_t *i)
{
    uint64_t most = 1, v = 0;
    if (c != '{') return c == '+' ? 2 : 1;
    for (; *i < t.n && t.p[*i] != '}'; ++*i) {
        v = t.p[*i] >= '0' && t.p[*i] <= '9' ? v * 10 + (t.p[*i] - '0') : 0;
        if (v > PATTERN_MAX_SIZE) v = PATTERN_MAX_SIZE + 1;
        if (v > most) most = v;
    }
    if (*i < t.n) ++*i;
    return most + 1;
}

/* What is too much about it; NULL if nothing is. */
static const char *too_much(struct slice t)
{
    uint64_t sums[PATTERN_MAX_DEPTH + 1] = { 0 }, last = 0;
    unsigned depth = 0;
    if (t.n > PATTERN_MAX_BYTES) return "it is longer than 1000 bytes";
    for (size_t i = 0; i < t.n;) {
        uint8_t c = t.p[i++];
        if (c == 0) return "it contains a zero byte";
        if (c == '\\') {
            if (i < t.n && t.p[i] >= '1' && t.p[i] <= '9') return "it refers back to a group (\\1)";
            i++;
            last = 1;
        } else if (c == '[') {
            i = skip_bracket(t, i);
            last = 1;
        } else if (c == '(') {
            if (++depth > PATTERN_MAX_DEPTH) return "its groups are nested too deeply";
            sums[depth] = 0;
            continue;
        } else if (c == ')') {
            if (!depth) return "a ) has no (";
            last = sums[depth--] + 1;
        } else if (is_repetition(c)) {
            /* last is in the sum already: add what the repetition adds. */
            uint64_t times = repeat(t, c, &i);
            sums[depth] += last * (times - 1);
            last *= times;
            if (i < t.n && is_repetition(t.p[i])) return "two repetitions stand side by side: use a group";
            if (sums[depth] > PATTERN_MAX_SIZE) return "its repetitions are too large";
            continue;
        } else {
            last = 1;
        }
        sums[depth] += last;
        if (sums[depth] > PATTERN_MAX_SIZE) return "its repetitions are too large";
    }
    return NULL;
}

bool read_regex(struct reader *r, const struct node *n, struct attribute *at)
{
    char text[256];
    if (!n) return false;
    const char *much = too_much(n->text);
    if (much) {
        problem_add(r->ps, n->place, SLICE("simplify it"), "this pattern cannot be used: %s", much);
        return false;
    }
    struct slice whole = arena_printf(r->a, "^(%.*s)$", SLICE_ARG(n->text));
    struct model_regex *re = ARENA_NEW(r->a, struct model_regex);
    /* From regcomp to the list nothing may be taken from the arena, or the regex would be lost. */
    int code = regcomp(&re->regex, (const char *)whole.p, REG_EXTENDED);
    if (code == 0) {
        re->next = r->whole->regexes;
        r->whole->regexes = re;
        at->pattern = n->text;
        at->compiled_pattern = &re->regex;
        return true;
    }
    regerror(code, &re->regex, text, sizeof(text));
    problem_add(r->ps, n->place, SLICE("it is a POSIX extended regular expression"),
                "\"%.*s\" is not a pattern: %s", SHOWN(n->text), text);
    return false;
}
