/* model_random.h: three models that have everything a write must look after, and random writes of
 * their entities. */
#ifndef OF_TESTS_MODEL_RANDOM_H
#define OF_TESTS_MODEL_RANDOM_H

#include "model_fixture.h"

/* ---- models ---- */

enum { FIELD_KEY = 1, FIELD_REQUIRED = 2, FIELD_ADD = 4, FIELD_LOCK = 8 };
#define ABSENT     (-1000000)
#define MAX_FIELDS 8

struct field {
    const char *name;
    char type;  /* s: text made of the name and a figure; n: a number */
    int values; /* how many there are */
    unsigned flags;
};

struct kind {
    const char *name;
    struct field fields[MAX_FIELDS];
    size_t n;
};

struct setting {
    const char *model;
    struct kind kinds[3];
    size_t n;
};

enum { SETTING_ORDERS, SETTING_USERS, SETTING_TASKS };

static const struct setting settings[] = {
    { "onefold: 1\n"
      "table: orders\n"
      "indexes:\n"
      "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
      "  GSI2: { hash: GSI2PK, sort: GSI2SK }\n"
      "timestamps: true\n"
      "entities:\n"
      "  Order:\n"
      "    key: { PK: 'ORDER#${orderId}', SK: '#META' }\n"
      "    index:\n"
      "      GSI1: { GSI1PK: 'STATUS#${status}', GSI1SK: '${day}#${orderId}',\n"
      "              shards: { of: GSI1PK, by: orderId, count: 4 } }\n"
      "      GSI2: { GSI2PK: 'AGENT#${agent}', GSI2SK: '${total:06}' }\n"
      "    copies:\n"
      "      - key: { PK: 'CUSTOMER#${customer}', SK: 'ORDER#${orderId}' }\n"
      "        only: [status, total]\n"
      "      - key: { PK: 'AGENT#${agent}', SK: 'ORDER#${day}#${orderId}' }\n"
      "        sparse: true\n"
      "        index: { GSI1: { GSI1PK: 'AGENTS', GSI1SK: '${agent}#${status}' } }\n"
      "        shards: { of: PK, by: orderId, count: 3 }\n"
      "    attributes:\n"
      "      orderId: { required: true }\n"
      "      customer: { required: true }\n"
      "      status: { required: true }\n"
      "      total: { type: number, min: 0, max: 999999 }\n"
      "      agent: string\n"
      "      day: { required: true }\n"
      "      note: string\n"
      "  Line:\n"
      "    key: { PK: 'ORDER#${orderId}', SK: 'LINE#${n:03}' }\n"
      "    attributes:\n"
      "      orderId: { required: true }\n"
      "      n: { type: number, required: true }\n"
      "      quantity: { type: number }\n",
      { { "Order",
          { { "orderId", 's', 5, FIELD_KEY },
            { "customer", 's', 3, FIELD_REQUIRED },
            { "status", 's', 3, FIELD_REQUIRED },
            { "total", 'n', 50, FIELD_ADD },
            { "agent", 's', 3, 0 },
            { "day", 's', 2, FIELD_REQUIRED },
            { "note", 's', 9, 0 } },
          7 },
        { "Line",
          { { "orderId", 's', 3, FIELD_KEY },
            { "n", 'n', 4, FIELD_KEY },
            { "quantity", 'n', 9, FIELD_ADD } },
          3 } },
      2 },
    { "onefold: 1\n"
      "table: users\n"
      "keys: { hash: pk, sort: sk }\n"
      "indexes:\n"
      "  ByTeam: { hash: team, sort: joined }\n"
      "entities:\n"
      "  User:\n"
      "    key: { pk: 'USER#${userId}', sk: PROFILE }\n"
      "    index: { ByTeam: {} }\n"
      "    unique: [email, [tenant, slug]]\n"
      "    lock: version\n"
      "    attributes:\n"
      "      userId: { required: true }\n"
      "      email: { required: true }\n"
      "      tenant: string\n"
      "      slug: string\n"
      "      team: string\n"
      "      joined: string\n"
      "      visits: { type: number }\n"
      "      version: { type: number }\n"
      "  Account:\n"
      "    key: { pk: 'ACCOUNT#${accountId}', sk: '#META' }\n"
      "    unique: [iban]\n"
      "    copies:\n"
      "      - key: { pk: 'BANK#${bank}', sk: 'ACCOUNT#${accountId}' }\n"
      "        only: [iban, balance]\n"
      "        sparse: true\n"
      "    attributes:\n"
      "      accountId: { required: true }\n"
      "      iban: string\n"
      "      bank: string\n"
      "      balance: { type: number, min: -20 }\n",
      { { "User",
          { { "userId", 's', 5, FIELD_KEY },
            { "email", 's', 6, FIELD_REQUIRED },
            { "tenant", 's', 2, 0 },
            { "slug", 's', 3, 0 },
            { "team", 's', 2, 0 },
            { "joined", 's', 3, 0 },
            { "visits", 'n', 9, FIELD_ADD } },
          7 },
        { "Account",
          { { "accountId", 's', 4, FIELD_KEY },
            { "iban", 's', 4, 0 },
            { "bank", 's', 2, 0 },
            { "balance", 'n', 9, FIELD_ADD } },
          4 } },
      2 },
    { "onefold: 1\n"
      "table: tasks\n"
      "indexes:\n"
      "  GSI1: { hash: GSI1PK, sort: { name: GSI1SK, type: number } }\n"
      "timestamps: true\n"
      "entities:\n"
      "  Task:\n"
      "    key: { PK: 'PROJECT#${project}', SK: 'TASK#${priority:03}#${taskId}' }\n"
      "    index: { GSI1: { GSI1PK: 'STATE#${state}', GSI1SK: '${effort}' } }\n"
      "    unique: [code]\n"
      "    copies:\n"
      "      - key: { PK: 'TASK#${taskId}', SK: 'IN#${project}#${priority:03}' }\n"
      "    attributes:\n"
      "      project: { required: true }\n"
      "      priority: { type: number, required: true }\n"
      "      taskId: { required: true }\n"
      "      state: string\n"
      "      effort: { type: number }\n"
      "      code: string\n"
      "  Member:\n"
      "    key: { PK: 'USER#${user}', SK: 'TEAM#${team}' }\n"
      "    copies: [{ key: { PK: 'TEAM#${team}', SK: 'USER#${user}' } }]\n"
      "    attributes:\n"
      "      user: { required: true }\n"
      "      team: { required: true }\n"
      "      role: string\n",
      { { "Task",
          { { "project", 's', 2, FIELD_KEY },
            { "priority", 'n', 3, FIELD_KEY },
            { "taskId", 's', 2, FIELD_KEY },
            { "state", 's', 2, 0 },
            { "effort", 'n', 9, FIELD_ADD },
            { "code", 's', 8, 0 } },
          6 },
        { "Member",
          { { "user", 's', 3, FIELD_KEY }, { "team", 's', 3, FIELD_KEY }, { "role", 's', 3, 0 } },
          3 } },
      2 },
};

