/* log.c: formats a line on the stack and writes it with one system call, so that lines of several
 * threads do not mix. */
#include "log.h"
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

size_t log_escape(char *to, size_t size, const char *from, bool json)
{
    size_t n = 0;
    for (; *from && n + 7 < size; from++) {
        unsigned char c = (unsigned char)*from;
        if (c < 0x20 || c == 0x7f || (json && (c == '"' || c == '\\')))
            n += (size_t)snprintf(to + n, size - n, json ? "\\u%04x" : "\\x%02x", c);
        else
            to[n++] = (char)c;
    }
    to[n] = 0;
    return n;
}

void log_line(enum log_level level, const char *fmt, ...)
{
    static const char *const names[] = { "error", "warn", "info", "debug" };
    if (!log_on(level)) return;
    char message[1024], line[4096];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(message, sizeof(message), fmt, ap);
    va_end(ap);

    struct timespec ts;
    struct tm t;
    clock_gettime(CLOCK_REALTIME, &ts);
    gmtime_r(&ts.tv_sec, &t);
    int n =
        snprintf(line, 128,
                 as_json ? "{\"time\":\"%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ\",\"level\":\"%s\","
                           "\"message\":\""
                         : "%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ %-5s ",
                 t.tm_year + 1900, t.tm_mon + 1, t.tm_mday, t.tm_hour, t.tm_min, t.tm_sec,
                 ts.tv_nsec / 1000000, names[level]);
    size_t at = (size_t)n;
    at += log_escape(line + at, sizeof(line) - at - 8, message, as_json);
    const char *end = as_json ? "\"}\n" : "\n";
    memcpy(line + at, end, strlen(end));
    at += strlen(end);
    /* A log that cannot be written has nowhere to say so. */
    ssize_t written = write(STDERR_FILENO, line, at);
    (void)written;
}
