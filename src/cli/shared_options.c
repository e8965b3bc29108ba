/* shared_options.c: the options that many commands have, in groups: which model, which table, what is shown. */
#include "cli.h"

static const char *set_limit(void *target, const char *value)
{
    long n = parse_digits(value, 1000000);
    if (n < 1) return "is not a number of items (1 to 1000000)";
    ((struct shared *)target)->limit = (uint32_t)n;
    return NULL;
}

#define AT(member) .at = offsetof(struct shared, member)

static const struct option_spec model[] = {
    { "model", "FILE", "the model (./onefold.yaml)", AT(model), .env = "ONEFOLD_MODEL", .complete = COMPLETE_FILE },
};

static const struct option_spec target[] = {
    { "data", "DIR", "a data directory, opened by the program (ONEFOLD_DATA)", AT(data), .env = "ONEFOLD_DATA",
      .complete = COMPLETE_DIR },
    { "endpoint", "URL", "a server (AWS_ENDPOINT_URL_DYNAMODB), or 'aws'", AT(endpoint) },
};

static const struct option_spec remote[] = {
    { "region", "NAME", "region to sign for (AWS_REGION)", AT(region) },
    { "profile", "NAME", "profile of the AWS files (AWS_PROFILE)", AT(profile) },
    { "ca-file", "FILE", "believe certificates of these authorities (AWS_CA_BUNDLE)", AT(ca_file), .complete = COMPLETE_FILE },
    { "client-cert", "FILE", "show this certificate to the server (ONEFOLD_CLIENT_CERT)", AT(client_cert), .complete = COMPLETE_FILE },
    { "client-key", "FILE", "the certificate's private key (ONEFOLD_CLIENT_KEY)", AT(client_key), .complete = COMPLETE_FILE },
};

static const struct option_spec requests[] = {
    { "dry-run", NULL, "only show the requests that would be sent", AT(dry_run) },
    { "explain", NULL, "also show the requests, on standard error", AT(explain) },
};

static const struct option_spec yes[] = {
    { "yes", NULL, "do not ask; needed to write to AWS itself", AT(yes) },
};

static const struct option_spec json[] = {
    { "json", NULL, "print JSON instead of tables", AT(json) },
};

static const struct option_spec pages[] = {
    { "limit", "N", "results of one page", .set = set_limit },
    { "after", "TOKEN", "the next page; the page before names the token", AT(after) },
    { "consistent", NULL, "read what was written last, at twice the price", AT(consistent) },
};

static const struct {
    unsigned group;
    const struct option_spec *options;
    size_t n;
} groups[] = {
    { SHARE_PAGES, pages, COUNT(pages) },
    { SHARE_REQUESTS, requests, COUNT(requests) },
    { SHARE_JSON, json, COUNT(json) },
    { SHARE_YES, yes, COUNT(yes) },
    { SHARE_MODEL, model, COUNT(model) },
    { SHARE_TARGET, target, COUNT(target) },
    { SHARE_TARGET | SHARE_REMOTE, remote, COUNT(remote) },
};

const struct option_spec *command_option(const struct command *c, size_t i)
{
    if (i < c->n_options) return &c->options[i];
    i -= c->n_options;
    for (size_t g = 0; g < COUNT(groups); g++) {
        if (!(c->shares & groups[g].group)) continue;
        if (i < groups[g].n) return &groups[g].options[i];
        i -= groups[g].n;
    }
    return NULL;
}
