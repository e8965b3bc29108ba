/* notify.h: tells the service manager (systemd's Type=notify) how far the server is. Without $NOTIFY_SOCKET nothing happens. */
#ifndef OF_CLI_NOTIFY_H
#define OF_CLI_NOTIFY_H

#include <stdbool.h>

/* Before anything else is told; it is the only one that reads the environment. */
void notify_open(void);
/* Is there somebody to tell? */
bool notify_is_wanted(void);
void notify_ready(void);
/* In a signal handler too. */
void notify_stopping(void);

#endif
