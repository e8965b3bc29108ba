/* complete.c: `onefold complete`, which the completion scripts call: what could stand at the cursor. Hidden: its form
 * may change with the scripts. Never fails: where something is wrong there is nothing to offer. */
#include "names.h"
#include "patterns.h"
#include <stdlib.h>

struct request {
    struct invocation *in;
    const struct command *command; /* the one being typed */
    char **words;                  /* after its name; the last one is at the cursor */
    size_t n;
    const char *model;             /* as given by --model, or NULL */
    const char *subject;           /* the first argument: an entity or pattern */
    size_t position;               /* which argument the word at the cursor is */
};

static void offer(const char *start, const char *word, size_t n, const char *suffix, const char *about)
{
    size_t typed = strlen(start);
    char whole[512];
    int total = snprintf(whole, sizeof whole, "%.*s%s", (int)n, word, suffix);
    if (total < 0 || (size_t)total >= sizeof whole || strncmp(whole, start, typed) != 0) return;
    printf("%s\t%s\n", whole, about);
}

static void offer_words(const char *start, const char *words)
{
    for (size_t n; *words; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        offer(start, words, n, "", "");
    }
}

/* typed: how many words of the name are there already. */
static void offer_commands(const char *start, const char *group)
{
    size_t n = group ? strlen(group) : 0;
    const char *last = "";
    for (size_t i = 0; commands[i]; i++) {
        const char *name = commands[i]->name;
        if (commands[i]->hidden) continue;
        if (group) {
            if (strncmp(name, group, n) == 0 && name[n] == ' ')
                offer(start, name + n + 1, strlen(name + n + 1), "", commands[i]->summary);
            continue;
        }
        size_t first = strcspn(name, " ");
        if (strlen(last) >= first && strncmp(last, name, first) == 0 && last[first] == ' ') continue;
        offer(start, name, first, "", name[first] ? "commands about the model file" : commands[i]->summary);
        last = name;
    }
}

static const struct json *outline(struct request *r)
{
    of_model *model;
    const char *path = r->model ? r->model : getenv("ONEFOLD_MODEL");
    if (of_model_open(&model, path && *path ? path : "./onefold.yaml", NULL)) return NULL;
    const struct json *o = outline_tree(r->in->arena, model, NULL);
    of_model_close(model);
    return o;
}

/* Each member's name (or, for a list of strings, its text), with an optional suffix. */
static void offer_names(const char *start, const struct json *list, const char *suffix)
{
    if (!list) return;
    for (const struct json *j = list->first; j; j = j->next) {
        const struct json *name = j->type == JSON_OBJECT ? JSON_GET(j, "name") : j;
        const struct json *about = JSON_GET(j, "about");
        char text[128];
        if (!name) continue;
        snprintf(text, sizeof text, "%.*s", about ? (int)about->text.n : 0, about ? (const char *)about->text.p : "");
        size_t n = 0;
        while ((unsigned char)text[n] >= ' ') n++; /* one line, and nothing that commands the terminal */
        text[n] = 0;
        offer(start, (const char *)name->text.p, name->text.n, suffix, text);
    }
}

static bool fits_line(struct slice text)
{
    for (size_t i = 0; i < text.n; i++)
        if (text.p[i] < ' ') return false;
    return true;
}

/* status= and then its values, where the model lists them. */
static void offer_attributes(struct request *r, const char *start)
{
    const struct json *o = outline(r);
    struct slice subject = slice_str(r->subject ? r->subject : "");
    const struct json *pattern = outline_named(o, "patterns", subject);
    const struct json *entity = outline_named(o, "entities", subject);
    bool is_pattern = r->command->n_arguments && r->command->arguments[0].complete == COMPLETE_PATTERN;
    const char *equals = strchr(start, '=');
    if (is_pattern && pattern) {
        const struct json *of = JSON_GET(pattern, "entities");
        if (!equals) offer_names(start, JSON_GET(pattern, "inputs"), "=");
        entity = of && of->first ? outline_named(o, "entities", of->first->text) : NULL;
    } else if (entity && !equals) {
        offer_names(start, JSON_GET(entity, "attributes"), "=");
    }
    if (!equals || !entity) return;
    const struct json *at = outline_member(entity, slice_of(start, (size_t)(equals - start)));
    const struct json *values = JSON_GET(at, "enum");
    for (const struct json *v = values ? values->first : NULL; v; v = v->next) {
        char word[256];
        if (!fits_line(v->text)) continue;
        int n = snprintf(word, sizeof word, "%.*s%.*s", (int)(equals - start) + 1, start, SLICE_ARG(v->text));
        if (n > 0 && (size_t)n < sizeof word) offer(start, word, (size_t)n, "", "");
    }
}

