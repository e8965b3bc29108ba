/* run_impl.h: what the files that answer questions share: streams of one key range each, merged in the order of what
 * follows their known prefix.
 *
 *   run_range.c    is an item in a range; what of a range lies behind a place
 *   run_token.c    page tokens
 *   run_page.c     one request and its answer
 *   run_partial.c  items of an index that does not project everything
 *   run_stream.c   pages of one stream, and the merge
 *   run.c          a bound plan; scan.c: a scan, a key condition by hand */
#ifndef OF_MODEL_RUN_IMPL_H
#define OF_MODEL_RUN_IMPL_H

#include "names.h"
#include "run.h"
#include "where.h"

#define RUN_MERGE_CHUNK 100          /* items per request of one stream where there is no limit */
#define RUN_MAX_PAGE    1000         /* a request asks for at most so many where it must name a number */
#define RUN_MAX_TOKEN   ((size_t)16 << 10)
#define RUN_PAGE_MEMORY ((size_t)256 << 20)
#define RUN_HEAD_BYTES  ((size_t)64 << 20) /* of items that a merge should hold at once, all streams together */
#define RUN_GUESS_BYTES ((size_t)4 << 10)  /* of an item, as long as none has been read */

/* ---- run_range.c ---- */

/* A key range in which more sort attributes may be fixed than in the plan's. */
struct segment {
    size_t fixed;
    struct key_range range;
};

/* What every value of the range's sort attribute begins with, and is left out when streams are compared: the
 * prefix, or what both bounds begin with. Streams of one plan differ in nothing else. */
struct slice range_stem(const struct key_range *r);
bool range_holds(const struct model_index *ix, const struct segment *s, struct slice item);
/* The item's sort attributes from `fixed` on, the first without the stem. Returns how many; they borrow from item. */
size_t range_place(const struct model_index *ix, const struct segment *s, struct slice item,
                   struct slice place[KEY_MAX_PARTS]);
int place_compare(const struct model_index *ix, size_t fixed, const struct slice *a, const struct slice *b);
/* The part of s behind place (inclusive: or at it), in reading order. */
size_t range_behind(struct arena *a, const struct model_index *ix, const struct segment *s, bool descending,
                    const struct slice *place, bool inclusive, struct segment out[KEY_MAX_PARTS]);
/* The smallest value above all that begin with this one; empty: there is none. */
struct slice prefix_end(struct arena *a, struct slice prefix);

/* ---- run_token.c ---- */

struct fingerprints {
    uint64_t model, question, inputs;
};
struct slice page_token_write(struct arena *a, const struct fingerprints *f, struct slice key);
int page_token_read(struct arena *a, const struct fingerprints *f, struct slice token, struct slice *key, struct err *e);

/* ---- run_page.c ---- */

struct stream {
    struct arena arena;          /* of the items of the page at hand */
    struct segment segments[KEY_MAX_PARTS];
    size_t n_segments, segment;
    struct slice start;          /* ExclusiveStartKey of the next page; empty: none */
    struct result *items;        /* what is left of the page after all filters */
    size_t n, at;
    unsigned meagre;             /* pages in a row that gave too little */
    struct slice place[KEY_MAX_PARTS]; /* of items[at] */
    size_t number;
};

struct run {
    struct session *s;
    const struct run_options *o;
    struct results *out;
    struct err *err;
    struct slice operation;
    const struct model_index *index;
    const struct bound_plan *bp; /* NULL: scan or hand-written condition: */
    struct expression condition; /* key condition; text empty: scan */
    const struct entity *only;   /* this entity, NULL: all */
    bool all;                    /* copies, sentinels, foreign items too */
    bool filtered;               /* something is thrown away after reading */
    struct expression filter;    /* of the options (and of a scan's entity); text empty: none */
    bool descending;
    uint32_t limit;              /* 0: none */
    uint32_t read;               /* items that may be read, of a scan; 0: any number */
    struct stream *streams;
    size_t n;
    size_t cap;                  /* of out->list */
    struct arena page;           /* of one request and its answer, as text and as a tree */
    uint64_t bytes, items;       /* of all items read so far */
    struct fingerprints prints;
};

/* Reads the options' filter for an entity's items. */
int run_filter(struct run *r, const struct entity *en);
/* The request of the stream's next page. */
struct slice run_request(struct run *r, struct arena *a, const struct stream *st, uint32_t page);
/* Sends it and fills the stream's items, start and segment. */
int run_page(struct run *r, struct stream *st, uint32_t page);
/* Counts what an answer says it cost. */
void run_tally(struct run *r, const struct json *answer, size_t returned, size_t bytes);
/* The plan's path by which items that lie on this KEY or COPY path are found; NULL: they are no part of its answer, or of a
 * collection of which the plan does not know them. */
const struct access_path *plan_finds(const struct plan *p, const struct access_path *path);
/* Is the item part of the answer? Fills *out. */
bool run_accepts(struct run *r, struct arena *a, struct slice item, struct result *out);
void run_keep(struct run *r, struct result item);

/* ---- run_partial.c ---- */

/* The item with the attributes that its keys on these paths are made of. */
struct slice item_restore(struct arena *a, const struct model *m, const struct access_path *home,
                          const struct access_path *entry, struct slice item);

/* ---- run_stream.c ---- */

/* Answers from r->streams, which is freed afterwards; a token is made or read as the options say. */
int run_streams(struct run *r);

#endif
