/* notify.c: sd_notify's protocol: one datagram to the socket that the service manager names. */
#include "notify.h"
#include "../base/slice.h"
#include "../base/log.h"
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>

static struct {
    int fd; /* -1: nobody wants to know */
    struct sockaddr_un to;
    socklen_t size;
} manager = { .fd = -1 };

static void tell(struct slice text)
{
    int saved = errno;
    if (manager.fd >= 0)
        sendto(manager.fd, text.p, text.n, MSG_NOSIGNAL | MSG_DONTWAIT, (const struct sockaddr *)&manager.to, manager.size);
    errno = saved;
}

void notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    size_t n = path ? strlen(path) : 0;
    if (!n) return;
    /* '@': a name that is not in the file system, and begins with a zero byte instead. */
    bool known = path[0] == '/' || path[0] == '@';
    if (known && n < sizeof manager.to.sun_path) {
        manager.to.sun_family = AF_UNIX;
        memcpy(manager.to.sun_path, path, n);
        if (path[0] == '@') manager.to.sun_path[0] = 0;
        manager.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + n);
        manager.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    }
    if (manager.fd < 0) log_line(LOG_WARN, "cannot tell the service manager that we are ready: NOTIFY_SOCKET is %s", path);
}

bool notify_is_wanted(void)
{
    return manager.fd >= 0;
}

void notify_ready(void)
{
    tell(SLICE("READY=1\n"));
}

void notify_stopping(void)
{
    tell(SLICE("STOPPING=1\n"));
}
