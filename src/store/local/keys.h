/* keys.h: logical keys of any length in LMDB keys of at most 511 bytes, in the same order.
 *
 * A key of up to KEY_CUT bytes is stored as it is. A longer one is cut there: its first KEY_CUT
 * bytes and a zero byte are the key of a node, whose value is the id of a list, and what is left of
 * it is a key in that list. All lists live in one database, `tails`, where their keys begin with
 * the list's id (8 bytes, big-endian) and are cut in the same way, so a list can lead to further
 * lists.
 *
 *   space:  aaa...a (KEY_CUT bytes)            value
 *           aaa...a 00                      -> 7
 *   tails:  0000000000000007 bcd               value of aaa...abcd
 *           0000000000000007 eee...e 00     -> 8
 *           0000000000000008 f                 value of aaa...aeee...ef
 *
 * Why this sorts: of all physical keys that begin with the same KEY_CUT bytes there are at most
 * two, the bytes themselves and, after it, the node; every key in the node's list is longer than
 * the first and so sorts after it, and all of them sort before whatever follows the node. A
 * physical key is a node if and only if it is KEY_NODE bytes long, so ordinary keys pay nothing but
 * that comparison.
 *
 * A list is never empty: who removes its last key removes the node too. Hence the highest id in use
 * is the one in the last key of tails, and the next one is free. */
#ifndef OF_STORE_LOCAL_KEYS_H
#define OF_STORE_LOCAL_KEYS_H

#include "local.h"

#define KEY_CUT  480
#define KEY_NODE (KEY_CUT + 1)
#define KEY_ID   8
#define KEY_TAIL (KEY_CUT - KEY_ID) /* bytes of the logical key in a node of tails */
/* Levels of lists below the space's own that the longest key can reach. */
#define KEY_DEPTH ((STORE_MAX_KEY - KEY_CUT + KEY_TAIL - 1) / KEY_TAIL)

/* One physical key on the way to a logical one. */
struct key_step {
    MDB_dbi dbi;
    MDB_val key; /* in buf, or the caller's bytes where no change was needed */
    bool node;   /* leads to a list; rest is what to look for there */
    struct slice rest;
    uint8_t buf[KEY_NODE];
};

/* The physical key of `rest` in the list `id` at this depth (0: in the space itself, id ignored).
 */
void key_step(struct key_step *k, const struct local *s, enum store_space space, unsigned depth,
              uint64_t id, struct slice rest);
/* The value of a node; STORE_CORRUPT if it is not one. */
int key_node_id(MDB_val key, MDB_val value, uint64_t *id);
void key_put_id(uint8_t *to, uint64_t id);
uint64_t key_get_id(const uint8_t *from);

/* Where a long key's value is, or STORE_NOT_FOUND. */
int key_find(struct local_txn *t, enum store_space space, struct slice key, struct key_step *at);
/* Where it is to be put, after making what nodes are missing. */
int key_make(struct local_txn *t, enum store_space space, struct slice key, struct key_step *at);
/* Deletes it and the nodes that led to nothing else. */
int key_remove(struct local_txn *t, enum store_space space, struct slice key);

#endif
