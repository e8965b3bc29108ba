/* test_credentials.c: the file of access keys: what is read from it, each way in which it can be wrong, and that a set that is replaced
 * lives as long as somebody holds it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include "arena_fixture.h"
#include "auth/credentials.h"
#include "auth/policy.h"
#include "base/buf.h"
#include <stdio.h>

#define KEY "aws_access_key_id = AKIDALICE\n"
#define SECRET "aws_secret_access_key = top-secret\n"

static const char *named_policy;

static int take_policy(void *ctx, struct arena *a, struct slice name, const struct policy **out, struct err *e)
{
    if (slice_eq(name, SLICE("bad.json"))) return err_set(e, ERR_ValidationException, "bad.json is no policy");
    named_policy = (const char *)arena_printf(a, "%.*s", SLICE_ARG(name)).p;
    *out = ctx;
    return 0;
}

static struct credentials *read_text(const char *text, struct err *e)
{
    static int policy;
    struct credentials *c = NULL;
    *e = (struct err){ .arena = &arena };
    struct credentials_options o = { .where = SLICE("keys"), .policy = take_policy, .ctx = &policy };
    int rc = credentials_read(&c, slice_str(text), &o, e);
    assert_int_equal(rc, e->code);
    assert_true(!rc == (c != NULL));
    return c;
}

static void test_everything_that_can_be_set(void **state)
{
    struct err e;
    (void)state;
    struct credentials *c = read_text("# keys of the shop\n\n[alice]\n" KEY SECRET
                                      "aws_session_token = tok/en==\naccount = 123456789012\nexpires = 2026-12-31T00:00:00Z\n"
                                      "tag.tenant = acme corp ; the first\ntag.empty =\npolicy = alice.json\r\n"
                                      "[ bob ]\naws_secret_access_key=x#y\naws_access_key_id=AKIDBOB", &e);
    assert_non_null(c);
    assert_int_equal(credentials_count(c), 2);
    const struct identity *alice = credentials_find(c, SLICE("AKIDALICE")), *bob = credentials_find(c, SLICE("AKIDBOB"));
    assert_true(slice_eq(alice->user, SLICE("alice")) && slice_eq(alice->secret, SLICE("top-secret")));
    assert_true(slice_eq(alice->session_token, SLICE("tok/en==")) && slice_eq(alice->account, SLICE("123456789012")));
    assert_int_equal(alice->expires, 1798675200);
    assert_int_equal(alice->n_tags, 2);
    assert_true(slice_eq(alice->tags[0].name, SLICE("tenant")) && slice_eq(alice->tags[0].value, SLICE("acme corp")));
    assert_true(slice_eq(alice->tags[1].name, SLICE("empty")) && alice->tags[1].value.n == 0);
    assert_non_null(alice->policy);
    assert_string_equal(named_policy, "alice.json");
    assert_true(slice_eq(bob->user, SLICE("bob")) && slice_eq(bob->secret, SLICE("x#y")));
    assert_true(!bob->session_token.n && slice_eq(bob->account, SLICE("000000000000")) && !bob->n_tags && !bob->policy && !bob->expires);
    assert_null(credentials_find(c, SLICE("AKIDALIC")));
    assert_null(credentials_find(c, SLICE("")));
    credentials_release(c);
}

#define NO_KEYS "keys has no access keys: a section [NAME] with lines aws_access_key_id = ... and aws_secret_access_key = ... is one"

static void test_what_is_refused(void **state)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        { "", NO_KEYS },
        { "# nothing\n", NO_KEYS },
        { KEY, "keys line 1: a setting before the first section; begin with [NAME]" },
        { "[a]\n" KEY, "keys line 1: [a] has no aws_secret_access_key" },
        { "[a]\n" SECRET, "keys line 1: [a] has no aws_access_key_id" },
        { "[a]\n" KEY SECRET "\n[b]\n" KEY "[c]\n", "keys line 5: [b] has no aws_secret_access_key" },
        { "[a]\n" KEY SECRET "[b]\n" KEY SECRET, "keys line 4: [b] has the access key of [a]; each key is of one user" },
        { "[a]\n" KEY SECRET "[a]\naws_access_key_id = B\n" SECRET, "keys line 4: there is a section [a] already, in line 1" },
        { "[a]\n" KEY SECRET SECRET, "keys line 4: aws_secret_access_key is set twice for [a]" },
        { "[a]\n" KEY KEY SECRET, "keys line 3: aws_access_key_id is set twice for [a]" },
        { "[a]\n" KEY "aws_secret_access_key =\n", "keys line 3: aws_secret_access_key has no value" },
        { "[a]\n" KEY "aws_secret_access_key = se cret\n", "keys line 3: aws_secret_access_key contains blanks or characters that are not ASCII" },
        { "[a]\n" KEY "aws_secret_access_key = \"top-secret\"\n", "keys line 3: aws_secret_access_key is in quotes; write it without them" },
        { "[a]\naws_access_key_id = 'A'\n" SECRET, "keys line 2: aws_access_key_id is in quotes; write it without them" },
        { "\xef\xbb\xbf# nothing\n[a]\n" KEY, "keys line 2: [a] has no aws_secret_access_key" },
        { "[a]\naws_access_key_id = A/B\n" SECRET, "keys line 1: the access key of [a] contains a slash or a comma, which a signature cannot name" },
        { "[a]\n" KEY SECRET "region = us-east-1\n",
          "keys line 4: there is no setting region; there are aws_access_key_id, aws_secret_access_key, aws_session_token, expires, account, tag.NAME and policy" },
        { "[a]\n" KEY "Top-top-secret+=\n",
          "keys line 3: there is no such setting; there are aws_access_key_id, aws_secret_access_key, aws_session_token, expires, account, tag.NAME and policy" },
        { "[a]\n" KEY SECRET "what\n", "keys line 4: this is neither [NAME] nor NAME = VALUE" },
        { "[a]\n" KEY SECRET "  account = 1\n", "keys line 4: this is neither [NAME] nor NAME = VALUE" },
        { "[a]\n" KEY SECRET "account = 12345678901\n", "keys line 4: account must be twelve digits" },
        { "[a]\n" KEY SECRET "account = 12345678901x\n", "keys line 4: account must be twelve digits" },
        { "[a]\n" KEY SECRET "expires = tomorrow\n", "keys line 4: expires must be a time such as 2026-12-31T00:00:00Z" },
        { "[a]\n" KEY SECRET "tag.t = 1\ntag.t = 2\n", "keys line 5: tag.t is set twice for [a]" },
        { "[a]\n" KEY SECRET "tag.t = 1\ntag.T = 2\n", "keys line 5: tag.T is set twice for [a]" },
        { "[a]\n" KEY SECRET "tag. = 1\n", "keys line 4: a tag is written tag.NAME = VALUE" },
        { "[a]\n" KEY SECRET "policy = bad.json\n", "keys line 4: bad.json is no policy" },
        { "[a]\n" KEY SECRET "policy = a\npolicy = b\n", "keys line 5: policy is set twice for [a]" },
        { "[]\n" KEY SECRET, "keys line 1: a section is written [NAME], with at most 128 characters" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e;
        assert_null(read_text(rows[i].text, &e));
        assert_true(e.message.n < 1000);
        char said[1000];
        memcpy(said, e.message.p, e.message.n);
        said[e.message.n] = 0;
        assert_string_equal(said, rows[i].says);
        assert_null(strstr(said, "top-secret"));
    }
}

static void test_files_of_aws_hold_more(void **state)
{
    struct err e = { .arena = &arena };
    struct credentials *c = NULL;
    const struct credentials_options o = { .where = SLICE("keys"), .of_aws = true };
    const char text[] = "[default]\n" KEY SECRET "region = us-east-1\ns3 =\n  max = 1\n[sso]\nsso_session = x\n[same]\n" KEY SECRET;
    (void)state;
    assert_int_equal(credentials_read(&c, slice_str(text), &o, &e), 0);
    assert_int_equal(credentials_count(c), 1);
    assert_true(slice_eq(credentials_find(c, SLICE("AKIDALICE"))->user, SLICE("default")));
    credentials_release(c);
    assert_int_not_equal(credentials_read(&c, SLICE("[a]\n" KEY SECRET "[b]\n" KEY "aws_secret_access_key = other\n"), &o, &e), 0);
    assert_int_not_equal(credentials_read(&c, SLICE("[a]\n" KEY SECRET "policy = x.json\n"), &o, &e), 0);
    /* What the second says of the key must not be lost. */
    const char *const more[] = { "expires = 2040-01-01T00:00:00Z\n", "account = 123456789012\n", "tag.tenant = acme\n", "aws_session_token = t\n" };
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        assert_int_not_equal(credentials_read(&c, arena_printf(&arena, "[a]\n" KEY SECRET "[b]\n" KEY SECRET "%s", more[i]), &o, &e), 0);
}

