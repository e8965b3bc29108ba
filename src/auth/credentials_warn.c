/* credentials_warn.c: keys that are read without a mistake and will still surprise whoever is given them. */
#include "credentials_private.h"
#include "policy_private.h"
#include <stdio.h>

#define MAX_NAMES 8u /* of tags, in one sentence */
#define DAY_S 86400

struct warning {
    credentials_warn_fn *warn;
    void *ctx;
    size_t said;
};

__attribute__((format(printf, 2, 3))) static void say(struct warning *w, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    if (w->said++ >= CREDENTIALS_MAX_WARNINGS) return;
    va_start(ap, fmt);
    int n = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (n > 0) w->warn(w->ctx, slice_of(text, (size_t)n < sizeof text ? (size_t)n : sizeof text - 1));
}

static void warn_of_tags(struct warning *w, const struct identity *who)
{
    struct slice names[MAX_NAMES];
    size_t n = who->policy ? policy_missing_tags(who->policy, who, names, MAX_NAMES) : 0;
    for (size_t i = 0; i < n; i++)
        say(w, "the policy of [%.*s] has ${aws:PrincipalTag/%.*s} in it, but the key has no tag.%.*s: nothing is allowed that rests on it, and what "
               "is denied by it is denied always", SLICE_ARG(who->user), SLICE_ARG(names[i]), SLICE_ARG(names[i]));
}

static void warn_of_end(struct warning *w, const struct identity *who, int64_t now)
{
    char date[32];
    if (!who->expires || who->expires > now + CREDENTIALS_WARN_DAYS * DAY_S) return;
    size_t n = policy_date_put(who->expires * 1000, date, sizeof date);
    int64_t days = (who->expires - now) / DAY_S;
    if (who->expires <= now) say(w, "the key of [%.*s] has expired: it is refused since %.*s", SLICE_ARG(who->user), (int)n, date);
    else if (days < 1) say(w, "the key of [%.*s] expires within a day, at %.*s", SLICE_ARG(who->user), (int)n, date);
    else say(w, "the key of [%.*s] expires in %lld day%s, at %.*s", SLICE_ARG(who->user), (long long)days, days == 1 ? "" : "s", (int)n, date);
}

void credentials_warn(const struct credentials *c, int64_t now, credentials_warn_fn *warn, void *ctx)
{
    struct warning w = { .warn = warn, .ctx = ctx };
    for (size_t i = 0; i < c->n; i++) {
        warn_of_tags(&w, &c->entries[i]->who);
        warn_of_end(&w, &c->entries[i]->who, now);
    }
    if (w.said <= CREDENTIALS_MAX_WARNINGS) return;
    size_t rest = w.said - CREDENTIALS_MAX_WARNINGS;
    w.said = 0;
    say(&w, "%zu more warning%s of this kind", rest, rest == 1 ? "" : "s");
}
