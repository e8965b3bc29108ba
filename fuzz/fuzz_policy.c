/* fuzz_policy.c: any bytes as a policy document. What is refused is refused with words; what is taken gives the same verdict however it is written, a
 * statement more that denies everything denies, and one that allows everything never takes a denial back. The first byte says whose policy it is: r, a
 * resource's, else an identity's. */
#include "auth/policy.h"
#include "base/buf.h"
#include "fuzz.h"
#include "item/json.h"

#define TABLE          "arn:aws:dynamodb:us-east-1:123456789012:table/Orders"
#define N_REQUESTS     6
#define MAX_STATEMENTS 512 /* policy_read.c */

static const struct identity_tag tags[] = { { SLICE("tenant"), SLICE("acme") }, { SLICE("star"), SLICE("a*") } };
static const struct identity alice = { .user = SLICE("alice"), .account = SLICE("123456789012"), .tags = tags, .n_tags = 2 };

/* Of every reach, with and without what conditions ask for. */
static struct policy_request request_of(unsigned number)
{
    static const struct slice attributes[] = { SLICE("a"), SLICE("secret") };
    struct policy_request r = { .action = ACTION_GetItem, .resource = SLICE(TABLE), .who = &alice, .now_ms = 1794823200000, .region = SLICE("us-east-1") };
    switch (number) {
    case 0:
        r.keys[0] = SLICE("acme");
        r.n_keys = 1;
        break;
    case 1:
        r.action = ACTION_Query;
        r.resource = SLICE(TABLE "/index/byState");
        r.keys[0] = SLICE("acme#1");
        r.keys[1] = SLICE("second");
        r.n_keys = 3;
        r.attributes = attributes;
        r.n_attributes = 2;
        r.select = SLICE("SPECIFIC_ATTRIBUTES");
        r.secure = true;
        r.address = SLICE("10.1.2.3");
        break;
    case 2:
        r.action = ACTION_Scan;
        r.key_reach = r.attribute_reach = REACH_ALL;
        r.full_table_scan = SLICE("true");
        r.address = SLICE("2001:db8::1");
        break;
    case 3:
        r.action = ACTION_UpdateItem;
        r.keys[0] = SLICE("other");
        r.n_keys = 1;
        r.return_values = SLICE("ALL_OLD");
        r.return_consumed_capacity = SLICE("TOTAL");
        r.enclosing_operation = SLICE("TransactWriteItems");
        r.who = NULL;
        break;
    case 4:
        r.action = ACTION_PartiQLSelect;
        r.vague = true;
        break;
    default:
        r.action = ACTION_CreateTable;
        r.resource = SLICE("arn:aws:dynamodb:eu-west-1:000000000000:table/");
    }
    return r;
}

/* The document with one more statement at its end. */
static struct slice with_statement(struct arena *a, const struct json *document, const char *statement)
{
    struct buf b;
    bool first = true;
    buf_init(&b, a, 1 << 20);
    for (const struct json *m = document->first; m; m = m->next) {
        buf_u8(&b, first ? '{' : ',');
        first = false;
        json_put_string(&b, m->name);
        buf_u8(&b, ':');
        if (!slice_eq(m->name, SLICE("Statement"))) {
            json_put(&b, m);
            continue;
        }
        buf_u8(&b, '[');
        if (m->type == JSON_OBJECT) json_put(&b, m), buf_u8(&b, ',');
        for (const struct json *s = m->type == JSON_ARRAY ? m->first : NULL; s; s = s->next) json_put(&b, s), buf_u8(&b, ',');
        buf_slice(&b, slice_str(statement));
        buf_u8(&b, ']');
    }
    buf_u8(&b, '}');
    return buf_view(&b);
}

/* NULL: it has become too large. */
static const struct policy *read_again(struct arena *a, enum policy_kind kind, const struct json *document, struct slice text)
{
    const struct json *statements = JSON_GET(document, "Statement");
    const struct policy *p = NULL;
    struct err e = { .arena = a };
    int rc = policy_read(a, kind, text, &p, &e);
    if (rc) fprintf(stderr, "%.*s: %.*s\n", SLICE_ARG(text), SLICE_ARG(e.message));
    CHECK(!rc || text.n > POLICY_MAX_TEXT || (statements->type == JSON_ARRAY && statements->count >= MAX_STATEMENTS));
    return rc ? NULL : p;
}

static void check_verdicts(struct arena *a, enum policy_kind kind, struct slice text, const struct policy *p)
{
    static const char deny[] = "{\"Effect\":\"Deny\",\"Action\":\"*\",\"Resource\":\"*\"}", allow[] = "{\"Effect\":\"Allow\",\"Action\":\"*\",\"Resource\":\"*\"}";
    static const char deny_to[] = "{\"Effect\":\"Deny\",\"Principal\":\"*\",\"Action\":\"*\",\"Resource\":\"*\"}",
                      allow_to[] = "{\"Effect\":\"Allow\",\"Principal\":\"*\",\"Action\":\"*\",\"Resource\":\"*\"}";
    bool resource = kind == POLICY_OF_RESOURCE;
    const struct json *document = json_parse(a, text, 100, NULL);
    struct buf b;
    CHECK(document && document->type == JSON_OBJECT);
    buf_init(&b, a, 1 << 20);
    json_put(&b, document);
    const struct policy *same = read_again(a, kind, document, buf_view(&b));
    const struct policy *denied = read_again(a, kind, document, with_statement(a, document, resource ? deny_to : deny));
    const struct policy *allowed = read_again(a, kind, document, with_statement(a, document, resource ? allow_to : allow));
    for (unsigned i = 0; i < N_REQUESTS; i++) {
        struct policy_request r = request_of(i);
        enum policy_verdict verdict = policy_judge(p, &r);
        if (same) CHECK(policy_judge(same, &r) == verdict && policy_asks_attributes(same) == policy_asks_attributes(p));
        if (denied) CHECK(policy_judge(denied, &r) == POLICY_DENIES);
        if (allowed) CHECK(policy_judge(allowed, &r) == (verdict == POLICY_DENIES ? POLICY_DENIES : POLICY_ALLOWS));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, (size_t)64 << 20);
    struct slice in = slice_of(data, size);
    enum policy_kind kind = fuzz_byte(&in) == 'r' ? POLICY_OF_RESOURCE : POLICY_OF_IDENTITY;
    volatile bool enough = false;
    if (ARENA_GUARD(a)) {
        struct err e = { .arena = a };
        const struct policy *p = NULL;
        int rc = policy_read(a, kind, in, &p, &e);
        CHECK(rc == (rc ? (int)e.code : 0) && (rc ? e.message.n > 0 : p != NULL));
        if (!rc) check_verdicts(a, kind, in, p);
        enough = true;
    }
    arena_unguard(a);
    CHECK(enough);
    return 0;
}
