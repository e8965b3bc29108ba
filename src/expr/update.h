/* update.h: a parsed update: a list of actions, each on one path, and the tree of those paths.
 *
 * Applying takes three steps, so that nothing an update writes is seen by what it reads, and so
 * that the first error in the order of the request is the one reported: every SET's right-hand side
 * is evaluated on the original item; every action is turned into a change (a new value, a removal,
 * nothing); the item is copied once with the changes (trie_rebuild). */
#ifndef OF_EXPR_UPDATE_H
#define OF_EXPR_UPDATE_H

#include "trie.h"

enum action_kind { ACTION_SET, ACTION_REMOVE, ACTION_ADD, ACTION_DELETE };

struct action {
    enum action_kind kind;
    struct path path;
    const struct node *value; /* SET: an operand, PLUS or MINUS; placeholders resolved */
    struct slice operand;     /* ADD, DELETE: a number or set (legacy ADD: also a list) */
    bool legacy;              /* from AttributeUpdates: other words for a type that does not fit */
    bool partiql;             /* from a statement: fewer words for what nests too deep */
};

struct update {
    struct action *actions;
    size_t n;
    struct trie root;
};

/* The tree; what as in trie_build. */
int update_finish(struct update *u, struct arena *a, const char *what, struct err *e);
/* What is checked of the right side of a SET: operands of functions and sums, the depth of what is stored. */
int update_check_value(struct parser *p, const struct node *value);
/* The value of a SET's right-hand side on the item. */
int update_eval(const struct node *n, struct arena *a, struct slice item, struct slice *out,
                struct err *e);
/* operand added to, or taken from, the value that is there (empty: none). A set that ends up empty
 * gives CHANGE_REMOVE. */
int update_add(const struct action *action, struct arena *a, struct slice old, struct change *out,
               struct err *e);
int update_delete(const struct action *action, struct arena *a, struct slice old,
                  struct change *out, struct err *e);

#endif
