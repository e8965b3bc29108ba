/* service_auth.c: who asks: the form of a request's signature, and where the server knows access keys, the signature itself. */
#include "service_private.h"
#include "auth_header.h"
#include <strings.h>
#include <time.h>

static struct slice header_named(const struct sigv4_request *r, struct slice name)
{
    for (size_t i = 0; i < r->n_headers; i++) {
        const struct sigv4_header *h = &r->headers[i];
        if (h->name.n == name.n && strncasecmp((const char *)h->name.p, (const char *)name.p, name.n) == 0) return slice_trim(h->value);
    }
    return slice_of(NULL, 0);
}

static struct sigv4_request as_sent(struct http_request *r)
{
    struct sigv4_header *list = arena_alloc(r->arena, WIRE_MAX_HEADERS * sizeof *list);
    struct sigv4_request out = { .method = SLICE("POST"), .path = r->path, .query = r->query, .headers = list, .body = r->body };
    size_t at = 0;
    while (out.n_headers < WIRE_MAX_HEADERS && http_next_header(r, &at, &list[out.n_headers].name, &list[out.n_headers].value)) out.n_headers++;
    return out;
}

int service_authenticate(struct exchange *x, struct caller *who)
{
    struct http_request *r = x->http;
    const struct service *service = r->service;
    struct sigv4_request sent = { 0 };
    struct sigv4_claim claim;
    struct auth_input in = { .authorization = http_header(r, HEADER_AUTHORIZATION),
                             .x_amz_date = http_header(r, HEADER_X_AMZ_DATE),
                             .date = http_header(r, HEADER_DATE),
                             .query = r->query };
    if (service->keys) {
        sent = as_sent(r);
        in.security_token = header_named(&sent, SLICE("x-amz-security-token"));
    }
    int rc = auth_read(&in, &claim, &x->call.err);
    if (rc) return rc;
    *who = (struct caller){ .host = http_header(r, HEADER_HOST) };
    if (sigv4_is_region(claim.region)) who->region = claim.region;
    if (!service->keys) return 0;
    x->keys = keyring_hold(service->keys);
    rc = sigv4_verify(&sent, &claim, x->keys, time(NULL), &who->identity, &x->call.err);
    if (rc) return rc;
    who->account = who->identity->account;
    who->secure = http_is_secure(r);
    who->address = http_remote_address(r);
    return 0;
}
