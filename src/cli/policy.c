/* policy.c: `onefold policy`: the IAM policy that keeps a tenant to its own partitions. */
#include "session.h"

struct policy_own_options {
    const char *tenant, *tag, *output;
    bool read_only, explain;
};
static const struct policy_own_options defaults;

/* What the policy leaves out. To standard error: standard output is the policy. */
static void print_left_out(const struct json *keys)
{
    for (const struct json *k = keys ? keys->first : NULL; k; k = k->next) {
        if (json_flag(k, "confined")) continue;
        struct slice index = json_text(k, "index");
        fprintf(stderr, "not in the policy: %.*s, %.*s%s%.*s %.*s: %.*s\n", SLICE_ARG(json_text(k, "entity")),
                SLICE_ARG(json_text(k, "what")), index.n ? " in " : "", SLICE_ARG(index), SLICE_ARG(json_text(k, "key")),
                SLICE_ARG(json_text(k, "why")));
    }
}

static void print_keys(struct session *s, const struct json *tree)
{
    static const char *titles[] = { "entity", "what", "index", "key", "leading key" };
    struct table t;
    table_init(&t, s->arena, COUNT(titles), titles);
    for (const struct json *k = JSON_GET(tree, "keys")->first; k; k = k->next) {
        bool confined = json_flag(k, "confined");
        struct cell *row = table_row(&t);
        row[0] = (struct cell){ json_text(k, "entity"), entity_ink(json_text(k, "entity")) };
        row[1].text = json_text(k, "what");
        row[2].text = json_text(k, "index");
        row[3].text = json_text(k, "key");
        row[4].text = confined ? json_text(k, "leadingKey") : arena_printf(s->arena, "none: %.*s", SLICE_ARG(json_text(k, "why")));
    }
    table_print(&t);
    printf("\nThe tenant is %.*s; an access key's is its tag \"%.*s\".\n", SLICE_ARG(json_text(tree, "tenant")), SLICE_ARG(json_text(tree, "tag")));
    puts("A leading key is a partition's: entities that share one are reached together. It says nothing of index\n"
         "keys: who writes items by hand can place one in another tenant's partition of an index.");
}

static void put_indented(struct buf *b, const struct json *v, int depth)
{
    bool object = v->type == JSON_OBJECT;
    if (v->type != JSON_ARRAY && !object) {
        json_put(b, v);
        return;
    }
    buf_u8(b, object ? '{' : '[');
    for (const struct json *c = v->first; c; c = c->next) {
        buf_printf(b, "%s\n%*s", c == v->first ? "" : ",", 2 * (depth + 1), "");
        if (object) {
            json_put_string(b, c->name);
            BUF_LIT(b, ": ");
        }
        put_indented(b, c, depth + 1);
    }
    if (v->first) buf_printf(b, "\n%*s", 2 * depth, "");
    buf_u8(b, object ? '}' : ']');
}

static int policy(struct session *s)
{
    const struct policy_own_options *own = s->in->options;
    of_policy_options o = { .tenant = own->tenant, .tag = own->tag, .read_only = own->read_only,
                            .entities = (const char *const *)s->in->arguments, .n_entities = s->in->n_arguments };
    of_answer *report;
    of_error err;
    if (of_model_policy(s->model, &o, &report, &err)) return fail_of(&err);
    struct slice text = arena_dup(s->arena, report_text(report));
    const struct json *tree = json_parse(s->arena, text, 64, NULL);
    of_answer_free(report);
    bool complete = json_flag(tree, "complete");
    int code = 0;
    if (s->in->shared.json) {
        code = print_slice(text, own->output);
    } else if (own->explain) {
        print_keys(s, tree);
    } else {
        struct buf b;
        buf_init(&b, s->arena, (size_t)64 << 20);
        put_indented(&b, JSON_GET(tree, "policy"), 0);
        code = print_slice(buf_view(&b), own->output);
        print_left_out(JSON_GET(tree, "keys"));
    }
    return code ? code : complete ? 0 : EXIT_FINDINGS;
}

static int run(struct invocation *in)
{
    return with_model(in, policy);
}

static const struct argument_spec arguments[] = {
    { "ENTITY", "only these entities; without, all", COMPLETE_ENTITY, .optional = true, .repeats = true },
};

static const struct option_spec options[] = {
    { "tenant", "ATTRIBUTE", "the attribute that tells tenants apart; else the first one in the keys",
      offsetof(struct policy_own_options, tenant) },
    { "tag", "NAME", "the access key's tag that holds its tenant (default: tenant)", offsetof(struct policy_own_options, tag) },
    { "read-only", NULL, "without the actions that write", offsetof(struct policy_own_options, read_only) },
    { "explain", NULL, "which key becomes which leading key, and which cannot", offsetof(struct policy_own_options, explain) },
    { "output", "FILE", "write to this file instead of standard output", offsetof(struct policy_own_options, output),
      .complete = COMPLETE_FILE },
};

const struct command command_policy = {
    .name = "policy",
    .summary = "write the IAM policy that keeps a tenant to itself",
    .about = "Writes a policy out of the model's keys: who has it reaches only the partitions that begin with his\n"
             "tenant, in the table and its indexes. For 'serve --credentials' and for AWS. Keys that do not begin with\n"
             "the tenant are left out and told; the exit code is 3 then, and the policy is written all the same: it\n"
             "allows less than the model asks for.\n",
    ARGUMENTS(arguments),
    OPTIONS(options),
    DEFAULTS(defaults),
    .shares = SHARE_MODEL | SHARE_JSON,
    .examples = "policy --explain\n"
                "policy Order --tenant customerId --read-only\n",
    .run = run,
};
