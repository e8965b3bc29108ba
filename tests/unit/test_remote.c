/* test_remote.c: profiles, the choice of endpoint, region and credentials, error answers, and when to try again. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <cmocka.h>
#include "remote/profile.h"
#include "remote/remote.h"
#include "arena_fixture.h"

static void assert_slice(struct slice s, const char *expected)
{
    char got[512];
    snprintf(got, sizeof got, "%.*s", SLICE_ARG(s));
    assert_string_equal(got, expected);
}

static const char credentials_file[] = "# keys\n"
                                       "[default]\n"
                                       "aws_access_key_id = AKID\n"
                                       "aws_secret_access_key=se=cr/et+ # mine\n"
                                       "\n"
                                       "[work]\r\n"
                                       "aws_access_key_id = WORK\r\n"
                                       "aws_secret_access_key = WSEC\r\n"
                                       "aws_session_token = WTOK\r\n";
static const char config_file[] = "[default]\n"
                                  "region = eu-west-1\n"
                                  "s3 =\n"
                                  "  endpoint_url = http://wrong\n"
                                  "[work]\n"
                                  "region = not-this-section\n"
                                  "[profile work]\n"
                                  "region = ap-south-1\n"
                                  "; a comment\n"
                                  "endpoint_url = https://db.example.com\n"
                                  "ca_bundle = /our/ca.pem\n"
                                  "[profile \"two words\"]\n"
                                  "region = us-west-2\n"
                                  "[profile staff]\n"
                                  "sso_session = corp\n";

static void test_profiles(void **state)
{
    (void)state;
    struct profile p;
    profile_read(slice_str(credentials_file), false, SLICE("default"), &p);
    assert_true(p.found);
    assert_slice(p.access_key, "AKID");
    assert_slice(p.secret_key, "se=cr/et+");
    assert_int_equal(p.session_token.n, 0);
    profile_read(slice_str(credentials_file), false, SLICE("work"), &p);
    assert_slice(p.access_key, "WORK");
    assert_slice(p.session_token, "WTOK");
    profile_read(slice_str(credentials_file), false, SLICE("nobody"), &p);
    assert_false(p.found);
    profile_read(slice_str(config_file), true, SLICE("default"), &p);
    assert_slice(p.region, "eu-west-1");
    assert_int_equal(p.endpoint_url.n, 0);
    profile_read(slice_str(config_file), true, SLICE("work"), &p);
    assert_slice(p.region, "ap-south-1");
    assert_slice(p.endpoint_url, "https://db.example.com");
    assert_slice(p.ca_bundle, "/our/ca.pem");
    profile_read(slice_str(config_file), true, SLICE("two words"), &p);
    assert_slice(p.region, "us-west-2");
    profile_read(slice_str(config_file), true, SLICE("staff"), &p);
    assert_slice(p.indirect, "sso_session");
    profile_read(SLICE(""), true, SLICE("default"), &p);
    assert_false(p.found);
    profile_read(SLICE("[default\n=\n[]\nregion"), true, SLICE("default"), &p);
    assert_false(p.found);
}

/* ---- the choice ---- */

struct world {
    const char *variables[12]; /* name, value ... */
    bool files;
};

static const char *get(void *ctx, const char *name)
{
    const struct world *w = ctx;
    if (strcmp(name, "HOME") == 0) return "/people/x";
    for (size_t i = 0; w->variables[i]; i += 2) {
        if (strcmp(w->variables[i], name) == 0) return w->variables[i + 1];
    }
    return NULL;
}

static bool read_file(void *ctx, struct arena *a, const char *path, struct slice *out)
{
    const struct world *w = ctx;
    (void)a;
    if (!w->files) return false;
    if (strcmp(path, "/people/x/.aws/credentials") == 0) *out = slice_str(credentials_file);
    else if (strcmp(path, "/people/x/.aws/config") == 0 || strcmp(path, "/people/x/other") == 0) *out = slice_str(config_file);
    else return false;
    return true;
}

