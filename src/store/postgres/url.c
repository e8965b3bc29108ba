/* url.c: see url.h. What libpq says of a URL that it cannot read has pieces of it, perhaps of the password: of that only the name of a
 * parameter is told, and that only where it cannot be a piece of a password. */
#include "url.h"
#include <stdio.h>
#include <string.h>

#define ESCAPES "in a user's name or a password write %25 for a %, %2F for a /, %40 for an @, %3A for a :"

/* As libpq takes it apart: the first @ before a / ends the password, and a ? after that begins the parameters. */
static bool has_stray_at(const char *url)
{
    const char *scheme = strstr(url, "://"), *hosts = scheme ? scheme + 3 : url;
    const char *at = memchr(hosts, '@', strcspn(hosts, "/"));
    if (at) hosts = at + 1;
    return memchr(hosts, '@', strcspn(hosts, "?")) != NULL;
}

/* A word in quotes that is made like a parameter's name; 0: it is not. */
static size_t quoted_name(const char *text)
{
    size_t n = strspn(text, "abcdefghijklmnopqrstuvwxyz_");
    return text[n] == '"' ? n : 0;
}

static bool say(bool refused, char *message, size_t size, const char *text)
{
    snprintf(message, size, "%s", text);
    return refused;
}

/* A parameter's name behind the ?, where no @ comes that could end a password. */
static bool tell_unknown(const char *url, const char *libpq, char *message, size_t size)
{
    static const char begins[] = "invalid URI query parameter: \"";
    const char *name = libpq + strlen(begins), *parameters = strchr(url, '?');
    size_t n = strncmp(libpq, begins, strlen(begins)) ? 0 : quoted_name(name);
    if (!n || !parameters || strchr(parameters, '@')) return false;
    snprintf(message, size, "the URL has a parameter %.*s, which libpq does not know: look for a slip in its name", (int)n, name);
    return true;
}

bool url_check(const struct pq_library *pq, const char *url, char *message, size_t size)
{
    char *libpq = NULL;
    if (has_stray_at(url)) return say(false, message, size, "the URL has an @ too many; " ESCAPES);
    PQconninfoOption *options = pq->PQconninfoParse(url, &libpq);
    if (options) pq->PQconninfoFree(options);
    bool unknown = libpq && tell_unknown(url, libpq, message, size);
    if (!options && !unknown) say(false, message, size, libpq ? "the URL cannot be read; " ESCAPES : "out of memory");
    if (libpq) pq->PQfreemem(libpq);
    return options != NULL;
}

bool url_refused(const char *libpq, char *message, size_t size)
{
    static const char behind[] = " value: \"", option[] = "for connection option \"";
    const char *name = libpq + strlen("invalid "), *other = strstr(libpq, option);
    if (strncmp(libpq, "invalid ", 8) != 0 && !other) return false;
    size_t n = other ? quoted_name(name = other + strlen(option)) : strspn(name, "abcdefghijklmnopqrstuvwxyz_");
    if (!other && strncmp(name + n, behind, strlen(behind)) != 0) n = 0;
    /* A password with a / in it is taken for a port. */
    if (!n || !strncmp(name, "port\"", 5)) return say(true, message, size, "the URL cannot be read; " ESCAPES);
    snprintf(message, size, "the URL's parameter %.*s has a value that libpq does not know", (int)n, name);
    return true;
}
