/* fuzz_credentials.c: any bytes as a file of access keys. What is refused is refused with a sentence that names the file, which is the same for every
 * secret; every key that is taken is found, with a secret, and has no more than it may. The first byte says what kind of file it is: a, AWS's own. */
#include "auth/credentials.h"
#include "base/ini.h"
#include "base/sha256.h"
#include "fuzz.h"

static int no_policy(void *ctx, struct arena *a, struct slice name, const struct policy **out, struct err *e)
{
    (void)ctx;
    (void)a;
    *out = NULL;
    return slice_eq(name, SLICE("bad.json")) ? err_set(e, ERR_ValidationException, "%.*s is no policy", SLICE_ARG(name)) : 0;
}

static int read_text(struct credentials **set, struct slice text, bool of_aws, struct err *e)
{
    struct credentials_options options = { .where = SLICE("keys"), .of_aws = of_aws, .policy = no_policy };
    int rc = credentials_read(set, text, &options, e);
    CHECK(rc == (rc ? (int)e->code : 0) && !rc == (*set != NULL));
    return rc;
}

/* Nowhere else in the text, and nothing that is refused for how it looks. */
static bool is_plain_and_unique(struct slice text, struct slice word)
{
    unsigned n = 0;
    for (size_t i = 0; i < word.n; i++)
        if (word.p[i] <= ' ' || word.p[i] >= 0x7f) return false;
    for (const uint8_t *at = text.p, *end = text.p + text.n; (at = memmem(at, (size_t)(end - at), word.p, word.n)); at++) n++;
    return n == 1;
}

/* With another secret of the same length the sentence is the same. */
static void check_secret(struct arena *a, struct slice text, struct slice secret, bool of_aws, struct slice sentence)
{
    uint8_t *other = arena_bytes(a, text.n), *place = other + (secret.p - text.p);
    struct err e = { .arena = a };
    struct credentials *set = NULL;
    memcpy(other, text.p, text.n);
    memset(place, 'Q', secret.n);
    if (!is_plain_and_unique(text, secret) || !is_plain_and_unique(slice_of(other, text.n), slice_of(place, secret.n))) return;
    CHECK(read_text(&set, slice_of(other, text.n), of_aws, &e) && slice_eq(e.message, sentence));
}

static void check_sentence(struct arena *a, struct slice text, bool of_aws, struct slice sentence)
{
    struct ini at = { .rest = text };
    CHECK(slice_starts(sentence, SLICE("keys")));
    for (enum ini_kind kind; (kind = ini_next(&at)) != INI_END;) {
        bool secret = kind == INI_SETTING && (slice_eq_fold(at.name, SLICE("aws_secret_access_key")) || slice_eq_fold(at.name, SLICE("aws_session_token")));
        if (secret && at.value.n >= 4) check_secret(a, text, at.value, of_aws, sentence);
    }
}

static void check_identity(struct credentials *set, const struct identity *who)
{
    struct hmac_key once, twice;
    uint8_t sums[2][SHA256_BYTES];
    CHECK(who->secret.n && who->user.n && (!who->account.n || who->account.n == 12) && who->expires >= 0 && who->n_tags <= CREDENTIALS_MAX_TAGS);
    credentials_signing_key(set, who, SLICE("20150830"), SLICE("us-east-1"), SLICE("dynamodb"), &once);
    credentials_signing_key(set, who, SLICE("20150830"), SLICE("us-east-1"), SLICE("dynamodb"), &twice);
    hmac_key_sum(&once, SLICE("x"), sums[0]);
    hmac_key_sum(&twice, SLICE("x"), sums[1]);
    CHECK(!memcmp(sums[0], sums[1], SHA256_BYTES));
}

/* Every key that the file names is there, once; of AWS's, every one that has a secret. */
static void check_set(struct credentials *set, struct slice text, bool of_aws)
{
    struct ini at = { .rest = text };
    size_t n = 0;
    for (enum ini_kind kind; (kind = ini_next(&at)) != INI_END;) {
        if (kind != INI_SETTING || !slice_eq_fold(at.name, SLICE("aws_access_key_id"))) continue;
        const struct identity *who = credentials_find(set, at.value);
        n++;
        if (of_aws && !who) continue; /* its section has no secret */
        CHECK(who && slice_eq(who->access_key, at.value));
        check_identity(set, who);
    }
    CHECK(of_aws ? n >= credentials_count(set) : n == credentials_count(set));
    CHECK(!credentials_find(set, slice_of(NULL, 0)) && !credentials_find(set, SLICE("a/b")));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FUZZ_ARENA(a, (size_t)16 << 20);
    struct slice in = slice_of(data, size);
    struct credentials *set = NULL;
    struct err e = { .arena = a };
    bool of_aws = fuzz_byte(&in) == 'a';
    if (read_text(&set, in, of_aws, &e)) {
        check_sentence(a, in, of_aws, e.message);
        return 0;
    }
    check_set(set, in, of_aws);
    credentials_release(set);
    return 0;
}