static struct err e;

static int make(struct world w, struct remote_options o, struct remote_settings *s)
{
    e = (struct err){ .arena = &arena };
    return remote_settings_make(&arena, &o, &(struct remote_env){ get, read_file, &w }, s, &e);
}

#define OPTION(text) { (const uint8_t *)(text), sizeof(text) - 1 }

static void test_endpoints_in_their_order(void **state)
{
    (void)state;
    struct remote_settings s;
    struct world none = { .files = true };
    assert_int_equal(make(none, (struct remote_options){ 0 }, &s), 0);
    assert_slice(s.url, "https://dynamodb.eu-west-1.amazonaws.com/");
    assert_true(s.is_aws);
    assert_false(s.loopback);
    assert_int_equal(make(none, (struct remote_options){ .region = OPTION("cn-north-1") }, &s), 0);
    assert_slice(s.url, "https://dynamodb.cn-north-1.amazonaws.com.cn/");
    assert_true(s.is_aws);
    assert_int_equal(make(none, (struct remote_options){ .profile = OPTION("work") }, &s), 0);
    assert_slice(s.url, "https://db.example.com/");
    assert_false(s.is_aws);
    assert_int_equal(make(none, (struct remote_options){ .profile = OPTION("work"), .endpoint = OPTION("aws") }, &s), 0);
    assert_true(s.is_aws);
    struct world both = { { "AWS_ENDPOINT_URL", "http://a:1", "AWS_ENDPOINT_URL_DYNAMODB", "http://b:2" }, true };
    assert_int_equal(make(both, (struct remote_options){ .profile = OPTION("work") }, &s), 0);
    assert_slice(s.url, "http://b:2/");
    both.variables[3] = "";
    assert_int_equal(make(both, (struct remote_options){ 0 }, &s), 0);
    assert_slice(s.url, "http://a:1/");
    assert_int_equal(make(both, (struct remote_options){ .endpoint = OPTION("http://[::1]:8000/") }, &s), 0);
    assert_slice(s.url, "http://[::1]:8000/");
    assert_slice(s.host, "::1");
    assert_true(s.loopback);
}

static void test_hosts(void **state)
{
    (void)state;
    static const struct {
        const char *url, *host; /* NULL: refused */
        bool loopback, aws;
    } cases[] = {
        { "http://127.0.0.1:8000", "127.0.0.1", true, false },
        { "http://LocalHost", "localhost", true, false },
        { "http://db.localhost:1", "db.localhost", true, false },
        { "http://127.0.0.1.evil.com", "127.0.0.1.evil.com", false, false },
        { "http://notlocalhost", "notlocalhost", false, false },
        { "https://dynamodb.us-east-1.AmazonAWS.com", "dynamodb.us-east-1.amazonaws.com", false, true },
        { "https://123.ddb.us-east-1.amazonaws.com", "123.ddb.us-east-1.amazonaws.com", false, true },
        { "https://dynamodb.us-east-1.api.aws", "dynamodb.us-east-1.api.aws", false, true },
        { "https://amazonaws.com.evil.com", "amazonaws.com.evil.com", false, false },
        { "https://evilamazonaws.com", "evilamazonaws.com", false, false },
        { "127.0.0.1:8000", NULL, false, false },
        { "ftp://x", NULL, false, false },
        { "http://", NULL, false, false },
        { "http://u:p@host", NULL, false, false },
        { "http://host/path", NULL, false, false },
        { "http://host:", NULL, false, false },
        { "http://host:80a", NULL, false, false },
        { "http://host:123456", NULL, false, false },
        { "http://[::1", NULL, false, false },
        { "http://a b", NULL, false, false },
    };
    struct world w = { { "AWS_ACCESS_KEY_ID", "A", "AWS_SECRET_ACCESS_KEY", "S" }, false };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct remote_settings s;
        int rc = make(w, (struct remote_options){ .endpoint = slice_str(cases[i].url) }, &s);
        assert_int_equal(rc, cases[i].host ? 0 : ERR_ValidationException);
        if (rc) continue;
        assert_slice(s.host, cases[i].host);
        assert_int_equal(s.loopback, cases[i].loopback);
        assert_int_equal(s.is_aws, cases[i].aws);
    }
}

