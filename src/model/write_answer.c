/* write_answer.c: what it means when the service refuses a write: which entity, attribute and rule;
 * or that others were faster. */
#include "../item/item_json.h"
#include "write_impl.h"

#define DETAIL_MAX_DEPTH 128

int not_there(struct write *w, const struct work *k, struct err *e)
{
    struct slice label = entity_label(w->s->arena, k->entity, k->step->attributes);
    struct slice name = k->entity->name;
    if (label.n <= name.n) {
        return err_set(e, ERR_ResourceNotFoundException, "there is no %.*s", SLICE_ARG(name));
    }
    struct slice key = slice_of(label.p + name.n + 1, label.n - name.n - 1);
    return err_set(e, ERR_ResourceNotFoundException, "there is no %.*s with %.*s", SLICE_ARG(name),
                   SLICE_ARG(key));
}

int version_differs(struct write *w, const struct work *k, int64_t is, int64_t given, struct err *e)
{
    struct slice label = entity_label(w->s->arena, k->entity, k->step->attributes);
    return err_set(e, ERR_ConditionalCheckFailedException,
                   "%.*s was changed meanwhile: %.*s is %lld, not %lld", SLICE_ARG(label),
                   SLICE_ARG(k->entity->lock), (long long)is, (long long)given);
}

static struct slice label_of(struct write *w, const struct work *k)
{
    struct slice attributes = k->attributes.n ? k->attributes : k->step->attributes;
    return entity_label(w->s->arena, k->entity, attributes);
}

static int exists_already(struct write *w, const struct work *k, struct slice attributes,
                          struct err *e)
{
    struct slice label = entity_label(w->s->arena, k->entity, attributes);
    return err_set(e, ERR_ConditionalCheckFailedException, "%.*s exists already", SLICE_ARG(label));
}

static int taken(struct write *w, const struct work *k, const struct unique *u, struct err *e)
{
    struct buf names, values;
    buf_init(&names, w->s->arena, WRITE_TEXT_MAX);
    buf_init(&values, w->s->arena, WRITE_TEXT_MAX);
    for (size_t i = 0; i < u->n; i++) {
        struct slice value;
        buf_printf(&names, "%s%.*s", i ? "+" : "", SLICE_ARG(u->attributes[i]));
        if (!val_get(k->result, u->attributes[i], &value)) continue;
        buf_printf(&values, "%s%.*s", i ? ", " : "", SLICE_ARG(value_label(w->s->arena, value)));
    }
    return err_set(e, ERR_ConditionalCheckFailedException, "%.*s.%.*s: %.*s is already taken",
                   SLICE_ARG(k->entity->name), SLICE_ARG(buf_view(&names)),
                   SLICE_ARG(buf_view(&values)));
}

/* The item as it was when its condition failed. The answer tells: none if there was none, but some
 * services never show it, so without one it is read (*late: it may have come only now). Empty:
 * none. */
static int failed_item(struct write *w, const struct action *x, const struct json *reason,
                       struct slice *out, bool *late, struct err *e)
{
    struct work asking = { .key = x->key, .entity = w->works[x->step].entity };
    const struct json *item = JSON_GET(reason, "Item");
    if (item && item->type == JSON_OBJECT) return item_from_json(w->s->arena, item, out, e);
    int code = work_read(w, &asking, e);
    *out = asking.old;
    *late = true;
    return code;
}

