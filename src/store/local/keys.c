/* keys.c: walking, making and removing the nodes of long keys; keys.h explains the scheme. */
#include "keys.h"
#include "guard.h"
#include "../value.h"

/* Nodes are checked as values are, with a space number that no space has. */
#define NODE_SPACE 255

void key_put_id(uint8_t *to, uint64_t id)
{
    for (int i = 0; i < KEY_ID; i++)
        to[i] = (uint8_t)(id >> (56 - 8 * i));
}

uint64_t key_get_id(const uint8_t *from)
{
    uint64_t id = 0;

    for (int i = 0; i < KEY_ID; i++)
        id = id << 8 | from[i];
    return id;
}

void key_step(struct key_step *k, const struct local *s, enum store_space space, unsigned depth,
              uint64_t id, struct slice rest)
{
    size_t lead = depth ? KEY_ID : 0, cut = KEY_CUT - lead;

    k->dbi = depth ? s->tails : s->dbi[space];
    k->node = rest.n > cut;
    if (!depth && !k->node) {
        k->key = (MDB_val){ rest.n, (void *)rest.p };
        return;
    }
    if (lead) key_put_id(k->buf, id);
    if (k->node) {
        memcpy(k->buf + lead, rest.p, cut);
        k->buf[KEY_CUT] = 0;
        k->key = (MDB_val){ KEY_NODE, k->buf };
        k->rest = slice_of(rest.p + cut, rest.n - cut);
    } else {
        if (rest.n) memcpy(k->buf + lead, rest.p, rest.n);
        k->key = (MDB_val){ lead + rest.n, k->buf };
    }
}

int key_node_id(MDB_val key, MDB_val value, uint64_t *id)
{
    struct slice payload;

    if (!value_read(slice_of(value.mv_data, value.mv_size), NODE_SPACE,
                    slice_of(key.mv_data, key.mv_size), &payload) ||
        payload.n != KEY_ID)
        return STORE_CORRUPT;
    *id = key_get_id(payload.p);
    return STORE_OK;
}

static int read_node(struct local_txn *t, struct key_step *k, uint64_t *id)
{
    MDB_val value;
    int rc = mdb_get(t->txn, k->dbi, &k->key, &value);

    return rc ? local_read_failed(t, local_status(rc)) : key_node_id(k->key, value, id);
}

int key_find(struct local_txn *t, enum store_space space, struct slice key, struct key_step *at)
{
    uint64_t id = 0;

    for (unsigned depth = 0;; depth++) {
        int rc;

        key_step(at, t->s, space, depth, id, key);
        if (!at->node) return STORE_OK;
        rc = read_node(t, at, &id);
        if (rc) return rc;
        key = at->rest;
    }
}

/* A free id. parent may be new and still without a key, and then is higher than all in use. */
static int new_id(struct local_txn *t, uint64_t parent, uint64_t *id)
{
    MDB_cursor *c;
    MDB_val key;
    uint64_t last = 0;
    int rc = guard_open_cursor(t->txn, t->s->tails, &c);

    if (rc) return rc;
    rc = mdb_cursor_get(c, &key, NULL, MDB_LAST);
    mdb_cursor_close(c);
    if (rc == 0)
        last = key_get_id(key.mv_data);
    else if (rc != MDB_NOTFOUND)
        return rc;
    *id = (last > parent ? last : parent) + 1;
    return 0;
}

static int write_node(struct local_txn *t, struct key_step *k, uint64_t parent, uint64_t *id)
{
    uint8_t bytes[KEY_ID];
    MDB_val value = { VALUE_HEADER + KEY_ID, NULL };
    int rc = new_id(t, parent, id);

    if (rc == 0) rc = mdb_put(t->txn, k->dbi, &k->key, &value, MDB_RESERVE);
    if (rc) return local_write_failed(t, rc);
    key_put_id(bytes, *id);
    value_write(value.mv_data, NODE_SPACE, slice_of(k->key.mv_data, k->key.mv_size),
                slice_of(bytes, KEY_ID));
    return STORE_OK;
}

int key_make(struct local_txn *t, enum store_space space, struct slice key, struct key_step *at)
{
    uint64_t id = 0;

    for (unsigned depth = 0;; depth++) {
        uint64_t parent = id;
        int rc;

        key_step(at, t->s, space, depth, id, key);
        if (!at->node) return STORE_OK;
        rc = read_node(t, at, &id);
        if (rc == STORE_NOT_FOUND) rc = write_node(t, at, parent, &id);
        if (rc) return rc;
        key = at->rest;
    }
}

static int list_is_empty(struct local_txn *t, uint64_t id, bool *empty)
{
    uint8_t bytes[KEY_ID];
    MDB_val key = { KEY_ID, bytes };
    MDB_cursor *c;
    int rc = guard_open_cursor(t->txn, t->s->tails, &c);

    if (rc) return rc;
    key_put_id(bytes, id);
    rc = mdb_cursor_get(c, &key, NULL, MDB_SET_RANGE);
    mdb_cursor_close(c);
    if (rc && rc != MDB_NOTFOUND) return rc;
    *empty = rc == MDB_NOTFOUND || key_get_id(key.mv_data) != id;
    return 0;
}

int key_remove(struct local_txn *t, enum store_space space, struct slice key)
{
    uint64_t ids[KEY_DEPTH + 1] = { 0 }; /* the list at each depth */
    struct slice rests[KEY_DEPTH + 1];   /* and what was looked for in it */
    struct key_step k;
    unsigned depth = 0;
    bool empty = true;
    int rc;

    for (rests[0] = key;; depth++) {
        key_step(&k, t->s, space, depth, ids[depth], rests[depth]);
        if (!k.node) break;
        rc = read_node(t, &k, &ids[depth + 1]);
        if (rc) return rc == STORE_NOT_FOUND ? STORE_OK : rc;
        rests[depth + 1] = k.rest;
    }
    rc = mdb_del(t->txn, k.dbi, &k.key, NULL);
    if (rc == MDB_NOTFOUND) return STORE_OK;
    while (rc == 0 && depth > 0) {
        rc = list_is_empty(t, ids[depth], &empty);
        if (rc || !empty) break;
        depth--;
        key_step(&k, t->s, space, depth, ids[depth], rests[depth]);
        rc = mdb_del(t->txn, k.dbi, &k.key, NULL);
    }
    return rc ? local_write_failed(t, rc) : STORE_OK;
}
