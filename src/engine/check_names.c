/* check_names.c: see check_names.h. It is a check that tells nothing of what it finds in the catalog. */
#include "check_names.h"
#include "check_impl.h"
#include <stdlib.h>

#define SCRATCH_MAX ((size_t)4 << 20)
#define KEPT_MAX    ((size_t)1 << 30)

struct check_names {
    struct check k;
    struct check_options o;
    struct check_report report;
    bool damaged[SPACE_END];
};

static void silent(void *ctx, const struct check_finding *f)
{
    (void)ctx;
    (void)f;
}

static int read_catalog(struct store_txn *txn, void *ctx)
{
    struct check *k = &((struct check_names *)ctx)->k;
    volatile int status = STORE_NO_MEMORY;
    k->txn = txn;
    k->owners = NULL;
    k->n_owners = k->cap = 0;
    arena_reset(&k->kept);
    if (ARENA_GUARD(&k->kept) && ARENA_GUARD(&k->scratch)) status = check_catalog(k);
    arena_unguard(&k->scratch);
    arena_unguard(&k->kept);
    return status;
}

struct check_names *check_names_open(struct store *store)
{
    struct check_names *n = calloc(1, sizeof *n);
    if (!n) return NULL;
    n->o.tell = silent;
    n->k = (struct check){ .o = &n->o, .report = &n->report, .damaged = n->damaged, .store = store };
    arena_init(&n->k.kept, KEPT_MAX);
    arena_init(&n->k.scratch, SCRATCH_MAX);
    if (store_view(store, read_catalog, n)) n->k.n_owners = 0; /* they may not be in order */
    return n;
}

void check_names_close(struct check_names *n)
{
    if (!n) return;
    arena_free(&n->k.scratch);
    arena_free(&n->k.kept);
    free(n);
}

/* A table's record is told by its name. */
static void tell_record(struct check *k, struct slice key, const char *what)
{
    struct table named = { .name = slice_of(key.p + 1, key.n - 1) };
    struct owner o = { .kind = OWNER_TABLE, .table = &named };
    if (key.p[0] == 'T' && key.n > 1)
        check_tell(k, check_spaces[SPACE_META], &o, slice_of(NULL, 0), "%s", what);
    else
        check_tell_key(k, check_spaces[SPACE_META], NULL, key, "%s", what);
}

/* Only items and their like have keys that can be read back: the others are told by whom they belong to, and their bytes. */
static void tell_owned(struct check *k, enum store_space space, struct slice key, const char *what)
{
    bool has_id = key.n >= 4 && space != SPACE_TOKEN;
    const struct owner *found = has_id ? check_owner(k, (uint32_t)slice_big_endian(key.p, 4)) : NULL;
    struct owner o = found ? *found : (struct owner){ .id = 0 };
    if (space != SPACE_ITEM && o.kind != OWNER_EXPIRY) o.kind = OWNER_INDEX;
    check_tell_key(k, check_spaces[space], found ? &o : NULL, key, "%s", what);
}

void check_names_tell(struct check_names *n, enum store_space space, struct slice key, const char *what,
                      void (*tell)(void *ctx, const struct check_finding *f), void *ctx)
{
    struct check *k = &n->k;
    n->o.tell = tell;
    n->o.ctx = ctx;
    arena_reset(&k->scratch);
    if (ARENA_GUARD(&k->scratch)) {
        if (space == SPACE_META)
            tell_record(k, key, what);
        else
            tell_owned(k, space, key, what);
    }
    arena_unguard(&k->scratch);
}
