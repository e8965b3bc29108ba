/* credentials_read.c: makes a set of access keys from a text. What is wrong with the text is one sentence with the line; a secret is
 * never part of it. */
#include "credentials_private.h"
#include "../base/ini.h"
#include "date.h"
#include "policy.h"
#include "policy_pattern.h"
#include <stdio.h>
#include <stdlib.h>

#define MAX_KEY    128u /* access key, user */
#define MAX_SECRET 256u
#define MAX_TOKEN  4096u
#define MAX_TAG    256u

struct reader {
    struct credentials *set;
    const struct credentials_options *o;
    struct err *e;
    struct ini at;
    size_t cap; /* of set->entries */
    struct entry *now; /* the section that is being read; NULL: none yet */
    bool has_policy;
    struct identity_tag tags[CREDENTIALS_MAX_TAGS];
};

static struct slice sentence_at(struct reader *r, unsigned line, const char *fmt, va_list ap)
{
    struct arena *a = r->e->arena;
    struct slice what = arena_vprintf(a, fmt, ap), where = r->o->where;
    if (line <= r->o->before) return arena_printf(a, "the environment: %.*s", SLICE_ARG(what));
    return arena_printf(a, "%.*s line %u: %.*s", SLICE_ARG(where), line - r->o->before, SLICE_ARG(what));
}

#define WRONG(r, ...) wrong_at((r), (r)->at.line, __VA_ARGS__)
__attribute__((format(printf, 3, 4))) static int wrong_at(struct reader *r, unsigned line, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    struct slice sentence = sentence_at(r, line, fmt, ap);
    va_end(ap);
    return err_set(r->e, ERR_ValidationException, "%.*s", SLICE_ARG(sentence));
}

/* tell: NULL, where nobody listens. */
__attribute__((format(printf, 4, 5))) static void tell_at(struct reader *r, credentials_warn_fn *tell, unsigned line, const char *fmt, ...)
{
    va_list ap;
    if (!tell) return;
    va_start(ap, fmt);
    tell(r->o->ctx, sentence_at(r, line, fmt, ap));
    va_end(ap);
}

/* What goes into headers and compares byte by byte: visible ASCII. */
static bool is_visible(struct slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if (s.p[i] <= ' ' || s.p[i] >= 0x7f) return false;
    return s.n > 0;
}

/* ---- settings ---- */

static bool is_quoted(struct slice s)
{
    return s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0];
}

/* A setting whose value may be told in a sentence only by its name. AWS's tools take quotes for a part of it. */
static int take_word(struct reader *r, struct slice *to, size_t max)
{
    struct slice name = r->at.name, value = r->at.value;
    if (to->n) return WRONG(r, "%.*s is set twice for [%.*s]", SLICE_ARG(name), SLICE_ARG(r->now->who.user));
    if (!value.n) return WRONG(r, "%.*s has no value", SLICE_ARG(name));
    if (value.n > max) return WRONG(r, "%.*s is longer than %zu characters", SLICE_ARG(name), max);
    if (!is_visible(value)) return WRONG(r, "%.*s contains blanks or characters that are not ASCII", SLICE_ARG(name));
    if (is_quoted(value) && !r->o->of_aws) return WRONG(r, "%.*s is in quotes; write it without them", SLICE_ARG(name));
    if (is_quoted(value))
        tell_at(r, r->o->warn, r->at.line, "%.*s of [%.*s] is in quotes, which are taken for a part of it", SLICE_ARG(name), SLICE_ARG(r->now->who.user));
    *to = arena_dup(&r->set->arena, value);
    return 0;
}

static int take_account(struct reader *r)
{
    int rc = take_word(r, &r->now->who.account, 12);
    struct slice s = r->now->who.account;
    bool good = s.n == 12;
    for (size_t i = 0; i < s.n; i++) good &= s.p[i] >= '0' && s.p[i] <= '9';
    return rc || good ? rc : WRONG(r, "account must be twelve digits");
}

static int take_expires(struct reader *r)
{
    struct identity *who = &r->now->who;
    if (who->expires) return WRONG(r, "expires is set twice for [%.*s]", SLICE_ARG(who->user));
    if (!date_read_extended(r->at.value, &who->expires) || who->expires <= 0)
        return WRONG(r, "expires must be a time such as 2026-12-31T00:00:00Z");
    return 0;
}

static int take_tag(struct reader *r, struct slice name)
{
    struct identity *who = &r->now->who;
    struct slice value = r->at.value;
    if (!is_visible(name) || name.n > MAX_TAG) return WRONG(r, "a tag is written tag.NAME = VALUE");
    if (value.n > MAX_TAG) return WRONG(r, "tag.%.*s is longer than %u characters", SLICE_ARG(name), MAX_TAG);
    if (who->n_tags == CREDENTIALS_MAX_TAGS) return WRONG(r, "[%.*s] has more than %u tags", SLICE_ARG(who->user), CREDENTIALS_MAX_TAGS);
    for (size_t i = 0; i < who->n_tags; i++) /* policies ask for tags whatever their case */
        if (slice_eq_fold(r->tags[i].name, name)) return WRONG(r, "tag.%.*s is set twice for [%.*s]", SLICE_ARG(name), SLICE_ARG(who->user));
    r->tags[who->n_tags++] = (struct identity_tag){ arena_dup(&r->set->arena, name), arena_dup(&r->set->arena, value) };
    return 0;
}

