/* template.h: text with holes: "ORDER#${orderId}". Keys, index keys, copies, sentinels of unique attributes
 * and shards are all templates; this is the one place that parses, renders and matches them.
 *
 *   ${name}        the attribute's value
 *   ${name:08}     a number, padded with zeros to 8 digits before the point; negative or wider is refused
 *   ${name:08.2}   the same with exactly 2 decimals; more are refused
 *   $${            a "${" that is meant
 *
 * A string renders as itself, a number in normal form, a boolean as true or false. A value that contains the
 * delimiter is refused, or where the model says `escape: percent`, the delimiter and "%" are written as %XX.
 * A template that is exactly one hole without padding is `whole`: it takes the attribute's value as it is, of
 * any key type and with any content. */
#ifndef OF_MODEL_TEMPLATE_H
#define OF_MODEL_TEMPLATE_H

#include "problem.h"
#include "../item/value.h"

struct part {
    struct slice text;     /* literal: its text; hole: the attribute's name */
    bool hole;
    uint8_t digits, decimals; /* padding; digits 0: none */
};

struct template {
    struct slice source;   /* as written */
    struct place place;
    struct part *parts;    /* no two literals beside each other */
    size_t n;
    bool whole;            /* exactly one hole, no padding */
    bool escape;           /* percent-escape instead of refusing */
    struct slice delimiter;
};

/* False after adding problems. */
bool template_parse(struct problems *ps, struct slice text, struct place at, struct slice delimiter,
                    bool escape, struct template *out);

enum render_status {
    RENDER_OK,
    RENDER_MISSING,   /* attribute is not there (or NULL) */
    RENDER_DELIMITER, /* its value contains the delimiter */
    RENDER_EMPTY,     /* its value is the empty string */
    RENDER_TYPE,      /* a set, list, map, binary (unless whole) */
    RENDER_WIDE       /* does not fit the padding */
};

struct rendered {
    enum render_status status;
    struct slice value;     /* OK: the encoded value (VAL_S, or as it is when whole) */
    struct slice attribute; /* not OK: whose fault */
    struct slice carries;   /* DELIMITER: the literal before the hole that the value begins with, if it does */
    struct slice rest;      /* and what the value is without it */
};

/* item: a VAL_M. */
struct rendered template_render(struct arena *a, const struct template *t, struct slice item);
/* The first n parts only; the value is always a string. Stops, with status MISSING, at the first hole that
 * item lacks; *used (may be NULL) says how many parts were rendered, and value then holds those. */
struct rendered template_render_prefix(struct arena *a, const struct template *t, size_t n,
                                       struct slice item, size_t *used);
/* One value as it stands in a hole: text, padded, escaped. */
enum render_status part_render(struct buf *b, const struct template *t, const struct part *hole,
                               struct slice value);
/* One sentence for a status, e.g. "orderId is missing", in the arena. */
struct slice render_reason(struct arena *a, struct rendered r);

/* Takes a key apart: fills values[i] (text between, unescaped) for each hole in order. False if the text does
 * not match. A hole takes no delimiter and at least one byte; a whole template matches anything. */
bool template_match(struct arena *a, const struct template *t, struct slice text, struct slice *values);
size_t template_holes(const struct template *t);

/* Could some text be rendered by both (the holes standing for any text without the delimiter)? With
 * prefix_parts < a->n: could a text of b begin with the first prefix_parts of a? */
bool template_may_meet(const struct template *a, size_t prefix_parts, const struct template *b);
/* The same literals, and holes at the same places (names may differ)? */
bool template_same_shape(const struct template *a, const struct template *b);

#endif
