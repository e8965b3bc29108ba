/* url.h: what is wrong with the URL of a database, in words that show nothing of a password. */
#ifndef OF_STORE_POSTGRES_URL_H
#define OF_STORE_POSTGRES_URL_H

#include "pq_library.h"
#include <stdbool.h>
#include <stddef.h>

/* Before anything connects: false after one sentence. */
bool url_check(const struct pq_library *pq, const char *url, char *message, size_t size);
/* Does libpq say here that it cannot use the URL? Then `message` has that in one sentence, with nothing but a parameter's name. */
bool url_refused(const char *libpq, char *message, size_t size);

#endif