static int take_policy(struct reader *r)
{
    struct identity *who = &r->now->who;
    struct err why = { .arena = r->e->arena };
    if (r->has_policy) return WRONG(r, "policy is set twice for [%.*s]", SLICE_ARG(who->user));
    if (!r->at.value.n) return WRONG(r, "policy has no value");
    r->has_policy = true;
    if (!r->o->policy) return WRONG(r, "policy is not known to this program");
    if (!r->o->policy(r->o->ctx, &r->set->arena, r->at.value, &who->policy, &why)) return 0;
    if (!r->o->denied) return WRONG(r, "%.*s", SLICE_ARG(why.message));
    tell_at(r, r->o->denied, r->at.line, "[%.*s] is denied everything: %.*s", SLICE_ARG(who->user), SLICE_ARG(why.message));
    who->policy = &policy_unreadable;
    return 0;
}

/* May a name be part of a sentence? Not where it could be a secret that lost its name: those have "=" at their end as often as not. */
static bool is_plain_word(struct slice s)
{
    for (size_t i = 0; i < s.n; i++)
        if ((s.p[i] < 'a' || s.p[i] > 'z') && s.p[i] != '_') return false;
    return s.n && s.n <= 32;
}

static int take_setting(struct reader *r)
{
    static const char known[] = "aws_access_key_id, aws_secret_access_key, aws_session_token, expires, account, tag.NAME and policy";
    struct slice name = r->at.name, tag = SLICE("tag.");
    if (!r->now) return WRONG(r, "a setting before the first section; begin with [NAME]");
    struct identity *who = &r->now->who;
    if (slice_eq_fold(name, SLICE("aws_access_key_id"))) return take_word(r, &who->access_key, MAX_KEY);
    if (slice_eq_fold(name, SLICE("aws_session_token"))) return take_word(r, &who->session_token, MAX_TOKEN);
    if (slice_eq_fold(name, SLICE("aws_secret_access_key"))) return take_word(r, &who->secret, MAX_SECRET);
    if (slice_eq_fold(name, SLICE("account"))) return take_account(r);
    if (slice_eq_fold(name, SLICE("expires"))) return take_expires(r);
    if (slice_eq_fold(name, SLICE("policy"))) return take_policy(r);
    if (name.n >= tag.n && slice_eq_fold(slice_of(name.p, tag.n), tag)) return take_tag(r, slice_of(name.p + tag.n, name.n - tag.n));
    if (r->o->of_aws) return 0;
    if (!is_plain_word(name)) return WRONG(r, "there is no such setting; there are %s", known);
    return WRONG(r, "there is no setting %.*s; there are %s", SLICE_ARG(name), known);
}

/* ---- sections ---- */

/* The table of keys, twice as large as what is in it needs. */
static void rebuild_slots(struct credentials *c, size_t n_slots)
{
    c->slots = ARENA_ARRAY(&c->arena, uint32_t, n_slots);
    c->n_slots = n_slots;
    for (size_t i = 0; i < c->n; i++) *credentials_slot(c, c->entries[i]->who.access_key) = (uint32_t)i + 1;
}

/* A profile that says nothing of its own key but the key. */
static bool is_bare(const struct identity *who, const struct identity *first)
{
    return slice_eq(who->secret, first->secret) && slice_eq(who->session_token, first->session_token) && slice_eq(who->account, first->account) &&
           !who->policy && !who->expires && !who->n_tags;
}

static int add_entry(struct reader *r)
{
    struct credentials *c = r->set;
    struct slice key = r->now->who.access_key;
    if (2 * (c->n + 1) > c->n_slots) rebuild_slots(c, 2 * c->n_slots);
    uint32_t *slot = credentials_slot(c, key);
    if (*slot) {
        /* Profiles of AWS's tools may well share one. */
        if (r->o->of_aws && is_bare(&r->now->who, &c->entries[*slot - 1]->who)) return 0;
        return wrong_at(r, r->now->line, "[%.*s] has the access key of [%.*s]; each key is of one user", SLICE_ARG(r->now->who.user),
                        SLICE_ARG(c->entries[*slot - 1]->who.user));
    }
    if (c->n == r->cap) {
        struct entry **more = ARENA_ARRAY(&c->arena, struct entry *, r->cap ? 2 * r->cap : 16);
        if (c->n) memcpy(more, c->entries, c->n * sizeof *more);
        c->entries = more;
        r->cap = r->cap ? 2 * r->cap : 16;
    }
    pthread_mutex_init(&r->now->lock, NULL);
    c->entries[c->n++] = r->now;
    *slot = (uint32_t)c->n;
    return 0;
}

