/* policy_action.c: the names of actions. */
#include "policy_pattern.h"

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

/* Permission to do what this server does not do. */
static const char *const others[] = {
    "dynamodb:AssociateTableReplica", "dynamodb:CreateGlobalTableWitness", "dynamodb:CreateTableReplica", "dynamodb:DeleteGlobalTableWitness",
    "dynamodb:DeleteTableReplica", "dynamodb:DescribeReservedCapacity", "dynamodb:DescribeReservedCapacityOfferings", "dynamodb:GetAbacStatus",
    "dynamodb:InjectError", "dynamodb:PurchaseReservedCapacityOfferings", "dynamodb:ReadDataForReplication",
    "dynamodb:ReplicateSettings", "dynamodb:RestoreTableFromAwsBackup", "dynamodb:StartAwsBackupJob",
    "dynamodb:UpdateAbacStatus", "dynamodb:UpdateGlobalTableVersion", "dynamodb:WriteDataForReplication",
};

bool policy_covers_other_action(struct slice pattern)
{
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (pattern_covers(pattern, slice_str(others[i]))) return true;
    }
    return false;
}
