/* http_stats.c: what a handler may ask about the server and about the other end of its connection. */
#include "http_private.h"
#include <netinet/in.h>

bool http_from_loopback(struct http_request *r)
{
    struct connection *c = connection_of(r);
    struct sockaddr_storage ss;
    int n = sizeof(ss);
    if (c->phase == PHASE_CLOSED || uv_tcp_getpeername(&c->tcp, (struct sockaddr *)&ss, &n)) return false;
    if (ss.ss_family == AF_INET) return ntohl(((struct sockaddr_in *)&ss)->sin_addr.s_addr) >> 24 == 127;
    if (ss.ss_family != AF_INET6) return false;
    const struct in6_addr *a = &((struct sockaddr_in6 *)&ss)->sin6_addr;
    return IN6_IS_ADDR_LOOPBACK(a) || (IN6_IS_ADDR_V4MAPPED(a) && a->s6_addr[12] == 127);
}

void http_get_stats(const struct http_request *r, struct http_stats *out)
{
    struct http_server *s = r->loop->server;
    *out = (struct http_stats){ .loops = s->n_loops,
                                .held = __atomic_load_n(&s->held, __ATOMIC_RELAXED),
                                .held_max = s->held_max,
                                .certificate_ends = s->options.tls ? tls_ends(s->options.tls) : 0,
                                .stopping = __atomic_load_n(&s->stopping, __ATOMIC_RELAXED) };
    for (unsigned i = 0; i < s->n_loops; i++) {
        out->connections += __atomic_load_n(&s->loops[i].n_connections, __ATOMIC_RELAXED);
        out->connections_max += s->loops[i].max_connections;
    }
}
