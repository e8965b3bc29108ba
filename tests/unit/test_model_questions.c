/* test_model_questions.c: of_pattern_run, of_model_query and of_model_scan, as a program calls them. */
#include "model_fixture.h"

static const char shop[] =
    "onefold: 1\n"
    "table: shop\n"
    "indexes:\n"
    "  GSI1: { hash: GSI1PK, sort: GSI1SK }\n"
    "entities:\n"
    "  User:\n"
    "    key: { PK: 'USER#${username}', SK: '#META' }\n"
    "    unique: [email]\n"
    "    attributes: { username: { required: true }, email: string }\n"
    "  Post:\n"
    "    key: { PK: 'USER#${username}', SK: 'POST#${postId}' }\n"
    "    index: { GSI1: { GSI1PK: 'TAG#${tag}', GSI1SK: '${postId}' } }\n"
    "    copies: [{ key: { PK: 'POST#${postId}', SK: '#META' } }]\n"
    "    attributes:\n"
    "      username: { required: true }\n"
    "      postId: { required: true }\n"
    "      tag: string\n"
    "      likes: { type: number, default: 0 }\n"
    "      title: string\n"
    "patterns:\n"
    "  posts: { of: Post, by: [username], order: descending, limit: 3 }\n"
    "  post: { of: Post, by: [postId] }\n"
    "  byTitle: { of: Post, by: [title] }\n";

static struct world w;
static of_error error;

static int set_up(void **state)
{
    (void)state;
    world_open(&w, shop);
    of_item *user = item_of("username=alice email=a@b");
    assert_int_equal(of_entity_put(w.model, w.db, "User", user, NULL, NULL, &error), 0);
    of_item_free(user);
    for (int i = 1; i <= 8; i++) {
        char text[128];
        snprintf(text, sizeof text, "username=alice postId=p%d tag=%s likes:=%d title=T%d", i, i % 2 ? "odd" : "even", i, i);
        of_item *post = item_of(text);
        assert_int_equal(of_entity_put(w.model, w.db, "Post", post, NULL, NULL, &error), 0);
        of_item_free(post);
    }
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    world_close(&w);
    return 0;
}

/* The answer's text with ' instead of " (or the error's message), until the next call. */
static char answer_text[1 << 16];

static const char *told(int rc, of_answer *answer)
{
    if (rc) {
        snprintf(answer_text, sizeof answer_text, "%s", error.message);
        return answer_text;
    }
    snprintf(answer_text, sizeof answer_text, "%s", of_answer_body(answer, NULL));
    of_answer_free(answer);
    for (char *p = answer_text; *p; p++) {
        if (*p == '"') *p = '\'';
    }
    return answer_text;
}

static const char *query(const char *entity, const char *where, of_run_options o)
{
    of_answer *answer = NULL;
    int rc = of_model_query(w.model, w.db, entity, where, &o, &answer, &error);
    return told(rc, answer);
}

static const char *scan(const char *entity, of_run_options o)
{
    of_answer *answer = NULL;
    int rc = of_model_scan(w.model, w.db, entity, &o, &answer, &error);
    return told(rc, answer);
}

static const char *run(const char *pattern, const char *inputs, of_run_options o)
{
    of_answer *answer = NULL;
    of_item *in = item_of(inputs);
    int rc = of_pattern_run(w.model, w.db, pattern, in, &o, &answer, &error);
    of_item_free(in);
    return told(rc, answer);
}

static void holds(const char *text, const char *part)
{
    if (!strstr(text, part)) fail_msg("no %s in %s", part, text);
}

static size_t count(const char *text, const char *part)
{
    size_t n = 0;
    while ((text = strstr(text, part))) n++, text++;
    return n;
}

static void test_patterns_page(void **state)
{
    (void)state;
    char token[1024] = "";
    size_t pages = 0, posts = 0;
    do {
        const char *text = run("posts", "username=alice", (of_run_options){ .after = token });
        posts += count(text, "'postId'");
        if (!pages) assert_true(strstr(text, "'p8'") < strstr(text, "'p7'"));
        const char *after = strstr(text, "'after':'");
        snprintf(token, sizeof token, "%.*s", after ? (int)strcspn(after + 9, "'") : 0, after ? after + 9 : "");
        pages++;
    } while (token[0] && pages < 10);
    assert_int_equal(posts, 8);
    assert_int_equal(pages, 3);
}

