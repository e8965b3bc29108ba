/* store_url.c: URLs of PostgreSQL databases, which may have a password in them. */
#include "cli.h"
#include <string.h>

static const char *after_scheme(const char *text)
{
    static const char *const schemes[] = { "postgres://", "postgresql://" };
    for (size_t i = 0; i < COUNT(schemes); i++)
        if (!strncmp(text, schemes[i], strlen(schemes[i]))) return text + strlen(schemes[i]);
    return NULL;
}

bool is_store_url(const char *text)
{
    return after_scheme(text) != NULL;
}

const char *store_url_shown(const char *url, char *out, size_t size)
{
    const char *hosts = after_scheme(url);
    const char *at = memchr(hosts, '@', strcspn(hosts, "/")); /* as libpq looks for it: a ? before it belongs to the password */
    if (at) hosts = at + 1;
    size_t n = strcspn(hosts, "?");
    bool odd = memchr(hosts, '@', n) != NULL; /* a password that was not written as it must be: what of it is a secret, nobody knows */
    snprintf(out, size, "postgres://%.*s", odd ? 3 : (int)n, odd ? "..." : hosts);
    return out;
}
