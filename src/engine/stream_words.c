/* stream_words.c: labels, ARNs, shard ids, sequence numbers and shard iterators of streams: written and read. */
#include "streams.h"
#include "../base/md5.h"
#include "../item/item_json.h"
#include <stdio.h>
#include <time.h>

#define LABEL_LENGTH     23 /* 2026-11-16T06:55:09.123 */
#define SHARD_ID_LENGTH  37
#define SEQUENCE_DIGITS  20 /* behind the leading 1 */
#define ITERATOR_VERSION 1
#define ITERATOR_BYTES   21 /* version(1) segment(4) sequence(8) issued(8) */
#define ITERATOR_CHECK   8

/* ---- labels and ARNs ---- */

void stream_put_label(struct buf *b, int64_t created_ms)
{
    char date[32];
    time_t seconds = (time_t)(created_ms / 1000);
    struct tm tm;
    gmtime_r(&seconds, &tm);
    strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &tm);
    buf_printf(b, "%s.%03d", date, (int)(created_ms % 1000));
}

void stream_put_arn(struct buf *b, const struct caller *who, struct slice table_name, int64_t created_ms)
{
    table_put_arn(b, who, table_name);
    BUF_LIT(b, "/stream/");
    stream_put_label(b, created_ms);
}

static bool read_digits(const uint8_t *p, size_t n, uint64_t *out)
{
    uint64_t v = 0;
    for (size_t i = 0; i < n; i++) {
        if (p[i] < '0' || p[i] > '9' || v > (UINT64_MAX - (uint64_t)(p[i] - '0')) / 10) return false;
        v = v * 10 + (uint64_t)(p[i] - '0');
    }
    *out = v;
    return true;
}

/* -1 if it is not as stream_put_label writes it. */
static int64_t read_label(struct slice label)
{
    static const char form[] = "0000-00-00T00:00:00.000";
    uint64_t year, month, day, hour, minute, second, ms;
    if (label.n != LABEL_LENGTH) return -1;
    for (size_t i = 0; i < label.n; i++) {
        if (form[i] != '0' && form[i] != (char)label.p[i]) return -1;
    }
    if (!read_digits(label.p, 4, &year) || !read_digits(label.p + 5, 2, &month) || !read_digits(label.p + 8, 2, &day) ||
        !read_digits(label.p + 11, 2, &hour) || !read_digits(label.p + 14, 2, &minute) ||
        !read_digits(label.p + 17, 2, &second) || !read_digits(label.p + 20, 3, &ms)) {
        return -1;
    }
    struct tm tm = { .tm_year = (int)year - 1900, .tm_mon = (int)month - 1, .tm_mday = (int)day, .tm_hour = (int)hour,
                     .tm_min = (int)minute, .tm_sec = (int)second };
    struct tm given = tm;
    int64_t seconds = (int64_t)timegm(&tm);
    bool same = tm.tm_year == given.tm_year && tm.tm_mon == given.tm_mon && tm.tm_mday == given.tm_mday &&
                tm.tm_hour == given.tm_hour && tm.tm_min == given.tm_min && tm.tm_sec == given.tm_sec;
    return same && seconds >= 0 ? seconds * 1000 + (int64_t)ms : -1;
}

bool stream_read_arn(struct slice arn, struct slice *table_name, int64_t *created_ms)
{
    static const char mark[] = "/stream/";
    struct slice rest = table_of(arn);
    if (!slice_starts(arn, SLICE("arn:")) || rest.n == arn.n || !memmem(arn.p, arn.n, ":dynamodb:", 10)) return false;
    const uint8_t *at = memmem(rest.p, rest.n, mark, sizeof mark - 1);
    if (!at || at == rest.p) return false;
    *table_name = slice_of(rest.p, (size_t)(at - rest.p));
    at += sizeof mark - 1;
    *created_ms = read_label(slice_of(at, (size_t)(rest.p + rest.n - at)));
    return true;
}

/* ---- shard ids and sequence numbers ---- */

void stream_put_shard_id(struct buf *b, const struct stream *s, uint32_t segment)
{
    buf_printf(b, "shardId-%020lld-%08x", (long long)s->created_ms, segment);
}

bool stream_read_shard_id(const struct stream *s, struct slice text, uint32_t *segment)
{
    char id[SHARD_ID_LENGTH + 1];
    uint32_t number = 0;
    if (text.n != SHARD_ID_LENGTH) return false;
    for (size_t i = SHARD_ID_LENGTH - 8; i < SHARD_ID_LENGTH; i++) {
        uint8_t c = text.p[i];
        number = number << 4 | (uint32_t)(c >= 'a' ? c - 'a' + 10 : c - '0');
    }
    snprintf(id, sizeof id, "shardId-%020lld-%08x", (long long)s->created_ms, number);
    *segment = number;
    return slice_eq(text, slice_of(id, SHARD_ID_LENGTH));
}

void stream_put_sequence(struct buf *b, uint64_t sequence)
{
    buf_printf(b, "1%020llu", (unsigned long long)sequence);
}

bool stream_read_sequence(struct slice text, uint64_t *sequence)
{
    return text.n == SEQUENCE_DIGITS + 1 && text.p[0] == '1' && read_digits(text.p + 1, SEQUENCE_DIGITS, sequence);
}

/* ---- shard iterators: ARN|1|base64 ---- */

static struct md5 check_of(struct slice payload, struct slice arn)
{
    struct slice parts[] = { payload, arn };
    return md5_of(parts, 2);
}

void stream_put_iterator(struct buf *b, const struct stream_position *p)
{
    struct buf bytes;
    buf_init(&bytes, b->arena, ITERATOR_BYTES + ITERATOR_CHECK);
    buf_u8(&bytes, ITERATOR_VERSION);
    buf_u32be(&bytes, p->segment);
    buf_u64be(&bytes, p->sequence);
    buf_u64be(&bytes, (uint64_t)p->issued_ms);
    struct md5 check = check_of(buf_view(&bytes), p->arn);
    buf_bytes(&bytes, check.bytes, ITERATOR_CHECK);
    buf_slice(b, p->arn);
    BUF_LIT(b, "|1|");
    base64_put(b, buf_view(&bytes));
}

bool stream_read_iterator(struct arena *a, struct slice text, struct stream_position *out)
{
    const uint8_t *at = memmem(text.p, text.n, "|1|", 3);
    struct slice bytes;
    if (!at) return false;
    out->arn = slice_of(text.p, (size_t)(at - text.p));
    at += 3;
    if (!base64_decode(a, slice_of(at, (size_t)(text.p + text.n - at)), &bytes)) return false;
    if (bytes.n != ITERATOR_BYTES + ITERATOR_CHECK || bytes.p[0] != ITERATOR_VERSION) return false;
    struct md5 check = check_of(slice_of(bytes.p, ITERATOR_BYTES), out->arn);
    if (memcmp(check.bytes, bytes.p + ITERATOR_BYTES, ITERATOR_CHECK) != 0) return false;
    out->segment = (uint32_t)slice_big_endian(bytes.p + 1, 4);
    out->sequence = slice_big_endian(bytes.p + 5, 8);
    out->issued_ms = (int64_t)slice_big_endian(bytes.p + 13, 8);
    return true;
}
