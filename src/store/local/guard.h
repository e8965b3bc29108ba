/* guard.h: what LMDB does with a damaged page must not end the process.
 *
 * LMDB reads the file through memory and follows what it finds there. A page whose offsets or page numbers are damaged leads it out of
 * the file (SIGBUS), out of the map (SIGSEGV), to a failed assertion, or round and round: the search in a page that says it has two thousand
 * million keys need not end. Every call of LMDB that can meet such a page stands in a guard, which makes an error of that:
 *
 *     GUARDED(rc, mdb_get(txn, dbi, &key, &value));
 *
 * LMDB's readers hold no lock and no memory of their own, so that leaving one in its middle costs nothing. A writer is left with a
 * transaction in an unknown state and with LMDB's lock: it is never committed, the store takes no more writes (local_write_damaged),
 * and its environment is never closed (local_env_close).
 * Nothing of the engine runs inside a guard. Signals are watched only in programs that asked for it (store_survive_damage): a
 * library does not take a process's signals for itself. */
#ifndef OF_STORE_LOCAL_GUARD_H
#define OF_STORE_LOCAL_GUARD_H

#include <lmdb.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>

struct guard {
    jmp_buf *volatile to; /* where a damaged page leads; NULL outside of guards */
    unsigned left;        /* comparisons of keys before a search is one that does not end */
};
extern _Thread_local struct guard local_guard;

/* A search compares 15 keys of a page at the most (PAGE_MAX), 32 pages deep (PAGE_DEPTH); what stands in one guard searches a few times. */
#define GUARD_COMPARISONS 65536

/* In a guard around a loop, whenever it begins anew. */
static inline void guard_goes_on(void)
{
    local_guard.left = GUARD_COMPARISONS;
}

/* What a guarded call gives that met a damaged page. LMDB itself never does. */
#define GUARD_DAMAGED (-39999)

/* rc must not be read after a damaged page but as it is set here; what the call changes beside it is unknown then. */
#define GUARDED(rc, call)                          \
    do {                                           \
        struct guard *guard_ = &local_guard;       \
        jmp_buf here_;                             \
        if (_setjmp(here_) == 0) {                 \
            guard_->left = GUARD_COMPARISONS;      \
            guard_->to = &here_;                   \
            (rc) = (call);                         \
            guard_->to = NULL;                     \
        } else {                                   \
            (rc) = GUARD_DAMAGED;                  \
        }                                          \
    } while (0)

/* For mdb_env_set_assert. */
void guard_assert(MDB_env *env, const char *message);
/* For mdb_set_compare: the order that LMDB has by itself, and an eye on how often it is asked for. */
int guard_compare(const MDB_val *a, const MDB_val *b);
/* mdb_cursor_open within a guard. The first cursor of a transaction in a database looks at its root, which may lead out of the guard: done before
 * there is memory that would be lost then. */
int guard_open_cursor(MDB_txn *txn, MDB_dbi dbi, MDB_cursor **cursor);
/* Inside of a guard, a question whose answer is false where it meets what cannot be read: the guard goes on. */
bool guard_ask(bool (*question)(const void *), const void *of);

#endif
