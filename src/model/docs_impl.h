/* docs_impl.h: the documents of a model; one file per format. */
#ifndef OF_MODEL_DOCS_IMPL_H
#define OF_MODEL_DOCS_IMPL_H

#include "facts.h"
#include "jsonw.h"

int docs_markdown(struct reporter *r, struct facts *f);
void docs_markdown_rows(struct buf *b, struct arena *a, const struct facts *f); /* sample rows */
int docs_svg(struct reporter *r, struct facts *f);
int docs_mermaid(struct reporter *r, struct facts *f);
int docs_json(struct reporter *r, struct facts *f);

const char *attribute_type_name(enum val_type t); /* as the model file says it: "string-set" */

/* ---- Markdown ---- */
void md_text(struct buf *b, struct slice text);
/* A control character (C0, DEL, or C1 in its two bytes) becomes a blank: it would end the line, or command the terminal on
 * which the document is printed. *i then is at its last byte. False: it is none, and nothing was written. */
bool put_control(struct buf *b, struct slice text, size_t *i);
void md_code(struct buf *b, struct slice text); /* nothing where the text is empty */

/* ---- diagrams: places in the same partition ---- */

/* All paths of one index whose hash keys have one shape: a drawer. */
struct drawer {
    const struct model_index *index;
    struct slice title;                    /* the hash key as written */
    const struct access_path **paths;
    size_t n;
};
struct drawers {
    struct drawer *list;                   /* by index, in the model's order */
    size_t n;
};
struct drawers drawers_of(struct arena *a, const struct model *m);
/* Of two drawers in different indexes: can their partitions be the same (CUST#c1 in the table and in GSI1)? */
bool drawers_alike(const struct drawer *x, const struct drawer *y);

#endif