static char warned[1000];

static void take_warning(void *ctx, struct slice sentence)
{
    size_t n = strlen(warned);
    (void)ctx;
    snprintf(warned + n, sizeof warned - n, "%.*s|", SLICE_ARG(sentence));
}

#define UPPER "AWS_ACCESS_KEY_ID = AKIDALICE\nAWS_Secret_Access_Key = top-secret\n"
#define MARK  "\xef\xbb\xbf"

/* As AWS's own tools take them. */
static void test_files_of_aws_as_people_have_them(void **state)
{
    static const struct {
        const char *text, *warning; /* NULL: refused, and then secret is the sentence */
        const char *secret;
    } rows[] = {
        { "[a]\n" UPPER, "", "top-secret" },
        { MARK "[a]\r\n" KEY SECRET, "", "top-secret" },
        { "[half]\naws_access_key_id = AKIDHALF\nregion = x\n[a]\n" KEY SECRET "[other]\n" SECRET,
          "keys line 1: [half] has no aws_secret_access_key, and is left out|keys line 7: [other] has no aws_access_key_id, and is left out|", "top-secret" },
        { "[a]\n" KEY "aws_secret_access_key = \"top-secret\"\n",
          "keys line 3: aws_secret_access_key of [a] is in quotes, which are taken for a part of it|", "\"top-secret\"" },
        { "[a]\n" KEY "aws_secret_access_key = 'top-secret'\naws_session_token = 'x'\n",
          "keys line 3: aws_secret_access_key of [a] is in quotes, which are taken for a part of it|"
          "keys line 4: aws_session_token of [a] is in quotes, which are taken for a part of it|", "'top-secret'" },
        { "[half]\n" KEY, NULL, "keys has no access keys" },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = { .arena = &arena };
        struct credentials *c = NULL;
        const struct credentials_options o = { .where = SLICE("keys"), .of_aws = true, .warn = take_warning };
        warned[0] = 0;
        int rc = credentials_read(&c, slice_str(rows[i].text), &o, &e);
        assert_int_equal(rc != 0, rows[i].warning == NULL);
        if (rc) {
            assert_true(slice_starts(e.message, slice_str(rows[i].secret)));
            continue;
        }
        assert_string_equal(warned, rows[i].warning);
        assert_int_equal(credentials_count(c), 1);
        assert_true(slice_eq(credentials_find(c, SLICE("AKIDALICE"))->secret, slice_str(rows[i].secret)));
        credentials_release(c);
    }
}

