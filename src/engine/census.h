/* census.h: what items amount to, in whatever order they come: how many, how large by DynamoDB's rule, and a sum over a hash of each;
 * of a table and of each of its indexes, as the items make them. For comparing a table with its backup (cli/backup). Equal items have
 * equal bytes (value.h): two sets with the same digest are the same set, but for one chance in 2^128. */
#ifndef OF_ENGINE_CENSUS_H
#define OF_ENGINE_CENSUS_H

#include "../base/arena.h"

struct json;

struct digest {
    uint64_t items, bytes;
    uint64_t low, high; /* the sums of XXH3-128, each half by itself */
};
void digest_add(struct digest *d, struct slice item);
bool digest_same(const struct digest *a, const struct digest *b);

/* Of the table that a CreateTable request, or DescribeTable's answer, tells of: both name keys and indexes in the same words. It lives
 * in the arena and borrows from the tree. NULL: that is no table. */
struct census;
struct census *census_begin(struct arena *a, const struct json *definition);
/* scratch: for this item only. */
void census_add(struct census *c, struct arena *scratch, struct slice item);
const struct digest *census_table(const struct census *c);
size_t census_indexes(const struct census *c);
struct slice census_index_name(const struct census *c, size_t i);
const struct digest *census_index(const struct census *c, size_t i);
/* Is the attribute in a key of the table itself or of a local index, which are made with the table? */
bool census_needs_first(const struct census *c, struct slice attribute);

#endif
