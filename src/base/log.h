/* log.h: lines to standard error, as text or as JSON, one write per line. Never item data, never
 * secrets. Set up once at start; lines may come from any thread. */
#ifndef OF_BASE_LOG_H
#define OF_BASE_LOG_H

#include <stdbool.h>
#include <stddef.h>

enum log_level { LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

/* Before log_setup: LOG_INFO, text. */
void log_setup(enum log_level most, bool json);
bool log_on(enum log_level level);
void log_line(enum log_level level, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Copies text so that it can stand in a line, or (json) in a JSON string: control characters must
 * not forge a line of their own. Cuts what does not fit; ends with a NUL; returns the length. */
size_t log_escape(char *to, size_t size, const char *from, bool json);

#endif
