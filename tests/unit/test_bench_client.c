/* test_bench_client.c: the load generator's client against a server in the same process that answers whole, in pieces, much, with errors, or
 * not at all. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <arpa/inet.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cli/bench/client.h"

#define LARGE ((size_t)3 << 20)

/* ---- the server ---- */

enum manner { WHOLE, PIECES, MUCH, CLOSES, DROPS, FAILS, THROTTLES, RESETS, LEAVES };

struct server {
    int fd;
    enum manner manner;
    struct sockaddr_in address;
    pthread_t thread;
    atomic_uint requests, connections, alive;
};

struct visit {
    struct server *server;
    int fd;
};

static bool send_all(int fd, const char *p, size_t n, size_t piece)
{
    while (n) {
        ssize_t sent = send(fd, p, n < piece ? n : piece, MSG_NOSIGNAL);
        if (sent <= 0) return false;
        p += sent;
        n -= (size_t)sent;
    }
    return true;
}

static bool answer(struct server *s, int fd, unsigned number)
{
    static const char large[LARGE];
    char text[300];
    const char *body = "{}", *status = "200 OK", *more = "";
    size_t n = 2;
    if (s->manner == DROPS && number % 5 == 0) return false;
    if (s->manner == FAILS && number % 2) status = "500 No", body = "{\"__type\":\"InternalServerError\"}";
    if (s->manner == THROTTLES && number % 2) status = "400 No", body = "{\"__type\":\"x#ProvisionedThroughputExceededException\"}";
    n = strlen(body);
    if (s->manner == MUCH) body = large, n = LARGE;
    if (s->manner == CLOSES || s->manner == LEAVES) more = "Connection: close\r\n";
    int head = snprintf(text, sizeof text, "HTTP/1.1 %s\r\n%sContent-Length: %zu\r\n\r\n", status, more, n);
    size_t piece = s->manner == PIECES ? 1 : SIZE_MAX;
    if (s->manner == LEAVES) shutdown(s->fd, SHUT_RDWR);
    if (s->manner == RESETS) setsockopt(fd, SOL_SOCKET, SO_LINGER, &(struct linger){ 1, 0 }, sizeof(struct linger));
    return send_all(fd, text, (size_t)head, piece) && send_all(fd, body, n, piece) && s->manner != CLOSES && s->manner != RESETS && s->manner != LEAVES;
}

/* Requests end in "\r\n\r\n{}", and there is one at a time. */
static void *visit(void *arg)
{
    struct visit v = *(struct visit *)arg;
    char in[4096];
    size_t n = 0;
    free(arg);
    for (bool open = true; open;) {
        ssize_t got = recv(v.fd, in + n, sizeof in - n, 0);
        if (got <= 0) break;
        n += (size_t)got;
        if (n < 6 || memcmp(in + n - 6, "\r\n\r\n{}", 6) != 0) continue;
        n = 0;
        open = answer(v.server, v.fd, atomic_fetch_add(&v.server->requests, 1));
    }
    close(v.fd);
    atomic_fetch_sub(&v.server->alive, 1);
    return NULL;
}

static void *serve(void *arg)
{
    struct server *s = arg;
    for (int fd; (fd = accept(s->fd, NULL, NULL)) >= 0;) {
        struct visit *v = malloc(sizeof *v);
        pthread_t thread;
        *v = (struct visit){ s, fd };
        atomic_fetch_add(&s->connections, 1);
        atomic_fetch_add(&s->alive, 1);
        pthread_create(&thread, NULL, visit, v);
        pthread_detach(thread);
    }
    return NULL;
}

static void server_begin(struct server *s, enum manner manner)
{
    socklen_t n = sizeof s->address;
    *s = (struct server){ .manner = manner, .fd = socket(AF_INET, SOCK_STREAM, 0), .address = { .sin_family = AF_INET } };
    s->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&s->address, n), 0);
    assert_int_equal(listen(s->fd, 1000), 0);
    getsockname(s->fd, (struct sockaddr *)&s->address, &n);
    pthread_create(&s->thread, NULL, serve, s);
}

static void server_end(struct server *s)
{
    shutdown(s->fd, SHUT_RDWR);
    pthread_join(s->thread, NULL);
    close(s->fd);
    while (atomic_load(&s->alive)) usleep(1000);
}

