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
    size_t n = strcspn(hosts, "?");
    const char *at = memchr(hosts, '@', n);
    for (const char *next = at; next; next = memchr(at + 1, '@', n - (size_t)(at + 1 - hosts))) at = next;
    if (at) {
        n -= (size_t)(at + 1 - hosts);
        hosts = at + 1;
    }
    snprintf(out, size, "postgres://%.*s", (int)n, hosts);
    return out;
}
