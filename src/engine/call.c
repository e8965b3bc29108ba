/* call.c: the life of a call: prepare, bind, run in a transaction, answer. */
#include "engine_impl.h"
#include "history.h"
#include "ops.h"

#define RESPONSE_MAX   ((size_t)64 << 20)
#define RESPONSE_ROOM  1024 /* that a read begins with: most items fit, and growing copies */

static void out_of_memory(struct call *call)
{
    /* Nothing here may allocate. */
    call->err.code = ERR_InternalServerError;
    call->err.message = SLICE("The request could not be handled: out of memory");
    call->err.detail = slice_of(NULL, 0);
}

/* Where a mode asks for it: which items the call names, and whether it may have them. */
static int take_footprint(struct call *call)
{
    const struct engine *e = call->engine;
    struct footprint *before = call->footprint;
    if (!call->op->footprint || (!e->conflicts && !e->throttle)) return 0;
    struct footprint *f = ARENA_NEW(call->arena, struct footprint);
    call->op->footprint(call, f);
    call->footprint = f;
    return e->conflicts ? conflicts_claim(e->conflicts, call, before) : 0;
}

static void release_footprint(struct call *call)
{
    if (call->footprint && call->engine->conflicts) conflicts_release(call->engine->conflicts, call);
}

/* Until it has come to its end the call has nothing to run with: its state may still be of tables that are gone. */
static int bind_to(struct call *call, const struct catalog *acquired)
{
    call->bound = false;
    if (call->catalog) catalog_release(call->engine->catalogs, call->catalog);
    call->catalog = acquired;
    if (catalog_is_stale(call->engine->catalogs)) {
        out_of_memory(call);
        return (int)call->err.code;
    }
    int code = call->op->bind ? call->op->bind(call) : 0;
    if (call->caller.identity) code = access_check(call, code);
    if (!code) code = take_footprint(call);
    call->bound = !code;
    return code;
}

static int bind(struct call *call)
{
    return bind_to(call, catalog_acquire(call->engine->catalogs));
}

/* For the first time. Where others change the catalog too what cannot be bound now may well be when it is run. */
static int bind_early(struct call *call)
{
    int code = bind(call);
    if (!code || !catalog_is_shared(call->engine->catalogs)) return code;
    release_footprint(call);
    call->err.code = ERR_NONE;
    return 0;
}

bool engine_has_operation(struct slice name)
{
    return api_find(name) != NULL;
}

static int prepare(struct call *call, struct slice operation, struct slice body)
{
    const struct api_op *api = api_find(operation);
    if (!api) {
        call->err.code = ERR_UnknownOperationException;
        return ERR_UnknownOperationException;
    }
    call->row = api_number(api); /* before anything is refused, which is counted as what it asked for */
    call->op = op_at(call->row);
    if (!call->request) call->request = json_parse(call->arena, body, JSON_MAX_DEPTH, NULL);
    if (!call->request) {
        call->err.code = ERR_SerializationException;
        return ERR_SerializationException;
    }
    int code = api_validate(api, call->request, call->arena, &call->err);
    if (code) return code;
    code = call->op->parse ? call->op->parse(call) : 0;
    return code ? code : bind_early(call);
}

static int prepare_guarded(struct call *call, struct slice operation, struct slice body)
{
    if (ARENA_GUARD(call->arena)) {
        prepare(call, operation, body);
    } else {
        out_of_memory(call);
    }
    arena_unguard(call->arena);
    if (call->err.code) release_footprint(call);
    return (int)call->err.code;
}

static void begin(struct call *call, struct engine *e, struct arena *a, struct caller who)
{
    void (*done)(struct call *) = call->done;
    void (*on_item)(struct call *, struct slice) = call->on_item;
    void *user = call->user;
    memset(call, 0, sizeof *call);
    call->engine = e;
    call->arena = call->err.arena = a;
    call->caller = who;
    call->done = done;
    call->on_item = on_item;
    call->user = user;
    if (e->counters) call->began_ns = engine_clock_ns();
    buf_init(&call->response, a, RESPONSE_MAX);
}

int call_prepare(struct call *call, struct engine *e, struct arena *a, struct caller who,
                 struct slice operation, struct slice body)
{
    begin(call, e, a, who);
    return prepare_guarded(call, operation, body);
}

int call_prepare_tree(struct call *call, struct engine *e, struct arena *a, struct slice operation,
                      const struct json *request)
{
    begin(call, e, a, (struct caller){ 0 });
    call->request = request;
    return prepare_guarded(call, operation, slice_of(NULL, 0));
}

