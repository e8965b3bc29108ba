/* gen.c: random operations. Each is made from the seed and its number alone, so any selection of them can be repeated. */
#include "world.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct dice {
    uint64_t state;
    struct mem *m;
    bool one_path; /* conditions compare with values only */
};

static uint64_t next(struct dice *d) /* splitmix64 */
{
    uint64_t z = (d->state += 0x9e3779b97f4a7c15u);
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int below(struct dice *d, int n)
{
    return (int)(next(d) % (uint64_t)n);
}

static bool one_in(struct dice *d, int n)
{
    return below(d, n) == 0;
}

static const char *pick(struct dice *d, const char *const *words, size_t n)
{
    return words[below(d, (int)n)];
}
#define PICK(d, words) pick(d, words, sizeof(words) / sizeof *(words))

/* ---- values ---- */

static const char *const strings[] = { "", "x", "xy", "xyz", "abc", "b", "B", "10", "9", "a longer string of several words" };
static const char *const members[] = { "x", "y", "z" };

static struct val *string(struct dice *d)
{
    const char *s = PICK(d, strings);
    return val_text(d->m, V_S, s, strlen(s));
}

static struct val *number(struct dice *d)
{
    return val_number(d->m, one_in(d, 3) ? below(d, 4000) - 2000 : 100 * (below(d, 12) - 3));
}

static struct val *bytes(struct dice *d)
{
    char b[3];
    size_t n = (size_t)below(d, 4);
    for (size_t i = 0; i < n; i++) b[i] = (char)(one_in(d, 2) ? below(d, 3) * 127 : below(d, 256));
    return val_text(d->m, V_B, b, n);
}

static struct val *set(struct dice *d, enum type type)
{
    struct val *v = val_empty(d->m, type);
    for (int n = below(d, 3) + 1; n > 0; n--) {
        struct val *one = type == V_NS ? val_number(d->m, 100 * below(d, 5)) : string(d);
        if (type == V_SS && !one->len) one = val_text(d->m, V_S, "x", 1);
        if (!list_has(v, one)) list_add(d->m, v, one);
    }
    return v;
}

static struct val *value(struct dice *d, int depth);

static struct val *list(struct dice *d, int depth)
{
    struct val *v = val_empty(d->m, V_L);
    for (int n = below(d, 4); n > 0; n--) list_add(d->m, v, value(d, depth + 1));
    return v;
}

static struct val *map(struct dice *d, int depth)
{
    struct val *v = val_empty(d->m, V_M);
    for (int n = below(d, 4); n > 0; n--) map_set(d->m, v, PICK(d, members), value(d, depth + 1));
    return v;
}

static struct val *truth(struct dice *d)
{
    struct val *v = val_empty(d->m, V_BOOL);
    v->n = below(d, 2);
    return v;
}

static struct val *value(struct dice *d, int depth)
{
    switch (below(d, depth < 2 ? 11 : 7)) {
    case 0: case 1: return string(d);
    case 2: case 3: return number(d);
    case 4: return bytes(d);
    case 5: return truth(d);
    case 6: return val_empty(d->m, V_NULL);
    case 7: return list(d, depth);
    case 8: return map(d, depth);
    case 9: return set(d, V_SS);
    default: return set(d, V_NS);
    }
}

/* ---- keys and items ---- */

static struct val *key_value(struct dice *d, enum type type, int n)
{
    char text[16];
    int i = below(d, n);
    if (type == V_N) return val_number(d->m, 50 * (i - 2));
    int len = type == V_B ? snprintf(text, sizeof text, "%c%c", i % 3 * 127, i) : snprintf(text, sizeof text, "k%d", i);
    return val_text(d->m, type, text, (size_t)len);
}

static struct val *key(struct dice *d, int table)
{
    const struct table_def *t = &table_defs[table];
    struct val *k = val_empty(d->m, V_M);
    map_set(d->m, k, t->hash, key_value(d, t->hash_type, t->hashes));
    if (t->range) map_set(d->m, k, t->range, key_value(d, t->range_type, t->ranges));
    return k;
}

/* Of the type that the attribute usually has; an index key seldom has another. */
static struct val *value_for(struct dice *d, const char *attribute)
{
    if (one_in(d, key_type(attribute) >= 0 ? 100 : 6)) return value(d, 0);
    switch (attribute[0]) {
    case 'a': return key_value(d, V_S, 5);
    case 'b': return val_number(d->m, 100 * below(d, 6));
    case 'm': return map(d, 0);
    case 'l': return list(d, 0);
    case 's': return set(d, V_SS);
    case 'n': return set(d, V_NS);
    default: return value(d, 0);
    }
}

static const char *const attributes[] = { "a", "b", "c", "d", "m", "l", "ss", "ns" };

static struct val *item(struct dice *d, const struct val *k)
{
    struct val *v = val_copy(d->m, k);
    for (int n = below(d, 8); n > 0; n--) {
        const char *name = PICK(d, attributes);
        map_set(d->m, v, name, value_for(d, name));
    }
    return v;
}

/* ---- paths and conditions ---- */

static struct step step(struct dice *d, bool index)
{
    return index ? (struct step){ NULL, (size_t)below(d, 5) } : (struct step){ PICK(d, members), 0 };
}

static struct path path_under(struct dice *d, const char *top)
{
    struct path p = { .top = top };
    bool document = top[0] == 'm' || top[0] == 'l';
    if (!document && !one_in(d, 12)) return p;
    if (key_type(top) >= 0 || !strcmp(top, "p") || !strcmp(top, "s")) return p; /* keys have no members */
    p.n = (size_t)below(d, 3);
    for (size_t i = 0; i < p.n; i++) p.steps[i] = step(d, i == 0 && document ? top[0] == 'l' : one_in(d, 2));
    return p;
}

static struct path path(struct dice *d)
{
    return path_under(d, PICK(d, attributes));
}

/* Paths of which none is part of another: different attributes, or members of one map or list. */
static size_t apart(struct dice *d, struct path *out, size_t max)
{
    size_t n = (size_t)below(d, (int)max) + 1, first = (size_t)below(d, 8), made = 0;
    for (size_t i = 0; i < n; i++) {
        struct path *p = &out[made++];
        *p = path_under(d, attributes[(first + i) % 8]);
        if (made == n || p->n != 1 || one_in(d, 2)) continue;
        out[made] = *p;
        struct step *s = &out[made].steps[0];
        if (s->name) s->name = strcmp(s->name, "x") ? "x" : "y";
        else s->index = (s->index + 1 + (size_t)below(d, 2)) % 6;
        made++;
        i++;
    }
    return made;
}

static struct operand of_path(struct path p)
{
    return (struct operand){ .path = p };
}

static struct operand of_value(struct val *v)
{
    return (struct operand){ .kind = OPERAND_VALUE, .value = v };
}

static struct val *with_order(struct dice *d)
{
    return one_in(d, 6) ? bytes(d) : one_in(d, 2) ? string(d) : number(d);
}

static void compare_with(struct dice *d, struct cond *c)
{
    c->compare = (enum compare)below(d, 6);
    c->n = 1;
    if (one_in(d, 5) && (c->compare > CMP_NE || c->compare == CMP_EQ)) {
        c->of.kind = OPERAND_SIZE;
        c->with[0] = of_value(val_number(d->m, 100 * below(d, 5)));
    } else if (!d->one_path && one_in(d, 6)) {
        struct path other = path(d);
        c->with[0] = strcmp(other.top, c->of.path.top) ? of_path(other) : of_value(with_order(d));
    } else {
        bool any = c->compare == CMP_EQ || c->compare == CMP_NE;
        c->with[0] = of_value(any && one_in(d, 2) ? value_for(d, c->of.path.top) : with_order(d));
    }
}

static void between(struct dice *d, struct cond *c)
{
    struct val *lo = one_in(d, 2) ? number(d) : string(d), *hi = lo->type == V_N ? number(d) : string(d);
    bool turned = val_order(lo, hi) > 0;
    c->n = 2;
    c->with[0] = of_value(turned ? hi : lo);
    c->with[1] = of_value(turned ? lo : hi);
}

static struct cond *condition_on(struct dice *d, const char *const *tops, size_t n, int depth)
{
    struct cond *c = mem_new(d->m, sizeof *c);
    if (depth < 2 && one_in(d, 3)) {
        c->kind = (enum cond_kind)(COND_AND + below(d, 3));
        c->left = condition_on(d, tops, n, depth + 1);
        if (c->kind != COND_NOT) c->right = condition_on(d, tops, n, depth + 1);
        return c;
    }
    static const enum cond_kind kinds[] = { COND_COMPARE, COND_COMPARE, COND_COMPARE, COND_BETWEEN, COND_IN, COND_EXISTS, COND_EXISTS,
                                            COND_MISSING, COND_MISSING, COND_TYPE, COND_BEGINS, COND_CONTAINS };
    static const char *const types[] = { "S", "N", "B", "BOOL", "NULL", "L", "M", "SS", "NS" };
    c->kind = kinds[below(d, sizeof kinds / sizeof *kinds)];
    c->of = of_path(path_under(d, pick(d, tops, n)));
    const char *type = PICK(d, types);
    switch (c->kind) {
    case COND_COMPARE: compare_with(d, c); break;
    case COND_BETWEEN: between(d, c); break;
    case COND_IN:
        c->n = (size_t)below(d, 3) + 1;
        for (size_t i = 0; i < c->n; i++) c->with[i] = of_value(value_for(d, c->of.path.top));
        break;
    case COND_TYPE: c->n = 1, c->with[0] = of_value(val_text(d->m, V_S, type, strlen(type))); break;
    case COND_BEGINS: c->n = 1, c->with[0] = of_value(one_in(d, 4) ? bytes(d) : string(d)); break;
    case COND_CONTAINS: c->n = 1, c->with[0] = of_value(one_in(d, 2) ? string(d) : number(d)); break;
    default: break;
    }
    return c;
}

static struct cond *condition(struct dice *d)
{
    static const char *const tops[] = { "a", "b", "c", "d", "m", "l", "ss", "ns", "p" };
    return condition_on(d, tops, sizeof tops / sizeof *tops, 0);
}

static struct projection *projection(struct dice *d)
{
    struct projection *p = mem_new(d->m, sizeof *p);
    p->n = apart(d, p->paths, MAX_PATHS);
    return p;
}

/* ---- updates ---- */

static struct term term(struct dice *d, struct val *v)
{
    struct term t = { .kind = (enum term_kind)below(d, 3), .path = path(d), .value = v };
    if (t.kind == TERM_PATH && one_in(d, 2)) t.kind = TERM_VALUE;
    return t;
}

static void set_change(struct dice *d, struct change *c)
{
    int which = below(d, 6);
    c->set = which < 3 ? SET_TERM : which == 3 ? SET_PLUS : which == 4 ? SET_MINUS : SET_APPEND;
    if (c->set == SET_TERM) {
        c->a = term(d, value_for(d, c->path.n ? "c" : c->path.top));
        return;
    }
    c->a = term(d, c->set == SET_APPEND ? list(d, 1) : number(d));
    c->b = term(d, c->set == SET_APPEND ? list(d, 1) : number(d));
    if (one_in(d, 2)) c->a = (struct term){ .kind = one_in(d, 2) ? TERM_PATH : TERM_IF_NOT_EXISTS, .path = c->path, .value = c->a.value };
}

static struct update *update(struct dice *d)
{
    struct update *u = mem_new(d->m, sizeof *u);
    struct path paths[MAX_CHANGES];
    u->n = apart(d, paths, MAX_CHANGES);
    for (size_t i = 0; i < u->n; i++) {
        struct change *c = &u->changes[i];
        int which = below(d, 10);
        c->path = paths[i];
        c->kind = which < 5 ? CHANGE_SET : which < 7 ? CHANGE_REMOVE : which < 9 ? CHANGE_ADD : CHANGE_DELETE;
        char top = c->path.top[0];
        if (top == 'a' || (top == 'b' && c->kind == CHANGE_DELETE)) c->kind = CHANGE_SET; /* no set can be a key of an index */
        if (c->kind == CHANGE_SET) set_change(d, c);
        else if (c->kind == CHANGE_DELETE || top == 's' || top == 'n') c->operand = set(d, top == 'n' ? V_NS : V_SS);
        else c->operand = number(d);
    }
    return u;
}

/* ---- operations ---- */

static void action(struct dice *d, enum kind kind, struct action *a)
{
    *a = (struct action){ .kind = kind, .table = below(d, TABLES) };
    a->key = key(d, a->table);
    if (kind == PUT) a->item = item(d, a->key);
    if (kind == UPDATE) a->update = update(d);
    if (kind == GET && one_in(d, 2)) a->projection = projection(d);
    if (kind == CHECK || (kind != GET && one_in(d, 3))) a->cond = condition(d);
    a->show_on_failure = a->cond && one_in(d, 2);
}

static bool is_twice(const struct op *op, const struct action *a)
{
    for (size_t i = 0; i < op->n; i++) {
        if (op->actions[i].table == a->table && val_equal(op->actions[i].key, a->key)) return true;
    }
    return false;
}

static void several(struct dice *d, struct op *op)
{
    static const enum kind writes[] = { PUT, UPDATE, DELETE, CHECK, UPDATE }, batch[] = { PUT, PUT, DELETE };
    for (int n = below(d, MAX_ACTIONS) + 1; n > 0; n--) {
        struct action a;
        enum kind kind = op->kind == TRANSACT_WRITE ? writes[below(d, 5)] : op->kind == BATCH_WRITE ? batch[below(d, 3)] : GET;
        action(d, kind, &a);
        if (op->kind == BATCH_WRITE) a.cond = NULL;
        if (op->kind == BATCH_GET) a.projection = NULL;
        if (!is_twice(op, &a)) op->actions[op->n++] = a;
    }
}

/* On attributes that an entry of this index may have, and that are no keys of it: those a Query refuses. */
static struct cond *filter(struct dice *d, const struct index_def *ix)
{
    static const char *const sort[] = { "s" }, *const included[] = { "c" };
    d->one_path = true;
    if (!ix || ix->projection == 'A') return condition_on(d, attributes + 2, 6, 0);
    return condition_on(d, ix->projection == 'K' ? sort : included, 1, 0);
}

static void sort_condition(struct dice *d, struct range *r, enum type type, int n)
{
    struct val *lo = key_value(d, type, n), *hi = key_value(d, type, n);
    int which = below(d, 8);
    r->between = which == 6;
    r->begins = which == 7 && type != V_N;
    bool turned = r->between && val_order(lo, hi) > 0;
    r->lo = turned ? hi : lo;
    r->hi = turned ? lo : hi;
    r->compare = which == CMP_NE || which > CMP_GE ? CMP_EQ : (enum compare)which;
    if (r->begins && r->lo->len > 1) r->lo = val_text(d->m, type, r->lo->s, (size_t)below(d, 2) + 1);
}

static void query_keys(struct dice *d, struct range *r, const struct index_def *ix)
{
    const struct table_def *t = &table_defs[r->table];
    const char *hash = ix ? ix->hash : t->hash, *sort = ix ? ix->range : t->range;
    r->hash = !strcmp(hash, t->hash) ? key_value(d, t->hash_type, t->hashes) : hash[0] == 'a' ? key_value(d, V_S, 5) : val_number(d->m, 100 * below(d, 6));
    r->backward = one_in(d, 2);
    if (!sort || one_in(d, 2)) return;
    if (sort[0] == 's') sort_condition(d, r, t->range_type, t->ranges);
    else if (sort[0] == 'a') sort_condition(d, r, V_S, 5);
    else sort_condition(d, r, V_N, 8);
}

static void range(struct dice *d, struct op *op)
{
    struct range *r = &op->range;
    r->table = below(d, TABLES);
    const struct table_def *t = &table_defs[r->table];
    r->index = below(d, (int)t->n + 1) - 1;
    const struct index_def *ix = r->index < 0 ? NULL : &t->indexes[r->index];
    if (op->kind == QUERY) query_keys(d, r, ix);
    if (op->kind == SCAN && one_in(d, 3)) r->segments = below(d, 4) + 1;
    if (one_in(d, 3)) r->filter = filter(d, ix);
    if (one_in(d, 2)) r->limit = below(d, op->kind == QUERY ? 6 : 60) + 1;
    if (one_in(d, 8)) r->count = true;
    else if (ix && !ix->global && one_in(d, 2)) r->all = true;
    else if (one_in(d, 3) && (!ix || !ix->global || ix->projection == 'A')) r->projection = projection(d);
    r->consistent = (!ix || !ix->global) && one_in(d, 2);
}

void generate(struct mem *m, uint64_t seed, uint64_t number_of, struct op *op)
{
    static const enum kind kinds[] = { PUT, PUT, PUT, PUT, UPDATE, UPDATE, UPDATE, UPDATE, UPDATE, UPDATE, DELETE, GET, GET,
                                       BATCH_WRITE, BATCH_GET, TRANSACT_WRITE, TRANSACT_WRITE, TRANSACT_GET, QUERY, QUERY, QUERY };
    struct dice d = { seed * 0x2545f4914f6cdd1du + number_of * 0xd6e8feb86659fd93u, m, false };
    memset(op, 0, sizeof *op);
    op->kind = one_in(&d, 50) ? SCAN : kinds[below(&d, sizeof kinds / sizeof *kinds)];
    if (op->kind == QUERY || op->kind == SCAN) {
        range(&d, op);
    } else if (op->kind > CHECK) {
        several(&d, op);
    } else {
        struct action *a = &op->actions[0];
        action(&d, op->kind, a);
        op->n = 1;
        if (op->kind != GET) a->returns = (enum returns)below(&d, op->kind == UPDATE ? 5 : 2);
    }
}
