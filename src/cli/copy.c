/* copy.c: `onefold copy`: everything from one place to another, and the comparison of both. */
#include "copy/copy.h"

static const struct copy_options defaults;

static int run(struct invocation *in)
{
    const struct copy_options *o = in->options;
    struct copy_places p;
    int code = copy_places_read(in, &p);
    if (code) return code;
    if (p.from.kind == PLACE_SERVER || p.to.kind == PLACE_SERVER) {
        if (in->shared.json) return fail_usage(in->command, "--json is for copies between a directory and a database");
        if (o->follow && p.from.kind != PLACE_SERVER) return fail_usage(in->command, "--follow needs a server to copy from");
        if (o->follow && o->verify) return fail_usage(in->command, "--follow copies, and --verify only compares: choose one");
        return copy_online(in, &p);
    }
    if (o->table || o->state || o->follow)
        return fail_usage(in->command, "--table, --state and --follow are for copies from or to a server");
    return copy_stores(in, &p);
}

static const struct option_spec options[] = {
    { "from", "PLACE", "a directory, postgres://HOST/DATABASE, http://SERVER", offsetof(struct copy_options, from), .complete = COMPLETE_DIR },
    { "to", "PLACE", "likewise", offsetof(struct copy_options, to), .complete = COMPLETE_DIR },
    { "verify", NULL, "copy nothing, only compare the two", offsetof(struct copy_options, verify) },
    { "follow", NULL, "go on copying what changes, until Ctrl-C", offsetof(struct copy_options, follow) },
    { "table", "NAME", "only this table, from or to a server", offsetof(struct copy_options, table) },
    { "state", "FILE", "remembers how far it got (onefold-copy.state)", offsetof(struct copy_options, state), .complete = COMPLETE_FILE },
};

const struct command command_copy = {
    .name = "copy",
    .summary = "copy all data between directories, PostgreSQL and servers",
    .about = "Between a directory and PostgreSQL, which nothing may be serving, it copies\n"
             "everything as it is: tables, items, indexes, streams, backups. Nobody serves the\n"
             "target before it has ended.\n"
             "\n"
             "From a server, which goes on serving, or to one, it copies tables: definitions,\n"
             "items, and what changes meanwhile, from their streams. With --follow it goes on:\n"
             "stop what writes, end it with Ctrl-C, and use the target.\n"
             "\n"
             "The same command goes on where an interrupted one was. At the end the two are\n"
             "compared. Exit code 0: they hold the same; 3: they differ, and in what; 1: it\n"
             "could not be done.\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON | SHARE_REMOTE,
    .examples = "copy --from d --to ./second\n"
                "copy --from d --to postgres://onefold@db1,db2/onefold\n"
                "copy --from d --to postgres://onefold@db1,db2/onefold --verify\n"
                "copy --from http://127.0.0.1:8000 --to postgres://db1/onefold --follow\n",
    .run = run,
};
