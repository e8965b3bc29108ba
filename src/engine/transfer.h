/* transfer.h: what imports and exports have in common: they are named by an ARN, last a while, can be described and listed
 * for 90 days, and a ClientToken makes sure that one that was asked for twice is done once.
 *
 *   SPACE_META   "I" id(23)                  an import: an item (import.h)
 *                "i" id(23)                  one that is under way: how far it is
 *                "E" id(23), "e" id(23)      the same for exports (export.h)
 *                "k" 'I' or 'E' hash(16)     a ClientToken, by its XXH3-128: id(23), the token
 *
 * An id is the millisecond in which the transfer began, in 14 digits, a '-', and 8 random hexadecimal digits. */
#ifndef OF_ENGINE_TRANSFER_H
#define OF_ENGINE_TRANSFER_H

#include "fields.h"
#include "ops.h"

#define TRANSFER_ID         23 /* characters of an id */
#define TRANSFER_MAX_RECORD ((size_t)1 << 20)

/* A row for imports and one for exports. */
struct transfer_kind {
    char record, progress;  /* letters of the keys above */
    const char *name;       /* "import", in ARNs */
    const char *title;      /* "Import" */
    enum err_code conflict, not_found;
};
extern const struct transfer_kind transfer_import, transfer_export;

/* Refuses openly where there are no buckets: the server was started without --s3. */
int transfer_check_buckets(struct call *call, const char *operation);
/* "arn:aws:dynamodb:us-east-1:000000000000:table/NAME/import/ID". */
void transfer_put_arn(struct buf *b, const struct transfer_kind *k, struct slice region, struct slice account,
                      struct slice table, struct slice id);
/* Table and id out of the ARN in call->request's member. */
int transfer_read_arn(struct call *call, const struct transfer_kind *k, const char *member, struct slice *arn,
                      struct slice *table, struct slice *id);
int transfer_not_found(struct call *call, const struct transfer_kind *k, struct slice arn);

struct slice transfer_new_id(struct arena *a, int64_t now_ms);
int64_t transfer_id_ms(struct slice id);
struct slice transfer_key(struct arena *a, char letter, struct slice id);
/* Inside a step: is it still under way? STORE_OK; STORE_NOT_FOUND: another server has ended it. letter: of its progress. */
int transfer_goes_on(struct store_txn *txn, struct arena *a, char letter, struct slice id);
/* The record; STORE_NOT_FOUND. Copied into the arena. */
int transfer_read(struct store_txn *txn, struct arena *a, char letter, struct slice id, struct slice *record);
/* Writes a new one, with its token; forgets some that have ended and are older than 90 days. */
int transfer_write_new(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, struct slice id,
                       struct slice token, struct slice record);
/* The id that a token stands for; STORE_NOT_FOUND. A token counts for eight hours after its transfer ended: the caller
 * asks transfer_token_counts with that time. */
int transfer_find_token(struct store_txn *txn, struct arena *a, const struct transfer_kind *k, struct slice token,
                        struct slice *id);
bool transfer_token_counts(int64_t end_ms, int64_t now_ms);

/* ListImports and ListExports: the newest first, a page at a time. wanted: does it belong in the list? put: writes its
 * summary, an object. size: the member that has the page's length. */
struct transfer_list {
    const struct transfer_kind *kind;
    const char *member; /* of the answer */
    const char *size;
    bool (*wanted)(struct call *call, struct slice record, const void *ctx);
    void (*put)(struct call *call, struct slice id, struct slice record);
    const void *ctx;
};
int transfer_put_list(struct call *call, struct store_txn *txn, const struct transfer_list *list);

/* Members of an answer, each with a comma before it. */
void put_member_text(struct buf *b, const char *member, struct slice text);  /* left out if empty */
void put_member_json(struct buf *b, const char *member, struct slice json); /* left out if empty */
void put_member_int(struct buf *b, const char *member, int64_t v);
void put_member_ms(struct buf *b, const char *member, int64_t ms); /* left out if 0 */

#endif