static int take_this_policy(void *ctx, struct arena *a, struct slice name, const struct policy **out, struct err *e)
{
    (void)name;
    return policy_read(a, POLICY_OF_IDENTITY, arena_dup(a, slice_str(ctx)), out, e);
}

#define ALLOW(resource, condition) \
    "{\"Version\":\"2012-10-17\",\"Statement\":[{\"Effect\":\"Allow\",\"Action\":\"dynamodb:*\",\"Resource\":\"" resource "\"" condition "}]}"
#define TAG_OF(name) "${aws:PrincipalTag/" name "}"
#define LACKS(name) \
    "the policy of [a] has " TAG_OF(name) " in it, but the key has no tag." name ": nothing is allowed that rests on it, and what is denied by it is denied always|"

/* Nothing is wrong with the file, and somebody will be surprised: 2026-11-18 is the day. */
static void test_keys_that_will_surprise(void **state)
{
    static const struct {
        const char *more, *policy, *warning;
    } rows[] = {
        { "", NULL, "" },
        { "expires = 2026-12-02T00:00:01Z\n", NULL, "" },
        { "expires = 2026-12-02T00:00:00Z\n", NULL, "the key of [a] expires in 14 days, at 2026-12-02T00:00:00Z|" },
        { "expires = 2026-11-19T12:00:00Z\n", NULL, "the key of [a] expires in 1 day, at 2026-11-19T12:00:00Z|" },
        { "expires = 2026-11-18T00:00:01Z\n", NULL, "the key of [a] expires within a day, at 2026-11-18T00:00:01Z|" },
        { "expires = 2026-11-18T00:00:00Z\n", NULL, "the key of [a] has expired: it is refused since 2026-11-18T00:00:00Z|" },
        { "", ALLOW("*", ""), "" },
        { "", ALLOW("arn:aws:dynamodb:*:*:table/${aws:username}", ""), "" },
        { "", ALLOW("arn:aws:dynamodb:*:*:table/" TAG_OF("tenant"), ""), LACKS("tenant") },
        { "tag.tenant = x\n", ALLOW("arn:aws:dynamodb:*:*:table/" TAG_OF("Tenant"), ""), "" },
        { "", ALLOW("arn:aws:dynamodb:*:*:table/${aws:PrincipalTag/tenant, 'none'}", ""), "" },
        { "", ALLOW("*", ",\"Condition\":{\"StringEquals\":{\"aws:PrincipalTag/tenant\":\"x\"}}"), "" },
        { "", ALLOW("arn:aws:dynamodb:*:*:table/" TAG_OF("a") TAG_OF("A"), ",\"Condition\":{\"StringLike\":{\"aws:username\":[\"x\",\"" TAG_OF("b") "*\"]},"
                    "\"ArnLike\":{\"aws:PrincipalArn\":\"arn:aws:iam::*:user/" TAG_OF("c") "\"}}"), LACKS("a") LACKS("b") LACKS("c") },
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct err e = { .arena = &arena };
        struct credentials *c = NULL;
        const struct credentials_options o = { .where = SLICE("keys"), .policy = take_this_policy, .ctx = (void *)(uintptr_t)rows[i].policy };
        struct slice text = arena_printf(&arena, "[a]\n" KEY SECRET "%s%s", rows[i].more, rows[i].policy ? "policy = p\n" : "");
        assert_int_equal(credentials_read(&c, text, &o, &e), 0);
        warned[0] = 0;
        credentials_warn(c, 1794960000, take_warning, NULL);
        assert_string_equal(warned, rows[i].warning);
        credentials_release(c);
    }
}

