/* policy.c: the policy that keeps a tenant to its own partitions, out of the templates of the model's keys.
 *
 * A key is the tenant's if the first hole of its template is the tenant's attribute and nothing but the delimiter, or the key's end,
 * follows: then "TENANT#${tenantId}#USERS" becomes the leading key "TENANT#${aws:PrincipalTag/tenant}#USERS", and every hole behind the
 * tenant a star. Without the delimiter one tenant's keys could begin like another's. What is not so is left out, and told. */
#include "entity.h"
#include "jsonw.h"
#include "report.h"

static const char reading[] = "\"dynamodb:GetItem\",\"dynamodb:BatchGetItem\",\"dynamodb:Query\",\"dynamodb:PartiQLSelect\"";
static const char writing[] = ",\"dynamodb:ConditionCheckItem\",\"dynamodb:PutItem\",\"dynamodb:UpdateItem\",\"dynamodb:DeleteItem\","
                              "\"dynamodb:BatchWriteItem\",\"dynamodb:PartiQLInsert\",\"dynamodb:PartiQLUpdate\","
                              "\"dynamodb:PartiQLDelete\"";

struct policy_maker {
    struct reporter *r;
    const struct policy_options *o;
    struct slice tenant;   /* the attribute */
    struct slice *patterns; /* of one place, each once */
    size_t n;
    bool bare;              /* a pattern of the place begins with the tenant */
    size_t unconfined;
};

/* ---- one key ---- */

/* The text of a literal: what IAM would read as a wildcard or a variable is written so that it is not. */
static void put_literal(struct buf *b, struct slice text)
{
    for (size_t i = 0; i < text.n; i++) {
        bool special = text.p[i] == '*' || text.p[i] == '?' || text.p[i] == '$';
        if (special) buf_printf(b, "${%c}", text.p[i]);
        else buf_u8(b, text.p[i]);
    }
}

/* The number of the first hole from there on; n: there is none. */
static size_t hole_from(const struct template *t, size_t at)
{
    while (at < t->n && !t->parts[at].hole) at++;
    return at;
}

/* Does the delimiter follow the hole, or nothing? Then it is certain where its value ends. */
static bool ends_there(const struct template *t, size_t hole)
{
    if (hole + 1 == t->n) return true;
    const struct part *next = &t->parts[hole + 1];
    return !next->hole && t->delimiter.n && slice_starts(next->text, t->delimiter);
}

/* Does the other key have the tenant in the same place? Then two tenants' keys differ. */
static bool is_alike(const struct policy_maker *k, const struct template *t, const struct template *other)
{
    size_t at = hole_from(t, 0);
    if (hole_from(other, 0) != at || at == other->n || !slice_eq(other->parts[at].text, k->tenant)) return false;
    return ends_there(other, at) && (!at || slice_eq(t->parts[0].text, other->parts[0].text));
}

/* With the shard behind it, as parts. */
static struct template widened(struct arena *a, const struct template *t, const struct shards *shards)
{
    struct template wide = *t;
    if (!shards) return wide;
    wide.parts = ARENA_ARRAY(a, struct part, t->n + 2);
    memcpy(wide.parts, t->parts, t->n * sizeof *t->parts);
    wide.parts[wide.n++] = (struct part){ .text = t->delimiter };
    wide.parts[wide.n++] = (struct part){ .text = shards->by, .hole = true };
    wide.whole = false;
    return wide;
}

/* The template of a path's partitions: a local index has those of what it is an index of. */
static const struct key_template *hash_of(const struct access_path *p)
{
    if (p->n_hash) return &p->hash[0];
    return p->copy ? &p->copy->key->hash[0] : &p->entity->key->hash[0];
}

/* Is there a key in the same place that a tenant's leading key would take in, if the tenant had the right name ("ORDER", where keys
 * begin with the tenant and others with ORDER#)? Up to the first star of the leading key it must be the same; behind it, anything. */
static bool meets_another(const struct policy_maker *k, const struct model_index *ix, const struct template *t, const struct shards *shards)
{
    const struct model *m = k->r->model;
    struct arena *a = k->r->arena;
    struct template own = widened(a, t, shards);
    size_t first = hole_from(&own, 0), parts = hole_from(&own, first + 1);
    own.whole = false; /* put_guard keeps the delimiter out */
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        const struct key_template *hash = hash_of(p);
        if (p->index != ix || is_alike(k, t, &hash->template)) continue;
        struct template other = widened(a, &hash->template, hash->shards);
        if (template_may_meet(&own, parts, &other)) return true;
    }
    for (size_t i = 0; !ix->number && first && i < m->n_entities; i++) { /* and it keeps out who would be called as sentinels begin */
        for (size_t u = 0; u < m->entities[i].n_uniques; u++) {
            const struct template *sentinel = &m->entities[i].uniques[u].hash;
            if (!is_alike(k, t, sentinel) && template_may_meet(&own, parts, sentinel)) return true;
        }
    }
    return false;
}