static void test_regions_in_their_order(void **state)
{
    (void)state;
    struct remote_settings s;
    struct world w = { { "AWS_DEFAULT_REGION", "eu-north-1", "AWS_REGION", "eu-south-1" }, true };
    assert_int_equal(make(w, (struct remote_options){ .region = OPTION("sa-east-1") }, &s), 0);
    assert_slice(s.region, "sa-east-1");
    assert_int_equal(make(w, (struct remote_options){ 0 }, &s), 0);
    assert_slice(s.region, "eu-south-1");
    w.variables[3] = "";
    assert_int_equal(make(w, (struct remote_options){ 0 }, &s), 0);
    assert_slice(s.region, "eu-north-1");
    struct world nothing = { .files = false };
    assert_int_equal(make(nothing, (struct remote_options){ .endpoint = OPTION("http://localhost:1") }, &s), 0);
    assert_slice(s.region, "us-east-1");
    assert_int_equal(make(w, (struct remote_options){ .region = OPTION("EU:west") }, &s), ERR_ValidationException);
}

static void test_credentials_in_their_order(void **state)
{
    (void)state;
    struct remote_settings s;
    struct world w = { { "AWS_ACCESS_KEY_ID", "ENV", "AWS_SECRET_ACCESS_KEY", "SEC", "AWS_SESSION_TOKEN", "TOK" }, true };
    assert_int_equal(make(w, (struct remote_options){ 0 }, &s), 0);
    assert_slice(s.access_key, "ENV");
    assert_slice(s.secret_key, "SEC");
    assert_slice(s.session_token, "TOK");
    assert_int_equal(make(w, (struct remote_options){ .profile = OPTION("work") }, &s), 0);
    assert_slice(s.access_key, "WORK");
    struct world profile = { { "AWS_PROFILE", "work" }, true };
    assert_int_equal(make(profile, (struct remote_options){ 0 }, &s), 0);
    assert_slice(s.access_key, "WORK");
    assert_slice(s.session_token, "WTOK");
    struct world other = { { "AWS_CONFIG_FILE", "~/other", "AWS_SHARED_CREDENTIALS_FILE", "/nowhere" }, true };
    assert_int_equal(make(other, (struct remote_options){ .endpoint = OPTION("http://127.0.0.1:1"), .profile = OPTION("work") }, &s), 0);
    assert_slice(s.access_key, "local");
    assert_slice(s.region, "ap-south-1");
}

