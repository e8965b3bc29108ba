/* own_names.h: names that onefold's own commands give to what they make, and the engine knows. */
#ifndef OF_ENGINE_OWN_NAMES_H
#define OF_ENGINE_OWN_NAMES_H

/* What the names of working copies begin with: tables that `onefold backup --to` has restored for itself and reads. One is another table
 * under another name, and judged as that one too (access.c). */
#define WORKING_COPY "onefold.backup."

/* The tag of a table that `onefold restore` or `onefold copy` is filling, with which of them as its value. It is given by CreateTable alone, is
 * no part of the 50 that a table may have, and such a table's policy is not for keys without a policy of their own (access.c): they could
 * take it away, and fill the table in spite of it. */
#define UNFINISHED_TAG "onefold:unfinished-restore"

#endif