/* ---- chance ---- */

struct chance {
    uint64_t state;
};

static inline unsigned pick(struct chance *c, unsigned n)
{
    uint64_t x = c->state += 0x9E3779B97F4A7C15u;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return (unsigned)((x ^ (x >> 31)) % n);
}

/* ---- operations ---- */

struct values {
    int v[MAX_FIELDS]; /* ABSENT: not there */
};

enum what { OP_PUT, OP_UPDATE, OP_DELETE, OP_CHECK };

struct op {
    enum what what;
    const struct kind *kind;
    struct values values;    /* put: all; else the key */
    char change[MAX_FIELDS]; /* update: = set, + add, - remove */
    int to[MAX_FIELDS];
    bool if_absent;
    bool nothing; /* a delete that found nothing, whatever has come since */
};

static bool same_key(const struct kind *k, const struct values *a, const struct values *b)
{
    for (size_t f = 0; f < k->n; f++) {
        if ((k->fields[f].flags & FIELD_KEY) && a->v[f] != b->v[f]) return false;
    }
    return true;
}

static void set_field(of_item *item, const struct field *f, int value)
{
    char text[64];
    int n = snprintf(text, sizeof text, "%s%d", f->name, value);
    if (f->type == 'n') {
        of_item_set_int(item, f->name, -1, value);
    } else {
        of_item_set_string(item, f->name, -1, text, n);
    }
}

static inline bool value_is(const struct field *f, int value, of_value v)
{
    char text[64];
    int64_t number;
    size_t n;
    if (f->type == 'n') return of_value_int(v, &number) && number == value;
    const char *bytes = of_value_bytes(v, &n);
    return bytes && n == (size_t)snprintf(text, sizeof text, "%s%d", f->name, value) &&
           !memcmp(bytes, text, n);
}

static of_item *item_from(const struct kind *k, const struct values *v, bool key_only)
{
    of_item *item = of_item_new();
    for (size_t f = 0; f < k->n; f++) {
        if (v->v[f] == ABSENT || (key_only && !(k->fields[f].flags & FIELD_KEY))) continue;
        set_field(item, &k->fields[f], v->v[f]);
    }
    return item;
}

