/* marker.c: how far a load or fold got. */
#include "marker.h"
#include "names.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uint64_t marker_identity(uint64_t model, struct slice table, struct slice where)
{
    return fingerprint(fingerprint(model, table), where);
}

static int foreign(const char *path, struct err *e)
{
    return err_set(e, ERR_ValidationException,
                   "%s remembers a run into another table or with another model; remove it to start anew",
                   path);
}

static int read_marker(struct marker *m, struct err *e)
{
    FILE *f = fopen(m->path, "r");
    if (!f) {
        if (errno == ENOENT) return 0;
        return err_set(e, ERR_ValidationException, "cannot read %s: %s", m->path, strerror(errno));
    }
    char line[128] = "", *end = line;
    uint64_t identity = fgets(line, sizeof line, f) ? strtoull(line, &end, 16) : 0;
    fclose(f);
    if (end == line || *end != ' ' || identity != m->identity) return foreign(m->path, e);
    char *start = end + 1;
    m->done = strtoull(start, &end, 10);
    if (end == start) return foreign(m->path, e);
    m->seed = strtoull(end, &end, 16);
    m->time = (int64_t)strtoull(end, &end, 10);
    m->first = strtoull(end, &end, 16);
    return *end != '\n' ? foreign(m->path, e) : 0;
}

int marker_init(struct marker *m, const char *path, uint64_t identity, struct err *e)
{
    *m = (struct marker){ .identity = identity };
    if (!path) return 0;
    m->path = strdup(path);
    if (asprintf(&m->fresh, "%s.new", path) < 0) m->fresh = NULL;
    if (!m->path || !m->fresh) {
        marker_free(m);
        return err_set(e, ERR_InternalServerError, "out of memory");
    }
    int code = read_marker(m, e);
    if (code) marker_free(m);
    return code;
}

/* Beside the old one and then in its place: who is stopped on the way, or has no room left, still has the old one. */
static bool replace(const struct marker *m)
{
    FILE *f = fopen(m->fresh, "w");
    bool good = f && fprintf(f, "%016" PRIx64 " %" PRIu64 " %016" PRIx64 " %" PRId64 " %016" PRIx64 "\n", m->identity,
                             m->done, m->seed, m->time, m->first) > 0;
    if (f && fclose(f)) good = false;
    if (good && rename(m->fresh, m->path) == 0) return true;
    int why = errno;
    unlink(m->fresh);
    errno = why;
    return false;
}

int marker_begin(struct marker *m, const struct model_env *env, struct err *e)
{
    uint8_t bytes[8];
    env->random(env->ctx, bytes, sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) m->seed = m->seed << 8 | bytes[i];
    if (!m->seed) m->seed = 1;
    m->time = env->now(env->ctx);
    return marker_set(m, m->done, e);
}

int marker_first(struct marker *m, uint64_t first, struct err *e)
{
    if (m->done && m->first && m->first != first)
        return err_set(e, ERR_ValidationException,
                       "%s remembers %" PRIu64 " records of something else that had this name; remove it to start anew", m->path,
                       m->done);
    m->first = first;
    return 0;
}

int marker_set(struct marker *m, uint64_t done, struct err *e)
{
    m->done = done;
    if (!m->path || replace(m)) return 0;
    return err_set(e, ERR_ServiceUnavailable, "cannot write %s: %s", m->path, strerror(errno));
}

void marker_remove(struct marker *m)
{
    if (m->path) unlink(m->path);
}

void marker_free(struct marker *m)
{
    free(m->path);
    free(m->fresh);
    m->path = m->fresh = NULL;
}
