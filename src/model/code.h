/* code.h: an access pattern as a program that one can copy: the same requests, pages, merge and filters that `onefold run` would
 * send, do and apply, in the words of a client library. */
#ifndef OF_MODEL_CODE_H
#define OF_MODEL_CODE_H

#include "report.h"

enum code_language { CODE_JAVASCRIPT, CODE_PYTHON, CODE_CLI, CODE_ONEFOLD, CODE_C };

/* inputs: as for plan_bind. endpoint: empty: AWS itself. The program is written to r->out. */
int report_code(struct reporter *r, struct slice pattern, struct slice inputs, enum code_language language,
                struct slice endpoint);

#endif