/* NULL, or why the key does not keep a tenant apart. */
static const char *not_apart(const struct policy_maker *k, const struct model_index *ix, const struct template *t,
                             const struct shards *shards)
{
    size_t at = hole_from(t, 0);
    if (at == t->n) return "its key is the same for all tenants";
    if (!slice_eq(t->parts[at].text, k->tenant)) return "its key does not begin with the tenant";
    if (!ends_there(t, at)) return "no delimiter follows the tenant in its key: one tenant's keys could begin like another's";
    return meets_another(k, ix, t, shards) ? "with a tenant of the right name it is the key of something else" : NULL;
}

static struct slice pattern_of(const struct policy_maker *k, const struct template *t, const struct shards *shards)
{
    struct buf b;
    bool tenant = true; /* the first hole */
    buf_init(&b, k->r->arena, 1u << 20);
    for (size_t i = 0; i < t->n; i++) {
        if (!t->parts[i].hole) put_literal(&b, t->parts[i].text);
        else if (tenant) buf_printf(&b, "${aws:PrincipalTag/%.*s}", SLICE_ARG(k->o->tag));
        else buf_u8(&b, '*');
        if (t->parts[i].hole) tenant = false;
    }
    if (shards) {
        put_literal(&b, t->delimiter);
        buf_u8(&b, '*');
    }
    return buf_view(&b);
}

static void add_pattern(struct policy_maker *k, struct slice pattern)
{
    for (size_t i = 0; i < k->n; i++) {
        if (slice_eq(k->patterns[i], pattern)) return;
    }
    k->patterns[k->n++] = pattern;
}

/* A row of "keys": what the key is, and what becomes of it. */
static void tell(struct policy_maker *k, const struct entity *e, const char *what, const struct model_index *ix, const struct template *t,
                 const struct shards *shards)
{
    struct buf *b = k->r->out;
    /* A local index has the partitions of the table. */
    const char *why = not_apart(k, ix->local ? &k->r->model->indexes[0] : ix, t, shards);
    js_open(b, NULL, '{');
    js_string(b, "entity", e->name);
    js_string(b, "what", slice_str(what));
    js_string_if(b, "index", ix->name);
    js_string(b, "key", t->source);
    js_bool(b, "confined", !why);
    if (why) {
        js_string(b, "why", slice_str(why));
        k->unconfined++;
    } else {
        struct slice pattern = pattern_of(k, t, shards);
        js_string(b, "leadingKey", pattern);
        add_pattern(k, pattern);
        k->bare = k->bare || !hole_from(t, 0);
    }
    js_close(b, '}');
}

/* ---- places ---- */

static bool is_asked_for(const struct policy_maker *k, const struct entity *e)
{
    for (size_t i = 0; i < k->o->n_entities; i++) {
        if (slice_eq(k->o->entities[i], e->name)) return true;
    }
    return !k->o->n_entities;
}

/* The keys of the table, or of one index, and with them k->patterns. */
static void tell_place(struct policy_maker *k, const struct model_index *ix)
{
    static const char *const kinds[] = { [PATH_KEY] = "key", [PATH_COPY] = "copy", [PATH_INDEX] = "index entry" };
    const struct model *m = k->r->model;
    k->n = 0;
    k->bare = false;
    for (size_t i = 0; i < m->n_paths; i++) {
        const struct access_path *p = &m->paths[i];
        if (p->index != ix || !is_asked_for(k, p->entity)) continue;
        const struct key_template *hash = hash_of(p);
        tell(k, p->entity, kinds[p->kind], ix, &hash->template, hash->shards);
    }
    for (size_t i = 0; !ix->number && i < m->n_entities; i++) {
        const struct entity *e = &m->entities[i];
        for (size_t u = 0; is_asked_for(k, e) && u < e->n_uniques; u++)
            tell(k, e, "unique", ix, &e->uniques[u].hash, NULL);
    }
}

/* Whom the tag may not name. Who could call himself "acme#USERS" would be another's users: the model refuses such a tenant, and so must
 * the policy. Where keys begin with the tenant, he may not be called as what Onefold itself keeps in a table. */
static void put_guard(const struct policy_maker *k, struct buf *b)
{
    struct buf text;
    buf_init(&text, k->r->arena, 1u << 20);
    buf_u8(&text, '*');
    put_literal(&text, k->r->model->delimiter);
    buf_u8(&text, '*');
    buf_printf(b, ",\"StringNotLike\":{\"aws:PrincipalTag/%.*s\":[", SLICE_ARG(k->o->tag));
    json_put_string(b, buf_view(&text));
    if (k->bare) BUF_LIT(b, ",\"UNIQUE\",\"ONEFOLD\",\"" MODEL_MARKER "\"");
    BUF_LIT(b, "]}");
}