int call_prepare_op(struct call *call, struct engine *e, struct arena *a, const struct op *op,
                    void *state)
{
    begin(call, e, a, (struct caller){ .guest = true }); /* the API has no such operation */
    call->op = op;
    call->state = state;
    if (ARENA_GUARD(a)) {
        bind_early(call);
    } else {
        out_of_memory(call);
    }
    arena_unguard(a);
    return (int)call->err.code;
}

static enum failure failure_of(const struct call *call)
{
    if (call->err.code && call->footprint && call->footprint->throttled) return FAILURE_THROTTLED;
    switch (call->err.code) {
    case ERR_NONE: return call->ran ? FAILURE_NONE : FAILURE_SERVER; /* sent away: too many at once */
    case ERR_ConditionalCheckFailedException:
    case ERR_DuplicateItemException:
    case ERR_TransactionConflictException:
    case ERR_TransactionCanceledException: return FAILURE_CONDITION;
    case ERR_ThrottlingException:
    case ERR_ProvisionedThroughputExceededException:
    case ERR_RequestLimitExceeded: return FAILURE_THROTTLED;
    default: return err_status(call->err.code) >= 500 ? FAILURE_SERVER : FAILURE_USER;
    }
}

static void count(struct call *call)
{
    struct counters *counters = call->engine->counters;
    uint64_t now = engine_clock_ns();
    struct counted counted = { .row = call->caller.guest ? counters_guest_row(counters) : call->row,
                               .failure = failure_of(call),
                               .microseconds = (now - call->began_ns) / 1000,
                               .second = (int64_t)(now / 1000000000u),
                               .tally = &call->tally };
    if (counted.failure == FAILURE_SERVER) {
        call->tally.n = call->tally.written = 0; /* nothing was done */
        if (call_met_damage(call)) __atomic_add_fetch(&call->engine->damaged, 1, __ATOMIC_RELAXED);
    }
    counters_count(counters, &counted);
}

void call_end(struct call *call)
{
    if (call->began_ns && call->op) count(call);
    call->began_ns = 0;
    release_footprint(call);
    if (call->catalog) catalog_release(call->engine->catalogs, call->catalog);
    call->catalog = NULL;
}

bool call_is_write(const struct call *call)
{
    if (!call->op) return false;
    return call->op->kind == OP_WRITE || (call->op->at_once && store_is_spread(call->engine->store));
}

/* Whatever else writes has an access step, which tells what it does to which items. */
bool call_is_control(const struct call *call)
{
    return call->op && call->op->kind == OP_WRITE && !call->op->access;
}

bool call_met_damage(const struct call *call)
{
    return call->store_status == STORE_CORRUPT;
}

bool call_may_block(const struct call *call)
{
    return store_may_block(call->engine->store);
}

static void run_admitted(struct call *call, struct store_txn *txn)
{
    struct throttle *throttle = call->footprint ? call->engine->throttle : NULL;
    if (throttle && throttle_admit(throttle, call)) return;
    call->op->run(call, txn);
    if (throttle) throttle_settle(throttle, call);
}

/* What a run before this one left. */
static void begin_run(struct call *call)
{
    call->err.code = ERR_NONE;
    call->store_status = STORE_OK;
    call->response.n = 0;
    call->ran = true;
    call->tally.n = call->tally.returned = call->tally.written = 0;
    if (call->engine->throttle) throttle_give_back(call->engine->throttle, call);
}

/* A write, alone on the writer's thread: whoever bound it did so on another one, and a table may have changed since. Or a run before this
 * one tried to bind it, in vain. */
static void run_current(struct call *call, struct store_txn *txn)
{
    int code = 0;
    if (call->op->kind == OP_WRITE && (!call->bound || !catalog_is_current(call->engine->catalogs, call->catalog))) code = bind(call);
    if (!code) run_admitted(call, txn);
}

/* ---- on a shared store: the catalog must be the one that the transaction sees ---- */

/* Is the call bound to it? */
static int compare_epoch(struct call *call, struct store_txn *txn, bool *same)
{
    int64_t epoch;
    int status = store_epoch(txn, &epoch);
    *same = !status && catalog_epoch(call->catalog) == epoch;
    return status ? call_store_failed(call, status) : 0;
}

/* An update that finds yet another catalog than its transaction has cannot be committed: the store runs it again. */
static int bind_anew(struct call *call, struct store_txn *txn)
{
    int status;
    bool same;
    const struct catalog *all = catalog_read_all(call->engine->catalogs, &status);
    if (!all) return call_store_failed(call, status);
    call->err.code = ERR_NONE; /* of a binding to another catalog */
    int code = bind_to(call, all);
    if (compare_epoch(call, txn, &same)) return (int)call->err.code;
    if (same) return code;
    store_refuse(txn, STORE_CONFLICT);
    return call_store_failed(call, STORE_CONFLICT);
}

