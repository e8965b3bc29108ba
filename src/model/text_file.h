/* text_file.h: a whole small file in memory. */
#ifndef OF_MODEL_TEXT_FILE_H
#define OF_MODEL_TEXT_FILE_H

#include "../base/err.h"

/* 0 or an errno; EFBIG if it is larger than max. */
int text_file_bytes(struct arena *a, const char *path, size_t max, struct slice *out);
/* The same with a sentence. */
int text_file_read(struct arena *a, const char *path, size_t max, struct slice *out, struct err *e);
/* The sentence for what text_file_bytes returned; 0 stays 0. */
int text_file_error(int trouble, struct slice path, size_t max, struct err *e);

#endif
