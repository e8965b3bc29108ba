/* own_names.h: names that onefold's own commands give to what they make, and the engine knows. */
#ifndef OF_ENGINE_OWN_NAMES_H
#define OF_ENGINE_OWN_NAMES_H

/* What the names of working copies begin with: tables that `onefold backup --to` has restored for itself and reads. One is another table
 * under another name, and judged as that one too (access.c). */
#define WORKING_COPY "onefold.backup."

#endif