static void put_statement(struct policy_maker *k, struct buf *b, const struct model_index *ix)
{
    struct slice table = k->r->model->table;
    if (!k->n) return;
    js_open(b, NULL, '{');
    BUF_LIT(b, "\"Sid\":\"");
    if (!ix->number) BUF_LIT(b, "Table");
    for (size_t i = 0; i < ix->name.n; i++) { /* letters and digits are all that IAM takes */
        uint8_t c = ix->name.p[i];
        if ((c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z')) buf_u8(b, c);
    }
    BUF_LIT(b, "\",\"Effect\":\"Allow\",\"Action\":[");
    if (ix->number) BUF_LIT(b, "\"dynamodb:Query\",\"dynamodb:PartiQLSelect\"");
    else buf_printf(b, "%s%s", reading, k->o->read_only ? "" : writing);
    buf_printf(b, "],\"Resource\":\"arn:aws:dynamodb:*:*:table/%.*s%s%.*s\",\"Condition\":{\"ForAllValues:StringLike\":"
                  "{\"dynamodb:LeadingKeys\":[", SLICE_ARG(table), ix->number ? "/index/" : "", SLICE_ARG(ix->name));
    for (size_t i = 0; i < k->n; i++) js_string(b, NULL, k->patterns[i]);
    /* ForAllValues alone holds where there is no leading key at all. */
    BUF_LIT(b, "]},\"Null\":{\"dynamodb:LeadingKeys\":\"false\"}");
    put_guard(k, b);
    BUF_LIT(b, "}}");
}

/* ---- the whole ---- */

/* There may be a thousand: the first ones show how they are written. */
static int refuse_entity(const struct policy_maker *k, struct slice name)
{
    enum { SHOWN = 8 };
    const struct model *m = k->r->model;
    struct buf names;
    buf_init(&names, k->r->arena, 64 * 1024);
    for (size_t i = 0; i < m->n_entities && i < SHOWN; i++) buf_printf(&names, "%s%.*s", i ? ", " : "", SLICE_ARG(m->entities[i].name));
    if (m->n_entities > SHOWN) BUF_LIT(&names, ", ...");
    return err_set(k->r->err, ERR_ValidationException, "there is no entity %.*s: the model has %.*s", SLICE_ARG(name), (int)names.n, names.p);
}

static int find_entities(const struct policy_maker *k)
{
    const struct model *m = k->r->model;
    for (size_t i = 0; i < k->o->n_entities; i++) {
        bool found = false;
        for (size_t e = 0; e < m->n_entities; e++) found = found || slice_eq(m->entities[e].name, k->o->entities[i]);
        if (!found) return refuse_entity(k, k->o->entities[i]);
    }
    return 0;
}

/* The attribute that is given, or the first hole of the first entity's key. */
static int find_tenant(struct policy_maker *k)
{
    const struct model *m = k->r->model;
    k->tenant = k->o->tenant;
    for (size_t i = 0; !k->tenant.n && i < m->n_entities; i++) {
        if (!is_asked_for(k, &m->entities[i])) continue;
        const struct template *t = &m->entities[i].key->hash[0].template;
        for (size_t p = 0; !k->tenant.n && p < t->n; p++) {
            if (t->parts[p].hole) k->tenant = t->parts[p].text;
        }
    }
    if (k->tenant.n) return 0;
    return err_set(k->r->err, ERR_ValidationException, "no key of the model has an attribute in it that could be a tenant's");
}

/* What IAM and the credentials file take, and a policy's text needs no care for. */
static int check_tag(struct reporter *r, struct slice tag)
{
    for (size_t i = 0; i < tag.n; i++) {
        uint8_t c = tag.p[i];
        bool plain = (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || memchr("+-=._:/@", c, 8);
        if (plain) continue;
        return err_set(r->err, ERR_ValidationException, "the tag \"%.*s\" must be letters, digits and + - = . _ : / @", SLICE_ARG(tag));
    }
    return 0;
}

int report_policy(struct reporter *r, const struct policy_options *o)
{
    const struct model *m = r->model;
    struct policy_options named = *o;
    struct policy_maker k = { .r = r, .o = &named };
    struct buf *b = r->out, statements;
    if (!named.tag.n) named.tag = SLICE("tenant");
    int code = check_tag(r, named.tag);
    if (!code) code = find_entities(&k);
    if (!code) code = find_tenant(&k);
    if (code) return code;
    size_t most = m->n_paths;
    for (size_t i = 0; i < m->n_entities; i++) most += m->entities[i].n_uniques;
    k.patterns = ARENA_ARRAY(r->arena, struct slice, most + 1);
    buf_init(&statements, r->arena, (size_t)16 << 20);
    js_open(b, NULL, '{');
    js_string(b, "tenant", k.tenant);
    js_string(b, "tag", named.tag);
    js_open(b, "keys", '[');
    for (size_t i = 0; i < m->n_indexes; i++) {
        tell_place(&k, &m->indexes[i]);
        put_statement(&k, &statements, &m->indexes[i]);
    }
    js_close(b, ']');
    js_bool(b, "complete", !k.unconfined);
    BUF_LIT(b, ",\"policy\":{\"Version\":\"2012-10-17\",\"Statement\":[");
    buf_slice(b, buf_view(&statements));
    BUF_LIT(b, "]}}");
    if (statements.n) return 0;
    return err_set(r->err, ERR_ValidationException,
                   "no key of these entities begins with %.*s: there is nothing that a policy could keep apart", SLICE_ARG(k.tenant));
}