static void test_no_credentials_says_what_to_do(void **state)
{
    (void)state;
    struct remote_settings s;
    struct world nothing = { .files = false }, files = { .files = true };
    assert_int_equal(make(nothing, (struct remote_options){ 0 }, &s), ERR_UnrecognizedClientException);
    assert_slice(e.message, "there are no credentials for dynamodb.us-east-1.amazonaws.com; set AWS_ACCESS_KEY_ID and "
                            "AWS_SECRET_ACCESS_KEY, or write them into /people/x/.aws/credentials under [default]");
    assert_int_equal(make(files, (struct remote_options){ .profile = OPTION("staff") }, &s), ERR_UnrecognizedClientException);
    assert_slice(e.message, "profile staff gets its credentials through sso_session, which onefold cannot do; "
                            "run: eval \"$(aws configure export-credentials --profile staff --format env)\"");
    assert_int_equal(make(files, (struct remote_options){ .profile = OPTION("nobody") }, &s), ERR_UnrecognizedClientException);
    assert_slice(e.message, "there is no profile nobody in /people/x/.aws/credentials or /people/x/.aws/config");
    struct remote_options here = { .endpoint = OPTION("http://127.0.0.1:1"), .profile = OPTION("nobody") };
    struct world misspelt = { { "AWS_PROFILE", "nobody", "AWS_ACCESS_KEY_ID", "A", "AWS_SECRET_ACCESS_KEY", "S" }, true };
    assert_int_equal(make(nothing, here, &s), ERR_UnrecognizedClientException); /* also where any key would do */
    assert_int_equal(make(misspelt, (struct remote_options){ 0 }, &s), ERR_UnrecognizedClientException);
    assert_slice(e.message, "there is no profile nobody in /people/x/.aws/credentials or /people/x/.aws/config");
    struct world dirty = { { "AWS_ACCESS_KEY_ID", "A\r\nX: y", "AWS_SECRET_ACCESS_KEY", "S" }, false };
    assert_int_equal(make(dirty, (struct remote_options){ 0 }, &s), ERR_UnrecognizedClientException);
}
static void test_certificates_in_their_order(void **state)
{
    (void)state;
    struct remote_settings s;
    struct world w = { { "AWS_CA_BUNDLE", "/env/ca", "ONEFOLD_CLIENT_CERT", "/env/cert", "ONEFOLD_CLIENT_KEY", "/env/key" }, true };
    struct world files = { { NULL }, true };
    struct slice https = SLICE("https://localhost:1"), http = SLICE("http://localhost:1");
    assert_int_equal(make(w, (struct remote_options){ .endpoint = https, .ca_file = OPTION("ca"), .client_cert = OPTION("cert") }, &s), 0);
    assert_slice(s.ca_file, "ca");
    assert_slice(s.client_cert, "cert");
    assert_slice(s.client_key, ""); /* not the variable's, which belongs to another certificate */
    assert_int_equal(make(w, (struct remote_options){ .endpoint = https }, &s), 0);
    assert_slice(s.ca_file, "/env/ca");
    assert_slice(s.client_cert, "/env/cert");
    assert_slice(s.client_key, "/env/key");
    assert_int_equal(make(files, (struct remote_options){ .profile = OPTION("work") }, &s), 0);
    assert_slice(s.ca_file, "/our/ca.pem");
    assert_int_equal(s.client_cert.n, 0);
    assert_int_equal(make(w, (struct remote_options){ .endpoint = http }, &s), 0);
    assert_int_equal(s.ca_file.n + s.client_cert.n, 0);
    assert_int_equal(make(w, (struct remote_options){ .endpoint = http, .ca_file = OPTION("ca") }, &s), ERR_ValidationException);
    assert_slice(e.message, "--ca-file is for an encrypted connection, and http://localhost:1/ is not: write https:// if it speaks TLS");
    assert_int_equal(make(files, (struct remote_options){ .endpoint = http, .client_key = OPTION("k") }, &s), ERR_ValidationException);
    assert_int_equal(make(files, (struct remote_options){ .endpoint = https, .client_key = OPTION("k") }, &s), ERR_ValidationException);
    assert_slice(e.message, "--client-key needs --client-cert FILE, its certificate");
}

/* ---- answers ---- */

static void assert_error(int status, const char *body, enum err_code code, const char *message, const char *detail)
{
    e = (struct err){ .arena = &arena };
    assert_int_equal(remote_error(&arena, status, slice_str(body), SLICE("h"), &e), code);
    assert_int_equal(e.code, code);
    assert_slice(e.message, message);
    assert_slice(e.detail, detail);
}