/* An update knows the epoch beforehand. */
static void write_shared(struct call *call, struct store_txn *txn)
{
    bool same;
    int code = compare_epoch(call, txn, &same);
    if (!code && same && !call->bound) {
        code = bind(call);
        if (compare_epoch(call, txn, &same)) return; /* to whatever was the newest by then */
    }
    if (!call->store_status && !same) code = bind_anew(call, txn);
    if (!code) run_admitted(call, txn);
}

/* A view learns it from what it reads, so it runs first. */
static void read_shared(struct call *call, struct store_txn *txn)
{
    bool same = false;
    if (call->bound) {
        run_admitted(call, txn);
        int failed = call->store_status; /* rows that are not as the catalog says: it may be an old one */
        if (failed == STORE_AWAY || failed == STORE_CONFLICT || failed == STORE_NO_MEMORY) return;
        enum err_code code = call->err.code;
        if (compare_epoch(call, txn, &same)) return;
        call->err.code = code;
        if (same) return;
        begin_run(call);
        if (call->on_item) call->on_item(call, slice_of(NULL, 0));
    }
    if (!bind_anew(call, txn)) run_admitted(call, txn);
}

/* The store may run this more than once. */
static int run_in_transaction(struct store_txn *txn, void *ctx)
{
    struct call *call = ctx;
    begin_run(call);
    if (ARENA_GUARD(call->arena)) {
        if (call->on_item) call->on_item(call, slice_of(NULL, 0));
        if (call_is_write(call))
            history_begin(call->engine);
        else
            buf_reserve(&call->response, RESPONSE_ROOM);
        if (!catalog_is_shared(call->engine->catalogs))
            run_current(call, txn);
        else if (call_is_write(call))
            write_shared(call, txn);
        else
            read_shared(call, txn);
        if (!call->on_item) buf_reserve(&call->response, 1); /* for the NUL of call_answer, which may come after a commit */
    } else {
        out_of_memory(call);
    }
    arena_unguard(call->arena);
    return call->store_status ? call->store_status : (int)call->err.code;
}

static const char *store_failure_text(int status)
{
    switch (status) {
    case STORE_FULL: return "The disk is full: nothing was changed. Free some space and try again";
    case STORE_STOPPED: return "The store no longer accepts writes";
    case STORE_CORRUPT: return "Stored data is damaged: a checksum does not match";
    case STORE_AWAY: return "The database cannot be reached at the moment. Try again";
    default: return "The store failed; see the server's log";
    }
}

static void fail_with_store(struct call *call, int status)
{
    call->store_status = status;
    call->err.code = status == STORE_STOPPED || status == STORE_AWAY ? ERR_ServiceUnavailable : ERR_InternalServerError;
    call->err.message = slice_str(store_failure_text(status));
    call->err.detail = slice_of(NULL, 0);
}

int call_store_failed(struct call *call, int store_status)
{
    fail_with_store(call, store_status);
    return (int)call->err.code;
}

/* After the commit and before the next. */
static void settle_write(struct store_job *job)
{
    struct call *call = job->ctx;
    if (job->status < 0) fail_with_store(call, job->status);
    if (job->status == 0 && call->op->after) call->op->after(call);
    release_footprint(call);
}

static void finish_write(struct store_job *job)
{
    struct call *call = job->ctx;
    settle_write(job);
    call->done(call);
}

static void finish_read(struct store_job *job)
{
    struct call *call = job->ctx;
    call->is_long = job->status == STORE_LONG;
    if (job->status < 0 && !call->is_long) fail_with_store(call, job->status);
    call->done(call);
}

void call_gather(struct call *call, struct call_group *g)
{
    bool writes = call_is_write(call);
    call->job = (struct store_job){ .fn = run_in_transaction, .ctx = call, .done = writes ? finish_write : finish_read };
    if (writes && call->engine->hold && hold_call(call->engine->hold, call)) return;
    if (g->last) g->last->next = &call->job;
    else g->first = &call->job;
    g->last = &call->job;
    g->n++;
}

void call_start_group(struct engine *e, struct call_group *g)
{
    struct call_group all = *g;
    *g = (struct call_group){ 0 };
    if (all.n) store_submit_all(e->store, all.first, all.last);
}

void call_start_reads(struct engine *e, struct call_group *g)
{
    struct call_group all = *g;
    *g = (struct call_group){ 0 };
    if (all.n) store_submit_views(e->store, all.first, all.last);
}

void call_start(struct call *call)
{
    struct call_group alone = { 0 };
    struct engine *e = call->engine;
    call_gather(call, &alone);
    call_start_group(e, &alone);
}

