/* preload.h: what the libraries for LD_PRELOAD share: functions of the C library under their own names, and the four that open a file. */
#ifndef OF_TESTS_TORTURE_PRELOAD_H
#define OF_TESTS_TORTURE_PRELOAD_H

#include <fcntl.h>
#include <stdarg.h>
#include <sys/types.h>

#define EXPORT      __attribute__((visibility("default")))
#define NAMED(name) __asm__(name)

/* Theirs: what opening does. */
static int open_at(int at, const char *path, int flags, mode_t mode);

#define PRELOAD_OPENING(function, name, parameters, at)                                     \
    EXPORT int function parameters NAMED(name);                                             \
    int function parameters                                                                 \
    {                                                                                       \
        va_list ap;                                                                         \
        va_start(ap, flags);                                                                \
        mode_t mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(ap, mode_t) : 0;               \
        va_end(ap);                                                                         \
        return open_at(at, path, flags, mode);                                              \
    }
PRELOAD_OPENING(preload_open, "open", (const char *path, int flags, ...), AT_FDCWD)
PRELOAD_OPENING(preload_open64, "open64", (const char *path, int flags, ...), AT_FDCWD)
PRELOAD_OPENING(preload_openat, "openat", (int beside, const char *path, int flags, ...), beside)
PRELOAD_OPENING(preload_openat64, "openat64", (int beside, const char *path, int flags, ...), beside)

#endif
