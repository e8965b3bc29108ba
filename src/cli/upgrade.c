/* upgrade.c: `onefold upgrade`: brings a data directory of an older version to this program's format.
 *
 * There has been one format so far, so there is nothing to convert yet: the command tells what a
 * directory has. A conversion, when there is one, writes a backup beside the directory first. */
#include "cli.h"
#include "store/store.h"

static int run(struct invocation *in)
{
    unsigned version;
    char message[1024];
    const char *dir = in->arguments[0];
    if (store_format_version(dir, &version, message, sizeof message)) return fail_error("%s", message);
    if (version > STORE_FORMAT)
        return fail_error("%s has format %u, which is newer than this program's %u: use a newer onefold", dir,
                          version, STORE_FORMAT);
    printf("%s has format %u, the newest there is: nothing to do.\n", dir, version);
    return finish_output();
}

static const struct argument_spec arguments[] = {
    { "DIR", "the data directory", COMPLETE_DIR },
};

const struct command command_upgrade = {
    .name = "upgrade",
    .summary = "bring a data directory to the newest format",
    .about = "Brings a data directory that an older version wrote to this version's format.\n"
             "The server must be stopped. A directory that already has it is left alone.\n",
    ARGUMENTS(arguments),
    .examples = "upgrade ./onefold-data\n",
    .run = run,
};