/* ---- the client ---- */

static const char request[] = "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}";
static struct client_request requests[7];
static struct client_result result;

/* valgrind runs one thread at a time */
static double a_while(void)
{
    return getenv("OF_TEST_SLOW") ? 1.5 : 0.3;
}

static struct client_job job_on(const struct server *s, double seconds)
{
    struct client_job job = { .requests = requests, .n_requests = 7, .connections = 8, .threads = 3, .seconds = seconds,
                              .address_n = sizeof s->address };
    for (size_t i = 0; i < 7; i++) requests[i] = (struct client_request){ slice_of(request, sizeof request - 1), SLICE("{}") };
    memcpy(&job.address, &s->address, sizeof s->address);
    return job;
}

static uint64_t counted(void)
{
    uint64_t n = 0;
    for (size_t i = 0; i < 7; i++) n += result.counts[i].all;
    return n;
}

/* Everything that the server saw is accounted for, whatever became of it. */
static void run(enum manner manner, struct server *s, double seconds)
{
    server_begin(s, manner);
    struct client_job job = job_on(s, seconds);
    if (manner == MUCH)
        for (size_t i = 0; i < 7; i++) requests[i].expect.p = NULL;
    assert_int_equal(client_run(&job, &result), 0);
    server_end(s);
    assert_int_equal(counted(), result.acknowledged);
    assert_int_equal(atomic_load(&s->requests), result.acknowledged + result.errors + result.throttled + result.lost);
}

static void test_every_answer_is_counted(void **state)
{
    (void)state;
    struct server s;
    double seconds = a_while();
    run(WHOLE, &s, seconds);
    assert_true(result.acknowledged > 8 && result.latency.n <= result.acknowledged && result.latency.n > 0);
    assert_true(!result.errors && !result.lost && !result.wrong && !result.throttled);
    assert_int_equal(atomic_load(&s.connections), 8);
    assert_true(result.bytes_in > result.latency.n * 2 && result.seconds > seconds - 0.01 && result.seconds < seconds + 0.01);
    client_result_free(&result);
}

static void test_an_answer_that_comes_byte_by_byte(void **state)
{
    (void)state;
    struct server s;
    run(PIECES, &s, a_while());
    assert_true(result.acknowledged > 0 && !result.wrong && !result.lost);
    client_result_free(&result);
}

static void test_an_answer_that_is_larger_than_the_buffer(void **state)
{
    (void)state;
    struct server s;
    run(MUCH, &s, a_while());
    assert_true(result.acknowledged > 0 && !result.lost);
    client_result_free(&result);
}

static void test_a_connection_that_the_server_ends_is_made_anew(void **state)
{
    (void)state;
    struct server s;
    run(CLOSES, &s, a_while());
    assert_true(result.acknowledged > 8 && !result.lost && !result.errors);
    assert_true(atomic_load(&s.connections) >= result.acknowledged);
    client_result_free(&result);
}

static void test_requests_without_an_answer_are_lost(void **state)
{
    (void)state;
    struct server s;
    run(DROPS, &s, a_while());
    assert_true(result.lost > 0 && result.acknowledged > result.lost);
    assert_true(result.first_lost.there && !result.first_error.there);
    client_result_free(&result);
}

static void test_a_server_that_resets_is_asked_until_the_end(void **state)
{
    (void)state;
    struct server s;
    server_begin(&s, RESETS);
    struct client_job job = job_on(&s, a_while());
    assert_int_equal(client_run(&job, &result), 0);
    server_end(&s);
    assert_true(result.lost > 0 && result.first_lost.there);
    assert_true(result.seconds > a_while() - 0.01 && (unsigned)atomic_load(&s.connections) > job.connections); /* made anew */
    client_result_free(&result);
}

static void test_a_server_that_takes_its_leave_is_missed(void **state)
{
    (void)state;
    struct server s;
    for (int once = 0; once < 2; once++) {
        server_begin(&s, LEAVES);
        struct client_job job = job_on(&s, once ? 0 : 10);
        job.connections = 1;
        assert_int_equal(client_run(&job, &result), 0);
        server_end(&s);
        assert_true(result.lost > 0 && result.seconds < 5);
        assert_string_equal(result.first_lost.text, "Connection refused");
        client_result_free(&result);
    }
}

