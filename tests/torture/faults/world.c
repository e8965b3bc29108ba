/* world.c: tables, items, a stream, a backup and a model, in memory; and what can be told of its store. */
#include "operations.h"
#include "lib/common.h"
#include "store/store.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define BODY_MAX ((size_t)1 << 20)
#define ARN      "arn:aws:dynamodb:us-east-1:000000000000:table/one"

static const char *const makers[][2] = {
    { "CreateTable", "{'TableName':'one','BillingMode':'PAY_PER_REQUEST','KeySchema':[{'AttributeName':'p','KeyType':'HASH'},"
                     "{'AttributeName':'s','KeyType':'RANGE'}],'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'},"
                     "{'AttributeName':'s','AttributeType':'S'},{'AttributeName':'g','AttributeType':'S'},{'AttributeName':'n','AttributeType':'N'}],"
                     "'GlobalSecondaryIndexes':[{'IndexName':'byG','KeySchema':[{'AttributeName':'g','KeyType':'HASH'}],"
                     "'Projection':{'ProjectionType':'ALL'}}],'LocalSecondaryIndexes':[{'IndexName':'byN','KeySchema':["
                     "{'AttributeName':'p','KeyType':'HASH'},{'AttributeName':'n','KeyType':'RANGE'}],'Projection':{'ProjectionType':'KEYS_ONLY'}}],"
                     "'StreamSpecification':{'StreamEnabled':true,'StreamViewType':'NEW_AND_OLD_IMAGES'}}" },
    { "CreateTable", "{'TableName':'empty','BillingMode':'PAY_PER_REQUEST','KeySchema':[{'AttributeName':'p','KeyType':'HASH'}],"
                     "'AttributeDefinitions':[{'AttributeName':'p','AttributeType':'S'}]}" },
    { "UpdateTimeToLive", "{'TableName':'one','TimeToLiveSpecification':{'Enabled':true,'AttributeName':'expires'}}" },
    { "UpdateContinuousBackups", "{'TableName':'one','PointInTimeRecoverySpecification':{'PointInTimeRecoveryEnabled':true}}" },
    { "BatchWriteItem", "{'RequestItems':{'one':["
                        "{'PutRequest':{'Item':{'p':{'S':'a'},'s':{'S':'1'},'g':{'S':'g1'},'n':{'N':'1'},'text':{'S':'one'}}}},"
                        "{'PutRequest':{'Item':{'p':{'S':'a'},'s':{'S':'2'},'g':{'S':'g1'},'n':{'N':'2.5'},'set':{'SS':['x','y']}}}},"
                        "{'PutRequest':{'Item':{'p':{'S':'a'},'s':{'S':'3'},'g':{'S':'g2'},'list':{'L':[{'N':'1'},{'M':{'k':{'BOOL':true}}}]}}}},"
                        "{'PutRequest':{'Item':{'p':{'S':'b'},'s':{'S':'1'},'n':{'N':'7'},'expires':{'N':'99999999999'}}}}]}}" },
    { "TransactWriteItems", "{'ClientRequestToken':'first','TransactItems':[{'Put':{'TableName':'one','Item':{'p':{'S':'c'},'s':{'S':'1'}}}}]}" },
    { "TagResource", "{'ResourceArn':'" ARN "','Tags':[{'Key':'team','Value':'one'}]}" },
    { "PutResourcePolicy", "{'ResourceArn':'" ARN "','Policy':'{\\'Version\\':\\'2012-10-17\\',\\'Statement\\':[{\\'Effect\\':\\'Allow\\',"
                           "\\'Principal\\':{\\'AWS\\':\\'000000000000\\'},\\'Action\\':\\'dynamodb:GetItem\\',\\'Resource\\':\\'" ARN "\\'}]}'}" },
};

static void give_up(const char *what, const char *text)
{
    fprintf(stderr, "%s: %s\n", what, text);
    exit(2);
}

/* The request with ' as " and ` as ', and with what this world calls its stream and backup. */
static char *fill(const struct world *w, const char *body)
{
    static char text[BODY_MAX];
    const char *const names[] = { "$stream", "$backup", "$iterator", "$arn" };
    const char *const values[] = { w->stream, w->backup, w->iterator, ARN };
    size_t n = 0;
    while (*body && n < BODY_MAX - TEXT_MAX) {
        size_t i = 0;
        while (i < 4 && strncmp(body, names[i], strlen(names[i]))) i++;
        if (i < 4) {
            n += (size_t)snprintf(text + n, BODY_MAX - n, "%s", values[i]);
            body += strlen(names[i]);
        } else if (!strncmp(body, "$long", 5)) {
            memset(text + n, 'x', 300000);
            n += 300000;
            body += 5;
        } else {
            text[n++] = *body == '\'' ? '"' : *body == '`' ? '\'' : *body;
            body++;
        }
    }
    text[n] = 0;
    return text;
}

