/* token.h: ClientRequestToken: the same transaction sent twice within ten minutes is done once.
 *
 * In SPACE_TOKEN, written in the transaction's own update:
 *   "t" token                     version(1) expiry ms(8) fingerprint(16), one byte per action: the units that a repeat reads
 *   "e" expiry ms(8) token        empty; lets jobs.c find what has expired without a scan */
#ifndef OF_ENGINE_TOKEN_H
#define OF_ENGINE_TOKEN_H

#include "ops.h"

#define TOKEN_LIFETIME_MS (10 * 60 * 1000)

struct token_print {
    uint8_t bytes[16];
};

/* Of a JSON value's meaning: the order of members does not matter. */
struct token_print token_fingerprint(const struct json *value);

struct slice token_key(struct arena *a, struct slice token);

enum token_state { TOKEN_NEW, TOKEN_DONE_BEFORE, TOKEN_MISMATCH };
/* record: what stands at token_key, empty if nothing. */
enum token_state token_check(struct slice record, const struct token_print *print, int64_t now_ms);
/* The units of each action's item, a byte each; empty where the record has none. */
struct slice token_read_units(struct slice record);
int token_write(struct store_txn *txn, struct arena *a, struct slice token,
                const struct token_print *print, struct slice read_units, int64_t now_ms);

#endif