static void test_errors_by_their_name(void **state)
{
    (void)state;
    assert_error(400, "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ResourceNotFoundException\",\"message\":\"no\"}",
                 ERR_ResourceNotFoundException, "no", "");
    assert_error(400, "{\"__type\":\"com.amazon.coral.service#ExpiredTokenException\",\"Message\":\"old\"}",
                 ERR_ExpiredTokenException, "old", "");
    assert_error(400, "{\"__type\":\"x#TransactionCanceledException\",\"message\":\"m\",\"CancellationReasons\":"
                      "[{\"Code\":\"None\"},{\"Code\":\"C\",\"Item\":{\"a\":{\"N\":\"1\"}},\"b\":[true,null,1.50]}]}",
                 ERR_TransactionCanceledException, "m",
                 ",\"CancellationReasons\":[{\"Code\":\"None\"},{\"Code\":\"C\",\"Item\":{\"a\":{\"N\":\"1\"}},\"b\":[true,null,1.50]}]");
    assert_error(400, "{\"__type\":\"x#ReplicaNotFoundException\",\"message\":\"gone\"}", ERR_ServiceException,
                 "ReplicaNotFoundException: gone", "");
    assert_error(500, "{\"__type\":\"NewFailure\"}", ERR_InternalServerError, "NewFailure", "");
    assert_error(500, "{\"__type\":\"InternalFailure:http://x/\",\"message\":\"m\"}", ERR_InternalServerError, "m", "");
    assert_error(502, "<html>", ERR_ServiceUnavailable,
                 "h answered with HTTP status 502 and no word of DynamoDB; is it the right endpoint?", "");
    assert_error(400, "This port speaks TLS: use https:// instead of http://.\n", ERR_ServiceException,
                 "h speaks TLS here: write https:// instead of http://", "");
    assert_error(400, "<h1>400</h1>The plain HTTP request was sent to HTTPS port", ERR_ServiceException,
                 "h speaks TLS here: write https:// instead of http://", "");
    assert_error(404, "", ERR_ServiceException,
                 "h answered with HTTP status 404 and no word of DynamoDB; is it the right endpoint?", "");
    for (int i = 1; i < ERR_COUNT; i++) assert_int_equal(err_from_name(slice_str(err_name((enum err_code)i))), i);
    assert_int_equal(err_from_name(SLICE("")), ERR_NONE);
}

static void test_what_is_tried_again(void **state)
{
    (void)state;
    struct slice get_item = SLICE("GetItem"), put_item = SLICE("PutItem");
    assert_int_equal(remote_retry(put_item, 1, true, ERR_ThrottlingException), 50);
    assert_int_equal(remote_retry(put_item, 3, true, ERR_ProvisionedThroughputExceededException), 200);
    assert_int_equal(remote_retry(put_item, 7, true, ERR_ThrottlingException), 0);
    assert_int_equal(remote_retry(put_item, 1, true, ERR_InternalServerError), 0);
    assert_int_equal(remote_retry(put_item, 1, false, ERR_ServiceUnavailable), 0);
    assert_int_equal(remote_retry(get_item, 1, true, ERR_InternalServerError), 50);
    assert_int_equal(remote_retry(get_item, 2, false, ERR_ServiceUnavailable), 100);
    assert_int_equal(remote_retry(get_item, 3, false, ERR_ServiceUnavailable), 0);
    assert_int_equal(remote_retry(get_item, 1, true, ERR_ValidationException), 0);
    assert_int_equal(remote_retry(SLICE("DescribeTable"), 1, false, ERR_ServiceUnavailable), 50);
    assert_int_equal(remote_retry(SLICE("TransactWriteItems"), 1, false, ERR_ServiceUnavailable), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_profiles),
        cmocka_unit_test(test_endpoints_in_their_order),
        cmocka_unit_test(test_hosts),
        cmocka_unit_test(test_regions_in_their_order),
        cmocka_unit_test(test_credentials_in_their_order),
        cmocka_unit_test(test_no_credentials_says_what_to_do),
        cmocka_unit_test(test_certificates_in_their_order),
        cmocka_unit_test(test_errors_by_their_name),
        cmocka_unit_test(test_what_is_tried_again),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