static void count_warning(void *ctx, struct slice sentence)
{
    size_t *n = ctx;
    ++*n;
    warned[0] = 0;
    take_warning(NULL, sentence);
}

/* A file of thousands does not fill the log. */
static void test_warnings_come_to_an_end(void **state)
{
    struct err e = { .arena = &arena };
    struct credentials *c = NULL;
    const struct credentials_options o = { .where = SLICE("keys") };
    struct buf b;
    size_t n = 0;
    (void)state;
    buf_init(&b, &arena, 1 << 20);
    for (unsigned i = 0; i < CREDENTIALS_MAX_WARNINGS + 2; i++)
        buf_printf(&b, "[u%u]\naws_access_key_id = A%u\n" SECRET "expires = 2020-01-01T00:00:00Z\n", i, i);
    assert_int_equal(credentials_read(&c, buf_view(&b), &o, &e), 0);
    credentials_warn(c, 1794960000, count_warning, &n);
    assert_int_equal(n, CREDENTIALS_MAX_WARNINGS + 1);
    assert_string_equal(warned, "2 more warnings of this kind|");
    credentials_release(c);
}

/* What stands before the file's text is not counted among its lines. */
static void test_lines_that_are_not_the_files(void **state)
{
    struct err e = { .arena = &arena };
    struct credentials *c = NULL;
    const struct credentials_options o = { .where = SLICE("keys"), .of_aws = true, .before = 3 };
    (void)state;
    assert_int_not_equal(credentials_read(&c, SLICE("[v]\naws_access_key_id = V\n" SECRET "[a]\n" KEY SECRET "account = 1\n"), &o, &e), 0);
    assert_true(slice_eq(e.message, SLICE("keys line 4: account must be twelve digits")));
    assert_int_not_equal(credentials_read(&c, SLICE("[v]\naws_access_key_id = V\naws_secret_access_key = a b\n[a]\n"), &o, &e), 0);
    assert_true(slice_eq(e.message, SLICE("the environment: aws_secret_access_key contains blanks or characters that are not ASCII")));
}

