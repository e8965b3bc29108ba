/* completion_script.h: the scripts of `onefold completion`. */
#ifndef OF_CLI_COMPLETION_SCRIPT_H
#define OF_CLI_COMPLETION_SCRIPT_H

#include "cli.h"

/* "bash", "zsh" or "fish"; NULL for any other. */
const char *completion_script(const char *shell);

#endif
