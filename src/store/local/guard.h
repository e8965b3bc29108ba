/* guard.h: what LMDB does with a damaged page must not end the process.
 *
 * LMDB reads the file through memory and follows what it finds there. A page whose offsets or page numbers are damaged leads it out of
 * the file (SIGBUS), out of the map (SIGSEGV) or to a failed assertion. Every call of LMDB that can meet such a page stands in a
 * guard, which makes an error of that:
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
#include <stddef.h>

struct guard {
    jmp_buf *volatile to; /* where a damaged page leads; NULL outside of guards */
};
extern _Thread_local struct guard local_guard;

/* What a guarded call gives that met a damaged page. LMDB itself never does. */
#define GUARD_DAMAGED (-39999)

/* rc must not be read after a damaged page but as it is set here; what the call changes beside it is unknown then. */
#define GUARDED(rc, call)                          \
    do {                                           \
        struct guard *guard_ = &local_guard;       \
        jmp_buf here_;                             \
        if (_setjmp(here_) == 0) {                 \
            guard_->to = &here_;                   \
            (rc) = (call);                         \
            guard_->to = NULL;                     \
        } else {                                   \
            (rc) = GUARD_DAMAGED;                  \
        }                                          \
    } while (0)

/* For mdb_env_set_assert. */
void guard_assert(MDB_env *env, const char *message);

#endif
