/* transfer_list.c: ListImports and ListExports. A NextToken has the form that the API's description asks for (at least
 * 112 hexadecimal digits, in sixteens): the letter of the kind and the id of the last one shown, and zeros. */
#include "engine_impl.h"
#include "transfer.h"

#define PAGE        10
#define TOKEN_BYTES 56

static void put_token(struct buf *b, const struct transfer_kind *k, struct slice id)
{
    uint8_t bytes[TOKEN_BYTES] = { (uint8_t)k->record };
    memcpy(bytes + 1, id.p, TRANSFER_ID);
    BUF_LIT(b, ",\"NextToken\":\"");
    for (size_t i = 0; i < TOKEN_BYTES; i++)
        buf_printf(b, "%02x", bytes[i]);
    buf_u8(b, '"');
}

static int hex_digit(uint8_t c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* The key up to which the page before went. */
static bool read_token(struct slice token, const struct transfer_kind *k, uint8_t key[TRANSFER_ID + 1])
{
    if (token.n != 2 * TOKEN_BYTES) return false;
    for (size_t i = 0; i < TOKEN_BYTES; i++) {
        int high = hex_digit(token.p[2 * i]), low = hex_digit(token.p[2 * i + 1]);
        if (high < 0 || low < 0) return false;
        if (i <= TRANSFER_ID) key[i] = (uint8_t)(high << 4 | low);
    }
    return key[0] == (uint8_t)k->record;
}

static int put_page(struct call *call, struct store_cursor *cursor, const struct transfer_list *list)
{
    int64_t limit = PAGE, n = 0;
    struct slice key, record, last = { NULL, 0 };
    int status;
    param_int(call->request, slice_str(list->size), &limit);
    buf_printf(&call->response, "{\"%s\":[", list->member);
    while (!(status = store_range_next(cursor, &key, &record))) {
        if (key.n != TRANSFER_ID + 1 || !val_check(record)) {
            status = STORE_CORRUPT;
            break;
        }
        if (!list->wanted(call, record, list->ctx)) continue;
        if (n == limit) break;
        if (n++) buf_u8(&call->response, ',');
        last = arena_dup(call->arena, slice_of(key.p + 1, TRANSFER_ID));
        list->put(call, last, record);
    }
    store_range_close(cursor);
    buf_u8(&call->response, ']');
    if (status == STORE_OK && last.p) put_token(&call->response, list->kind, last); /* there is more */
    buf_u8(&call->response, '}');
    return status == STORE_END ? STORE_OK : status;
}

int transfer_put_list(struct call *call, struct store_txn *txn, const struct transfer_list *list)
{
    const struct transfer_kind *k = list->kind;
    uint8_t before[TRANSFER_ID + 1];
    struct slice none = { NULL, 0 }, token = param_string(call->request, SLICE("NextToken"));
    struct store_range range = { .space = SPACE_META,
                                 .from = transfer_key(call->arena, k->record, none),
                                 .to = transfer_key(call->arena, (char)(k->record + 1), none),
                                 .reverse = true };
    struct store_cursor *cursor;
    if (token.p) {
        if (!read_token(token, k, before)) {
            return err_set(&call->err, ERR_ValidationException,
                           "Invalid Request: Provided nextToken is invalid: %.*s", SLICE_ARG(token));
        }
        range.to = slice_of(before, sizeof before);
    }
    int status = store_range_open(txn, &range, &cursor);
    if (!status) status = put_page(call, cursor, list);
    return status ? call_store_failed(call, status) : 0;
}
