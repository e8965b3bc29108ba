/* mutate.h: changes of an input that know its structure: lines of an operation and its JSON (fuzz_request.c). */
#ifndef OF_FUZZ_MUTATE_H
#define OF_FUZZ_MUTATE_H

#include <stddef.h>
#include <stdint.h>

/* For LLVMFuzzerCustomMutator: the new size. */
size_t mutate_requests(uint8_t *data, size_t size, size_t max, unsigned seed);

#endif
