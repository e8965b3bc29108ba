/* model_fields.c: takes the members of a map in the model file: known or not, there or not, of the right kind. */
#include "model_reader.h"

struct slice shown(struct slice s)
{
    size_t n = s.n;
    if (n > 80) {
        n = 80;
        while (n && (s.p[n] & 0xc0) == 0x80) n--;
    }
    return n ? slice_of(s.p, n) : SLICE("");
}

const char *node_says(const struct node *n)
{
    bool b;
    struct num num;
    if (n->kind == NODE_LIST) return "a list";
    if (n->kind == NODE_MAP) return "a map";
    if (node_is_null(n)) return "nothing";
    if (node_bool(n, &b)) return "true or false";
    return node_number(n, &num) ? "a number" : "text";
}

struct slice hint_near(struct reader *r, struct slice name, const struct slice *list, size_t n, const char *otherwise)
{
    if (r->ps->n >= PROBLEMS_MAX) return SLICE(""); /* nobody will read it */
    struct slice near = near_name(name, list, n);
    return near.n ? arena_printf(r->a, "did you mean \"%.*s\"?", SHOWN(near)) : slice_str(otherwise);
}

struct slice hint_attribute(struct reader *r, const struct entity_draft *d, struct slice name)
{
    if (r->ps->n >= PROBLEMS_MAX) return SLICE("");
    size_t n = d->entity->n_attributes;
    struct slice *list = ARENA_ARRAY(r->a, struct slice, n + 1);
    for (size_t i = 0; i < n; i++) list[i] = d->attributes[i].name;
    struct slice near = near_name(name, list, n);
    if (near.n) return arena_printf(r->a, "did you mean \"%.*s\"?", SHOWN(near));
    return arena_printf(r->a, "declare it under attributes: of %.*s", SHOWN(d->entity->name));
}

bool field_fits(struct reader *r, const struct node *n, struct slice name, enum field_kind kind)
{
    static const char *const wants[] = { "text", "one value", "true or false", "a map", "a list", "a value" };
    bool b;
    struct num num;
    bool fits = false;
    const char *hint = "";
    switch (kind) {
    case FIELD_TEXT:
        fits = n->kind == NODE_SCALAR && (n->quoted || (!node_is_null(n) && !node_bool(n, &b) && !node_number(n, &num)));
        if (n->kind == NODE_SCALAR && !node_is_null(n)) hint = "put it in quotes, if it is meant";
        break;
    case FIELD_SCALAR:
        fits = n->kind == NODE_SCALAR && !node_is_null(n);
        break;
    case FIELD_BOOL:
        fits = node_bool(n, &b);
        if (n->kind == NODE_SCALAR && !node_is_null(n)) hint = "write true or false, without quotes";
        break;
    case FIELD_MAP:
        fits = n->kind == NODE_MAP;
        hint = "write { name: value }, or name: value on indented lines";
        break;
    case FIELD_LIST:
        fits = n->kind == NODE_LIST;
        hint = "write [a, b], or indented lines that begin with -";
        break;
    case FIELD_ANY:
        fits = !node_is_null(n);
        break;
    }
    if (fits) return true;
    if (node_is_null(n)) hint = "give it a value, or leave it out";
    problem_add(r->ps, n->place, slice_str(hint), "\"%.*s\" must be %s, but is %s", SHOWN(name), wants[kind],
                node_says(n));
    return false;
}

static struct slice known_names(struct reader *r, const struct field *fields, size_t n)
{
    struct buf b;
    buf_init(&b, r->a, 4096);
    BUF_LIT(&b, "known here: ");
    for (size_t i = 0; i < n; i++) buf_printf(&b, "%s%.*s", i ? ", " : "", SLICE_ARG(fields[i].name));
    return buf_view(&b);
}

#define FIELDS_MAX 24

static void unknown(struct reader *r, const struct node *c, const char *where, const struct field *fields, size_t n)
{
    struct slice list[FIELDS_MAX];
    for (size_t i = 0; i < n; i++) list[i] = fields[i].name;
    struct slice hint = hint_near(r, c->name, list, n, "");
    if (!hint.n && r->ps->n < PROBLEMS_MAX) hint = known_names(r, fields, n);
    problem_add(r->ps, c->name_place, hint, "\"%.*s\" is not known in %s", SHOWN(c->name), where);
}

