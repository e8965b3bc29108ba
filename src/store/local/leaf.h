/* leaf.h: where a key would be, and whether that can be believed.
 *
 * LMDB looks a key up by halves: one damaged offset or key on a page leads it astray, to a place where the key is not. A key that was
 * found is proved by its value's checksum; that one is absent, and where a range begins and ends, is proved by what lies on both sides
 * of the place:
 * - Of one key that is damaged, or read from a wrong offset, a search can only make that it ends beside that very entry, which is then not in order
 *   with the one behind it, or no node of its page, or is itself what was looked for: that is judged by whoever asked (leaf_gap gives the entries on
 *   both sides). A value tells to which key it belongs, so what is wrong with another entry than the one that was looked for is no matter here.
 * - A page's offsets and sizes fit together, so that it hides no entry, nor shows one twice.
 * - An offset that leads out of its page may lead to a whole entry of another page, on which nothing is wrong. Where others of its own page are
 *   looked at, these tell. Where it is the entry with which a search or a range came to a new page, it must be the first or last there, and the one
 *   behind it, which is where it should be, is not in order with it. (Who takes no more of a range than that entry has taken a wrong one.)
 * Lists of long keys (keys.h) are not looked at. That a page leads to another one that is whole, but not the right one, is seen by `onefold
 * check` alone. Everything here is called inside of a guard. */
#ifndef OF_STORE_LOCAL_LEAF_H
#define OF_STORE_LOCAL_LEAF_H

#include "local.h"

struct leaf_entry {
    MDB_val key, value;
    bool there;
};

/* The entries on both sides of the place of a key that is absent, or of which it does not matter whether it is there. */
struct leaf_gap {
    struct leaf_entry before, behind; /* behind: not before the key */
};

/* The page of an entry that LMDB gave. NULL: it cannot be told, or t has changed it; nothing is to be said of it then. */
const uint8_t *leaf_of(const struct local_txn *t, const void *key);
/* 0, or MDB_CORRUPTED: the page, which may be NULL, is not in order. came: the entry with which a cursor has come to it by this step from another
 * page; NULL: it is somewhere on the page. */
int leaf_check(const struct local_txn *t, const uint8_t *page, const MDB_val *came, MDB_cursor_op step);
/* Is the entry behind this one, at which the cursor is and stays, in order with it? 0, MDB_CORRUPTED, or LMDB's error. */
int leaf_look_beyond(MDB_cursor *c, MDB_val key, MDB_cursor_op step);
/* Both sides of a key's place. rc, key, value: what MDB_SET_RANGE has given for it. walk: MDB_NEXT leaves the cursor at the entry behind, MDB_PREV at
 * the one before, for a range that goes on from there and sees itself whether what follows is in order; MDB_SET: nobody goes on. 0, MDB_CORRUPTED, or
 * LMDB's error. */
int leaf_gap(const struct local_txn *t, MDB_cursor *c, MDB_val wanted, int rc, MDB_val key, MDB_val value, MDB_cursor_op walk, struct leaf_gap *gap);
/* Is it one of the nodes that fill its page, which is in order? A damaged offset may lead into the middle of one. */
bool leaf_is_node(const struct local_txn *t, MDB_val key);
/* Is it the entry of this key, of which one byte, or the lowest bit of its size, is wrong? (A size that is wrong by more is seen by the page.) */
bool leaf_is_of(enum store_space space, const struct leaf_entry *e, struct slice key);
/* Which key is it the entry of, where one bit of the key, or of its size, is wrong? False: it is whole, or wrong in another way. bytes: KEY_CUT of them,
 * which the key may lie in. */
bool leaf_true_key(enum store_space space, const struct leaf_entry *e, uint8_t *bytes, struct slice *key);

#endif
