/* assign.c: name=value words of the command line, by the types that the model declares. */
#include "session.h"

int assignment_parse(const struct invocation *in, const char *word, struct assignment *out)
{
    const char *equals = strchr(word, '=');
    if (!equals || equals == word)
        return fail_usage(in->command, "'%s' is not of the form name=value", word);
    char before = equals[-1];
    struct slice name = slice_of(word, (size_t)(equals - word));
    *out = (struct assignment){ ASSIGN_SET, name, slice_str(equals + 1) };
    if (before == ':') out->op = ASSIGN_JSON;
    if (before == '+') out->op = ASSIGN_ADD;
    if (before == '-') out->op = ASSIGN_SUBTRACT;
    if (out->op != ASSIGN_SET) out->name.n--;
    if (out->op == ASSIGN_SET && !out->text.n) out->op = ASSIGN_REMOVE;
    if (!out->name.n) return fail_usage(in->command, "'%s' has no name before its operator", word);
    if (!out->text.n && out->op != ASSIGN_REMOVE) return fail_usage(in->command, "'%s' has no value", word);
    return 0;
}

int assign_entity(struct session *s, const char *entity, const struct assignment *x, of_item *item)
{
    of_error err;
    struct slice text = x->text;
    const char *name = (const char *)x->name.p;
    ptrdiff_t name_n = (ptrdiff_t)x->name.n;
    if (x->op == ASSIGN_SUBTRACT) {
        if (text.p[0] == '-')
            text = slice_of(text.p + 1, text.n - 1);
        else
            text = arena_printf(s->arena, "-%.*s", SLICE_ARG(text));
    }
    int (*set)(const of_model *, const char *, of_item *, const char *, ptrdiff_t, const char *, ptrdiff_t, of_error *) =
        x->op == ASSIGN_JSON ? of_entity_set_json : of_entity_set;
    if (set(s->model, entity, item, name, name_n, (const char *)text.p, (ptrdiff_t)text.n, &err)) return fail_of(&err);
    return 0;
}

of_item *entity_arguments(struct session *s, const char *entity, size_t from, int *code)
{
    of_item *item = of_item_new();
    *code = item ? 0 : fail_error("out of memory");
    for (size_t i = from; !*code && i < s->in->n_arguments; i++) {
        struct assignment x = { .op = ASSIGN_SET };
        of_value there;
        *code = assignment_parse(s->in, s->in->arguments[i], &x);
        if (!*code && x.op == ASSIGN_REMOVE)
            *code = fail_usage(s->in->command, "%.*s= has no value; an empty text is %.*s:='\"\"'", SLICE_ARG(x.name),
                               SLICE_ARG(x.name));
        if (!*code && x.op != ASSIGN_SET && x.op != ASSIGN_JSON)
            *code = fail_usage(s->in->command, "'%s' changes a value, which only update does", s->in->arguments[i]);
        if (!*code && of_item_get(item, (const char *)x.name.p, (ptrdiff_t)x.name.n, &there))
            *code = fail_usage(s->in->command, "%.*s is given twice", SLICE_ARG(x.name));
        if (!*code) *code = assign_entity(s, entity, &x, item);
    }
    if (!*code) return item;
    of_item_free(item);
    return NULL;
}
