/* run.c: single actions, batches and transactions, on both sides. */
#include "run.h"
#include <stdlib.h>
#include <string.h>

bool differ(struct run *r, const char *what, const struct val *expected, const struct said *said)
{
    add(&r->fault, "%s\n  request: %s\n  expected: ", what, r->request.p);
    if (expected) add_item(&r->fault, expected);
    add(&r->fault, "%s\n", expected ? "" : "(nothing)");
    if (!said) return false;
    const struct val *message = map_get(said->json, "message");
    add(&r->fault, "  answered: %s: %s\n", said->kind ? said->kind : "done", message ? message->s : "");
    return false;
}

bool ask(struct run *r, const char *operation, struct said *said)
{
    of_answer *answer;
    of_error err;
    *said = (struct said){ 0 };
    if (of_call(r->db, operation, -1, r->request.p, (ptrdiff_t)r->request.n, &answer, &err)) {
        return differ(r, err.message, NULL, NULL);
    }
    size_t n;
    const char *body = of_answer_body(answer, &n);
    said->json = json_read(&r->mem, body, n);
    if (!said->json) {
        add(&r->fault, "an answer that is no JSON: %s\n", body);
    } else if (of_answer_status(answer) != 200) {
        const struct val *type = map_get(said->json, "__type");
        const char *mark = type ? strchr(type->s, '#') : NULL;
        said->kind = mark ? mark + 1 : "?";
    }
    of_answer_free(answer);
    return said->json != NULL;
}

/* An item of the answer beside the expected one; either may be missing. */
static bool same_item(struct run *r, const char *what, const struct val *expected, const struct val *json)
{
    const struct val *item = json ? item_of(&r->mem, json) : NULL;
    if (!expected ? !json : item && val_equal(item, expected)) return true;
    differ(r, what, expected, NULL);
    add(&r->fault, "  answered: ");
    if (item) add_item(&r->fault, item);
    add(&r->fault, "%s\n", item ? "" : json ? "(not an item)" : "(nothing)");
    return false;
}

static bool refused_as(struct run *r, const char *kind, const struct said *said)
{
    if (said->kind && !strcmp(said->kind, kind)) return true;
    differ(r, "not refused as expected", NULL, said);
    add(&r->fault, "  should be %s\n", kind);
    return false;
}

/* The reference's side of a write; one of them may be forgotten, to see that this is found. */
static void do_write(struct run *r, const struct action *a, const struct val *new)
{
    if (r->number != r->forget) apply(&r->world, a, new);
}

static const struct val *returned(struct run *r, const struct action *a, const struct val *old, const struct val *new)
{
    struct path paths[MAX_CHANGES];
    if (a->returns == RETURN_NONE) return NULL;
    if (a->returns == RETURN_ALL_OLD) return old;
    if (a->returns == RETURN_ALL_NEW) return new;
    const struct val *image = a->returns == RETURN_UPDATED_OLD ? old : new;
    if (!image) return NULL;
    update_paths(a->update, paths);
    const struct val *touched = project(&r->mem, paths, a->update->n, image);
    return touched->count ? touched : NULL;
}

static bool run_write(struct run *r, const struct action *a)
{
    struct said said;
    struct val *old, *new;
    if (!ask(r, operation_names[a->kind], &said)) return false;
    switch (plan(&r->mem, &r->world, a, &old, &new)) {
    case INVALID: case UNFIT: case EMPTY: return refused_as(r, "ValidationException", &said);
    case CONDITION:
        return refused_as(r, "ConditionalCheckFailedException", &said) &&
               same_item(r, "the item that a condition failed on", a->show_on_failure ? old : NULL, map_get(said.json, "Item"));
    case DONE: break;
    }
    if (said.kind) return differ(r, "refused", NULL, &said);
    bool same = same_item(r, "Attributes", returned(r, a, old, new), map_get(said.json, "Attributes"));
    do_write(r, a, new);
    return same;
}

static const struct val *got(struct run *r, const struct action *a)
{
    const struct row *row = world_find(&r->world, a->table, a->key);
    if (!row || !a->projection) return row ? row->item : NULL;
    return project(&r->mem, a->projection->paths, a->projection->n, row->item);
}

static bool run_get(struct run *r, const struct action *a)
{
    struct said said;
    if (!ask(r, "GetItem", &said)) return false;
    if (said.kind) return differ(r, "refused", NULL, &said);
    return same_item(r, "Item", got(r, a), map_get(said.json, "Item"));
}

static bool run_transact_get(struct run *r, const struct op *op)
{
    struct said said;
    if (!ask(r, "TransactGetItems", &said)) return false;
    const struct val *responses = said.kind ? NULL : map_get(said.json, "Responses");
    if (!responses || responses->count != op->n) return differ(r, "responses", NULL, &said);
    for (size_t i = 0; i < op->n; i++) {
        const struct val *item = got(r, &op->actions[i]);
        if (item && !item->count) item = NULL; /* here, as on DynamoDB, unlike GetItem */
        if (!same_item(r, "a response", item, map_get(responses->at[i], "Item"))) return false;
    }
    return true;
}

