/* docs_svg.c: the model as a picture: a column for the table and one for each index; in it the partitions as drawers, and
 * in a drawer a box for each entity that lies there, with its sort key. An entity has one colour everywhere. Lines run
 * only in the gutters beside the columns and in the margin below them, so that they never cross text: in the gutter left
 * of the table from an entity to its copies, and between columns from a drawer to the same partition in an index.
 *
 * Text is measured, not laid out by the viewer: fonts are monospaced, and a character is reckoned a little wider than any
 * of the fallback fonts has it. */
#include "docs_impl.h"
#include <math.h>
#include <stdio.h>

#define FONT        12.0
#define CHAR_W      7.4   /* the widest of common monospaced fonts at this size */
#define ROW_H       26.0
#define TITLE_H     30.0
#define GAP         16.0  /* between drawers */
#define PAD         10.0
#define HEAD_H      44.0  /* names of the columns */
#define TRACK       8.0   /* between two lines of a gutter */
#define MARGIN      20.0
#define TAG_W       52.0  /* room for "copy" */
#define COLOURS     10
#define LEGEND      "solid: an entity and its copy; dotted: the same partition in another index"

struct box {
    const struct access_path *path;
    double x, y, w;
};

struct placed {
    const struct drawer *drawer;
    double x, y, w, h;
    size_t column;
    struct box *boxes;
};

struct link {
    const struct placed *from, *to;
};

struct canvas {
    struct arena *arena;
    const struct model *model;
    struct placed *drawers;
    size_t n;
    double *column_x, *column_w;     /* by index number */
    struct link *links;
    size_t n_links, n_copies;        /* copies: lines in the left gutter */
    double bottom, width, height;
};

/* Characters, not bytes. */
static double text_width(struct slice text)
{
    size_t n = 0;
    for (size_t i = 0; i < text.n; i++) n += (text.p[i] & 0xC0) != 0x80;
    return (double)n * CHAR_W;
}

static void xml(struct buf *b, struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.n - i >= 3 && text.p[i] == 0xef && text.p[i + 1] == 0xbf && text.p[i + 2] >= 0xbe) {
            BUF_LIT(b, "\xef\xbf\xbd"); /* U+FFFE and U+FFFF are no characters of XML */
            i += 2;
            continue;
        }
        if (put_control(b, text, &i)) continue;
        switch (text.p[i]) {
        case '&': BUF_LIT(b, "&amp;"); break;
        case '<': BUF_LIT(b, "&lt;"); break;
        case '>': BUF_LIT(b, "&gt;"); break;
        case '"': BUF_LIT(b, "&quot;"); break;
        default: buf_u8(b, text.p[i]);
        }
    }
}

/* ' NAME="12.3"', whatever the locale. */
static void attr(struct buf *b, const char *name, double v)
{
    buf_printf(b, " %s=\"", name);
    number_put(b, floor(v * 10 + 0.5) / 10);
    buf_u8(b, '"');
}

static void text_at(struct buf *b, const char *class, double x, double y, struct slice text)
{
    buf_printf(b, "<text class=\"%s\"", class);
    attr(b, "x", x);
    attr(b, "y", y);
    BUF_LIT(b, ">");
    xml(b, text);
    BUF_LIT(b, "</text>\n");
}

static struct slice sort_text(const struct canvas *c, const struct access_path *p)
{
    return keys_text(c->arena, c->model, p->sort, p->n_sort);
}

static double box_width(const struct canvas *c, const struct access_path *p)
{
    double w = PAD * 4 + text_width(p->entity->name) + text_width(sort_text(c, p));
    return p->copy ? w + TAG_W : w;
}

static struct slice column_title(const struct canvas *c, size_t x)
{
    const struct model_index *ix = &c->model->indexes[x];
    if (!x) return arena_printf(c->arena, "table %.*s", SLICE_ARG(c->model->table));
    return arena_printf(c->arena, "%.*s%s", SLICE_ARG(ix->name), ix->local ? " (local)" : "");
}

