/* upgrade.c: `onefold upgrade`: brings a data directory of an older version to this program's format.
 *
 * There has been one format so far, so there is nothing to convert yet: the command tells what a
 * directory has. A conversion, when there is one, writes a backup beside the directory first. */
#include "cli.h"
#include "store/store.h"
#include <stdio.h>

static int run_upgrade(int argc, char **argv)
{
    unsigned version;
    char message[1024];
    if (argc < 2) return fail_usage("upgrade", "which directory? 'onefold upgrade ./onefold-data'");
    if (argc > 2) return fail_usage("upgrade", "one directory at a time, please");
    if (store_format_version(argv[1], &version, message, sizeof message)) {
        return fail_error("%s", message);
    }
    if (version > STORE_FORMAT) {
        return fail_error("%s has format %u, which is newer than this program's %u: use a newer onefold",
                          argv[1], version, STORE_FORMAT);
    }
    printf("%s has format %u, the newest there is: nothing to do.\n", argv[1], version);
    return fflush(stdout) ? fail_error("cannot write to standard output") : EXIT_OK;
}

const struct command command_upgrade = {
    .name = "upgrade",
    .summary = "bring a data directory to the newest format",
    .help = "Usage: onefold upgrade DIR\n"
            "\n"
            "Brings a data directory that an older version wrote to this version's format.\n"
            "The server must be stopped. A directory that already has it is left alone.\n"
            "\n"
            "Example:\n"
            "  onefold upgrade ./onefold-data\n",
    .run = run_upgrade,
};
