/* plan_text.c: a plan in words: its operation, its key condition as the literature prints it, and
 * notes. */
#include "plan_impl.h"
#include <stdarg.h>

struct slice path_name(struct arena *a, const struct access_path *p)
{
    struct slice en = p->entity->name;
    if (p->kind == PATH_KEY) return arena_printf(a, "the key of %.*s", SLICE_ARG(en));
    if (p->kind == PATH_COPY)
        return arena_printf(a, "%.*s of %.*s", SLICE_ARG(p->copy->name), SLICE_ARG(en));
    if (p->copy)
        return arena_printf(a, "%.*s of %.*s of %.*s", SLICE_ARG(p->index->name), SLICE_ARG(p->copy->name), SLICE_ARG(en));
    return arena_printf(a, "%.*s of %.*s", SLICE_ARG(p->index->name), SLICE_ARG(en));
}

static struct slice side_source(struct arena *a, const struct key_template *k, size_t n)
{
    struct buf b;
    buf_init(&b, a, MODEL_MAX_FILE);
    for (size_t i = 0; i < n; i++) {
        struct slice name = k[i].attribute->name, source = k[i].template.source;
        if (i) BUF_LIT(&b, ", ");
        if (k[i].natural || !source.n) {
            buf_slice(&b, name);
            continue;
        }
        buf_printf(&b, "%.*s = %.*s", SLICE_ARG(name), SLICE_ARG(source));
    }
    return buf_view(&b);
}

struct slice hash_source(struct arena *a, const struct access_path *p)
{
    return side_source(a, p->hash, p->n_hash);
}

struct slice sort_source(struct arena *a, const struct access_path *p)
{
    return side_source(a, p->sort, p->n_sort);
}

void plan_note(struct arena *a, struct plan *p, const char *fmt, ...)
{
    struct slice *notes = ARENA_ARRAY(a, struct slice, p->n_notes + 1);
    if (p->n_notes) memcpy(notes, p->notes, p->n_notes * sizeof *notes);
    va_list ap;
    va_start(ap, fmt);
    notes[p->n_notes++] = arena_vprintf(a, fmt, ap);
    va_end(ap);
    p->notes = notes;
}

static void put_operand(struct buf *b, const struct operand *o)
{
    if (o->input || !o->text.n)
        buf_printf(b, "<%.*s>", SLICE_ARG(o->text));
    else
        buf_slice(b, o->text);
}

static void put_parts(struct buf *b, const struct plan *p, const struct template *t, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct part *part = &t->parts[i];
        if (!part->hole) {
            buf_slice(b, part->text);
            continue;
        }
        const struct condition *c = known_by(p->pattern, part->text);
        if (c)
            put_operand(b, &c->a);
        else
            buf_printf(b, "<each %.*s>", SLICE_ARG(part->text));
    }
}

static void put_shard(struct buf *b, const struct plan *p, const struct key_template *k)
{
    if (!k->shards) return;
    buf_slice(b, k->template.delimiter);
    for (size_t i = 0; i < p->n_fans; i++) {
        const struct fan *f = &p->fans[i];
        if (f->key != k) continue;
        if (!f->n)
            BUF_LIT(b, "<each month>");
        else
            buf_printf(b, "<%.*s..%.*s>", SLICE_ARG(f->values[0]), SLICE_ARG(f->values[f->n - 1]));
        return;
    }
    buf_printf(b, "<shard of %.*s>", SLICE_ARG(k->shards->by));
}

/* A date that is not an input is shown as it was written: ORDER#<-30d>. */
static void put_bound(struct buf *b, const struct plan *p, const struct template *t,
                      const struct condition *c, const struct operand *o)
{
    put_parts(b, p, t, p->sort_parts);
    if (condition_is_date(c->op))
        buf_printf(b, "<%.*s>", SLICE_ARG(o->text));
    else
        put_operand(b, o);
}

static const char *sign(enum compare op)
{
    switch (op) {
    case COMPARE_AT_LEAST:
    case COMPARE_SINCE:
        return ">=";
    case COMPARE_ABOVE:
        return ">";
    case COMPARE_AT_MOST:
        return "<=";
    default:
        return "<";
    }
}

static void put_range(struct buf *b, const struct plan *p, struct slice name,
                      const struct template *t)
{
    const struct condition *c = p->range, *d = p->range2;
    buf_printf(b, ", %.*s ", SLICE_ARG(name));
    if (c->op == COMPARE_PREFIX) {
        BUF_LIT(b, "begins_with ");
        put_bound(b, p, t, c, &c->a);
    } else if (c->op == COMPARE_BETWEEN || c->op == COMPARE_DURING) {
        BUF_LIT(b, "between ");
        put_bound(b, p, t, c, &c->a);
        BUF_LIT(b, " and ");
        put_bound(b, p, t, c, &c->b);
    } else if (c->op == COMPARE_ON) {
        BUF_LIT(b, "within ");
        put_bound(b, p, t, c, &c->a);
    } else {
        buf_printf(b, "%s ", sign(c->op));
        put_bound(b, p, t, c, &c->a);
        if (d) {
            buf_printf(b, " and %s ", sign(d->op));
            put_bound(b, p, t, d, &d->a);
        } else if (p->sort_parts) {
            BUF_LIT(b, " within ");
            put_parts(b, p, t, p->sort_parts);
        }
    }
}