static struct slice column_keys(const struct canvas *c, size_t x)
{
    const struct model_index *ix = &c->model->indexes[x];
    const struct key_side *hash = ix->local && !ix->hash.n ? &c->model->indexes[0].hash : &ix->hash;
    struct buf b;
    buf_init(&b, c->arena, (size_t)1 << 16);
    for (size_t i = 0; i < hash->n; i++) buf_printf(&b, "%s%.*s", i ? ", " : "", SLICE_ARG(hash->attrs[i].name));
    for (size_t i = 0; i < ix->sort.n; i++) buf_printf(&b, "%s%.*s", i ? ", " : " / ", SLICE_ARG(ix->sort.attrs[i].name));
    return buf_view(&b);
}

/* Places drawers from the top of their column; widths of columns come from the widest text. */
static void place(struct canvas *c, const struct drawers *d)
{
    size_t n_columns = c->model->n_indexes;
    c->drawers = ARENA_ARRAY(c->arena, struct placed, d->n + 1);
    c->n = d->n;
    c->column_x = ARENA_ARRAY(c->arena, double, n_columns + 1);
    c->column_w = ARENA_ARRAY(c->arena, double, n_columns + 1);
    for (size_t x = 0; x < n_columns; x++) {
        double w = text_width(column_title(c, x)) * 1.25, keys = text_width(column_keys(c, x));
        c->column_w[x] = (w > keys ? w : keys) + PAD * 2;
    }
    for (size_t i = 0; i < d->n; i++) {
        struct placed *p = &c->drawers[i];
        *p = (struct placed){ .drawer = &d->list[i], .column = d->list[i].index->number };
        double w = text_width(d->list[i].title) + PAD * 4;
        for (size_t k = 0; k < d->list[i].n; k++) {
            double box = box_width(c, d->list[i].paths[k]) + PAD * 2;
            if (box > w) w = box;
        }
        if (w > c->column_w[p->column]) c->column_w[p->column] = w;
    }
}

/* Links between drawers that are the same partition, table to index and index to index; only the nearest to the
 * left is linked, so that a partition in three places makes two lines and not three. */
static void find_links(struct canvas *c)
{
    c->links = ARENA_ARRAY(c->arena, struct link, c->n + 1);
    for (size_t j = 0; j < c->n; j++) {
        for (size_t i = j; i-- > 0 && !c->drawers[j].drawer->index->local;) {
            if (!drawers_alike(c->drawers[i].drawer, c->drawers[j].drawer)) continue;
            if (c->drawers[i].drawer->index->local) continue; /* a local index has the table's partitions anyway */
            c->links[c->n_links++] = (struct link){ &c->drawers[i], &c->drawers[j] };
            break;
        }
    }
    for (size_t i = 0; i < c->model->n_entities; i++) c->n_copies += c->model->entities[i].n_copies;
}

static void lay_out(struct canvas *c)
{
    size_t n_columns = c->model->n_indexes;
    double gutter = GAP * 2 + (double)c->n_links * 2 * TRACK;
    double x = MARGIN + (c->n_copies ? GAP + (double)c->n_copies * TRACK : 0);
    double *y = ARENA_ARRAY(c->arena, double, n_columns + 1);
    for (size_t i = 0; i < n_columns; i++) {
        c->column_x[i] = x;
        x += c->column_w[i] + gutter;
        y[i] = MARGIN + HEAD_H + GAP;
    }
    c->width = x - gutter + MARGIN;
    double legend = text_width(SLICE(LEGEND)) + MARGIN * 2;
    if ((c->n_links || c->n_copies) && c->width < legend) c->width = legend;
    for (size_t i = 0; i < c->n; i++) {
        struct placed *p = &c->drawers[i];
        p->x = c->column_x[p->column];
        p->y = y[p->column];
        p->w = c->column_w[p->column];
        p->h = TITLE_H + (double)p->drawer->n * (ROW_H + 6) + PAD - 2;
        p->boxes = ARENA_ARRAY(c->arena, struct box, p->drawer->n + 1);
        for (size_t k = 0; k < p->drawer->n; k++) {
            p->boxes[k] = (struct box){ p->drawer->paths[k], p->x + PAD, p->y + TITLE_H + (double)k * (ROW_H + 6),
                                        p->w - PAD * 2 };
        }
        y[p->column] += p->h + GAP;
        if (y[p->column] > c->bottom) c->bottom = y[p->column];
    }
    c->height = c->bottom + GAP + (double)c->n_links * TRACK + MARGIN + 18;
}

