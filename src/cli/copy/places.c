/* places.c: what --from and --to name: a directory, a PostgreSQL database, a server. */
#include "copy.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#define SHOWN_MAX 512

static void read_place(struct arena *a, const char *name, struct place *out)
{
    *out = (struct place){ .kind = PLACE_DIRECTORY, .name = name };
    if (is_server_url(name)) out->kind = PLACE_SERVER;
    if (is_store_url(name)) out->kind = PLACE_POSTGRES;
    out->shown = out->kind == PLACE_DIRECTORY ? name : place_shown(name, arena_alloc(a, SHOWN_MAX), SHOWN_MAX);
}

/* Another scheme than those that are known is no name of a directory, nor is a host's name without any. */
static int check_scheme(const struct invocation *in, const char *option, const struct place *p)
{
    char shown[SHOWN_MAX];
    if (p->kind != PLACE_DIRECTORY) return 0;
    if (!strstr(p->name, "://")) {
        if (!is_forgotten_scheme(p->name)) return 0;
        return fail_usage(in->command, "--%s '%s' is no directory: did you mean postgres://... or http://...? Write ./ before the name of a new directory",
                          option, place_shown(p->name, shown, sizeof shown));
    }
    return fail_usage(in->command, "--%s: '%.*s' is unknown: give a directory, postgres://HOST/DATABASE, http://HOST:PORT or https://HOST:PORT", option,
                      (int)(strstr(p->name, "://") - p->name) + 3, p->name);
}

/* By whatever names: a directory may have several. */
static bool are_same(const struct copy_places *p)
{
    struct stat a, b;
    if (!strcmp(p->from.name, p->to.name)) return true;
    if (p->from.kind != PLACE_DIRECTORY || p->to.kind != PLACE_DIRECTORY) return false;
    return !stat(p->from.name, &a) && !stat(p->to.name, &b) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

int copy_places_read(struct invocation *in, struct copy_places *out)
{
    const struct copy_options *o = in->options;
    struct stat st;
    if (!o->from || !o->to) return fail_usage(in->command, "say from where and to where: --from PLACE --to PLACE");
    read_place(in->arena, o->from, &out->from);
    read_place(in->arena, o->to, &out->to);
    int code = check_scheme(in, "from", &out->from);
    if (!code) code = check_scheme(in, "to", &out->to);
    if (code) return code;
    if (are_same(out)) return fail_usage(in->command, "--from and --to are the same place");
    if (out->from.kind == PLACE_DIRECTORY && stat(out->from.name, &st)) return fail_error("cannot read %s: %s", out->from.name, strerror(errno));
    if (o->verify && out->to.kind == PLACE_DIRECTORY && stat(out->to.name, &st))
        return fail_error("cannot read %s: %s", out->to.name, strerror(errno));
    return 0;
}