/* The reasons of a canceled transaction, one for each action. */
static bool same_reasons(struct run *r, const struct op *op, const enum outcome *outcomes, struct val *const *old, const struct said *said)
{
    static const char *const codes[] = { "None", "ConditionalCheckFailed", "ValidationError", "ValidationError" };
    const struct val *reasons = map_get(said->json, "CancellationReasons");
    if (!reasons || reasons->count != op->n) return differ(r, "reasons", NULL, said);
    for (size_t i = 0; i < op->n; i++) {
        const struct val *code = map_get(reasons->at[i], "Code");
        if (!code || strcmp(code->s, codes[outcomes[i]])) {
            differ(r, "the reason of an action", NULL, said);
            add(&r->fault, "  action %zu: %s, expected %s\n", i, code ? code->s : "(none)", codes[outcomes[i]]);
            return false;
        }
        bool shown = outcomes[i] == CONDITION && op->actions[i].show_on_failure;
        if (!same_item(r, "the item of a reason", shown ? old[i] : NULL, map_get(reasons->at[i], "Item"))) return false;
    }
    return true;
}

static bool run_transact_write(struct run *r, const struct op *op)
{
    struct said said;
    struct val *old[MAX_ACTIONS], *new[MAX_ACTIONS];
    enum outcome outcomes[MAX_ACTIONS];
    bool canceled = false, outright = false;
    size_t unfit = op->n;
    if (!ask(r, "TransactWriteItems", &said)) return false;
    for (size_t i = 0; i < op->n; i++) {
        outcomes[i] = plan(&r->mem, &r->world, &op->actions[i], &old[i], &new[i]);
        canceled |= outcomes[i] != DONE;
        outright |= outcomes[i] == EMPTY;
        if (outcomes[i] == UNFIT && unfit == op->n) unfit = i;
    }
    if (outright) return refused_as(r, "ValidationException", &said);
    for (size_t i = 0; unfit < op->n && i < op->n; i++) { /* the first is told, and no item is looked at */
        if (i != unfit) outcomes[i] = DONE;
    }
    if (canceled) return refused_as(r, "TransactionCanceledException", &said) && same_reasons(r, op, outcomes, old, &said);
    if (said.kind) return differ(r, "refused", NULL, &said);
    for (size_t i = 0; i < op->n; i++) do_write(r, &op->actions[i], new[i]);
    return true;
}

static bool run_batch_write(struct run *r, const struct op *op)
{
    struct said said;
    struct val *old, *new;
    bool invalid = false;
    if (!ask(r, "BatchWriteItem", &said)) return false;
    for (size_t i = 0; i < op->n; i++) invalid |= plan(&r->mem, &r->world, &op->actions[i], &old, &new) >= UNFIT;
    if (invalid) return refused_as(r, "ValidationException", &said);
    const struct val *left = said.kind ? NULL : map_get(said.json, "UnprocessedItems");
    if (!left || left->count) return differ(r, "not all done", NULL, &said);
    for (size_t i = 0; i < op->n; i++) {
        plan(&r->mem, &r->world, &op->actions[i], &old, &new);
        do_write(r, &op->actions[i], new);
    }
    return true;
}

/* Items come in any order, so each expected one is looked for. */
static bool run_batch_get(struct run *r, const struct op *op)
{
    struct said said;
    size_t expected = 0, answered = 0;
    if (!ask(r, "BatchGetItem", &said)) return false;
    const struct val *responses = said.kind ? NULL : map_get(said.json, "Responses");
    if (!responses) return differ(r, "responses", NULL, &said);
    for (size_t i = 0; i < responses->count; i++) answered += responses->at[i]->count;
    for (size_t i = 0; i < op->n; i++) {
        const struct action *a = &op->actions[i];
        const struct val *item = got(r, a), *list = map_get(responses, table_defs[a->table].name);
        bool found = !item;
        for (size_t k = 0; !found && list && k < list->count; k++) {
            const struct val *one = item_of(&r->mem, list->at[k]);
            found = one && val_equal(one, item);
        }
        if (!found) return differ(r, "an item is not in the answer", item, NULL);
        expected += item != NULL;
    }
    return answered == expected || differ(r, "more items than there are", NULL, &said);
}

bool run_one(struct run *r, uint64_t seed, uint64_t number)
{
    struct op op;
    mem_free(&r->mem);
    r->number = number;
    generate(&r->mem, seed, number, &op);
    r->request.n = 0;
    if (op.kind == QUERY || op.kind == SCAN) return run_range(r, &op);
    add_request(&r->request, &op);
    switch (op.kind) {
    case GET: return run_get(r, &op.actions[0]);
    case BATCH_WRITE: return run_batch_write(r, &op);
    case BATCH_GET: return run_batch_get(r, &op);
    case TRANSACT_WRITE: return run_transact_write(r, &op);
    case TRANSACT_GET: return run_transact_get(r, &op);
    default: return run_write(r, &op.actions[0]);
    }
}

bool run_compare_tables(struct run *r)
{
    for (int table = 0; table < TABLES; table++) {
        for (int index = -1; index < (int)table_defs[table].n; index++) {
            struct op op = { .kind = SCAN, .range = { .table = table, .index = index } };
            mem_free(&r->mem);
            if (!run_range(r, &op)) return false;
        }
    }
    return true;
}

bool run_open(struct run *r, const char *dir)
{
    of_error err;
    if (of_open(&r->db, &(of_options){ .dir = dir, .durability = OF_RELAXED }, &err)) {
        add(&r->fault, "%s\n", err.message);
        return false;
    }
    for (int i = 0; i < TABLES; i++) {
        struct said said;
        r->request.n = 0;
        add_create_table(&r->request, &table_defs[i]);
        if (!ask(r, "CreateTable", &said)) return false;
        if (said.kind) return differ(r, "no table", NULL, &said);
    }
    return true;
}

void run_close(struct run *r)
{
    if (r->db) of_close(r->db);
    world_free(&r->world);
    mem_free(&r->mem);
    free(r->request.p);
    free(r->fault.p);
    *r = (struct run){ 0 };
}
