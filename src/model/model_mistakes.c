/* model_mistakes.c: templates that YAML reads otherwise than they were meant. Both would be good models with a key that
 * is the same for every item, so nothing later would tell. */
#include "model_reader.h"

/* The byte at a place, which counts characters; NULL where the text has no such place. */
static const uint8_t *at_place(struct slice text, struct place place)
{
    const uint8_t *p = text.p, *end = text.p + text.n;
    for (unsigned line = 1; line < place.line; line++) {
        p = p < end ? memchr(p, '\n', (size_t)(end - p)) : NULL;
        if (!p) return NULL;
        p++;
    }
    for (unsigned column = 1; column < place.column; column++) {
        if (p >= end || *p == '\n') return NULL;
        p++;
        while (p < end && (*p & 0xc0) == 0x80) p++;
    }
    return p;
}

/* What follows a plain scalar on its line, if it is a comment whose # touches the next character as that of a key does. */
static struct slice comment_behind(struct slice text, const struct node *n)
{
    struct slice none = { 0 };
    const uint8_t *p = at_place(text, n->place), *end = text.p + text.n;
    if (!p || (size_t)(end - p) < n->text.n || (n->text.n && memcmp(p, n->text.p, n->text.n) != 0)) return none;
    p += n->text.n;
    const uint8_t *start = p;
    while (p < end && (*p == ' ' || *p == '\t')) p++;
    if (p == start || end - p < 2 || p[0] != '#' || p[1] <= ' ') return none;
    const uint8_t *stop = p;
    while (stop < end && *stop != '\n' && *stop != '\r') stop++;
    while (stop[-1] == ' ' || stop[-1] == '\t') stop--;
    return slice_of(p, (size_t)(stop - p));
}

bool template_is_cut(struct reader *r, const struct node *n, struct slice name)
{
    if (n->kind != NODE_SCALAR || n->quoted) return false;
    bool nothing = node_is_null(n);
    struct slice comment = comment_behind(r->m->text, n);
    if (!comment.n || (!nothing && !memmem(comment.p, comment.n, "${", 2))) return false;
    struct slice hint = nothing ? arena_printf(r->a, "put it in quotes: \"%.*s\"", SHOWN(comment))
                                : arena_printf(r->a, "put it in quotes: \"%.*s%.*s\"", SHOWN(n->text), SHOWN(comment));
    problem_add(r->ps, n->place, hint, "# begins a comment here, so that \"%.*s\" is %s%.*s%s", SHOWN(name),
                nothing ? "nothing" : "only \"", SHOWN(n->text), nothing ? "" : "\"");
    return true;
}

static bool is_word(uint8_t c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name in {name}, <name> or $name that begins at i; empty where none does. A { behind $ was written $${. */
static struct slice other_hole(struct slice text, size_t i)
{
    uint8_t open = text.p[i];
    uint8_t close = open == '{' ? '}' : open == '<' ? '>' : 0;
    size_t stop = i + 1;
    if ((open != '$' && !close) || (open == '{' && i && text.p[i - 1] == '$')) return (struct slice){ 0 };
    while (stop < text.n && (close ? text.p[stop] != close : is_word(text.p[stop]))) stop++;
    if (close && stop == text.n) return (struct slice){ 0 };
    return slice_of(text.p + i + 1, stop - i - 1);
}

bool template_is_another_language(struct reader *r, const struct entity_draft *d, const struct template *t)
{
    for (size_t k = 0; k < t->n; k++) {
        struct slice text = t->parts[k].text;
        for (size_t i = 0; i < text.n && !t->parts[k].hole; i++) {
            struct slice name = other_hole(text, i);
            if (!name.n || !draft_attribute(d, name)) continue;
            problem_add(r->ps, t->place, arena_printf(r->a, "write ${%.*s}", SHOWN(name)),
                        "\"%.*s\" stands for itself here, not for the value of %.*s", SHOWN(text), SHOWN(name));
            return true;
        }
    }
    return false;
}