/* The condition on an entity's item does not hold. */
static int item_refused(struct write *w, const struct action *x, const struct json *reason,
                        bool *again, struct err *e)
{
    struct work *k = &w->works[x->step];
    const struct step *st = k->step;
    struct slice item;
    bool late = false;
    int code = failed_item(w, x, reason, &item, &late, e);
    if (code) return code;
    if (x->role == ROLE_NEW_ITEM) return exists_already(w, k, k->result, e);
    if (st->kind == STEP_PUT && st->if_absent) return exists_already(w, k, k->attributes, e);
    if (k->was_read && ((k->old.n > 0) != (item.n > 0) || !guard_holds(k, item))) {
        *again = true;
        return 0;
    }
    if (!item.n && st->kind != STEP_PUT) return not_there(w, k, e);
    if (!guard_holds(k, item)) { /* not read: the version that was given */
        int64_t given = 0;
        num_to_int64(val_content(k->guards[0].value), &given);
        return version_differs(w, k, lock_version(item, k->entity->lock), given, e);
    }
    if (!k->where ||
        (late && item.n && w->attempt < WRITE_TRIES / 2)) { /* it was not there, and is now */
        *again = true;
        return 0;
    }
    return err_set(e, ERR_ConditionalCheckFailedException,
                   "%.*s: the condition does not hold: %.*s", SLICE_ARG(label_of(w, k)),
                   SLICE_ARG(st->condition));
}

static int condition_failed(struct write *w, const struct action *x, const struct json *reason,
                            bool *again, struct err *e)
{
    struct work *k = &w->works[x->step];
    switch (x->role) {
    case ROLE_ITEM:
    case ROLE_NEW_ITEM:
        return item_refused(w, x, reason, again, e);
    case ROLE_COPY:
        k->rewrite = *again = true;
        return 0;
    case ROLE_SENTINEL:
        if (x->unique) return taken(w, k, x->unique, e);
        k->keep_sentinels = *again = true;
        return 0;
    }
    return 0;
}

static int reason_of(struct write *w, const struct action *x, const struct json *reason,
                     bool *again, struct err *e)
{
    const struct json *code = JSON_GET(reason, "Code"), *message = JSON_GET(reason, "Message");
    struct slice name = code ? code->text : slice_of(NULL, 0);
    if (!name.n || slice_eq(name, SLICE("None"))) return 0;
    if (slice_eq(name, SLICE("TransactionConflict"))) {
        *again = true;
        return 0;
    }
    if (slice_eq(name, SLICE("ConditionalCheckFailed")))
        return condition_failed(w, x, reason, again, e);
    return err_set(e, ERR_ValidationException, "%.*s: %.*s",
                   SLICE_ARG(label_of(w, &w->works[x->step])),
                   SLICE_ARG(message ? message->text : name));
}

/* Reasons stand in the order of the actions. That an item has changed goes before what else failed,
 * which may only follow from it; so items are looked at first. */
static int transaction_refused(struct write *w, const struct json *detail, bool *again,
                               struct err *e)
{
    const struct json *reasons = JSON_GET(detail, "CancellationReasons");
    for (int round = 0; reasons && round < 2; round++) {
        const struct json *r = reasons->first;
        for (size_t i = 0; r && i < w->n_actions; i++, r = r->next) {
            bool is_item = w->actions[i].role == ROLE_ITEM;
            if (is_item != (round == 0)) continue;
            int code = reason_of(w, &w->actions[i], r, again, e);
            if (code) return located(&w->works[w->actions[i].step], e);
            if (*again) return 0;
        }
    }
    return (int)e->code;
}

int answer_refused(struct write *w, bool *again, struct err *e)
{
    struct arena *a = w->s->arena;
    const struct json *detail = NULL;
    *again = false;
    switch (e->code) {
    case ERR_TransactionConflictException:
    case ERR_TransactionInProgressException:
        *again = true;
        return 0;
    case ERR_TransactionCanceledException:
    case ERR_ConditionalCheckFailedException:
        break;
    case ERR_IdempotentParameterMismatchException:
        return err_set(
            e, e->code,
            "the token was used before, by these steps or by others; nothing was written now");
    default:
        return (int)e->code;
    }
    if (e->detail.n > 1) { /* members with a leading comma */
        struct slice text =
            arena_printf(a, "{%.*s}", (int)(e->detail.n - 1), (const char *)e->detail.p + 1);
        detail = json_parse(a, text, DETAIL_MAX_DEPTH, NULL);
    }
    if (e->code == ERR_TransactionCanceledException)
        return transaction_refused(w, detail, again, e);
    return condition_failed(w, &w->actions[0], detail, again, e);
}