static void put_style(struct buf *b)
{
    static const char *const light[COLOURS] = { "#1f6feb", "#bf4b00", "#1a7f37", "#8250df", "#b3261e",
                                                "#00677f", "#8a5d00", "#a3197f", "#4f5b66", "#3b6e00" };
    static const char *const dark[COLOURS] = { "#79b8ff", "#ffa657", "#7ee787", "#d2a8ff", "#ff8f87",
                                               "#76e3f0", "#e3b341", "#ff9bd2", "#b6c2cf", "#b4e07a" };
    BUF_LIT(b, "<style>\n"
               "text{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono','Liberation Mono',"
               "monospace;font-size:12px;fill:#1f2328}\n"
               ".head{font-size:15px;font-weight:bold}.dim{fill:#57606a}.bold{font-weight:bold}\n"
               ".bg{fill:#ffffff}.drawer{fill:#f6f8fa;stroke:#8c959f}.box{fill:#ffffff;stroke-width:1.5}"
               ".copy{stroke-dasharray:5 3}\n"
               ".line{fill:none;stroke:#57606a;stroke-width:1.2}.same{stroke-dasharray:2 3}\n");
    for (int i = 0; i < COLOURS; i++) {
        buf_printf(b, ".e%d{stroke:%s}text.e%d{fill:%s;stroke:none}\n", i, light[i], i, light[i]);
    }
    BUF_LIT(b, "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.dim{fill:#9da7b3}.bg{fill:#0d1117}"
               ".drawer{fill:#161b22;stroke:#6e7681}.box{fill:#0d1117}.line{stroke:#9da7b3}\n");
    for (int i = 0; i < COLOURS; i++) {
        buf_printf(b, ".e%d{stroke:%s}text.e%d{fill:%s}\n", i, dark[i], i, dark[i]);
    }
    BUF_LIT(b, "}\n</style>\n");
}

static void put_box(struct buf *b, const struct canvas *c, const struct box *x)
{
    int colour = (int)(x->path->entity->number % COLOURS);
    char class[32];
    buf_printf(b, "<rect class=\"box e%d%s\"", colour, x->path->copy ? " copy" : "");
    attr(b, "x", x->x);
    attr(b, "y", x->y);
    attr(b, "width", x->w);
    attr(b, "height", ROW_H);
    BUF_LIT(b, " rx=\"4\"/>\n");
    snprintf(class, sizeof class, "bold e%d", colour);
    double baseline = x->y + ROW_H / 2 + FONT * 0.36;
    text_at(b, class, x->x + PAD, baseline, x->path->entity->name);
    text_at(b, "", x->x + PAD * 2 + text_width(x->path->entity->name), baseline, sort_text(c, x->path));
    if (x->path->copy) text_at(b, "dim", x->x + x->w - TAG_W + PAD, baseline, SLICE("copy"));
}

static void put_drawer(struct buf *b, const struct canvas *c, const struct placed *p)
{
    BUF_LIT(b, "<rect class=\"drawer\"");
    attr(b, "x", p->x);
    attr(b, "y", p->y);
    attr(b, "width", p->w);
    attr(b, "height", p->h);
    BUF_LIT(b, " rx=\"6\"/>\n");
    text_at(b, "bold", p->x + PAD, p->y + TITLE_H / 2 + FONT * 0.36, p->drawer->title);
    for (size_t k = 0; k < p->drawer->n; k++) put_box(b, c, &p->boxes[k]);
}

static const struct box *box_of(const struct canvas *c, const struct access_path *path)
{
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->drawers[i].drawer->n; k++) {
            if (c->drawers[i].boxes[k].path == path) return &c->drawers[i].boxes[k];
        }
    }
    return NULL;
}

