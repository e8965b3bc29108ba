/* profile.c: reads a profile: sections in brackets, name = value, comments with # or ; at the start of a line or after a
 * blank. Indented lines belong to the name above them (s3 = ...) and are skipped. */
#include "profile.h"

static struct slice next_line(struct slice *text)
{
    const uint8_t *end = memchr(text->p, '\n', text->n);
    struct slice line = slice_of(text->p, end ? (size_t)(end - text->p) : text->n);
    size_t used = line.n + (end != NULL);
    *text = slice_of(text->p + used, text->n - used);
    if (line.n && line.p[line.n - 1] == '\r') line.n--;
    return line;
}

static struct slice without_comment(struct slice s)
{
    for (size_t i = 1; i < s.n; i++) {
        if ((s.p[i] == '#' || s.p[i] == ';') && (s.p[i - 1] == ' ' || s.p[i - 1] == '\t')) s.n = i;
    }
    return slice_trim(s);
}

/* Is this line the head of the section that is looked for? *head: it is the head of one. */
static bool is_section(struct slice line, bool config, struct slice name, bool *head)
{
    line = without_comment(line);
    *head = line.n >= 2 && line.p[0] == '[' && line.p[line.n - 1] == ']';
    if (!*head) return false;
    struct slice title = slice_trim(slice_of(line.p + 1, line.n - 2)), word = SLICE("profile");
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
        { SLICE("endpoint_url"), &out->endpoint_url },
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (slice_eq(name, fields[i].name)) *fields[i].to = value;
    }
    for (size_t i = 0; i < sizeof indirect / sizeof *indirect; i++) {
        if (slice_eq(name, slice_str(indirect[i]))) out->indirect = name;
    }
}

void profile_read(struct slice text, bool config, struct slice name, struct profile *out)
{
    bool inside = false, head;
    *out = (struct profile){ 0 };
    while (text.n) {
        struct slice line = next_line(&text);
        if (!line.n || line.p[0] == '#' || line.p[0] == ';') continue;
        bool ours = is_section(line, config, name, &head);
        if (head) {
            inside = ours;
            out->found = out->found || ours;
            continue;
        }
        if (!inside || line.p[0] == ' ' || line.p[0] == '\t') continue;
        const uint8_t *equals = memchr(line.p, '=', line.n);
        if (!equals) continue;
        size_t n = (size_t)(equals - line.p);
        take(out, slice_trim(slice_of(line.p, n)), without_comment(slice_of(equals + 1, line.n - n - 1)));
    }
}