static void offer_kind(struct request *r, enum complete kind, const char *words, const char *start)
{
    switch (kind) {
    case COMPLETE_NOTHING: break;
    case COMPLETE_FILE: puts(":file"); break;
    case COMPLETE_DIR: puts(":dir"); break;
    case COMPLETE_COMMAND:
        offer_commands(start, r->position && r->subject && command_is_group(r->subject) ? r->subject : NULL);
        break;
    case COMPLETE_ENTITY: offer_names(start, JSON_GET(outline(r), "entities"), ""); break;
    case COMPLETE_PATTERN: offer_names(start, JSON_GET(outline(r), "patterns"), ""); break;
    case COMPLETE_INDEX: offer_names(start, JSON_GET(outline(r), "indexes"), ""); break;
    case COMPLETE_LIBRARY: offer_names(start, patterns_list(r->in->arena), ""); break;
    case COMPLETE_ATTRIBUTE: offer_attributes(r, start); break;
    case COMPLETE_WORDS: offer_words(start, words); break;
    }
}

static const struct option_spec *option_named(const struct command *c, const char *name, size_t n)
{
    for (size_t i = 0; command_option(c, i); i++)
        if (slice_eq(slice_str(command_option(c, i)->name), slice_of(name, n))) return command_option(c, i);
    return NULL;
}

/* Goes over the words before the cursor; returns the option whose value the cursor is at, or NULL. */
static const struct option_spec *read_words(struct request *r)
{
    for (size_t i = 0; i + 1 < r->n; i++) {
        const char *w = r->words[i];
        if (strncmp(w, "--", 2) != 0) {
            if (r->position++ == 0) r->subject = w;
            continue;
        }
        const char *equals = strchr(w, '=');
        size_t n = equals ? (size_t)(equals - w) - 2 : strlen(w + 2);
        const struct option_spec *o = option_named(r->command, w + 2, n);
        if (!o || !o->value) continue;
        if (!equals && i + 2 == r->n) return o;
        const char *value = equals ? equals + 1 : r->words[++i];
        if (strcmp(o->name, "model") == 0) r->model = value;
    }
    return NULL;
}

static void complete(struct request *r)
{
    const char *start = r->words[r->n - 1];
    const struct option_spec *o = read_words(r);
    const struct command *c = r->command;
    if (o) {
        offer_kind(r, o->complete, o->words, start);
        return;
    }
    if (start[0] == '-') {
        for (size_t i = 0; command_option(c, i); i++) {
            char flag[64];
            int n = snprintf(flag, sizeof flag, "--%s", command_option(c, i)->name);
            offer(start, flag, (size_t)n, "", command_option(c, i)->help);
        }
        offer(start, "--help", 6, "", "explain the command");
        return;
    }
    size_t at = r->position;
    if (at >= c->n_arguments && c->n_arguments && c->arguments[c->n_arguments - 1].repeats) at = c->n_arguments - 1;
    if (at < c->n_arguments) offer_kind(r, c->arguments[at].complete, c->arguments[at].words, start);
}

static int run(struct invocation *in)
{
    size_t n = in->n_arguments, used;
    if (!n) return EXIT_OK;
    struct request r = { .in = in, .command = command_find(in->arguments, n - 1, &used) };
    if (r.command) {
        r.words = in->arguments + used;
        r.n = n - used;
        complete(&r);
    } else if (n == 1) {
        offer_commands(in->arguments[0], NULL);
    } else if (n == 2 && command_is_group(in->arguments[0])) {
        offer_commands(in->arguments[1], in->arguments[0]);
    }
    return finish_output();
}

static const struct argument_spec arguments[] = {
    { "WORD", "the words of the command line; the last one is completed", .optional = true, .repeats = true },
};

const struct command command_complete = {
    .name = "complete",
    .summary = "offer what could stand at the cursor",
    .about = "Called by the scripts of 'onefold completion'.\n",
    ARGUMENTS(arguments),
    .examples = "complete -- ser\n",
    .hidden = true,
    .run = run,
};