static int end_section(struct reader *r)
{
    if (!r->now) return 0;
    struct identity *who = &r->now->who;
    struct slice user = who->user;
    if (r->o->of_aws && !who->access_key.n && !who->secret.n) return 0;
    if (!who->access_key.n || !who->secret.n) {
        const char *missing = who->access_key.n ? "aws_secret_access_key" : "aws_access_key_id";
        if (!r->o->of_aws) return wrong_at(r, r->now->line, "[%.*s] has no %s", SLICE_ARG(user), missing);
        tell_at(r, r->o->warn, r->now->line, "[%.*s] has no %s, and is left out", SLICE_ARG(user), missing);
        return 0;
    }
    if (memchr(who->access_key.p, '/', who->access_key.n) || memchr(who->access_key.p, ',', who->access_key.n))
        return wrong_at(r, r->now->line, "the access key of [%.*s] contains a slash or a comma, which a signature cannot name", SLICE_ARG(user));
    if (!who->account.n) who->account = SLICE("000000000000"); /* as that of tables, where nobody says otherwise */
    if (who->n_tags) {
        struct identity_tag *tags = ARENA_ARRAY(&r->set->arena, struct identity_tag, who->n_tags);
        memcpy(tags, r->tags, who->n_tags * sizeof *tags);
        who->tags = tags;
    }
    return add_entry(r);
}

static int begin_section(struct reader *r)
{
    struct slice name = r->at.name;
    if (!name.n || name.n > MAX_KEY) return WRONG(r, "a section is written [NAME], with at most %u characters", MAX_KEY);
    r->now = ARENA_NEW(&r->set->arena, struct entry);
    r->now->who.user = arena_dup(&r->set->arena, name);
    r->now->line = r->at.line;
    r->has_policy = false;
    return 0;
}

/* Two sections of one name: found when all are read, by sorting. */
static int by_user(const void *a, const void *b)
{
    const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;
    int c = slice_cmp(x->who.user, y->who.user);
    return c ? c : (x->line > y->line) - (x->line < y->line);
}

static int check_users(struct reader *r)
{
    struct credentials *c = r->set;
    if (!c->n) return err_set(r->e, ERR_ValidationException, "%.*s has no access keys: a section [NAME] with lines aws_access_key_id = ... and "
                                                            "aws_secret_access_key = ... is one", SLICE_ARG(r->o->where));
    struct entry **sorted = ARENA_ARRAY(&c->arena, struct entry *, c->n);
    memcpy(sorted, c->entries, c->n * sizeof *sorted);
    qsort(sorted, c->n, sizeof *sorted, by_user);
    for (size_t i = 1; i < c->n; i++) {
        const struct entry *before = sorted[i - 1], *here = sorted[i];
        if (slice_eq(before->who.user, here->who.user))
            return wrong_at(r, here->line, "there is a section [%.*s] already, in line %u", SLICE_ARG(here->who.user), before->line);
    }
    return 0;
}

static int read_all(struct reader *r)
{
    int rc = 0;
    rebuild_slots(r->set, 16);
    for (enum ini_kind kind; !rc && (kind = ini_next(&r->at)) != INI_END;) {
        if (kind == INI_SECTION) {
            rc = end_section(r);
            if (!rc) rc = begin_section(r);
        } else if (kind == INI_SETTING) {
            rc = take_setting(r);
        } else if (!r->o->of_aws) {
            rc = WRONG(r, "this is neither [NAME] nor NAME = VALUE");
        }
    }
    if (!rc) rc = end_section(r);
    return rc ? rc : check_users(r);
}

int credentials_read(struct credentials **out, struct slice text, const struct credentials_options *o, struct err *e)
{
    struct credentials *c = calloc(1, sizeof *c);
    char sentence[1024] = "out of memory"; /* the set is gone when the caller's arena is asked for room */
    volatile int rc = ERR_InternalServerError;
    if (!c) return err_set(e, ERR_InternalServerError, "%s", sentence);
    c->holds = 1;
    arena_init(&c->arena, 32 * CREDENTIALS_MAX_TEXT);
    if (ARENA_GUARD(&c->arena)) {
        struct err why = { .arena = &c->arena };
        struct reader *r = ARENA_NEW(&c->arena, struct reader);
        *r = (struct reader){ .set = c, .o = o, .e = &why, .at = { .rest = text } };
        if (text.n > CREDENTIALS_MAX_TEXT) rc = err_set(&why, ERR_ValidationException, "%.*s is larger than 8 MB", SLICE_ARG(o->where));
        else rc = read_all(r);
        if (rc) snprintf(sentence, sizeof sentence, "%.*s", SLICE_ARG(why.message));
    }
    arena_unguard(&c->arena);
    if (!rc) {
        *out = c;
        return 0;
    }
    credentials_release(c);
    return err_set(e, (enum err_code)rc, "%s", sentence);
}
