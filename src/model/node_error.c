/* node_error.c: libyaml's complaints, with a place in our counting and a hint for the usual mistakes. */
#include "node_error.h"

/* libyaml gives only a byte's offset for what is no text at all. */
static struct place place_of_offset(struct slice file, struct slice text, size_t offset)
{
    struct place at = { file, 1, 1 };
    for (size_t i = 0; i < text.n && i < offset; i++) {
        if (text.p[i] == '\n' || (text.p[i] == '\r' && (i + 1 == text.n || text.p[i + 1] != '\n'))) {
            at.line++;
            at.column = 1;
        } else if ((text.p[i] & 0xc0) != 0x80 && text.p[i] != '\r') {
            at.column++;
        }
    }
    return at;
}

static bool tab_at(struct slice text, size_t index)
{
    return index < text.n && text.p[index] == '\t';
}

static struct slice hint_for(struct slice text, const yaml_parser_t *p)
{
    /* mark.index counts characters; it is the byte too where the text before is ASCII, and only a hint hangs on it. */
    if (tab_at(text, p->problem_mark.index)) return SLICE("indent with spaces; a tab cannot stand here");
    const char *what = p->problem ? p->problem : "";
    if (strstr(what, "mapping values are not allowed"))
        return SLICE("a value that contains \": \" needs quotes; otherwise look at the indentation");
    if (strstr(what, "expected ':'"))
        return SLICE("a name ends in a colon and a blank: name: value; or a quote above is not closed");
    if (strstr(what, "expected '-'"))
        return SLICE("a block is a list, where each line begins with -, or a map, where none does: not both");
    if (strstr(what, "expected key") || strstr(what, "block end") || strstr(what, "simple key"))
        return SLICE("look at the indentation of this line and the one before; or a quote above is not closed");
    if (strstr(what, "',' or '}'") || strstr(what, "',' or ']'"))
        return SLICE("a bracket is not closed, or a value that contains , # { } [ or ] needs quotes");
    if (strstr(what, "cannot start any token")) return SLICE("put the value in quotes");
    if (strstr(what, "end of stream")) return SLICE("a quote or bracket is not closed");
    return SLICE("look at indentation, quotes and brackets");
}

void node_yaml_error(struct problems *ps, struct slice file, struct slice text, const yaml_parser_t *p)
{
    if (p->error == YAML_MEMORY_ERROR) arena_fail(ps->arena);
    if (p->error == YAML_READER_ERROR) {
        problem_add(ps, place_of_offset(file, text, p->problem_offset), SLICE("save the file as UTF-8 text"),
                    "this is not text: %s", p->problem ? p->problem : "unreadable bytes");
        return;
    }
    struct place at = { file, (unsigned)p->problem_mark.line + 1, (unsigned)p->problem_mark.column + 1 };
    const char *what = p->problem ? p->problem : "it cannot be read";
    if (p->context)
        problem_add(ps, at, hint_for(text, p), "this is not YAML: %s (%s that begins in line %u)", what, p->context,
                    (unsigned)p->context_mark.line + 1);
    else
        problem_add(ps, at, hint_for(text, p), "this is not YAML: %s", what);
}
