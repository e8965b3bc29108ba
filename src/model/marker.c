/* marker.c: how far a load or fold got. */
#include "marker.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

uint64_t marker_identity(uint64_t model, struct slice table, struct slice where)
{
    uint64_t h = model ^ 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i <= table.n + where.n; i++) {
        uint8_t c = i < table.n ? table.p[i] : i == table.n ? 0 : where.p[i - table.n - 1];
        h = (h ^ c) * 0x100000001b3u;
    }
    return h;
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
    char line[128] = "", *end = NULL;
    bool there = fgets(line, sizeof line, f) != NULL;
    fclose(f);
    uint64_t identity = there ? strtoull(line, &end, 16) : 0;
    if (!there || end == line || *end != ' ' || identity != m->identity) return foreign(m->path, e);
    char *start = end + 1;
    m->done = strtoull(start, &end, 10);
    return end == start || *end != '\n' ? foreign(m->path, e) : 0;
}

int marker_init(struct marker *m, const char *path, uint64_t identity, struct err *e)
{
    *m = (struct marker){ .identity = identity };
    if (!path) return 0;
    m->path = strdup(path);
    if (!m->path) return err_set(e, ERR_InternalServerError, "out of memory");
    int code = read_marker(m, e);
    if (code) marker_free(m);
    return code;
}

int marker_set(struct marker *m, uint64_t done, struct err *e)
{
    m->done = done;
    if (!m->path) return 0;
    FILE *f = fopen(m->path, "w");
    bool bad = !f || fprintf(f, "%016" PRIx64 " %" PRIu64 "\n", m->identity, done) < 0;
    if (f && fclose(f)) bad = true;
    return bad ? err_set(e, ERR_ServiceUnavailable, "cannot write %s: %s", m->path, strerror(errno)) : 0;
}

void marker_remove(struct marker *m)
{
    if (m->path) unlink(m->path);
}

void marker_free(struct marker *m)
{
    free(m->path);
    m->path = NULL;
}
