/* copy.c: `onefold copy`: everything from one place to another, and the comparison of both. */
#include "copy/copy.h"

static const struct copy_options defaults;

static int run(struct invocation *in)
{
    struct copy_options *o = in->options;
    struct copy_places p;
    int code = copy_places_read(in, &p);
    if (code) return code;
    if (p.from.kind == PLACE_SERVER || p.to.kind == PLACE_SERVER)
        return fail_usage(in->command, "a server cannot be copied yet");
    (void)o;
    return copy_stores(in, &p);
}

static const struct option_spec options[] = {
    { "from", "PLACE", "a data directory or postgres://HOST/DATABASE", offsetof(struct copy_options, from), .complete = COMPLETE_DIR },
    { "to", "PLACE", "likewise; empty, or where this copy was interrupted", offsetof(struct copy_options, to), .complete = COMPLETE_DIR },
    { "verify", NULL, "copy nothing, only compare the two", offsetof(struct copy_options, verify) },
};

const struct command command_copy = {
    .name = "copy",
    .summary = "copy all data between a directory and PostgreSQL",
    .about = "Copies everything that a data directory or a PostgreSQL database holds: tables,\n"
             "items, indexes, streams, backups. Nothing may be serving either of the two.\n"
             "\n"
             "Interrupted, the same command goes on where it was; until it has ended, nobody\n"
             "serves the target. At the end both are read and compared. Exit code 0: they hold\n"
             "the same; 3: they do not, and what differs is told; 1: it could not be done.\n",
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_JSON,
    .examples = "copy --from d --to postgres://onefold@db1,db2/onefold\n"
                "copy --from postgres://onefold@db1/onefold --to ./returned\n"
                "copy --from d --to postgres://onefold@db1/onefold --verify\n",
    .run = run,
};
