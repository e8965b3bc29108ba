/* failpoint.c: what happens at a named place; compiled only into the program of the torture tests. */
#include "failpoint.h"
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const names[] = {
#undef FAILPOINT
#undef SEEDED_BUG
#define FAILPOINT(name, what)  #name,
#define SEEDED_BUG(name, what) #name,
#include "failpoints.inc"
};

#define WANTED_MAX 4

static struct wanted {
    int point;
    bool every;
    unsigned long hit;
    enum { ACTION_KILL, ACTION_SLEEP, ACTION_ERROR } action;
    useconds_t microseconds;
    atomic_ulong reached;
} wanted[WANTED_MAX];
static size_t n_wanted;
static int wanted_bug = -1;
static atomic_ulong bugs;
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* A test that is misspelt must not pass. */
static void refuse(const char *what, const char *text)
{
    fprintf(stderr, "%s: not understood: %s\n", what, text);
    exit(2);
}

static int find(const char *what, const char *name, size_t n)
{
    for (int i = 0; i < FAILPOINTS_END; i++)
        if (strlen(names[i]) == n && !memcmp(names[i], name, n)) return i;
    refuse(what, name);
    return -1;
}

/* NAME:HIT:ACTION; returns what follows it. */
static const char *read_point(const char *text, struct wanted *w)
{
    const char *what = "ONEFOLD_FAILPOINT", *hit = strchr(text, ':');
    char *end = NULL;
    if (!hit) refuse(what, text);
    w->point = find(what, text, (size_t)(hit - text));
    w->every = hit[1] == '%';
    w->hit = strtoul(hit + 1 + w->every, &end, 10);
    if (!w->hit || *end != ':') refuse(what, text);
    if (!strncmp(end, ":kill", 5)) {
        w->action = ACTION_KILL;
        return end + 5;
    }
    if (!strncmp(end, ":error", 6)) {
        w->action = ACTION_ERROR;
        return end + 6;
    }
    if (strncmp(end, ":sleep=", 7) != 0) refuse(what, text);
    w->action = ACTION_SLEEP;
    w->microseconds = (useconds_t)strtoul(end + 7, &end, 10) * 1000;
    return end;
}

static void read_environment(void)
{
    const char *points = getenv("ONEFOLD_FAILPOINT"), *bug = getenv("ONEFOLD_SEEDED_BUG");
    while (points && n_wanted < WANTED_MAX) {
        points = read_point(points, &wanted[n_wanted++]);
        if (!*points) break;
        if (*points++ != ',') refuse("ONEFOLD_FAILPOINT", points);
    }
    if (bug) wanted_bug = find("ONEFOLD_SEEDED_BUG", bug, strlen(bug));
}

/* True: it is to fail. */
static bool act(struct wanted *w)
{
    unsigned long n = atomic_fetch_add(&w->reached, 1) + 1;
    if (w->every ? n % w->hit != 0 : n != w->hit) return false;
    if (w->action == ACTION_KILL) {
        kill(getpid(), SIGKILL);
        for (;;) pause();
    }
    if (w->action == ACTION_SLEEP) usleep(w->microseconds);
    return w->action == ACTION_ERROR;
}

bool failpoint_reached(enum failpoint point)
{
    bool fail = false;
    pthread_once(&once, read_environment);
    for (size_t i = 0; i < n_wanted; i++)
        if (wanted[i].point == (int)point && act(&wanted[i])) fail = true;
    return fail;
}

bool failpoint_bug(enum failpoint bug)
{
    pthread_once(&once, read_environment);
    return wanted_bug == (int)bug;
}

bool failpoint_bug_now(enum failpoint bug, unsigned n)
{
    return failpoint_bug(bug) && atomic_fetch_add(&bugs, 1) % n == n - 1;
}

size_t failpoint_map_size(size_t normal)
{
    const char *text = getenv("ONEFOLD_FAILPOINT_MAP");
    return text ? (size_t)strtoull(text, NULL, 10) : normal;
}