bool fields_read(struct reader *r, const struct node *node, const char *where, const struct field *fields, size_t n,
                 const struct node **out)
{
    bool there[FIELDS_MAX] = { false };
    for (size_t i = 0; i < n; i++) out[i] = NULL;
    if (node->kind != NODE_MAP) {
        problem_add(r->ps, node->place, SLICE("write { name: value }, or name: value on indented lines"),
                    "%s must be a map, but is %s", where, node_says(node));
        return false;
    }
    for (const struct node *c = node->first; c; c = c->next) {
        size_t i = 0;
        while (i < n && !slice_eq(fields[i].name, c->name)) i++;
        if (i == n) {
            unknown(r, c, where, fields, n);
        } else {
            there[i] = true;
            if (field_fits(r, c, c->name, fields[i].kind)) out[i] = c;
        }
    }
    for (size_t i = 0; i < n; i++)
        if (fields[i].required && !there[i])
            problem_add(r->ps, node->place, arena_printf(r->a, "add %.*s:", SLICE_ARG(fields[i].name)),
                        "\"%.*s\" is missing in %s", SLICE_ARG(fields[i].name), where);
    return true;
}

/* ---- single values ---- */

struct slice text_of(const struct node *n)
{
    return n ? n->text : (struct slice){ 0 };
}

bool read_bool(const struct node *n, bool *out)
{
    bool b;
    if (!n || !node_bool(n, &b)) return false;
    *out = b;
    return true;
}

bool read_whole(struct reader *r, const struct node *n, struct slice name, uint64_t least, uint64_t most, uint64_t *out)
{
    struct num num;
    int64_t v = -1;
    if (!n) return false;
    if (node_number(n, &num) && num_to_int64(slice_of(num.bytes, num.n), &v) && v >= 0 && (uint64_t)v >= least &&
        (uint64_t)v <= most) {
        *out = (uint64_t)v;
        return true;
    }
    bool number = node_number(n, &num);
    problem_add(r->ps, n->place, n->quoted ? SLICE("write it without quotes") : SLICE(""),
                "\"%.*s\" must be a whole number from %llu to %llu, but is %s%.*s%s", SHOWN(name),
                (unsigned long long)least, (unsigned long long)most, number ? "\"" : node_says(n),
                SHOWN(number ? n->text : SLICE("")), number ? "\"" : "");
    return false;
}

/* bool, desc: a word that was cut short is not near enough for hint_near. */
static struct slice hint_word(struct reader *r, struct slice name, const struct slice *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (name.n >= 3 && slice_starts(list[i], name))
            return arena_printf(r->a, "did you mean \"%.*s\"?", SHOWN(list[i]));
    return hint_near(r, name, list, n, "");
}

int read_word(struct reader *r, const struct node *n, struct slice name, const char *const *words, size_t n_words)
{
    struct slice list[16];
    if (!n) return -1;
    for (size_t i = 0; i < n_words; i++) {
        list[i] = slice_str(words[i]);
        if (slice_eq(n->text, list[i])) return (int)i;
    }
    struct buf b;
    buf_init(&b, r->a, 1024);
    for (size_t i = 0; i < n_words; i++)
        buf_printf(&b, "%s%s", i == 0 ? "" : i + 1 == n_words ? " or " : ", ", words[i]);
    problem_add(r->ps, n->place, hint_word(r, n->text, list, n_words), "\"%.*s\" must be %.*s, but is \"%.*s\"",
                SHOWN(name), SLICE_ARG(buf_view(&b)), SHOWN(n->text));
    return -1;
}

bool read_texts(struct reader *r, const struct node *n, struct slice name, const struct slice **out, size_t *n_out)
{
    bool good = true;
    if (!n) return false;
    struct slice *list = ARENA_ARRAY(r->a, struct slice, n->count + 1);
    struct names seen;
    names_init(&seen, r->a, n->count);
    size_t i = 0;
    for (const struct node *c = n->first; c; c = c->next) {
        if (!field_fits(r, c, name, FIELD_TEXT)) {
            good = false;
            continue;
        }
        if (!names_add(&seen, c->text, 0, NULL)) {
            problem_add(r->ps, c->place, SLICE("keep one of them"), "\"%.*s\" is there twice", SHOWN(c->text));
            good = false;
        }
        list[i++] = c->text;
    }
    *out = list;
    *n_out = i;
    return good;
}

