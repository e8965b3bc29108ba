/* heaps.h: the memory that the server has freed goes back to the system. The whole process is changed by it, so it is the program's and not the
 * library's. */
#ifndef OF_CLI_HEAPS_H
#define OF_CLI_HEAPS_H

#define HEAPS_EVERY_MS 30000

/* Before the first thread. Without memory for a thread nothing is given back between requests. */
void heaps_begin(unsigned every_ms);
void heaps_end(void);

#endif
