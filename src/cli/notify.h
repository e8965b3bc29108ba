/* notify.h: tells the service manager (systemd's Type=notify) how far the server is. Without $NOTIFY_SOCKET nothing happens. */
#ifndef OF_CLI_NOTIFY_H
#define OF_CLI_NOTIFY_H

/* Before anything else is told; it is the only one that reads the environment. */
void notify_open(void);
void notify_ready(void);
/* In a signal handler too. */
void notify_stopping(void);

#endif
