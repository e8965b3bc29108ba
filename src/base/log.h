/* log.h: lines to standard error, as text or as JSON, one write per line. Never item data, never
 * secrets. Set up once at start; lines may come from any thread.
 *
 *   text  2026-11-16T15:20:09.041Z warn  Query of shop took 812 ms event=slow_request operation=Query ms=812
 *   JSON  {"time":"2026-11-16T15:20:09.041Z","level":"warn","message":"Query of ...","event":"slow_request","operation":"Query","ms":812}
 *
 * Every line has time, level and message. A line that programs look for has an event besides, the same word each time, and fields. */
#ifndef OF_BASE_LOG_H
#define OF_BASE_LOG_H

#include "slice.h"

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Before log_setup: LOG_INFO, text. */
void log_setup(enum log_level most, bool json);
bool log_on(enum log_level level);
bool log_is_json(void);
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Text or a number; an empty text is left out. */
struct log_field {
    const char *name;
    struct slice text;
    bool is_number;
    double number;
};
#define LOG_TEXT(field, value)   ((struct log_field){ .name = (field), .text = (value) })
#define LOG_NUMBER(field, value) ((struct log_field){ .name = (field), .is_number = true, .number = (double)(value) })

/* Fields that do not fit in a line are left out. */
void log_event(enum log_level level, const char *event, const struct log_field *fields, size_t n_fields, const char *fmt, ...)
    __attribute__((format(printf, 5, 6)));

/* So many lines a second and no more, of all threads together: what strangers can bring about must not fill a disk. Begins as zeroes. */
struct log_budget {
    uint64_t now;      /* atomic: the second, and how many there were in it */
    unsigned left_out; /* atomic */
};
/* True: write it. *left_out: how many were not written since the last that was. */
bool log_budget_take(struct log_budget *b, unsigned per_second, uint64_t second, unsigned *left_out);

/* "2026-11-16T15:20:09.041Z" */
#define LOG_TIME_SIZE 32
void log_time(char to[LOG_TIME_SIZE]);
/* Copies text so that it can stand in a line, or (json) in a JSON string: control characters must
 * not forge a line of their own, and what is no UTF-8 must not make JSON that nobody reads. Cuts what
 * does not fit; ends with a NUL; returns the length. */
size_t log_escape(char *to, size_t size, struct slice from, bool json);

#endif
