/* date.h: the two ways in which signatures and credentials write a time, both in UTC, as seconds since 1970. */
#ifndef OF_AUTH_DATE_H
#define OF_AUTH_DATE_H

#include "../base/slice.h"

#define DATE_BASIC 17 /* "20150830T123600Z" and a NUL */

bool date_read_basic(struct slice s, int64_t *out);    /* 20150830T123600Z */
bool date_read_extended(struct slice s, int64_t *out); /* 2015-08-30T12:36:00Z */
void date_write_basic(int64_t seconds, char out[DATE_BASIC]);

#endif