static void put_sort(struct buf *b, const struct plan *p)
{
    const struct access_path *path = p->path;
    for (size_t i = 0; i < p->sort_fixed; i++) {
        buf_printf(b, ", %.*s = ", SLICE_ARG(path->sort[i].attribute->name));
        put_parts(b, p, &path->sort[i].template, path->sort[i].template.n);
    }
    if (p->sort_fixed >= path->n_sort) return;
    const struct key_template *k = &path->sort[p->sort_fixed];
    if (p->range) {
        put_range(b, p, k->attribute->name, &k->template);
    } else if (p->sort_parts || p->sort_common.n) {
        buf_printf(b, ", %.*s %s ", SLICE_ARG(k->attribute->name),
                   p->subtree ? "at and below" : "begins_with");
        put_parts(b, p, &k->template, p->sort_parts);
        buf_slice(b, p->sort_common);
    }
}

static struct slice key_condition(struct arena *a, const struct plan *p)
{
    struct buf b;
    buf_init(&b, a, MODEL_MAX_FILE);
    for (size_t i = 0; i < p->path->n_hash; i++) {
        const struct key_template *k = &p->path->hash[i];
        buf_printf(&b, "%s%.*s = ", i ? ", " : "", SLICE_ARG(k->attribute->name));
        put_parts(&b, p, &k->template, k->template.n);
        put_shard(&b, p, k);
    }
    put_sort(&b, p);
    return buf_view(&b);
}

static void note_sparse(struct resolver *r, struct plan *p)
{
    const struct access_path *path = p->path;
    for (size_t i = 0; i < path->entity->n_attributes; i++) {
        const struct attribute *at = &path->entity->attributes[i];
        if (!path_leaves_out(p->pattern, path, at)) continue;
        struct slice name = path_name(r->arena, path);
        plan_note(r->arena, p, "%.*s holds only those that have %.*s", SLICE_ARG(name),
                  SLICE_ARG(at->name));
    }
}

static void note_projection(struct resolver *r, struct plan *p)
{
    for (size_t i = 0; i < p->n_paths; i++) {
        const struct access_path *path = p->paths[i];
        struct buf b;
        buf_init(&b, r->arena, MODEL_MAX_FILE);
        for (size_t k = 0; k < path->entity->n_attributes; k++) {
            struct slice at = path->entity->attributes[k].name;
            if (!path_stores(r->model, path, at))
                buf_printf(&b, "%s%.*s", b.n ? ", " : "", SLICE_ARG(at));
        }
        if (!b.n) continue;
        p->fetch = true;
        struct slice name = path_name(r->arena, path), lacks = buf_view(&b);
        plan_note(r->arena, p, "%.*s does not hold %.*s", SLICE_ARG(name), SLICE_ARG(lacks));
    }
}

#define NEIGHBOURS_NAMED 3 /* in the note; all are in the list */

static void note_filters(struct resolver *r, struct plan *p)
{
    if (!p->neighbours) return;
    struct buf b;
    buf_init(&b, r->arena, MODEL_MAX_FILE);
    size_t n = 0;
    for (const struct neighbour *x = p->neighbours; x; x = x->next, n++) {
        if (n >= NEIGHBOURS_NAMED) continue;
        struct slice name = path_name(r->arena, x->path), sort = sort_source(r->arena, x->path);
        buf_printf(&b, "%s%.*s%s%.*s%s", n ? ", " : "", SLICE_ARG(name), sort.n ? " (" : "",
                   SLICE_ARG(sort), sort.n ? ")" : "");
    }
    if (n > NEIGHBOURS_NAMED) buf_printf(&b, " and %zu more", n - NEIGHBOURS_NAMED);
    struct slice names = buf_view(&b);
    plan_note(r->arena, p, "the range also holds %.*s, read and thrown away", SLICE_ARG(names));
    if (p->filter_client) {
        plan_note(r->arena, p, "%s",
                  "no attribute tells them apart: they are told apart by their keys after reading");
    }
}

/* The literal text that a sort key begins with. */
static struct slice leading(const struct access_path *p)
{
    const struct template *t = &p->sort[0].template;
    return t->n && !t->parts[0].hole ? t->parts[0].text : (struct slice){ 0 };
}

static bool single(const struct plan *p, const struct access_path *path)
{
    const struct template *t = &path->sort[0].template;
    for (size_t i = 0; i < t->n; i++) {
        if (t->parts[i].hole && !known_by(p->pattern, t->parts[i].text)) return false;
    }
    return true;
}

/* One item behind many, in a page with a limit. */
static void note_cut_off(struct resolver *r, struct plan *p)
{
    if (!p->pattern->limit || p->n_paths < 2) return;
    for (size_t i = 0; i < p->n_paths; i++) {
        if (!p->paths[i]->n_sort || !single(p, p->paths[i])) continue;
        for (size_t k = 0; k < p->n_paths; k++) {
            const struct access_path *one = p->paths[i], *many = p->paths[k];
            if (single(p, many)) continue;
            int c = slice_cmp(leading(many), leading(one));
            if (!leading(many).n || (p->descending ? c <= 0 : c >= 0)) continue;
            struct slice sort = sort_source(r->arena, one);
            plan_note(
                r->arena, p,
                "%.*s (%.*s) comes behind every %.*s in this order: the limit of %u may cut it off",
                SLICE_ARG(one->entity->name), SLICE_ARG(sort), SLICE_ARG(many->entity->name),
                p->pattern->limit);
            break;
        }
    }
}

void plan_describe(struct resolver *r, struct plan *p)
{
    p->key_condition = key_condition(r->arena, p);
    if (p->kind == PLAN_GET)
        p->operation = SLICE("GetItem");
    else if (p->kind == PLAN_QUERY)
        p->operation = SLICE("Query");
    else if (!p->streams)
        p->operation = SLICE("Query per month");
    else
        p->operation = arena_printf(r->arena, "Query x %zu", p->streams);
    note_sparse(r, p);
    note_projection(r, p);
    note_filters(r, p);
    note_cut_off(r, p);
}
