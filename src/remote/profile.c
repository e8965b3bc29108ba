/* profile.c: picks one profile out of a file of sections. Lines below a setting (s3 = ...) and lines that say nothing are skipped. */
#include "profile.h"
#include "../base/ini.h"

/* Is this the section that is looked for? */
static bool is_section(struct slice title, bool config, struct slice name)
{
    struct slice word = SLICE("profile");
    bool prefixed = title.n > word.n && slice_starts(title, word) && (title.p[word.n] == ' ' || title.p[word.n] == '\t');
    if (config && prefixed) title = slice_trim(slice_of(title.p + word.n, title.n - word.n));
    else if (config && !slice_eq(title, SLICE("default"))) return false;
    if (title.n >= 2 && title.p[0] == '"' && title.p[title.n - 1] == '"') title = slice_of(title.p + 1, title.n - 2);
    return slice_eq(title, name);
}

static void take(struct profile *out, struct slice name, struct slice value)
{
    static const char *const indirect[] = { "sso_session", "sso_start_url", "role_arn", "credential_process",
                                            "web_identity_token_file" };
    const struct {
        struct slice name;
        struct slice *to;
    } fields[] = {
        { SLICE("aws_access_key_id"), &out->access_key }, { SLICE("aws_secret_access_key"), &out->secret_key },
        { SLICE("aws_session_token"), &out->session_token }, { SLICE("region"), &out->region },
        { SLICE("endpoint_url"), &out->endpoint_url }, { SLICE("ca_bundle"), &out->ca_bundle },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (slice_eq_fold(name, fields[i].name)) *fields[i].to = value;
    }
    for (size_t i = 0; i < sizeof indirect / sizeof *indirect; i++) {
        if (slice_eq_fold(name, slice_str(indirect[i]))) out->indirect = name;
    }
}

void profile_read(struct slice text, bool config, struct slice name, struct profile *out)
{
    struct ini at = { .rest = text };
    bool inside = false;
    *out = (struct profile){ 0 };
    for (enum ini_kind kind; (kind = ini_next(&at)) != INI_END;) {
        if (kind == INI_SECTION) {
            inside = is_section(at.name, config, name);
            out->found = out->found || inside;
        } else if (kind == INI_SETTING && inside) {
            take(out, at.name, at.value);
        }
    }
}
