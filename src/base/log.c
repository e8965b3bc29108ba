/* log.c: formats a line on the stack and writes it with one system call, so that lines of several
 * threads do not mix. */
#include "log.h"
#include <stdarg.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#define LINE_MAX_BYTES   4096
#define FIELDS_MAX_BYTES 2048
#define ESCAPE_MAX_BYTES 7 /* the longest that one character becomes, and the NUL */

static enum log_level most_level = LOG_INFO;
static bool as_json;

void log_setup(enum log_level most, bool json)
{
    most_level = most;
    as_json = json;
}

bool log_on(enum log_level level)
{
    return level <= most_level;
}

bool log_is_json(void)
{
    return as_json;
}

/* ---- text ---- */

/* The bytes of the UTF-8 character that begins here; 0: there is none. */
static size_t character_length(struct slice s)
{
    uint8_t c = s.p[0];
    size_t n = c < 0x80 ? 1 : c >= 0xc2 && c < 0xe0 ? 2 : c >= 0xe0 && c < 0xf0 ? 3 : c >= 0xf0 && c < 0xf5 ? 4 : 0;
    if (n > s.n) return 0;
    for (size_t i = 1; i < n; i++)
        if ((s.p[i] & 0xc0) != 0x80) return 0;
    /* Longer than need be, a surrogate, or beyond the last character. */
    if (n > 2 && ((c == 0xe0 && s.p[1] < 0xa0) || (c == 0xed && s.p[1] > 0x9f) || (c == 0xf0 && s.p[1] < 0x90) ||
                  (c == 0xf4 && s.p[1] > 0x8f)))
        return 0;
    return n;
}

size_t log_escape(char *to, size_t size, struct slice from, bool json)
{
    size_t n = 0;
    for (size_t i = 0; i < from.n && n + ESCAPE_MAX_BYTES <= size;) {
        uint8_t c = from.p[i];
        size_t length = character_length(slice_of(from.p + i, from.n - i));
        if (length > 1) {
            memcpy(to + n, from.p + i, length);
            n += length;
        } else if (length == 0) {
            n += (size_t)snprintf(to + n, size - n, json ? "\\ufffd" : "\\x%02x", c);
            length = 1;
        } else if (c < 0x20 || c == 0x7f || (json && (c == '"' || c == '\\'))) {
            n += (size_t)snprintf(to + n, size - n, json ? "\\u%04x" : "\\x%02x", c);
        } else {
            to[n++] = (char)c;
        }
        i += length;
    }
    to[n] = 0;
    return n;
}

void log_time(char to[LOG_TIME_SIZE])
{
    struct timespec ts;
    struct tm t;
    clock_gettime(CLOCK_REALTIME, &ts);
    gmtime_r(&ts.tv_sec, &t);
    size_t n = strftime(to, LOG_TIME_SIZE, "%Y-%m-%dT%H:%M:%S", &t);
    snprintf(to + n, LOG_TIME_SIZE - n, ".%03ldZ", ts.tv_nsec / 1000000);
}

/* ---- fields ---- */

struct fields {
    char text[FIELDS_MAX_BYTES];
    size_t n;
};

/* A value of a text line stands in quotes where it would otherwise not be seen where it ends. */
static bool needs_quotes(struct slice value)
{
    for (size_t i = 0; i < value.n; i++)
        if (value.p[i] == ' ' || value.p[i] == '"' || value.p[i] == '=' || value.p[i] == '\\') return true;
    return false;
}

static void add_field(struct fields *f, const struct log_field *field)
{
    char value[1024], number[32];
    struct slice text = field->text;
    if (!field->is_number && !text.n) return;
    bool quoted = !field->is_number && (as_json || needs_quotes(text));
    if (field->is_number) text = slice_of(number, (size_t)snprintf(number, sizeof number, "%.15g", field->number));
    log_escape(value, sizeof value, text, quoted);
    const char *quote = quoted ? "\"" : "";
    int n = snprintf(f->text + f->n, sizeof f->text - f->n, as_json ? ",\"%s\":%s%s%s" : " %s=%s%s%s", field->name, quote, value, quote);
    if (n > 0 && (size_t)n < sizeof f->text - f->n) f->n += (size_t)n;
    f->text[f->n] = 0;
}

bool log_budget_take(struct log_budget *b, unsigned per_second, uint64_t second, unsigned *left_out)
{
    uint64_t was = __atomic_load_n(&b->now, __ATOMIC_RELAXED), next;
    do {
        unsigned told = was >> 32 == (uint32_t)second ? (uint32_t)was : 0;
        if (told >= per_second) {
            __atomic_add_fetch(&b->left_out, 1, __ATOMIC_RELAXED);
            return false;
        }
        next = second << 32 | (told + 1);
    } while (!__atomic_compare_exchange_n(&b->now, &was, next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    *left_out = __atomic_exchange_n(&b->left_out, 0, __ATOMIC_RELAXED);
    return true;
}

/* ---- lines ---- */

static void write_line(enum log_level level, const struct fields *fields, const char *fmt, va_list ap)
{
    static const char *const names[] = { "error", "warn", "info", "debug" };
    char message[1024], line[LINE_MAX_BYTES], now[LOG_TIME_SIZE];
    vsnprintf(message, sizeof(message), fmt, ap);
    log_time(now);
    size_t at = (size_t)snprintf(line, sizeof line, as_json ? "{\"time\":\"%s\",\"level\":\"%s\",\"message\":\"" : "%s %-5s ", now, names[level]);
    const char *end = as_json ? "}\n" : "\n", *quote = as_json ? "\"" : "";
    size_t behind = strlen(quote) + fields->n + strlen(end) + 1;
    at += log_escape(line + at, sizeof(line) - at - behind, slice_str(message), as_json);
    at += (size_t)snprintf(line + at, sizeof line - at, "%s%s%s", quote, fields->text, end);
    /* A log that cannot be written has nowhere to say so. */
    ssize_t written = write(STDERR_FILENO, line, at);
    (void)written;
}

void log_line(enum log_level level, const char *fmt, ...)
{
    const struct fields none = { .n = 0 };
    va_list ap;
    if (!log_on(level)) return;
    va_start(ap, fmt);
    write_line(level, &none, fmt, ap);
    va_end(ap);
}

void log_event(enum log_level level, const char *event, const struct log_field *fields, size_t n_fields, const char *fmt, ...)
{
    struct fields f = { .n = 0 };
    va_list ap;
    if (!log_on(level)) return;
    add_field(&f, &LOG_TEXT("event", slice_str(event)));
    for (size_t i = 0; i < n_fields; i++) add_field(&f, &fields[i]);
    va_start(ap, fmt);
    write_line(level, &f, fmt, ap);
    va_end(ap);
}
