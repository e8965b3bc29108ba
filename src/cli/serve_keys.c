/* serve_keys.c: reads the file of access keys and the policies that it names. Nobody but its owner, and perhaps his group, may be able to
 * read it: who can read a secret can sign with it. */
#include "serve_keys.h"
#include "../auth/policy.h"
#include "../base/buf.h"
#include "../base/ini.h"
#include "../base/log.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* The whole of a file that is not larger than max, into the arena. forbidden: bits of its mode. */
static int read_whole(struct arena *a, const char *path, size_t max, mode_t forbidden, struct slice *out, struct err *e)
{
    struct stat st;
    if (stat(path, &st)) return err_set(e, ERR_ValidationException, "%s cannot be read: %s", path, strerror(errno));
    if (!S_ISREG(st.st_mode)) return err_set(e, ERR_ValidationException, "%s is not a file", path);
    if ((size_t)st.st_size > max) return err_set(e, ERR_ValidationException, "%s is larger than %zu KB", path, max >> 10);
    size_t room = (size_t)st.st_size + 1, n = 0;
    uint8_t *bytes = arena_bytes(a, room);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    bool failed = fd < 0 || fstat(fd, &st); /* of what was opened, whatever the name has become */
    while (!failed && n < room) {
        ssize_t got = read(fd, bytes + n, room - n);
        if (got == 0) break;
        if (got > 0) n += (size_t)got;
        else failed = errno != EINTR;
    }
    int why = errno;
    if (fd >= 0) close(fd);
    if (failed && why == EACCES) {
        return err_set(e, ERR_ValidationException, "%s cannot be read by the user that the server runs as: let a group of it, with "
                       "chgrp GROUP %s and chmod 640 %s", path, path, path);
    }
    if (failed) return err_set(e, ERR_ValidationException, "%s cannot be read: %s", path, strerror(why));
    if (n == room) return err_set(e, ERR_ValidationException, "%s is being written; try again", path);
    if (st.st_mode & forbidden & S_IROTH)
        return err_set(e, ERR_ValidationException, "%s can be read by everyone on this machine, and holds secrets; run: chmod 600 %s", path, path);
    if (st.st_mode & forbidden)
        return err_set(e, ERR_ValidationException, "%s can be changed by others than its owner; run: chmod go-w %s", path, path);
    *out = slice_of(bytes, n);
    return 0;
}

/* ---- policies ---- */

static int read_policy(void *ctx, struct arena *a, struct slice name, const struct policy **out, struct err *e)
{
    const char *file = ctx, *slash = strrchr(file, '/');
    struct slice text, folder = slash && name.p[0] != '/' ? slice_of(file, (size_t)(slash + 1 - file)) : slice_of(NULL, 0);
    struct err why = { .arena = a };
    const char *path = (const char *)arena_printf(a, "%.*s%.*s", SLICE_ARG(folder), SLICE_ARG(name)).p;
    int rc = read_whole(a, path, POLICY_MAX_TEXT, S_IWOTH | S_IWGRP, &text, e);
    if (rc) return rc;
    rc = policy_read(a, POLICY_OF_IDENTITY, ini_without_mark(text), out, &why);
    return rc ? err_set(e, ERR_ValidationException, "policy %s: %.*s", path, SLICE_ARG(why.message)) : 0;
}

/* ---- where keys are ---- */

static void warn(void *ctx, struct slice sentence)
{
    (void)ctx;
    log_line(LOG_WARN, "%.*s", SLICE_ARG(sentence));
}

static void tell_denied(void *ctx, struct slice sentence)
{
    (void)ctx;
    log_event(LOG_ERROR, "reload_failed", NULL, 0, "credentials: %.*s", SLICE_ARG(sentence));
}

static int read_file(struct arena *a, struct credentials **out, const char *path, bool again, struct err *e)
{
    struct credentials_options o = { .where = slice_str(path), .policy = read_policy, .denied = again ? tell_denied : NULL,
                                     .ctx = (void *)(uintptr_t)path };
    struct slice text;
    int rc = read_whole(a, path, CREDENTIALS_MAX_TEXT, S_IROTH | S_IWOTH | S_IWGRP, &text, e);
    return rc ? rc : credentials_read(out, text, &o, e);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* The variables as a section before those of the file, either of which may be missing. */
static int read_aws(struct arena *a, struct credentials **out, bool again, struct err *e)
{
    const char *key = variable("AWS_ACCESS_KEY_ID"), *secret = variable("AWS_SECRET_ACCESS_KEY"), *token = variable("AWS_SESSION_TOKEN");
    const char *named = variable("AWS_SHARED_CREDENTIALS_FILE"), *home = variable("HOME");
    const char *path = named ? named : (const char *)arena_printf(a, "%s/.aws/credentials", home ? home : "").p;
    struct credentials_options o = { .where = slice_str(path), .of_aws = true, .warn = warn, .policy = read_policy,
                                     .denied = again ? tell_denied : NULL, .ctx = (void *)(uintptr_t)path };
    struct slice text = { 0 };
    struct buf b;
    bool there = access(path, F_OK) == 0;
    int rc = there ? read_whole(a, path, CREDENTIALS_MAX_TEXT, S_IROTH | S_IWOTH | S_IWGRP, &text, e) : 0;
    if (rc) return rc;
    if (!there && (!key || !secret))
        return err_set(e, ERR_ValidationException,
                       "there are no access keys: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are set, nor is there %s", path);
    if (!key || !secret) return credentials_read(out, text, &o, e);
    buf_init(&b, a, 2 * CREDENTIALS_MAX_TEXT);
    const char *const lines[] = { "[environment]\naws_access_key_id=", key, "\naws_secret_access_key=", secret, token ? "\naws_session_token=" : "",
                                  token ? token : "", "\n" };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) buf_slice(&b, slice_str(lines[i])); /* nothing of it on the stack, as printf leaves it */
    o.before = token ? 4 : 3;
    buf_slice(&b, ini_without_mark(text));
    return credentials_read(out, buf_view(&b), &o, e);
}

int serve_keys_read(struct credentials **out, const char *source, bool again, char *message, size_t message_size)
{
    struct arena a;
    volatile int rc = -1;
    *out = NULL;
    snprintf(message, message_size, "out of memory");
    arena_init(&a, 8 * CREDENTIALS_MAX_TEXT);
    if (ARENA_GUARD(&a)) {
        struct err e = { .arena = &a };
        rc = strcmp(source, "aws") == 0 ? read_aws(&a, out, again, &e) : read_file(&a, out, source, again, &e);
        if (rc) snprintf(message, message_size, "%.*s", SLICE_ARG(e.message));
        else credentials_warn(*out, time(NULL), warn, NULL);
    }
    arena_unguard(&a);
    arena_wipe(&a);
    arena_free(&a);
    return rc ? -1 : 0;
}
