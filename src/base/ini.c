/* ini.c: reads sections and settings line by line. */
#include "ini.h"

static struct slice next_line(struct slice *text)
{
    const uint8_t *end = memchr(text->p, '\n', text->n);
    struct slice line = slice_of(text->p, end ? (size_t)(end - text->p) : text->n);
    size_t used = line.n + (end != NULL);
    *text = slice_of(text->p + used, text->n - used);
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    return line;
}

static struct slice without_comment(struct slice s)
{
    for (size_t i = 1; i < s.n; i++) {
        if ((s.p[i] == '#' || s.p[i] == ';') && (s.p[i - 1] == ' ' || s.p[i - 1] == '\t')) s.n = i;
    }
    return slice_trim(s);
}

static enum ini_kind read_line(struct ini *at, struct slice line)
{
    struct slice bare = without_comment(line);
    at->name = at->value = slice_of(NULL, 0);
    if (bare.n >= 2 && bare.p[0] == '[' && bare.p[bare.n - 1] == ']') {
        at->name = slice_trim(slice_of(bare.p + 1, bare.n - 2));
        return INI_SECTION;
    }
    if (line.p[0] == ' ' || line.p[0] == '\t') return INI_NESTED;
    const uint8_t *equals = memchr(line.p, '=', line.n);
    if (!equals) return INI_WRONG;
    size_t n = (size_t)(equals - line.p);
    at->name = slice_trim(slice_of(line.p, n));
    at->value = without_comment(slice_of(equals + 1, line.n - n - 1));
    return INI_SETTING;
}

struct slice ini_without_mark(struct slice text)
{
    const struct slice mark = SLICE("\xef\xbb\xbf");
    return slice_starts(text, mark) ? slice_of(text.p + mark.n, text.n - mark.n) : text;
}

enum ini_kind ini_next(struct ini *at)
{
    if (!at->line) at->rest = ini_without_mark(at->rest);
    while (at->rest.n) {
        struct slice line = next_line(&at->rest), bare = slice_trim(line);
        at->line++;
        if (bare.n && bare.p[0] != '#' && bare.p[0] != ';') return read_line(at, line);
    }
    return INI_END;
}