int call_run(struct call *call)
{
    if (call_is_write(call)) {
        call->job = (struct store_job){ .fn = run_in_transaction, .ctx = call, .done = settle_write };
        store_perform(call->engine->store, &call->job);
    } else {
        int (*view)(struct store *s, store_fn *fn, void *ctx) = call->is_long ? store_view_long : store_view;
        int status = view(call->engine->store, run_in_transaction, call);
        if (status < 0) fail_with_store(call, status);
    }
    return (int)call->err.code;
}

/* Operations on items are bound to their tables; one that is not and has something to do after the commit publishes a change of
 * the catalog, which the calls behind it would not see. */
int call_run_in(struct call *call, struct store_txn *txn)
{
    if (call->op->after && !call->op->bind) {
        return err_set(&call->err, ERR_ValidationException, "%s cannot be done together with other calls", call->op->name);
    }
    int status = run_in_transaction(txn, call);
    if (status < 0) fail_with_store(call, status);
    /* It may have ended in the middle of its changes, and a caller who goes on would commit that half. */
    if (err_status(call->err.code) >= 500) store_refuse(txn, status < 0 ? status : STORE_NO_MEMORY);
    if (status == 0 && call->op->after) call->op->after(call);
    return (int)call->err.code;
}

/* Most exceptions spell it "message"; these come from a part of AWS that writes "Message". */
static bool capital_message(enum err_code code)
{
    return code == ERR_SerializationException || code == ERR_TransactionCanceledException ||
           code == ERR_TransactionInProgressException || code == ERR_AccessDeniedException;
}

struct slice call_answer(struct call *call)
{
    const struct err *e = &call->err;
    if (!e->code) {
        if (call->response.n < call->response.cap) call->response.p[call->response.n] = 0;
        return buf_view(&call->response);
    }
    struct buf b;
    buf_init(&b, call->arena, RESPONSE_MAX);
    if (ARENA_GUARD(call->arena)) {
        buf_printf(&b, "{\"__type\":\"%s#%s\"", err_namespace(e->code), err_name(e->code));
        if (e->message.n) {
            buf_printf(&b, ",\"%s\":", capital_message(e->code) ? "Message" : "message");
            json_put_string(&b, utf8_mended(call->arena, e->message)); /* headers that it quotes may be any bytes */
        }
        buf_slice(&b, e->detail);
        BUF_LIT(&b, "}\0");
        b.n--;
    } else {
        b.p = (uint8_t *)(uintptr_t) "{\"__type\":\"com.amazonaws.dynamodb.v20120810#InternalServerError\"}";
        b.n = strlen((const char *)b.p);
    }
    arena_unguard(call->arena);
    return buf_view(&b);
}

int call_http_status(const struct call *call)
{
    return err_status(call->err.code);
}

int64_t call_now_ms(const struct call *call)
{
    return engine_now_ms(call->engine);
}

int call_find_table(struct call *call, struct slice name_or_arn, const struct table **out)
{
    *out = catalog_find_ready(call->catalog, table_of(name_or_arn));
    if (*out) return 0;
    return err_set(&call->err, ERR_ResourceNotFoundException, "Requested resource not found");
}

int call_no_table(struct call *call, struct slice name)
{
    return err_set(&call->err, ERR_ResourceNotFoundException,
                   "Requested resource not found: Table: %.*s not found", SLICE_ARG(name));
}

int call_bind_table(struct call *call)
{
    struct slice name = param_table(call->request, SLICE("TableName"));
    call->state = (void *)(uintptr_t)catalog_find_ready(call->catalog, name);
    return call->state ? 0 : call_no_table(call, name);
}

int call_read_table(struct call *call, struct store_txn *txn, struct slice name, struct table **out)
{
    int status;
    call->changed = slice_of(NULL, 0);
    *out = catalog_read(txn, call->arena, name, &status);
    if (status == STORE_NOT_FOUND || (*out && (*out)->status == TABLE_CREATING)) return call_no_table(call, name);
    return status ? call_store_failed(call, status) : 0;
}

int call_write_table(struct call *call, struct store_txn *txn, const struct table *t)
{
    int status = catalog_write(txn, call->arena, t, &call->changed);
    return status ? call_store_failed(call, status) : 0;
}

void call_publish_table(struct call *call)
{
    if (call->changed.n) catalog_publish(call->engine->catalogs, call->changed);
}

void call_put_item(struct call *call, const struct projection *p, struct slice item)
{
    if (p) item = projection_apply(p, call->arena, item);
    call->tally.returned++;
    if (call->on_item) {
        call->on_item(call, item); /* nobody reads the text around it */
    } else {
        item_to_json(&call->response, item);
    }
}

void call_read(struct call *call, const struct table *t, struct slice store_key, uint64_t halves)
{
    tally_note(&call->tally, call->arena,
               (struct touch){ .key = store_key, .halves = (uint32_t)halves, .parts = (uint8_t)t->key.n_hash });
}
