/* update.c: `onefold update`: changes attributes of an entity.
 *
 * Of the words, those that name attributes of the key say which entity; the others say what changes. --set changes an
 * attribute of the key itself. */
#include "session.h"

#define MAX_SETS 64

struct update_options {
    const char *condition;
    const char *sets[MAX_SETS];
    size_t n_sets;
};
static const struct update_options defaults;

static const char *add_set(void *target, const char *value)
{
    struct update_options *o = target;
    if (o->n_sets == MAX_SETS) return "is one too many (at most 64)";
    o->sets[o->n_sets++] = value;
    return NULL;
}

struct changes {
    of_item *key, *set, *add, *remove;
    size_t n; /* changes; the key is none */
};

/* One word, into the item it belongs to. */
static int sort_word(struct session *s, const struct json *declared, const char *word, bool may_be_key, struct changes *c)
{
    const char *entity = s->in->arguments[0];
    struct assignment x;
    int code = assignment_parse(s->in, word, &x);
    if (code) return code;
    bool key = may_be_key && outline_key(declared, x.name);
    if (key && x.op != ASSIGN_SET && x.op != ASSIGN_JSON)
        return fail_usage(s->in->command,
                          "%.*s is part of the key and says which %s is meant; --set %.*s=VALUE changes it",
                          SLICE_ARG(x.name), entity, SLICE_ARG(x.name));
    c->n += !key;
    if (x.op != ASSIGN_REMOVE)
        return assign_entity(s, entity, &x,
                             key                                                  ? c->key
                             : x.op == ASSIGN_ADD || x.op == ASSIGN_SUBTRACT ? c->add
                                                                                  : c->set);
    if (!outline_member(declared, x.name) && !json_flag(declared, "open")) {
        /* The library names the nearest attribute. */
        struct assignment asked = { ASSIGN_SET, x.name, SLICE("x") };
        return assign_entity(s, entity, &asked, c->set);
    }
    if (of_item_set_null(c->remove, (const char *)x.name.p, (ptrdiff_t)x.name.n))
        return fail_usage(s->in->command, "'%s' is not the name of an attribute", word);
    return 0;
}

static int update_with(struct session *s, struct changes *c)
{
    const struct update_options *o = s->in->options;
    const char *entity = s->in->arguments[0];
    const struct json *declared = find_entity(s, entity);
    int code = declared ? 0 : EXIT_ERROR;
    for (size_t i = 1; !code && i < s->in->n_arguments; i++)
        code = sort_word(s, declared, s->in->arguments[i], true, c);
    for (size_t i = 0; !code && i < o->n_sets; i++) code = sort_word(s, declared, o->sets[i], false, c);
    if (code) return code;
    if (!c->n) return fail_usage(s->in->command, "what should change? Give NAME=VALUE, NAME+=1 or NAME= too");
    of_answer *requests;
    of_item *result;
    of_error err;
    of_entity_options how = { .condition = o->condition, .dry_run = s->in->shared.dry_run,
                              .requests = wants_requests(s->in, &requests) };
    if (of_entity_update(s->model, s->db, entity, c->key, c->set, c->add, c->remove, &how, &result, &err))
        return fail_of(&err);
    print_requests(s, requests);
    if (!s->in->shared.dry_run && result) print_item(s, entity, result);
    of_item_free(result);
    return EXIT_OK;
}

static int update(struct session *s)
{
    struct changes c = { of_item_new(), of_item_new(), of_item_new(), of_item_new(), 0 };
    int code = c.key && c.set && c.add && c.remove ? update_with(s, &c) : fail_error("out of memory");
    of_item_free(c.key);
    of_item_free(c.set);
    of_item_free(c.add);
    of_item_free(c.remove);
    return code;
}

static int run(struct invocation *in)
{
    return with_table(in, ACCESS_WRITE, update);
}

static const struct argument_spec arguments[] = {
    { "ENTITY", "an entity of the model", COMPLETE_ENTITY },
    { "NAME=VALUE", "its key, and what changes: NAME=VALUE, NAME:=JSON, NAME+=1, NAME-=1, NAME= (removes it)",
      COMPLETE_ATTRIBUTE, .repeats = true },
};
static const struct option_spec options[] = {
    { "set", "NAME=VALUE", "change an attribute of the key; may be repeated", .repeats = true, .set = add_set },
    { "if", "CONDITION", "only if what is there meets this: 'status = open'",
      offsetof(struct update_options, condition) },
};

const struct command command_update = {
    .name = "update",
    .summary = "change an entity",
    .about = "Changes attributes of an entity; index keys and copies that depend on them follow in\n"
             "the same transaction. Prints the entity as it is then.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_TARGET | SHARE_REQUESTS | SHARE_YES | SHARE_JSON,
    .examples = "update Order orderId=o1 status=shipped total+=5 --data d\n"
                "update Order orderId=o1 note= --if 'status = shipped' --data d\n"
                "update Line orderId=o1 number=1 --set number=2 --data d\n",
    .run = run,
};
