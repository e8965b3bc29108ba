/* dir.h: the data directory: who holds it, which format it has, and whether it was stopped cleanly.
 *
 *   LOCK      held with flock while a process has the directory open; says who: "pid N\nendpoint
 * E\n" FORMAT    "onefold N\n", written last when a directory is made: without it there is no data
 *   UNSYNCED  there while writes may not have reached the disk (relaxed durability): the boot id of
 *             the machine, or "sync failed". Unsynced writes survive the process but not the machine
 *   data.mdb  LMDB's file
 *   lock.mdb  LMDB's table of readers
 *
 * docs/format.md describes them byte by byte. */
#ifndef OF_STORE_LOCAL_DIR_H
#define OF_STORE_LOCAL_DIR_H

#include <stdbool.h>
#include <stddef.h>

struct dir {
    char *path;  /* owned */
    int fd;      /* the directory itself */
    int lock_fd; /* -1: not locked */
    bool fresh;  /* has no FORMAT yet */
    bool has_data, unsynced;
};

/* Makes the directory if need be, takes the lock, checks format and boot. On failure returns a
 * store_status, writes one sentence and owes nothing. */
int dir_open(struct dir *d, const char *path, bool read_only, const char *endpoint, char *message,
             size_t message_size);
/* The last step of opening: STORE_CORRUPT if a machine went down while writes were not synced. */
int dir_check_boot(struct dir *d, char *message, size_t message_size);
/* A directory of its own for a store in memory. */
int dir_open_temporary(struct dir *d, char *message, size_t message_size);
/* Removes the directory's name and files; what is open stays usable. Only for a temporary one. */
void dir_vanish(struct dir *d);
void dir_close(struct dir *d);

void dir_set_endpoint(struct dir *d, const char *endpoint);
/* These return 0 or errno. */
int dir_write_format(struct dir *d);
int dir_mark_unsynced(struct dir *d);
int dir_clear_unsynced(struct dir *d);
/* UNSYNCED says from now on that a sync failed: nobody opens it before someone has looked at it. */
int dir_mark_sync_failed(struct dir *d);
/* The end of a sentence where that failed, too; it has the reason in it. */
#define DIR_UNMARKED "and UNSYNCED could not be made to say so (%s): see what `onefold check` says of the directory before it is opened again"
/* Before the data file of a new directory is made: FORMAT.new says, durably, that it is being made, so that what a crash leaves of it
 * is known for what it is. Such a rest is removed here: nothing in it was ever acknowledged. */
int dir_begin_new(struct dir *d);
/* Room on the disk for LMDB's table of readers, which it writes through memory: where there is none, that would be a SIGBUS. */
int dir_reserve_readers(struct dir *d);
/* Takes the table's name away: whoever opens the directory next makes a new one. */
void dir_remove_readers(struct dir *d);
/* A new directory that could not be completed: its files are removed, so that the next start makes them anew. */
void dir_abandon(struct dir *d);

/* Formats a sentence into message and returns status. */
int dir_say(int status, char *message, size_t message_size, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
/* Data, but no FORMAT that says what they are: STORE_CORRUPT. */
int dir_say_no_format(const struct dir *d, char *message, size_t message_size);

#endif