static void test_wrong_names_and_inputs_are_told(void **state)
{
    (void)state;
    of_run_options o = { 0 };
    holds(run("post", "postid=p1", o), "postId");
    holds(run("pots", "username=alice", o), "the model has no pattern pots; did you mean post");
    holds(query("Pst", "username = alice", o), "the model has no entity Pst; did you mean Post?");
    holds(query("Post", "usrname = alice", o), "column 1 of the condition: Post has no attribute usrname; did you mean username?");
    holds(query("Post", "username = alice", (of_run_options){ .index = "GSI2" }), "has no index GSI2; did you mean GSI1?");
    holds(query("Post", "username = alice or username = bob", o), "put or, not, in, !=");
    holds(query("Post", "username = alice and username = bob", o), "username = is said twice");
}

static void test_what_no_key_answers_is_refused_with_a_proposal(void **state)
{
    (void)state;
    const char *text = run("byTitle", "title=T1", (of_run_options){ 0 });
    holds(text, "byTitle is not answerable: ");
    holds(text, "\nWhat would help:\n  1. ");
    text = query("Post", "title = T1", (of_run_options){ 0 });
    holds(text, "this query is not answerable: ");
    holds(text, "\nWhat would help:\n  1. ");
    holds(query("Post", "likes > 3 and likes < 9 and tag between a and b", (of_run_options){ 0 }), "is not answerable: ");
    assert_int_equal(error.code, OF_INVALID);
}

static void test_queries_are_resolved_like_patterns(void **state)
{
    (void)state;
    assert_int_equal(count(query("Post", "username = alice and postId > p5", (of_run_options){ 0 }), "'postId'"), 3);
    assert_int_equal(count(query("Post", "tag = odd and begins_with(postId, p)", (of_run_options){ 0 }), "'postId'"), 4);
    const char *text = query("Post", "username = alice", (of_run_options){ .descending = true, .limit = 2 });
    assert_true(strstr(text, "'p8'") && strstr(text, "'p7'") && !strstr(text, "'p6'"));
    text = query("Post", "username = alice", (of_run_options){ .filter = "likes in (2, 3)" });
    assert_int_equal(count(text, "'postId'"), 2);
    holds(text, "'items':");
    of_answer *requests = NULL, *answer = NULL;
    of_run_options o = { .dry_run = true, .requests = &requests };
    assert_int_equal(of_model_query(w.model, w.db, "Post", "postId = p1", &o, &answer, &error), 0);
    holds(of_answer_body(requests, NULL), "[{\"operation\":\"GetItem\",\"request\":{\"TableName\":\"shop\"");
    of_answer_free(requests);
    of_answer_free(answer);
}

static void test_raw_queries_take_key_conditions(void **state)
{
    (void)state;
    of_run_options o = { .raw = true };
    const char *text = query(NULL, "PK = 'USER#alice'", o);
    assert_int_equal(count(text, "'postId'"), 8);
    holds(text, "{'User':[{'email':'a@b','username':'alice'}],'Post':[");
    assert_int_equal(count(query("Post", "PK = 'USER#alice' and SK between 'POST#p2' and 'POST#p4'", o), "'postId'"), 3);
    o.index = "GSI1";
    assert_int_equal(count(query("Post", "GSI1PK = 'TAG#even'", o), "'postId'"), 4);
    holds(query("Post", "PK = 'USER#alice'", o), "PK is no key of index GSI1, which has GSI1PK, GSI1SK");
    holds(query("Post", "GSI1SK = x", o), "GSI1PK"); /* DynamoDB's own words */
}

static void test_scans(void **state)
{
    (void)state;
    assert_int_equal(count(scan("Post", (of_run_options){ 0 }), "'postId'"), 8); /* copies are skipped */
    assert_int_equal(count(scan("Post", (of_run_options){ .filter = "likes > 6" }), "'postId'"), 2);
    const char *text = scan(NULL, (of_run_options){ .raw = true });
    holds(text, "'unique':[{");
    assert_int_equal(count(text, "'title'"), 16);
    text = scan(NULL, (of_run_options){ .dry_run = true });
    holds(text, "{'estimate':{'items':18,'bytes':");
    holds(text, "'units':");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_patterns_page),
        cmocka_unit_test(test_wrong_names_and_inputs_are_told),
        cmocka_unit_test(test_what_no_key_answers_is_refused_with_a_proposal),
        cmocka_unit_test(test_queries_are_resolved_like_patterns),
        cmocka_unit_test(test_raw_queries_take_key_conditions),
        cmocka_unit_test(test_scans),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