static void test_errors_are_no_measurements(void **state)
{
    (void)state;
    struct server s;
    run(FAILS, &s, a_while());
    assert_true(result.errors > 0 && !result.throttled && result.latency.n <= result.acknowledged);
    assert_int_equal(result.first_error.status, 500);
    client_result_free(&result);
    run(THROTTLES, &s, a_while());
    assert_true(result.throttled > 0 && !result.errors && !result.first_error.there);
    client_result_free(&result);
}

static bool is_fine(void *ctx, size_t number, struct slice body)
{
    (void)ctx;
    (void)body;
    return number == 1;
}

static void test_other_bytes_are_wrong_unless_they_mean_the_same(void **state)
{
    (void)state;
    struct server s;
    server_begin(&s, WHOLE);
    struct client_job job = job_on(&s, a_while());
    requests[0].expect = requests[1].expect = SLICE("{ }");
    job.same = is_fine;
    assert_int_equal(client_run(&job, &result), 0);
    server_end(&s);
    assert_true(result.wrong > 0);
    assert_int_equal(result.wrong, result.counts[0].all);
    assert_int_equal(result.counts[0].measured, 0);
    assert_true(result.counts[1].measured > 0);
    assert_string_equal(result.first_wrong.text, "{}");
    client_result_free(&result);
}

static void take(void *ctx, size_t number, int status, struct slice body)
{
    unsigned *seen = ctx;
    assert_int_equal(status, 200);
    assert_int_equal(body.n, 2);
    seen[number]++;
}

static void test_each_request_once(void **state)
{
    (void)state;
    struct server s;
    unsigned seen[7] = { 0 };
    server_begin(&s, WHOLE);
    struct client_job job = job_on(&s, 0);
    job.connections = 3;
    job.answered = take;
    job.ctx = seen;
    assert_int_equal(client_run(&job, &result), 0);
    server_end(&s);
    for (size_t i = 0; i < 7; i++) assert_int_equal(seen[i], 1);
    assert_int_equal(atomic_load(&s.connections), 3);
    client_result_free(&result);
}

static void stop_soon(void *ctx, uint64_t answers)
{
    (void)answers;
    atomic_store((atomic_bool *)ctx, true);
}

static void test_a_stopped_run_tells_how_long_it_was(void **state)
{
    (void)state;
    struct server s;
    atomic_bool stop = false;
    server_begin(&s, WHOLE);
    struct client_job job = job_on(&s, 60);
    job.progress = stop_soon;
    job.ctx = &stop;
    job.stop = &stop;
    assert_int_equal(client_run(&job, &result), 0);
    server_end(&s);
    assert_true(result.seconds > 0 && result.seconds < 30 && result.latency.n > 0);
    client_result_free(&result);
}

static void test_nobody_there(void **state)
{
    (void)state;
    struct server s;
    server_begin(&s, WHOLE);
    struct client_job job = job_on(&s, 0.1);
    server_end(&s);
    assert_int_equal(client_run(&job, &result), -1);
    assert_string_equal(result.trouble, "Connection refused");
    job.seconds = 0;
    assert_int_equal(client_run(&job, &result), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_answer_is_counted),
        cmocka_unit_test(test_an_answer_that_comes_byte_by_byte),
        cmocka_unit_test(test_an_answer_that_is_larger_than_the_buffer),
        cmocka_unit_test(test_a_connection_that_the_server_ends_is_made_anew),
        cmocka_unit_test(test_requests_without_an_answer_are_lost),
        cmocka_unit_test(test_a_server_that_resets_is_asked_until_the_end),
        cmocka_unit_test(test_a_server_that_takes_its_leave_is_missed),
        cmocka_unit_test(test_errors_are_no_measurements),
        cmocka_unit_test(test_other_bytes_are_wrong_unless_they_mean_the_same),
        cmocka_unit_test(test_each_request_once),
        cmocka_unit_test(test_a_stopped_run_tells_how_long_it_was),
        cmocka_unit_test(test_nobody_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
