/* studio.c: the studio as a guest of the wire: its pages and its calls. */
#include "call.h"
#include "pages.h"
#include <stdlib.h>

struct studio *studio_open(const struct studio_options *o)
{
    struct studio *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->o = *o;
    pthread_mutex_init(&s->saving, NULL);
    s->guest = (struct guest){ .ctx = s, .path = SLICE(STUDIO_PATH), .target = SLICE("Onefold_20261101."),
                               .get = studio_page, .call = studio_run, .knows = studio_knows };
    return s;
}

void studio_close(struct studio *s)
{
    if (!s) return;
    pthread_mutex_destroy(&s->saving);
    free(s);
}

const struct guest *studio_guest(struct studio *s)
{
    return &s->guest;
}