static void point(struct buf *b, char command, double x, double y)
{
    buf_u8(b, (uint8_t)command);
    number_put(b, floor(x * 10 + 0.5) / 10);
    buf_u8(b, ' ');
    number_put(b, floor(y * 10 + 0.5) / 10);
}

/* From an entity to each of its copies, in the gutter left of the table. */
static void put_copy_lines(struct buf *b, const struct canvas *c)
{
    size_t track = 0;
    for (size_t i = 0; i < c->model->n_entities; i++) {
        const struct entity *en = &c->model->entities[i];
        for (size_t k = 0; k < en->n_copies; k++) {
            const struct box *from = box_of(c, en->key), *to = box_of(c, en->copies[k].key);
            double x = c->column_x[0] - GAP - (double)track++ * TRACK, edge = c->column_x[0] + PAD;
            if (!from || !to) continue;
            buf_printf(b, "<path class=\"line e%d\" marker-end=\"url(#arrow)\" d=\"", (int)(i % COLOURS));
            point(b, 'M', edge, from->y + ROW_H / 2 - 3);
            point(b, 'L', x, from->y + ROW_H / 2 - 3);
            point(b, 'L', x, to->y + ROW_H / 2 + 3);
            point(b, 'L', edge - 1, to->y + ROW_H / 2 + 3);
            BUF_LIT(b, "\"/>\n");
        }
    }
}

/* From a drawer to the same partition in another column: down the gutter, along the margin below, up again. Between
 * neighbours the way is straight through the gutter. */
static void put_links(struct buf *b, const struct canvas *c)
{
    for (size_t i = 0; i < c->n_links; i++) {
        const struct placed *f = c->links[i].from, *t = c->links[i].to;
        double y1 = f->y + TITLE_H / 2 + 6, y2 = t->y + TITLE_H / 2 - 6; /* out below, in above: seldom in one line */
        double x1 = f->x + f->w + GAP + (double)(2 * i) * TRACK, x2 = t->x - GAP - (double)(2 * i) * TRACK;
        double below = c->bottom + (double)i * TRACK;
        BUF_LIT(b, "<path class=\"line same\" marker-end=\"url(#arrow)\" d=\"");
        point(b, 'M', f->x + f->w, y1);
        point(b, 'L', x1, y1);
        if (t->column > f->column + 1) {
            point(b, 'L', x1, below);
            point(b, 'L', x2, below);
            point(b, 'L', x2, y2);
        } else {
            point(b, 'L', x1, y2);
        }
        point(b, 'L', t->x - 1, y2);
        BUF_LIT(b, "\"/>\n");
    }
}

int docs_svg(struct reporter *r, struct facts *f)
{
    struct canvas c = { .arena = r->arena, .model = f->model };
    struct drawers d = drawers_of(r->arena, f->model);
    struct buf *b = r->out;
    place(&c, &d);
    find_links(&c);
    lay_out(&c);
    BUF_LIT(b, "<svg xmlns=\"http://www.w3.org/2000/svg\"");
    attr(b, "width", c.width);
    attr(b, "height", c.height);
    buf_printf(b, " viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>", c.width, c.height);
    xml(b, f->model->table);
    BUF_LIT(b, "</title>\n");
    put_style(b);
    BUF_LIT(b, "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" "
               "markerHeight=\"7\" orient=\"auto\"><path class=\"line\" d=\"M1 1L7 4L1 7\"/></marker></defs>\n");
    BUF_LIT(b, "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    for (size_t i = 0; i < f->model->n_indexes; i++) {
        text_at(b, "head", c.column_x[i], MARGIN + 16, column_title(&c, i));
        text_at(b, "dim", c.column_x[i], MARGIN + 36, column_keys(&c, i));
    }
    for (size_t i = 0; i < c.n; i++) put_drawer(b, &c, &c.drawers[i]);
    put_copy_lines(b, &c);
    put_links(b, &c);
    if (c.n_links || c.n_copies) {
        text_at(b, "dim", MARGIN, c.height - MARGIN / 2, SLICE(LEGEND));
    }
    BUF_LIT(b, "</svg>\n");
    return 0;
}
