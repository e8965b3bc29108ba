/* bucket.h: buckets of S3 as they exist here: a bucket is a directory below engine_options.s3_dir, an object is a file in
 * it, its key is the file's path within the bucket.
 *
 * Names come from requests, so nothing that is named can lie outside: a bucket is one name, keys are walked one name
 * after the other, and a symbolic link is followed nowhere. */
#ifndef OF_ENGINE_BUCKET_H
#define OF_ENGINE_BUCKET_H

#include "../base/slice.h"

#define BUCKET_MAX_KEY     1024
#define BUCKET_MAX_OBJECTS 50000 /* that one import may read */

/* Is it a failure that will pass, because it is not about the files but about how many there are open, or about memory? By errno. */
bool bucket_error_passes(int error);

/* The directory of a bucket; -1 with errno set. */
int bucket_open(const char *s3_dir, struct slice name);

/* Keys of all objects whose key begins with a prefix, in S3's order, which is that of bytes. */
struct bucket_keys {
    char **keys;
    size_t n, room;
};
/* 0, or errno: E2BIG if there are more than BUCKET_MAX_OBJECTS. To be freed in either case. */
int bucket_list(int bucket, struct slice prefix, struct bucket_keys *out);
void bucket_keys_free(struct bucket_keys *keys);

/* An object, to be read; -1 with errno set. */
int bucket_object(int bucket, const char *key);

/* Can it be a prefix of keys that are to be written here? Empty names, "." and ".." cannot be those of directories. */
bool bucket_prefix_fits(struct slice prefix);
/* The directory of this path (names with '/' between them), made where it is not there; -1 with errno set. */
int bucket_folder(int bucket, const char *path);
/* The names in that directory, and those that lead to it, are there after a power loss. 0, or errno. */
int bucket_sync(int bucket, const char *path);

#endif
