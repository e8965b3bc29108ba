/* write.c: entities written, read, changed and deleted: the attempts, and what is sent. */
#include "write.h"
#include "../item/item_json.h"
#include "write_impl.h"
#include <time.h>

/* ---- reading ---- */

static int get_item(struct session *s, struct slice key, const struct write_options *o, bool send, struct slice *item,
                    struct err *e)
{
    struct buf b;
    const struct json *answer, *found;
    buf_init(&b, s->arena, WRITE_TEXT_MAX);
    BUF_LIT(&b, "{\"TableName\":");
    json_put_string(&b, s->model->table);
    BUF_LIT(&b, ",\"Key\":");
    item_to_json(&b, key);
    BUF_LIT(&b, ",\"ConsistentRead\":true}");
    request_show(o ? o->requests : NULL, SLICE("GetItem"), buf_view(&b));
    *item = slice_of(NULL, 0);
    if (!send) return 0;
    int code = API_CALL(s->api, s->arena, "GetItem", buf_view(&b), &answer, e);
    if (code || !(found = JSON_GET(answer, "Item"))) return code;
    return item_from_json(s->arena, found, item, e);
}

int work_read(struct write *w, struct work *k, struct err *e)
{
    struct session *s = w->s;
    int code = get_item(s, k->key, w->o, true, &k->old, e);
    k->was_read = true;
    k->old_attributes = slice_of(NULL, 0);
    if (!code && k->old.n)
        k->old_attributes = item_attributes(s->arena, s->model, k->entity, k->old, true);
    return code;
}

int entity_get(struct session *s, const struct entity *en, struct slice key, const struct write_options *o,
               struct slice *result, struct err *e)
{
    struct slice table_key, item = slice_of(NULL, 0);
    *result = slice_of(NULL, 0);
    int code = entity_key(s->arena, s->model, en, key, &table_key, e);
    if (!code) code = get_item(s, table_key, o, !o || !o->dry_run, &item, e);
    if (!code && item.n) *result = item_attributes(s->arena, s->model, en, item, true);
    return code;
}

/* ---- sending ---- */

static const struct {
    struct slice alone, among; /* the operation, and the action's name in a transaction */
} words[] = {
    [ACTION_PUT] = { { (const uint8_t *)"PutItem", 7 }, { (const uint8_t *)"Put", 3 } },
    [ACTION_UPDATE] = { { (const uint8_t *)"UpdateItem", 10 }, { (const uint8_t *)"Update", 6 } },
    [ACTION_DELETE] = { { (const uint8_t *)"DeleteItem", 10 }, { (const uint8_t *)"Delete", 6 } },
    [ACTION_CHECK] = { { NULL, 0 }, { (const uint8_t *)"ConditionCheck", 14 } },
};

static bool goes_alone(const struct write *w)
{
    return w->alone && w->n_actions == 1 && w->actions[0].kind != ACTION_CHECK;
}

static void put_single(struct buf *b, const struct write *w)
{
    const struct action *x = &w->actions[0];
    buf_u8(b, '{');
    action_to_json(b, w->s->model, x);
    if (x->kind == ACTION_UPDATE) BUF_LIT(b, ",\"ReturnValues\":\"ALL_NEW\"");
    if (x->kind == ACTION_DELETE) BUF_LIT(b, ",\"ReturnValues\":\"ALL_OLD\"");
    buf_u8(b, '}');
}

static void put_transaction(struct buf *b, const struct write *w)
{
    BUF_LIT(b, "{\"TransactItems\":[");
    for (size_t i = 0; i < w->n_actions; i++) {
        const struct action *x = &w->actions[i];
        buf_printf(b, "%s{\"%.*s\":{", i ? "," : "", SLICE_ARG(words[x->kind].among));
        action_to_json(b, w->s->model, x);
        BUF_LIT(b, "}}");
    }
    buf_u8(b, ']');
    if (w->token.n) {
        BUF_LIT(b, ",\"ClientRequestToken\":");
        json_put_string(b, w->token);
    }
    buf_u8(b, '}');
}

/* UpdateItem and DeleteItem answer with the item as it is, or was. */
static int take_attributes(struct write *w, const struct json *answer, struct err *e)
{
    struct work *k = &w->works[0];
    const struct json *found = JSON_GET(answer, "Attributes");
    struct slice item;
    if (!found) return 0;
    int code = item_from_json(w->s->arena, found, &item, e);
    if (!code) k->result = item_attributes(w->s->arena, w->s->model, k->entity, item, true);
    return code;
}

static int send(struct write *w, bool *again, struct err *e)
{
    struct arena *a = w->s->arena;
    struct buf b;
    const struct json *answer;
    bool single = goes_alone(w);
    struct slice operation = single ? words[w->actions[0].kind].alone : SLICE("TransactWriteItems");
    *again = false;
    if (!w->n_actions) return 0;
    buf_init(&b, a, WRITE_TEXT_MAX);
    if (single) {
        put_single(&b, w);
    } else {
        put_transaction(&b, w);
    }
    request_show(w->o ? w->o->requests : NULL, operation, buf_view(&b));
    if (w->o && w->o->dry_run) return 0;
    int code = api_call(w->s->api, a, operation, buf_view(&b), &answer, e);
    if (code) return answer_refused(w, again, e);
    return single ? take_attributes(w, answer, e) : 0;
}

/* ---- attempts ---- */

static int prepare(struct write *w, struct work *k, struct err *e)
{
    k->was_read = false;
    k->old = k->old_attributes = k->result = slice_of(NULL, 0);
    k->n_guards = 0;
    switch (k->step->kind) {
    case STEP_PUT:
        return work_put(w, k, e);
    case STEP_UPDATE:
        return work_update(w, k, e);
    case STEP_DELETE:
        return work_delete(w, k, e);
    case STEP_CHECK:
        return work_check(w, k, e);
    }
    return 0;
}

/* Not all at the same moment again. */
static void wait_a_little(const struct session *s, unsigned attempt)
{
    uint8_t noise = 0;
    s->env->random(s->env->ctx, &noise, 1);
    long long us = (500LL << attempt) * (256 + noise) / 256;
    struct timespec t = { .tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000 };
    nanosleep(&t, NULL);
}

int located(const struct work *k, struct err *e)
{
    const struct place *p = &k->step->place;
    if (!p->line) return (int)e->code;
    struct slice detail = e->detail;
    int code = err_set(e, e->code, "%.*s:%u:%u: %.*s", SLICE_ARG(p->file), p->line, p->column,
                       SLICE_ARG(e->message));
    e->detail = detail;
    return code;
}

int write_all(struct write *w, struct err *e)
{
    for (w->attempt = 0; w->attempt < WRITE_TRIES; w->attempt++) {
        bool again = false;
        w->n_actions = 0;
        for (size_t i = 0; i < w->n; i++) {
            if (prepare(w, &w->works[i], e)) return located(&w->works[i], e);
        }
        int code = actions_check(w, e);
        if (!code) code = send(w, &again, e);
        if (code || !again) return code;
        wait_a_little(w->s, w->attempt);
    }
    return err_set(
        e, ERR_TransactionConflictException,
        "others kept changing %.*s; nothing was written: try again",
        SLICE_ARG(entity_label(w->s->arena, w->works[0].entity, w->works[0].step->attributes)));
}
