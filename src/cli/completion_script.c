/* completion_script.c: what bash, zsh and fish need to ask `onefold complete` for candidates.
 *
 * The scripts know nothing of commands and options: they hand over the words before the cursor and get lines back, each
 * a candidate, a tab and what it is; or one line ":file" or ":dir" where the shell completes paths better itself. So a
 * script never gets older than the program, and the three shells offer the same. */
#include "completion_script.h"

/* bash breaks words at "=" and ":" and replaces only what follows the last of them, so what stands before is cut
 * from the candidates again. */
static const char bash[] =
    "# bash completion of onefold\n"
    "_onefold() {\n"
    "    local line=${COMP_LINE:0:$COMP_POINT} current keep candidate rest\n"
    "    local -a words\n"
    "    read -ra words <<<\"$line\"\n"
    "    [[ $line == *[[:space:]] ]] && words+=('')\n"
    "    current=${words[${#words[@]}-1]}\n"
    "    keep=${current%\"${current##*[=:]}\"}\n"
    "    COMPREPLY=()\n"
    "    while IFS=$'\\t' read -r candidate rest; do\n"
    "        case $candidate in\n"
    "            :file) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -f -- \"${current#\"$keep\"}\") ;;\n"
    "            :dir) compopt -o filenames; mapfile -t COMPREPLY < <(compgen -d -- \"${current#\"$keep\"}\") ;;\n"
    "            *=) compopt -o nospace; COMPREPLY+=(\"${candidate#\"$keep\"}\") ;;\n"
    "            *) COMPREPLY+=(\"${candidate#\"$keep\"}\") ;;\n"
    "        esac\n"
    "    done < <(\"${words[0]}\" complete -- \"${words[@]:1}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _onefold onefold\n";

static const char zsh[] =
    "#compdef onefold\n"
    "# zsh completion of onefold\n"
    "_onefold() {\n"
    "    local line tab=$'\\t'\n"
    "    local -a open closed\n"
    "    for line in \"${(@f)$(\"${words[1]}\" complete -- \"${(@)words[2,CURRENT-1]}\" \"$PREFIX\" 2>/dev/null)}\"; do\n"
    "        case $line in\n"
    "            '') ;;\n"
    "            :file) _files; return ;;\n"
    "            :dir) _files -/; return ;;\n"
    "            *=${tab}*) open+=(\"${${line%%$tab*}//:/\\\\:}:${line#*$tab}\") ;;\n"
    "            *) closed+=(\"${${line%%$tab*}//:/\\\\:}:${line#*$tab}\") ;;\n"
    "        esac\n"
    "    done\n"
    "    (( $#open )) && _describe -V attribute open -S ''\n"
    "    (( $#closed )) && _describe -V onefold closed\n"
    "}\n"
    "if [[ $funcstack[1] == _onefold ]]; then _onefold \"$@\"; else compdef _onefold onefold; fi\n";

static const char fish[] =
    "# fish completion of onefold\n"
    "function __onefold_complete\n"
    "    set -l words (commandline -opc) (commandline -ct)\n"
    "    set -l lines ($words[1] complete -- $words[2..-1] 2>/dev/null)\n"
    "    switch \"$lines[1]\"\n"
    "        case :file\n"
    "            __fish_complete_path (commandline -ct)\n"
    "        case :dir\n"
    "            __fish_complete_directories (commandline -ct)\n"
    "        case '*'\n"
    "            test (count $lines) -gt 0; and printf '%s\\n' $lines\n"
    "    end\n"
    "end\n"
    "complete -c onefold -f -a '(__onefold_complete)'\n";

const char *completion_script(const char *shell)
{
    if (strcmp(shell, "bash") == 0) return bash;
    if (strcmp(shell, "zsh") == 0) return zsh;
    return strcmp(shell, "fish") == 0 ? fish : NULL;
}
