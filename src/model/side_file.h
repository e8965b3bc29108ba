/* side_file.h: the files that a model names, data and prices. They lie on disk beside the model; a model that was given
 * with its files reads nothing but those, so that whoever may send a model may not read the disk with it. */
#ifndef OF_MODEL_SIDE_FILE_H
#define OF_MODEL_SIDE_FILE_H

#include "model.h"
#include "../base/err.h"

/* path: as in model->data. 0 or an errno; EFBIG if it is larger than max. */
int side_file_bytes(struct arena *a, const struct model *m, struct slice path, size_t max, struct slice *out);
/* The same with a sentence. */
int side_file_read(struct arena *a, const struct model *m, struct slice path, size_t max, struct slice *out,
                   struct err *e);

#endif
