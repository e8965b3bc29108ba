/* table.c: rows and columns that fit the screen. */
#include "render.h"

#define GAP       2
#define NARROWEST 8

void table_init(struct table *t, struct arena *a, size_t n_columns, const char **titles)
{
    *t = (struct table){ .arena = a, .n_columns = n_columns, .titles = titles };
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

/* Takes from the widest column, down to the next widest, until the line fits or nothing more can be taken. Of columns that
 * are as wide as each other one gives at a time, so that they stay so. */
static void shrink(const struct table *t, size_t *widths, size_t room)
{
    for (size_t sum; (sum = total(t, widths)) > room;) {
        size_t widest = SIZE_MAX, second = NARROWEST;
        for (size_t i = 0; i < t->n_columns; i++)
            if (!t->fixed[i] && widths[i] > NARROWEST && (widest == SIZE_MAX || widths[i] > widths[widest])) widest = i;
        if (widest == SIZE_MAX) return;
        for (size_t i = 0; i < t->n_columns; i++)
            if (i != widest && !t->fixed[i] && widths[i] > second) second = widths[i];
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

static void print_row(const struct table *t, const struct cell *row, const size_t *widths)
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
    if (screen()->width) shrink(t, widths, (size_t)screen()->width);
    if (t->titles) {
        print_row(t, titles, widths);
        print_rule(t, widths);
    }
    for (size_t r = 0; r < t->n_rows; r++) print_row(t, t->cells + r * t->n_columns, widths);
}
