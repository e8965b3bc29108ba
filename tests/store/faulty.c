/* faulty.c: see faulty.h. */
#include "faulty.h"
#include "store/postgres/pq_library.h"
#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static struct pq_library real;
static atomic_bool on, hit;
static enum fault kind;
static bool first_too;
static atomic_uint calls, wanted;

void faulty_begin(enum fault fault, unsigned nth)
{
    kind = fault;
    first_too = false;
    atomic_store(&calls, 0);
    atomic_store(&wanted, nth);
    atomic_store(&hit, false);
    atomic_store(&on, true);
}

void faulty_begin_cut_off(enum fault fault, unsigned nth)
{
    faulty_begin(fault, nth + 1);
    first_too = true;
}

bool faulty_end(void)
{
    atomic_store(&on, false);
    return atomic_load(&hit);
}

static bool is_its_turn(bool memory)
{
    if (!atomic_load(&on) || (kind == FAULT_MEMORY) != memory) return false;
    unsigned n = atomic_fetch_add(&calls, 1) + 1;
    if (n == atomic_load(&wanted)) atomic_store(&hit, true);
    return n == atomic_load(&wanted) || (n == 1 && first_too);
}

/* ---- libpq ---- */

/* True: the call is to say that it failed. */
static bool fails(const PGconn *c)
{
    if (!is_its_turn(false)) return false;
    int fd = c ? real.PQsocket(c) : -1;
    if (fd >= 0) shutdown(fd, SHUT_RDWR);
    return kind == FAULT_CALL;
}

static PGconn *connect_params(const char *const *names, const char *const *values, int expand)
{
    return fails(NULL) ? NULL : real.PQconnectdbParams(names, values, expand);
}

static ConnStatusType status(const PGconn *c)
{
    return fails(c) ? CONNECTION_BAD : real.PQstatus(c);
}

static int socket_of(const PGconn *c)
{
    return fails(c) ? -1 : real.PQsocket(c);
}

static int enter_pipeline(PGconn *c)
{
    return !fails(c) && real.PQenterPipelineMode(c);
}

static int pipeline_sync(PGconn *c)
{
    return !fails(c) && real.PQpipelineSync(c);
}

static int send_prepare(PGconn *c, const char *name, const char *sql, int n, const Oid *types)
{
    return !fails(c) && real.PQsendPrepare(c, name, sql, n, types);
}

static int send_prepared(PGconn *c, const char *name, int n, const char *const *values, const int *lengths, const int *formats, int format)
{
    return !fails(c) && real.PQsendQueryPrepared(c, name, n, values, lengths, formats, format);
}

static int send_params(PGconn *c, const char *sql, int n, const Oid *types, const char *const *values, const int *lengths, const int *formats, int format)
{
    return !fails(c) && real.PQsendQueryParams(c, sql, n, types, values, lengths, formats, format);
}

static int send_query(PGconn *c, const char *sql)
{
    return !fails(c) && real.PQsendQuery(c, sql);
}

static PGresult *get_result(PGconn *c)
{
    return fails(c) ? NULL : real.PQgetResult(c);
}

static int flush(PGconn *c)
{
    return fails(c) ? -1 : real.PQflush(c);
}

static int consume(PGconn *c)
{
    return !fails(c) && real.PQconsumeInput(c);
}

static int nonblocking(PGconn *c, int want)
{
    return fails(c) ? -1 : real.PQsetnonblocking(c, want);
}

bool faulty_install(void)
{
    const char *why;
    struct pq_library *pq = (struct pq_library *)(uintptr_t)pq_library(&why); /* the library's own table, which is not constant */
    if (!pq) return false;
    real = *pq;
    pq->PQconnectdbParams = connect_params;
    pq->PQstatus = status;
    pq->PQsocket = socket_of;
    pq->PQenterPipelineMode = enter_pipeline;
    pq->PQpipelineSync = pipeline_sync;
    pq->PQsendPrepare = send_prepare;
    pq->PQsendQueryPrepared = send_prepared;
    pq->PQsendQueryParams = send_params;
    pq->PQsendQuery = send_query;
    pq->PQgetResult = get_result;
    pq->PQflush = flush;
    pq->PQconsumeInput = consume;
    pq->PQsetnonblocking = nonblocking;
    return true;
}

/* ---- rests between two tries: short ones, there are hundreds ---- */

#define EXPORT __attribute__((visibility("default")))

EXPORT int nanosleep(const struct timespec *want, struct timespec *left)
{
    struct timespec brief = { 0, want->tv_sec || want->tv_nsec > 1000000 ? 1000000 : want->tv_nsec };
    (void)left;
    return (int)syscall(SYS_nanosleep, &brief, NULL);
}

/* ---- memory ---- */

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

bool faulty_has(enum fault fault)
{
    return fault != FAULT_MEMORY;
}

#else

bool faulty_has(enum fault fault)
{
    (void)fault;
    return true;
}

extern char __executable_start, etext;
extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static bool refused(const void *caller)
{
    if ((const char *)caller < &__executable_start || (const char *)caller >= &etext || !is_its_turn(true)) return false;
    errno = ENOMEM;
    return true;
}

EXPORT void *malloc(size_t n)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_malloc(n);
}

EXPORT void *calloc(size_t n, size_t size)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_calloc(n, size);
}

EXPORT void *realloc(void *p, size_t n)
{
    return refused(__builtin_return_address(0)) ? NULL : __libc_realloc(p, n);
}

#endif
