/* object_reader.h: an object's bytes one after the other, unpacked where it is gzip, in bounded memory however large it is;
 * and out of them one JSON object after the other. Of items it knows only how long they can be. */
#ifndef OF_ENGINE_OBJECT_READER_H
#define OF_ENGINE_OBJECT_READER_H

#include "../item/item_json.h"

#define OBJECT_MAX_JSON ITEM_MAX_JSON /* which leaves room for the {"Item":...} around the longest */

struct object_reader;

/* Takes fd, also on failure. NULL: no memory. */
struct object_reader *object_reader_open(int fd, bool gzip);
void object_reader_close(struct object_reader *r);

/* The next byte; EOF at the end, or where it cannot be read any further (object_reader_broken). */
int object_reader_byte(void *reader);
bool object_reader_broken(const struct object_reader *r);
/* What made it fail is that no memory could be had: the object may be whole. */
bool object_reader_starved(const struct object_reader *r);
/* How many bytes were given out: of what the object unpacks to. */
uint64_t object_reader_at(const struct object_reader *r);
/* Passes over this many. False: there are not so many. */
bool object_reader_skip(struct object_reader *r, uint64_t n);

enum object_status { OBJECT_JSON, OBJECT_END, OBJECT_BROKEN };
/* The text of the next JSON object, with white space around it (as much as an object may have), or none. Only its braces are
 * looked at: the text may still be no JSON. *out is good until the next call. */
enum object_status object_reader_json(struct object_reader *r, struct slice *out);

#endif
