/* guard.c: leaving LMDB where it met a damaged page; see guard.h. */
#include "guard.h"
#include "../store.h"
#include <signal.h>
#include <string.h>

_Thread_local struct guard local_guard;

static struct sigaction before[2]; /* of SIGSEGV and SIGBUS */

static void leave(void)
{
    jmp_buf *to = local_guard.to;
    if (!to) return;
    local_guard.to = NULL;
    _longjmp(*to, 1);
}

void guard_assert(MDB_env *env, const char *message)
{
    (void)env;
    (void)message;
    leave();
}

int guard_compare(const MDB_val *a, const MDB_val *b)
{
    size_t n = a->mv_size < b->mv_size ? a->mv_size : b->mv_size;
    int order;

    if (local_guard.left-- == 0) leave();
    order = memcmp(a->mv_data, b->mv_data, n);
    return order ? order : (a->mv_size > b->mv_size) - (a->mv_size < b->mv_size);
}

int guard_open_cursor(MDB_txn *txn, MDB_dbi dbi, MDB_cursor **cursor)
{
    MDB_stat looked;
    int rc = mdb_stat(txn, dbi, &looked);

    return rc ? rc : mdb_cursor_open(txn, dbi, cursor);
}

bool guard_ask(bool (*question)(const void *), const void *of)
{
    jmp_buf *outer = local_guard.to, here;
    volatile bool answer = false;

    if (_setjmp(here) == 0) {
        local_guard.to = &here;
        answer = question(of);
    }
    local_guard.to = outer;
    return answer;
}

static void on_fault(int number)
{
    leave();
    /* Not LMDB's: whoever was there before has it, when the instruction is tried again. */
    sigaction(number, &before[number == SIGBUS], NULL);
}

void store_survive_damage(void)
{
    /* NODEFER: the handler is left by a jump, which must not leave the signal blocked. */
    struct sigaction action = { .sa_handler = on_fault, .sa_flags = SA_NODEFER };
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before[0]);
    sigaction(SIGBUS, &action, &before[1]);
}
