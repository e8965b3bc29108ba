/* policy_action.c: the names of actions. */
#include "policy_action.h"

#define PREFIX "dynamodb:"

static const struct slice names[ACTION_COUNT] = {
#define X(name) { (const uint8_t *)PREFIX #name, sizeof(PREFIX #name) - 1 },
    POLICY_ACTIONS(X)
#undef X
#define X(name) { (const uint8_t *)"s3:" #name, sizeof("s3:" #name) - 1 },
    POLICY_ACTIONS_OF_S3(X)
#undef X
};

struct slice policy_action_name(enum policy_action action)
{
    return names[action];
}

enum policy_action policy_action_of(struct slice operation)
{
    const size_t skip = sizeof PREFIX - 1;
    for (unsigned i = 0; i < ACTION_S3_GetObject; i++) {
        if (slice_eq(operation, slice_of(names[i].p + skip, names[i].n - skip))) return (enum policy_action)i;
    }
    return ACTION_COUNT;
}
