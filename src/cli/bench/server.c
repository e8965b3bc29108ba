/* server.c: this program once more, as a server. */
#include "server.h"
#include "../cli.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. Ctrl-C is for the parent alone; if that ends in whatever way, so does this. */
static void become_server(int out, pid_t parent)
{
    static const char *const words[] = { "onefold", "serve", "--memory", "--port", "0", "--log-level", "error", NULL };
    static const char *const theirs[] = { "ONEFOLD_DATA", "ONEFOLD_PORT", "ONEFOLD_BIND", "ONEFOLD_DURABILITY", "ONEFOLD_THROTTLE",
                                          "ONEFOLD_CREDENTIALS", "ONEFOLD_TLS_CERT", "ONEFOLD_TLS_KEY", "ONEFOLD_TLS_CLIENT_CA" };
    for (size_t i = 0; i < COUNT(theirs); i++) unsetenv(theirs[i]); /* meant for another server */
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent || dup2(out, STDOUT_FILENO) < 0) _exit(1);
    execv("/proc/self/exe", (char *const *)(uintptr_t)words);
    _exit(1);
}

/* "onefold 0.1.0 on http://127.0.0.1:8000, data in memory" */
static const char *read_url(struct arena *a, int from)
{
    char line[512];
    size_t n = 0;
    while (n < sizeof line - 1) {
        ssize_t got = read(from, line + n, 1);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0 || line[n] == '\n') break;
        n++;
    }
    line[n] = 0;
    const char *url = strstr(line, "http://");
    return url ? (const char *)arena_printf(a, "%.*s", (int)strcspn(url, ", \n"), url).p : NULL;
}

int server_start(struct arena *a, const char **url, pid_t *pid)
{
    int ends[2];
    pid_t parent = getpid();
    if (pipe2(ends, O_CLOEXEC)) return fail_error("cannot make a pipe: %s", strerror(errno));
    *pid = fork();
    if (*pid == 0) become_server(ends[1], parent);
    close(ends[1]);
    *url = *pid > 0 ? read_url(a, ends[0]) : NULL;
    /* The reading end stays open until the program ends: the server must not meet a closed one. */
    if (*url) return EXIT_OK;
    close(ends[0]);
    if (*pid > 0) server_stop(*pid);
    return fail_error("cannot start a server in memory; name one with --endpoint URL");
}

void server_stop(pid_t pid)
{
    kill(pid, SIGTERM);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) continue;
}