#define FIGURE_MAX 1e13 /* of items and of runs in one second or month; their bytes and units are then far from overflowing */

/* Digits, maybe a fraction, above 0. Not strtod, which reads as the program's locale writes. */
static bool positive(struct slice text, double *out)
{
    double v = 0, scale = 1;
    bool point = false;
    if (text.n == 0 || text.n > 40 || text.p[0] == '.' || text.p[text.n - 1] == '.') return false;
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '.' && !point) {
            point = true;
            continue;
        }
        if (text.p[i] < '0' || text.p[i] > '9') return false;
        v = v * 10 + (text.p[i] - '0');
        if (point) scale *= 10;
    }
    *out = v / scale;
    return v > 0 && *out <= FIGURE_MAX;
}

void read_rate(struct reader *r, const struct node *n, struct rate *out)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = { { "s", 1 }, { "min", 60 }, { "h", 3600 }, { "day", 86400 }, { "month", RATE_MONTH_SECONDS } };
    double v;
    if (!n) return;
    const uint8_t *slash = n->text.n ? memchr(n->text.p, '/', n->text.n) : NULL;
    if (slash) {
        struct slice number = slice_of(n->text.p, (size_t)(slash - n->text.p));
        struct slice unit = slice_of(slash + 1, n->text.n - number.n - 1);
        for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
            if (!slice_eq(unit, slice_str(units[i].unit)) || !positive(number, &v)) continue;
            out->per_second = v / units[i].seconds;
            return;
        }
    }
    problem_add(r->ps, n->place, SLICE("write 50/s, 1000/min, 2000/h, 10000/day or 1000000/month"),
                "\"%.*s\" is not a rate", SHOWN(n->text));
}

void read_expectation(struct reader *r, const struct node *n, struct expectation *out)
{
    static const struct field fields[] = { FIELD("items", FIELD_SCALAR), FIELD("bytes", FIELD_SCALAR) };
    const struct node *f[2];
    if (!n || !FIELDS_READ(r, n, "expect", fields, f)) return;
    if (f[0]) {
        out->has_items = !f[0]->quoted && positive(f[0]->text, &out->items);
        if (!out->has_items)
            problem_add(r->ps, f[0]->place, SLICE(""), "\"items\" must be a number above 0, and at most 10000000000000");
    }
    if (f[1]) {
        out->has_bytes = !f[1]->quoted && positive(f[1]->text, &out->bytes) && out->bytes >= 1 && out->bytes <= 409600;
        if (!out->has_bytes)
            problem_add(r->ps, f[1]->place, SLICE("an item has at most 400 KB"),
                        "\"bytes\" must be a number from 1 to 409600");
    }
}

/* ---- names ---- */

bool name_is_good(struct reader *r, struct slice name, struct place at, const char *what)
{
    bool prints = true;
    for (size_t i = 0; i < name.n; i++) prints = prints && name.p[i] >= 0x20 && name.p[i] != 0x7f;
    if (name.n && name.n <= 255 && prints) return true;
    if (name.n == 0) problem_add(r->ps, at, SLICE("give it a name"), "the name of %s is empty", what);
    else if (prints)
        problem_add(r->ps, at, SLICE(""), "the name of %s has %zu bytes; the most is 255", what, name.n);
    else problem_add(r->ps, at, SLICE(""), "the name of %s contains a control character", what);
    return false;
}

bool resource_name_is_good(struct reader *r, struct slice name, struct place at, const char *what)
{
    bool good = name.n >= 3 && name.n <= 255;
    for (size_t i = 0; i < name.n; i++) {
        uint8_t c = name.p[i];
        good = good && ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
                        c == '-' || c == '.');
    }
    if (!good)
        problem_add(r->ps, at, SLICE("DynamoDB wants 3 to 255 of a-z, A-Z, 0-9, _, - and ."),
                    "\"%.*s\" cannot be the name of %s", SHOWN(name), what);
    return good;
}
