/* policy_pattern.h: a text in a policy: literal pieces, wildcards, variables.
 *
 * "TENANT#${aws:PrincipalTag/tenant}#*" is three pieces: a literal, a variable and a run of anything. A variable's value is compared as it
 * is: a star in a tag is no wildcard. */
#ifndef OF_AUTH_POLICY_PATTERN_H
#define OF_AUTH_POLICY_PATTERN_H

#include "policy.h"

/* Three values of logic, so that NOT is YES - x, AND the least and OR the greatest. */
enum truth { NO, MAYBE, YES };

/* The keys of conditions, which are also the variables (those with one value, aws: alone). */
enum policy_key {
    KEY_LEADING_KEYS, KEY_SECOND_KEYS, KEY_THIRD_KEYS, KEY_FOURTH_KEYS, KEY_ATTRIBUTES, KEY_SELECT, KEY_RETURN_VALUES, KEY_RETURN_CAPACITY, KEY_ENCLOSING, KEY_FULL_SCAN,
    KEY_USERNAME, KEY_PRINCIPAL_ARN, KEY_PRINCIPAL_ACCOUNT, KEY_PRINCIPAL_TYPE, KEY_PRINCIPAL_TAG, KEY_RESOURCE_TAG,
    KEY_SECURE, KEY_CURRENT_TIME, KEY_EPOCH_TIME, KEY_SOURCE_IP, KEY_REGION,
    KEY_COUNT
};
#define KEY_LAST_OF_ITEMS KEY_FULL_SCAN /* up to it they are of the items, and of what is done to them */
/* KEY_COUNT: not known. tag: what follows the slash, of those that have one. */
enum policy_key policy_key_read(struct slice name, struct slice *tag);

/* The values of a key in a request. */
struct policy_values {
    const struct slice *all;
    size_t n;
    enum policy_reach reach;
    bool unknown; /* nobody can say */
    struct slice one; /* what all points to where there is one */
    char text[128];
};
void policy_values(const struct policy_request *r, enum policy_key key, struct slice tag, struct policy_values *out);

enum piece_kind { PIECE_LITERAL, PIECE_RUN, PIECE_ONE, PIECE_VARIABLE };
struct piece {
    enum piece_kind kind;
    enum policy_key key; /* VARIABLE */
    bool has_default;
    struct slice text;   /* LITERAL; VARIABLE: its default */
    struct slice tag;
};
struct pattern {
    struct piece *pieces;
    size_t n;
};

/* wild: * and ? are wildcards. variables: ${...} is one (Version 2012-10-17). 0, or ERR_ValidationException. */
int pattern_read(struct arena *a, struct slice text, bool wild, bool variables, struct pattern *out, struct err *e);
/* Has every variable in it a value? */
bool pattern_has_values(const struct pattern *p, const struct policy_request *r);
/* fold: the case of ASCII letters does not matter. MAYBE: a variable has no value. */
enum truth pattern_match(const struct pattern *p, const struct policy_request *r, struct slice text, bool fold);
/* Of all texts that begin so: does it match each? MAYBE: some. */
enum truth pattern_match_all(const struct pattern *p, const struct policy_request *r, struct slice beginning);
/* Without wildcards and variables of its own: as one text, for texts that are numbers, times and the like. */
bool pattern_is_literal(const struct pattern *p, struct slice *out);

/* Names, which have no variables: dynamodb:Get*. */
bool pattern_covers(struct slice pattern, struct slice name);

#endif
