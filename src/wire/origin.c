/* origin.c: see origin.h. */
#include "origin.h"
#include <arpa/inet.h>
#include <strings.h>

static bool same_text(struct slice a, struct slice b)
{
    return a.n == b.n && strncasecmp((const char *)a.p, (const char *)b.p, a.n) == 0;
}

/* The host of "host", "host:port", "[v6]" or "[v6]:port", brackets kept; empty if it is none of
 * them. */
static struct slice without_port(struct slice host)
{
    size_t n = host.n, digits = 0;
    while (n && host.p[n - 1] >= '0' && host.p[n - 1] <= '9')
        n--, digits++;
    if (n && host.p[n - 1] == ':' && digits <= 5)
        n--;
    else
        n = host.n;
    struct slice name = slice_of(host.p, n);
    if (n && name.p[0] == '[') return name.p[n - 1] == ']' ? name : slice_of(NULL, 0);
    return memchr(name.p ? name.p : (const void *)"", ':', n) ? slice_of(NULL, 0) : name;
}

bool host_is_loopback(struct slice host)
{
    struct slice name = without_port(host);
    if (same_text(name, SLICE("localhost")) || slice_eq(name, SLICE("[::1]"))) return true;
    char text[16];
    struct in_addr a;
    if (name.n == 0 || name.n >= sizeof(text)) return false;
    memcpy(text, name.p, name.n);
    text[name.n] = 0;
    return inet_pton(AF_INET, text, &a) == 1 && ntohl(a.s_addr) >> 24 == 127;
}

bool host_allowed(const struct origin_rules *rules, struct slice host, struct slice local)
{
    struct slice name = without_port(host);
    if (name.n == 0) return false;
    if (host_is_loopback(host) || same_text(name, without_port(local))) return true;
    for (size_t i = 0; i < rules->n_allow_hosts; i++) {
        struct slice allowed = slice_str(rules->allow_hosts[i]);
        if (slice_eq(allowed, SLICE("*")) || same_text(allowed, name) || same_text(allowed, host))
            return true;
    }
    return false;
}

enum origin_verdict origin_check(const struct origin_rules *rules, struct slice origin,
                                 struct slice host)
{
    for (size_t i = 0; i < rules->n_cors; i++)
        if (strcmp(rules->cors[i], "*") == 0) return ORIGIN_ANY;
    struct slice authority = slice_of(NULL, 0);
    if (origin.n > 7 && strncasecmp((const char *)origin.p, "http://", 7) == 0)
        authority = slice_of(origin.p + 7, origin.n - 7);
    else if (origin.n > 8 && strncasecmp((const char *)origin.p, "https://", 8) == 0)
        authority = slice_of(origin.p + 8, origin.n - 8);
    /* A page that this very host served is no stranger; the host itself was checked before. */
    if (authority.n && (host_is_loopback(authority) || same_text(authority, host)))
        return ORIGIN_ALLOWED;
    for (size_t i = 0; i < rules->n_cors; i++) {
        struct slice allowed = slice_str(rules->cors[i]);
        if (allowed.n && allowed.p[allowed.n - 1] == '/') allowed.n--;
        if (same_text(origin, allowed)) return ORIGIN_ALLOWED;
    }
    return ORIGIN_REFUSED;
}