static int outcome(const of_answer *answer)
{
    int status = of_answer_status(answer);
    return status == 200 ? OF_OK : status < 500 ? OF_INVALID : OF_IO;
}

int world_ask(struct world *w, const char *api, const char *body, of_error *err)
{
    of_answer *answer;
    int code = of_call(w->db, api, -1, fill(w, body), -1, &answer, err);
    if (code) return code;
    code = outcome(answer);
    if (code) snprintf(err->message, sizeof err->message, "%s", of_answer_body(answer, NULL));
    of_answer_free(answer);
    return code;
}

/* The value of a member of an answer, which must be there. */
static void learn(struct world *w, const char *api, const char *body, const char *member, char out[TEXT_MAX])
{
    of_answer *answer;
    of_error err;
    char start[100];
    if (of_call(w->db, api, -1, fill(w, body), -1, &answer, &err)) give_up(api, err.message);
    snprintf(start, sizeof start, "\"%s\":\"", member);
    const char *at = strstr(of_answer_body(answer, NULL), start), *end = at ? strchr(at + strlen(start), '"') : NULL;
    if (!end || end - at >= TEXT_MAX) give_up(api, of_answer_body(answer, NULL));
    at += strlen(start);
    snprintf(out, TEXT_MAX, "%.*s", (int)(end - at), at);
    of_answer_free(answer);
}

static void wait_for(struct world *w, const char *api, const char *body, const char *member, const char *value)
{
    char found[TEXT_MAX] = "";
    for (int i = 0; i < 5000 && strcmp(found, value); i++) {
        if (i) nanosleep(&(struct timespec){ .tv_nsec = 1000000 }, NULL);
        learn(w, api, body, member, found);
    }
    if (strcmp(found, value)) give_up(api, found);
}

static void make_model(struct world *w)
{
    of_answer *report;
    of_error err;
    if (of_model_open(&w->model, getenv("MODEL"), &err)) give_up("model", err.message);
    if (of_model_apply(w->model, w->db, &(of_apply_options){ .progress = NULL }, &report, &err)) give_up("apply", err.message);
    of_answer_free(report);
    if (of_model_load_sample(w->model, w->db, &report, &err)) give_up("sample", err.message);
    of_answer_free(report);
}

void world_make(struct world *w)
{
    of_error err;
    char shard[TEXT_MAX], body[2 * TEXT_MAX + 100];
    *w = (struct world){ .db = NULL };
    if (of_open(&w->db, NULL, &err)) give_up("open", err.message);
    for (size_t i = 0; i < sizeof makers / sizeof *makers; i++) {
        if (world_ask(w, makers[i][0], makers[i][1], &err)) give_up(makers[i][0], err.message);
        wait_for(w, "DescribeTable", "{'TableName':'one'}", "TableStatus", "ACTIVE");
    }
    learn(w, "DescribeTable", "{'TableName':'one'}", "LatestStreamArn", w->stream);
    learn(w, "DescribeStream", "{'StreamArn':'$stream'}", "ShardId", shard);
    snprintf(body, sizeof body, "{'StreamArn':'$stream','ShardId':'%s','ShardIteratorType':'TRIM_HORIZON'}", shard);
    learn(w, "GetShardIterator", body, "ShardIterator", w->iterator);
    learn(w, "CreateBackup", "{'TableName':'one','BackupName':'first'}", "BackupArn", w->backup);
    wait_for(w, "DescribeBackup", "{'BackupArn':'$backup'}", "BackupStatus", "AVAILABLE");
    make_model(w);
}

void world_end(struct world *w)
{
    of_model_close(w->model);
    of_close(w->db);
}

/* ---- the store ---- */

static void mix(uint64_t *sum, struct slice s)
{
    for (size_t i = 0; i < s.n; i++) *sum = (*sum ^ s.p[i]) * 0x100000001b3;
    *sum = (*sum ^ s.n) * 0x100000001b3;
}

static int read_all(struct store_txn *txn, void *ctx)
{
    uint64_t *sum = ctx;
    for (int space = 0; space < SPACE_END; space++) {
        struct store_cursor *cursor;
        struct slice key, value;
        int status = store_range_open(txn, &(struct store_range){ .space = (enum store_space)space }, &cursor);
        while (!status && !(status = store_range_next(cursor, &key, &value))) {
            mix(sum, key);
            mix(sum, value);
        }
        if (status != STORE_END) return status;
        mix(sum, slice_of(NULL, 0));
    }
    return STORE_OK;
}

uint64_t world_digest(struct world *w)
{
    uint64_t sum = 0xcbf29ce484222325;
    int status = store_view(w->db->store, read_all, &sum);
    if (status) give_up("reading the store", store_status_text(status));
    return sum;
}

bool world_is_whole(struct world *w)
{
    struct store_stats stats;
    store_get_stats(w->db->store, &stats);
    return stats.state == STORE_OK;
}
