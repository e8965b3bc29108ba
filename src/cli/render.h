/* render.h: reports for people: tables on a terminal, the same without colours in a pipe. */
#ifndef OF_CLI_RENDER_H
#define OF_CLI_RENDER_H

#include "cli.h"
#include "../item/json.h"

/* What standard output is. */
struct screen {
    bool colours;
    int width; /* columns; 0: as wide as it takes */
};
const struct screen *screen(void);

/* Colours by purpose; PLAIN prints nothing. */
enum ink { INK_PLAIN, INK_TITLE, INK_FAINT, INK_GOOD, INK_BAD, INK_WARN, INK_ENTITY /* and so many more */ };
#define ENTITY_INKS 6
/* The same entity has the same colour everywhere. */
enum ink entity_ink(struct slice entity);
/* Text in a colour, where there are colours. */
void print_inked(enum ink ink, struct slice text);

struct cell {
    struct slice text;
    enum ink ink;
};

/* One cell in `width` columns: padded, or cut with a mark. The last cell of a line is not padded. */
void print_padded(struct cell cell, size_t width, bool right, bool last);

struct table {
    struct arena *arena;
    size_t n_columns, n_rows, cap;
    const char **titles; /* NULL: no line of titles */
    bool *right;         /* numbers: right-aligned */
    bool *fixed;         /* never cut to make room */
    struct cell *cells;
    int indent;
    bool wrap;           /* what is too wide goes on in the next line (default), or is cut */
};

void table_init(struct table *t, struct arena *a, size_t n_columns, const char **titles);
/* A new row of empty cells, to be filled in. */
struct cell *table_row(struct table *t);
/* Fits it to the screen's width by making the widest columns narrower. */
void table_print(const struct table *t);

/* How many columns text takes on a terminal, control characters made visible. */
size_t text_width(struct slice text);
/* Takes the first line of at most so many columns from a text, at a blank where there is one. */
struct slice text_line(struct slice *rest, size_t width);

/* A value for a cell: text as it is, lists and maps as JSON; NULL and null: empty. */
struct slice json_cell(struct arena *a, const struct json *value);
/* With line ends and indentation, and a newline at its end, to a stream. */
void json_print(FILE *to, struct arena *a, struct slice json);

/* Shorthands for reports. */
struct slice json_text(const struct json *object, const char *name); /* empty if it is not there */
double json_double(const struct json *object, const char *name, double otherwise);
bool json_flag(const struct json *object, const char *name);
/* "1,234", "0.5", "unknown" for what is not a finite number or not there. */
struct slice json_figure(struct arena *a, const struct json *object, const char *name);
/* "1 item", "1,234 items". */
struct slice counted(struct arena *a, double n, const char *one, const char *many);
struct slice figure(struct arena *a, double v);

#endif
