/* screen.c: what standard output is, its colours, and how wide text stands on it. */
#include "render.h"
#include <stdlib.h>
#include <sys/ioctl.h>
#include <unistd.h>

const struct screen *screen(void)
{
    static struct screen s;
    static bool known;
    if (known) return &s;
    known = true;
    if (!isatty(STDOUT_FILENO)) return &s;
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");
    s.colours = !(no_color && *no_color) && !(term && strcmp(term, "dumb") == 0);
    struct winsize size;
    s.width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col ? size.ws_col : 80;
    return &s;
}

enum ink entity_ink(struct slice entity)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < entity.n; i++) hash = (hash ^ entity.p[i]) * 16777619u;
    return (enum ink)(INK_ENTITY + hash % ENTITY_INKS);
}

static const char *const codes[] = {
    [INK_PLAIN] = "", [INK_TITLE] = "\033[1m", [INK_FAINT] = "\033[2m", [INK_GOOD] = "\033[32m",
    [INK_BAD] = "\033[31m", [INK_WARN] = "\033[33m",
    [INK_ENTITY] = "\033[1;36m", "\033[1;35m", "\033[1;34m", "\033[1;32m", "\033[1;33m", "\033[1;31m",
};

/* The character at the beginning of s: its length and, in *code, what it is. Bytes that are no UTF-8 count alone. */
static size_t next_character(struct slice s, uint32_t *code)
{
    uint8_t first = s.p[0];
    size_t n = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (n > s.n || (first >= 0x80 && first < 0xc0)) n = 1;
    *code = n == 1 ? first : first & (0xffu >> (n + 1));
    for (size_t i = 1; i < n; i++) *code = *code << 6 | (s.p[i] & 0x3f);
    return n;
}

struct range {
    uint32_t first, last;
};

static bool within(const struct range *list, size_t n, uint32_t c)
{
    for (size_t i = 0; i < n; i++)
        if (c >= list[i].first && c <= list[i].last) return true;
    return false;
}

/* Columns of one character: marks that sit on others take none, East Asian characters and emoji two. */
static size_t character_width(uint32_t c)
{
    static const struct range none[] = { { 0x300, 0x36f },   { 0x483, 0x489 },   { 0x591, 0x5bd },  { 0x610, 0x61a },
                                         { 0x64b, 0x65f },   { 0x200b, 0x200f }, { 0x20d0, 0x20ff }, { 0xfe00, 0xfe0f },
                                         { 0x1f3fb, 0x1f3ff }, { 0xe0100, 0xe01ef } };
    static const struct range wide[] = { { 0x1100, 0x115f },   { 0x2e80, 0x303e },   { 0x3041, 0xa4cf },
                                         { 0xac00, 0xd7a3 },   { 0xf900, 0xfaff },   { 0xfe30, 0xfe6f },
                                         { 0xff00, 0xff60 },   { 0xffe0, 0xffe6 },   { 0x1f300, 0x1f64f },
                                         { 0x1f680, 0x1f6ff }, { 0x1f900, 0x1f9ff }, { 0x20000, 0x3fffd } };
    if (c < 0x300) return 1;
    if (within(none, COUNT(none), c)) return 0;
    return within(wide, COUNT(wide), c) ? 2 : 1;
}

/* Data must not command the terminal: control characters are shown as what they are, and so are those that turn the
 * direction of writing, which could make a line read as another one. */
static bool turns_direction(uint32_t c)
{
    return c == 0x61c || c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
}

static const char *visible(uint32_t c, char text[8])
{
    if (c == '\n') return "\\n";
    if (c == '\t') return "\\t";
    if (c >= 0x20 && c != 0x7f && !(c >= 0x80 && c < 0xa0) && !turns_direction(c)) return NULL;
    if (c > 0xff) snprintf(text, 8, "\\u%04x", (unsigned)(c & 0xffff));
    else snprintf(text, 8, "\\x%02x", (unsigned)(c & 0xff));
    return text;
}

size_t text_width(struct slice s)
{
    size_t width = 0;
    for (uint32_t c; s.n;) {
        char escaped[8];
        size_t n = next_character(s, &c);
        const char *shown = visible(c, escaped);
        width += shown ? strlen(shown) : character_width(c);
        s = slice_of(s.p + n, s.n - n);
    }
    return width;
}

struct slice text_line(struct slice *rest, size_t width)
{
    struct slice s = *rest;
    size_t at = 0, used = 0, blank = 0, hump = 0;
    for (uint32_t c; at < s.n;) {
        char escaped[8];
        size_t n = next_character(slice_of(s.p + at, s.n - at), &c);
        const char *shown = visible(c, escaped);
        if (c == ' ' && at) blank = at;
        if (c >= 'A' && c <= 'Z' && at && s.p[at - 1] >= 'a' && s.p[at - 1] <= 'z') hump = at; /* orders|OfCustomer */
        used += shown ? strlen(shown) : character_width(c);
        if (used > width && at) break;
        at += n;
    }
    if (at < s.n && (blank || hump)) at = blank ? blank : hump;
    size_t next = at;
    while (next < s.n && s.p[next] == ' ') next++;
    *rest = slice_of(s.p + next, s.n - next);
    return slice_of(s.p, at);
}

static void put_line(FILE *to, struct slice s, size_t most)
{
    size_t width = 0;
    for (uint32_t c; s.n;) {
        char escaped[8];
        size_t n = next_character(s, &c);
        const char *shown = visible(c, escaped);
        size_t w = shown ? strlen(shown) : character_width(c);
        if (width + w > most) return;
        width += w;
        if (shown)
            fputs(shown, to);
        else
            fwrite(s.p, 1, n, to);
        s = slice_of(s.p + n, s.n - n);
    }
}

void put_visible(FILE *to, const char *text)
{
    put_line(to, slice_str(text), SIZE_MAX);
}

void print_inked(enum ink ink, struct slice text)
{
    bool coloured = ink != INK_PLAIN && screen()->colours;
    if (coloured) fputs(codes[ink], stdout);
    put_line(stdout, text, SIZE_MAX);
    if (coloured) fputs("\033[0m", stdout);
}

void print_padded(struct cell cell, size_t width, bool right, bool last)
{
    size_t own = text_width(cell.text);
    size_t pad = own < width ? width - own : 0;
    bool coloured = cell.ink != INK_PLAIN && screen()->colours && cell.text.n;
    if (right) printf("%*s", (int)pad, "");
    if (coloured) fputs(codes[cell.ink], stdout);
    if (own <= width) {
        put_line(stdout, cell.text, SIZE_MAX);
    } else {
        put_line(stdout, cell.text, width - 1);
        fputs("\xe2\x80\xa6", stdout);
    }
    if (coloured) fputs("\033[0m", stdout);
    if (!right && !last) printf("%*s", (int)pad, "");
}