static inline struct op random_op(struct chance *c, const struct setting *s, bool in_transaction)
{
    struct op op = { .kind = &s->kinds[pick(c, 3) ? 0 : pick(c, (unsigned)s->n)] };
    static const enum what often[] = { OP_PUT,    OP_PUT,    OP_PUT,    OP_UPDATE,
                                       OP_UPDATE, OP_UPDATE, OP_UPDATE, OP_DELETE };
    op.what = often[pick(c, 8)];
    if (in_transaction && !pick(c, 8)) op.what = OP_CHECK;
    op.if_absent = op.what == OP_PUT && !pick(c, 3);
    for (size_t f = 0; f < op.kind->n; f++) {
        const struct field *fd = &op.kind->fields[f];
        bool always = fd->flags & (FIELD_KEY | FIELD_REQUIRED);
        op.values.v[f] = always || pick(c, 3) ? (int)pick(c, (unsigned)fd->values) : ABSENT;
        if (op.what != OP_UPDATE || pick(c, fd->flags & FIELD_KEY ? 6 : 3)) continue;
        op.to[f] = (int)pick(c, (unsigned)fd->values);
        op.change[f] = "==-"[pick(
            c, 3)]; /* removing what is required is refused: that too must change nothing */
        if ((fd->flags & FIELD_ADD) && pick(c, 2)) {
            op.change[f] = '+';
            op.to[f] -= 3;
        }
    }
    return op;
}

static inline int run_op(struct world *w, struct op *op, of_error *err)
{
    const struct kind *k = op->kind;
    of_entity_options o = { .if_absent = op->if_absent };
    of_item *item = item_from(k, &op->values, op->what != OP_PUT), *old = NULL;
    int result;
    if (op->what == OP_DELETE) {
        result = of_entity_delete(w->model, w->db, k->name, item, &o, &old, err);
        op->nothing = !old;
    } else if (op->what == OP_PUT) {
        /* Whoever replaces an item with a version must give it; every third time it is left out. */
        of_value version;
        bool give = op->values.v[0] % 3 || op->if_absent;
        if (give && !op->if_absent && !of_entity_get(w->model, w->db, k->name, item, NULL, &old, err) &&
            old && of_item_get(old, "version", -1, &version)) {
            of_item_set_value(item, "version", -1, version);
        }
        result = of_entity_put(w->model, w->db, k->name, item, &o, NULL, err);
    } else {
        of_item *set = of_item_new(), *add = of_item_new(), *remove = of_item_new();
        for (size_t f = 0; f < k->n; f++) {
            if (op->change[f])
                set_field(op->change[f] == '='   ? set
                          : op->change[f] == '+' ? add
                                                 : remove,
                          &k->fields[f], op->to[f]);
        }
        result = of_entity_update(w->model, w->db, k->name, item, set, add, remove, &o, NULL, err);
        of_item_free(set);
        of_item_free(add);
        of_item_free(remove);
    }
    of_item_free(old);
    of_item_free(item);
    return result;
}

static void put_fields(struct buf *b, const struct op *op, const char *member, char change)
{
    const struct kind *k = op->kind;
    size_t n = 0;
    for (size_t f = 0; f < k->n; f++) {
        const struct field *fd = &k->fields[f];
        bool key = fd->flags & FIELD_KEY;
        int value = change ? op->to[f] : op->values.v[f];
        if (change ? op->change[f] != change : value == ABSENT || (op->what != OP_PUT && !key))
            continue;
        buf_printf(b, "%s", n++ ? ", " : member);
        if (change == '-') {
            buf_printf(b, "%s", fd->name);
        } else if (fd->type == 'n') {
            buf_printf(b, "%s: %d", fd->name, value);
        } else {
            buf_printf(b, "%s: %s%d", fd->name, fd->name, value);
        }
    }
    if (n) buf_printf(b, "%s", change == '-' ? "]" : "}");
}

static inline int run_transaction(struct world *w, const struct op *ops, size_t n, of_error *err)
{
    static const char *const words[] = { "put", "update", "delete", "check" };
    struct arena a;
    struct buf b;
    arena_init(&a, 1 << 20);
    buf_init(&b, &a, 1 << 20);
    for (size_t i = 0; i < n; i++) {
        buf_printf(&b, "- { %s: %s", words[ops[i].what], ops[i].kind->name);
        put_fields(&b, &ops[i], ops[i].what == OP_PUT ? ", attributes: {" : ", key: {", 0);
        put_fields(&b, &ops[i], ", set: {", '=');
        put_fields(&b, &ops[i], ", add: {", '+');
        put_fields(&b, &ops[i], ", remove: [", '-');
        if (ops[i].if_absent) BUF_LIT(&b, ", ifAbsent: true");
        BUF_LIT(&b, " }\n");
    }
    int result =
        of_entities_transact(w->model, w->db, (const char *)b.p, (ptrdiff_t)b.n, NULL, NULL, err);
    arena_free(&a);
    return result;
}

/* A random write may be refused, but only for reasons that a caller can understand. */
static inline void expected_failure(int result, const of_error *err)
{
    static const char *const known[] = { "is already taken",
                                         "there is no ",
                                         "exists already",
                                         "is required and cannot be removed",
                                         "is changed twice",
                                         "no change is given",
                                         "was changed meanwhile",
                                         "others kept changing",
                                         "must be at least",
                                         "must be at most",
                                         "both write the item",
                                         "update needs set",
                                         "does not fit",
                                         "is missing",
                                         NULL };
    for (size_t i = 0; known[i]; i++) {
        if (strstr(err->message, known[i])) return;
    }
    fail_msg("%d %s: %s", result, err->type, err->message);
}

#endif
