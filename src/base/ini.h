/* ini.h: files of sections and settings, as AWS writes ~/.aws/credentials: [name], then lines of name = value. Comments begin with # or ;
 * at the start of a line or after a blank. Text in, slices of it out. */
#ifndef OF_BASE_INI_H
#define OF_BASE_INI_H

#include "slice.h"

enum ini_kind {
    INI_END,
    INI_SECTION, /* name */
    INI_SETTING, /* name and value, either may be empty */
    INI_NESTED,  /* an indented line: it belongs to the setting above it */
    INI_WRONG    /* neither */
};

struct ini {
    struct slice rest; /* set to the text at the beginning; all else to zeroes */
    unsigned line;     /* of what was read last, from 1 */
    struct slice name, value;
};

/* Without the mark of UTF-8 (BOM) that editors put before a text. */
struct slice ini_without_mark(struct slice text);
/* The next line that says something. A mark before the first is passed over. */
enum ini_kind ini_next(struct ini *at);

#endif
