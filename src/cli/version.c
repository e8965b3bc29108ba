/* version.c: `onefold version`. */
#include "cli.h"
#include "version.h"

static int run(struct invocation *in)
{
    (void)in;
    printf("onefold %s\n", ONEFOLD_VERSION);
    return finish_output();
}

const struct command command_version = {
    .name = "version",
    .summary = "print the version",
    .about = "Prints the program's name and version.\n",
    .examples = "version\n",
    .run = run,
};
