/* pages.h: the studio's files. */
#ifndef OF_STUDIO_PAGES_H
#define OF_STUDIO_PAGES_H

#include "studio.h"

#define STUDIO_PATH "/studio"

void studio_page(void *ctx, struct http_request *r, struct guest_answer *out);

#endif