static void test_our_own_files_as_people_have_them(void **state)
{
    struct err e;
    (void)state;
    struct credentials *c = read_text(MARK "[a]\n" UPPER "TAG.Tenant = acme\nExpires = 2026-12-31T00:00:00Z\n", &e);
    assert_non_null(c);
    const struct identity *who = credentials_find(c, SLICE("AKIDALICE"));
    assert_true(slice_eq(who->secret, SLICE("top-secret")) && who->expires && slice_eq(who->tags[0].name, SLICE("Tenant")));
    credentials_release(c);
}

/* As many as a large service may have: each is found, and reading them is no quadratic work. */
static void test_many(void **state)
{
    struct buf b;
    struct err e;
    (void)state;
    buf_init(&b, &arena, CREDENTIALS_MAX_TEXT);
    for (unsigned i = 0; i < 50000; i++) buf_printf(&b, "[user%u]\naws_access_key_id = AKID%u\naws_secret_access_key = secret%u\n", i, i, i);
    buf_u8(&b, 0);
    struct credentials *c = read_text((const char *)b.p, &e);
    assert_non_null(c);
    assert_int_equal(credentials_count(c), 50000);
    for (unsigned i = 0; i < 50000; i += 7) {
        char key[32], user[32];
        snprintf(key, sizeof key, "AKID%u", i);
        snprintf(user, sizeof user, "user%u", i);
        const struct identity *who = credentials_find(c, slice_str(key));
        assert_true(who && slice_eq(who->user, slice_str(user)));
    }
    credentials_release(c);
}

static void test_a_replaced_set_lives_while_it_is_held(void **state)
{
    struct err e;
    struct keyring k;
    (void)state;
    keyring_init(&k, read_text("[a]\n" KEY SECRET, &e));
    struct credentials *held = keyring_hold(&k);
    const struct identity *who = credentials_find(held, SLICE("AKIDALICE"));
    keyring_replace(&k, read_text("[b]\naws_access_key_id = B\n" SECRET, &e));
    assert_true(slice_eq(who->secret, SLICE("top-secret")));
    struct credentials *newer = keyring_hold(&k);
    assert_null(credentials_find(newer, SLICE("AKIDALICE")));
    assert_non_null(credentials_find(newer, SLICE("B")));
    credentials_release(newer);
    credentials_release(held);
    keyring_end(&k);
}

/* More days and regions than are kept, twice: what is kept is what is made. */
static void test_signing_keys_are_kept(void **state)
{
    struct err e;
    struct hmac_key first[12], again;
    (void)state;
    struct credentials *c = read_text("[a]\n" KEY SECRET, &e);
    const struct identity *who = credentials_find(c, SLICE("AKIDALICE"));
    for (unsigned i = 0; i < 36; i++) {
        char day[16], region[48];
        snprintf(day, sizeof day, "2026111%u", i % 3);
        snprintf(region, sizeof region, i % 12 == 11 ? "a-region-whose-name-is-too-long-to-be-kept" : "eu-west-%u", i % 12 / 3);
        struct hmac_key *to = i < 12 ? &first[i] : &again;
        credentials_signing_key(c, who, slice_str(day), slice_str(region), SLICE("dynamodb"), to);
        if (i >= 12) assert_memory_equal(&again, &first[i % 12], sizeof again);
        for (unsigned j = 0; j < i && j < 12; j++)
            if (j != i % 12) assert_memory_not_equal(&first[j], to, sizeof again);
    }
    credentials_release(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_that_can_be_set), cmocka_unit_test(test_what_is_refused),
        cmocka_unit_test(test_files_of_aws_hold_more),     cmocka_unit_test(test_many),
        cmocka_unit_test(test_files_of_aws_as_people_have_them), cmocka_unit_test(test_our_own_files_as_people_have_them),
        cmocka_unit_test(test_lines_that_are_not_the_files),
        cmocka_unit_test(test_keys_that_will_surprise), cmocka_unit_test(test_warnings_come_to_an_end),
        cmocka_unit_test(test_a_replaced_set_lives_while_it_is_held), cmocka_unit_test(test_signing_keys_are_kept),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
