/* commands.c: the table of commands, and finding one in it. */
#include "cli.h"
#include "commands.h"

#define DECLARE(name) extern const struct command command_##name;
COMMANDS(DECLARE)
#define ROW(name) &command_##name,
const struct command *const commands[] = { COMMANDS(ROW) NULL };
#define MAX_COMMANDS COUNT(commands)

/* "model check" is written as two words. */
static size_t words_of(const struct command *c, char **words, size_t n)
{
    const char *name = c->name, *blank = strchr(name, ' ');
    if (!blank) return n > 0 && strcmp(words[0], name) == 0 ? 1 : 0;
    size_t first = (size_t)(blank - name);
    return n > 1 && strlen(words[0]) == first && memcmp(words[0], name, first) == 0 &&
                   strcmp(words[1], blank + 1) == 0
               ? 2
               : 0;
}

const struct command *command_find(char **words, size_t n, size_t *used)
{
    for (size_t i = 0; commands[i]; i++)
        if ((*used = words_of(commands[i], words, n)) > 0) return commands[i];
    return NULL;
}

bool command_is_group(const char *word)
{
    size_t n = strlen(word);
    for (size_t i = 0; commands[i]; i++)
        if (strncmp(commands[i]->name, word, n) == 0 && commands[i]->name[n] == ' ') return true;
    return false;
}

int fail_no_command(char **words, size_t n)
{
    const char *names[MAX_COMMANDS + 1], *near;
    size_t n_names = 0, skip = strlen(words[0]);
    bool group = n > 1 && command_is_group(words[0]);
    for (size_t i = 0; commands[i]; i++) {
        const char *name = commands[i]->name;
        if (commands[i]->hidden) continue;
        if (!group)
            names[n_names++] = name;
        else if (strncmp(name, words[0], skip) == 0 && name[skip] == ' ')
            names[n_names++] = name + skip + 1;
    }
    if (!group) names[n_names++] = "model";
    near = nearest(words[group], names, n_names);
    if (group && near)
        return fail_usage(NULL, "there is no command '%s %s'; did you mean '%s %s'?", words[0], words[1], words[0], near);
    if (group)
        return fail_usage(NULL, "there is no command '%s %s'; 'onefold help %s' lists them", words[0], words[1], words[0]);
    if (near) return fail_usage(NULL, "there is no command '%s'; did you mean '%s'?", words[0], near);
    for (size_t i = 0; commands[i]; i++) { /* 'onefold explain' */
        const char *second = strchr(commands[i]->name, ' ');
        if (second && strcmp(second + 1, words[0]) == 0)
            return fail_usage(NULL, "there is no command '%s'; did you mean '%s'?", words[0], commands[i]->name);
    }
    return fail_usage(NULL, "there is no command '%s'; 'onefold help' lists them", words[0]);
}
