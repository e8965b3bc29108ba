/* store_init.c: `onefold store init`: the tables that servers need in a PostgreSQL database. */
#include "cli.h"
#include "store/store.h"

static int run(struct invocation *in)
{
    char message[1024], shown[256]; /* message: of success, the database's name */
    bool made;
    const char *url = in->arguments[0];
    if (!is_store_url(url))
        return fail_usage(in->command, "'%s' is not the URL of a PostgreSQL database: postgres://HOST/DATABASE", place_shown(url, shown, sizeof shown));
    store_url_shown(url, shown, sizeof shown);
    if (store_postgres_init(url, &made, message, sizeof message)) return fail_error("%s: %s", shown, message);
    if (made)
        printf("%s: the tables are made in the database %s. Start servers with: onefold serve --store and the same URL\n", shown, message);
    else
        printf("%s: the tables are there already in the database %s, in the version that this program uses: nothing to do.\n", shown, message);
    return finish_output();
}

static const struct argument_spec arguments[] = {
    { "URL", "the database: postgres://USER@HOST/DATABASE", COMPLETE_NOTHING },
};

const struct command command_store_init = {
    .name = "store init",
    .summary = "make the tables of a store in PostgreSQL",
    .about = "Makes the tables that onefold serve --store needs, in a PostgreSQL database that is\n"
             "there already. Where they are, nothing is changed. docs/scale.md tells the rest.\n",
    ARGUMENTS(arguments),
    .examples = "store init postgres://onefold@db1,db2,db3/onefold\n",
    .run = run,
};
