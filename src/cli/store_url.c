/* store_url.c: names of places: URLs of PostgreSQL databases, which may have a password in them, of servers, and what looks like either. */
#include "cli.h"
#include <string.h>
#include <sys/stat.h>

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

bool is_server_url(const char *text)
{
    return !strncmp(text, "http://", 7) || !strncmp(text, "https://", 8);
}

const char *store_url_shown(const char *url, char *out, size_t size)
{
    const char *hosts = after_scheme(url);
    if (!hosts) hosts = "..."; /* no such URL: what of it may be shown, nobody knows */
    const char *at = memchr(hosts, '@', strcspn(hosts, "/")); /* as libpq looks for it: a ? before it belongs to the password */
    if (at) hosts = at + 1;
    size_t n = strcspn(hosts, "?");
    const char *late = strchr(hosts + n, '@');
    /* A password that was not written as it must be: what of it is a secret, nobody knows. Parameters may have an @, before the end. */
    bool odd = memchr(hosts, '@', n) || (late && strchr(late, '/'));
    snprintf(out, size, "postgres://%.*s", odd ? 3 : (int)n, odd ? "..." : hosts);
    return out;
}

const char *place_shown(const char *text, char *out, size_t size)
{
    const char *scheme = strstr(text, "://"), *behind = scheme ? scheme + 3 : text;
    const char *colon = strchr(behind, ':'), *at = strrchr(behind, '@');
    if (is_store_url(text)) return store_url_shown(text, out, size);
    if (!colon || !at || colon > at) return text;
    snprintf(out, size, "%.*s...", (int)(behind - text), text);
    return out;
}

/* A colon and a port at the end of a host's name. */
static bool ends_with_port(const char *text, size_t n)
{
    size_t digits = 0;
    while (digits < n && text[n - 1 - digits] >= '0' && text[n - 1 - digits] <= '9') digits++;
    return digits && digits + 1 < n && text[n - 1 - digits] == ':';
}

bool is_forgotten_scheme(const char *text)
{
    struct stat st;
    size_t n = strcspn(text, "/");
    bool user = memchr(text, '@', n) || (memchr(text, ':', n) && strchr(text, '@')); /* a password may have a / in it */
    return text[0] != '.' && !strstr(text, "://") && (user || ends_with_port(text, n)) && stat(text, &st);
}
