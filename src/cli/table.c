/* table.c: rows and columns that fit the screen. */
#include "render.h"

#define GAP       2
#define NARROWEST 8

void table_init(struct table *t, struct arena *a, size_t n_columns, const char **titles)
{
    *t = (struct table){ .arena = a, .n_columns = n_columns, .titles = titles, .wrap = true };
    t->right = ARENA_ARRAY(a, bool, n_columns);
    t->fixed = ARENA_ARRAY(a, bool, n_columns);
}

struct cell *table_row(struct table *t)
{
    if (t->n_rows == t->cap) {
        t->cap = t->cap ? t->cap * 2 : 16;
        struct cell *cells = ARENA_ARRAY(t->arena, struct cell, t->cap * t->n_columns);
        if (t->n_rows) memcpy(cells, t->cells, t->n_rows * t->n_columns * sizeof *cells);
        t->cells = cells;
    }
    return t->cells + t->n_rows++ * t->n_columns;
}

static size_t total(const struct table *t, const size_t *widths)
{
    size_t sum = (size_t)t->indent + (t->n_columns - 1) * GAP;
    for (size_t i = 0; i < t->n_columns; i++) sum += widths[i];
    return sum;
}

/* Takes from the widest column, down to the next widest, until the line fits or no column may be taken from any more:
 * least[i] is what each keeps. */
static void shrink(const struct table *t, size_t *widths, const size_t *least, size_t room)
{
    for (size_t sum; (sum = total(t, widths)) > room;) {
        size_t widest = SIZE_MAX;
        for (size_t i = 0; i < t->n_columns; i++)
            if (!t->fixed[i] && widths[i] > least[i] && (widest == SIZE_MAX || widths[i] > widths[widest])) widest = i;
        if (widest == SIZE_MAX) return;
        size_t second = least[widest];
        for (size_t i = 0; i < t->n_columns; i++)
            if (i != widest && !t->fixed[i] && widths[i] <= widths[widest] && widths[i] > second) second = widths[i];
        size_t take = sum - room, most = widths[widest] - second;
        widths[widest] -= take < most ? take : most ? most : 1;
    }
}

static void print_rule(const struct table *t, const size_t *widths)
{
    printf("%*s", t->indent, "");
    for (size_t i = 0; i < t->n_columns; i++) {
        for (size_t k = 0; k < widths[i]; k++) fputc('-', stdout);
        if (i + 1 < t->n_columns) printf("%*s", GAP, "");
    }
    fputc('\n', stdout);
}

static size_t longest_word(struct slice text)
{
    size_t most = 0;
    while (text.n) {
        const uint8_t *blank = memchr(text.p, ' ', text.n);
        size_t n = blank ? (size_t)(blank - text.p) : text.n;
        size_t w = text_width(slice_of(text.p, n));
        if (w > most) most = w;
        n += blank != NULL;
        text = slice_of(text.p + n, text.n - n);
    }
    return most;
}

/* Words stay whole as long as that is possible; what is cut keeps NARROWEST columns. */
static void fit(const struct table *t, const struct cell *titles, size_t *widths)
{
    size_t room = (size_t)screen()->width;
    size_t *least = ARENA_ARRAY(t->arena, size_t, t->n_columns);
    for (size_t i = 0; i < t->n_columns && t->wrap; i++) {
        least[i] = longest_word(titles[i].text);
        for (size_t r = 0; r < t->n_rows; r++) {
            size_t w = longest_word(t->cells[r * t->n_columns + i].text);
            if (w > least[i]) least[i] = w;
        }
    }
    if (t->wrap) shrink(t, widths, least, room);
    for (size_t i = 0; i < t->n_columns; i++) least[i] = NARROWEST;
    shrink(t, widths, least, room);
}

static void print_line(const struct table *t, const struct cell *row, const size_t *widths)
{
    size_t last = t->n_columns;
    while (last > 1 && !row[last - 1].text.n) last--; /* no blanks at the end of a line */
    printf("%*s", t->indent, "");
    for (size_t i = 0; i < last; i++) {
        print_padded(row[i], widths[i], t->right[i], i + 1 == last);
        if (i + 1 < last) printf("%*s", GAP, "");
    }
    fputc('\n', stdout);
}

/* A cell that is wider than its column goes on in the next line, below itself. */
static void print_row(const struct table *t, const struct cell *row, const size_t *widths)
{
    if (!t->wrap || !screen()->width) {
        print_line(t, row, widths);
        return;
    }
    struct cell *line = ARENA_ARRAY(t->arena, struct cell, t->n_columns);
    struct slice *rest = ARENA_ARRAY(t->arena, struct slice, t->n_columns);
    for (size_t i = 0; i < t->n_columns; i++) rest[i] = row[i].text;
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < t->n_columns; i++) {
            line[i] = (struct cell){ text_line(&rest[i], widths[i]), row[i].ink };
            more = more || rest[i].n;
        }
        print_line(t, line, widths);
    }
}

void table_print(const struct table *t)
{
    size_t *widths = ARENA_ARRAY(t->arena, size_t, t->n_columns);
    struct cell *titles = ARENA_ARRAY(t->arena, struct cell, t->n_columns);
    for (size_t i = 0; i < t->n_columns; i++) {
        if (t->titles) titles[i] = (struct cell){ slice_str(t->titles[i]), INK_TITLE };
        widths[i] = text_width(titles[i].text);
        for (size_t r = 0; r < t->n_rows; r++) {
            size_t w = text_width(t->cells[r * t->n_columns + i].text);
            if (w > widths[i]) widths[i] = w;
        }
    }
    if (screen()->width) fit(t, titles, widths);
    if (t->titles) {
        print_row(t, titles, widths);
        print_rule(t, widths);
    }
    for (size_t r = 0; r < t->n_rows; r++) print_row(t, t->cells + r * t->n_columns, widths);
}
