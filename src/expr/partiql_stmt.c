/* partiql_stmt.c: the grammar of PartiQL's statements.
 *
 *     SELECT * | column {, column} FROM table [WHERE condition] [ORDER BY path [ASC | DESC] {, ...}]
 *     INSERT INTO table VALUE map
 *     UPDATE table change {change} [WHERE condition] [RETURNING ...]
 *     FROM table [WHERE condition] change {change} [RETURNING ...]
 *     DELETE FROM table [WHERE condition] [RETURNING ...]
 *     EXISTS ( SELECT ... )
 *     change = SET path = value {, path = value} | REMOVE path
 *
 * each with a semicolon behind it or not. */
#include "partiql_tree.h"

static bool malformed(struct pq *q, const char *detail)
{
    pq_malformed(q, detail);
    return false;
}

static bool accept(struct pq *q, const char *word)
{
    if (!pq_word_is(q->at, word)) return false;
    q->at++;
    return true;
}

static bool refuse_alias(struct pq *q)
{
    pq_fail(q, NULL, "Aliasing is not supported");
    return false;
}

/* A name behind a table or a column, with AS or without. */
static bool no_alias(struct pq *q)
{
    bool alias = pq_word_is(q->at, "as") || q->at->kind == PQ_QUOTED || q->at->kind == PQ_WORD;
    return !alias || refuse_alias(q);
}

static bool where(struct pq *q, struct pq_statement *s)
{
    if (!accept(q, "where")) return true;
    s->where = pq_expression(q);
    return s->where != NULL;
}

/* ---- SELECT ---- */

static bool columns(struct pq *q, struct pq_statement *s)
{
    s->columns = pq_node_new(q, PQ_N_LIST, q->at);
    do {
        if (pq_symbol_is(q->at, ",")) q->at++;
        struct pq_node *column;
        if (pq_symbol_is(q->at, "*"))
            column = pq_node_new(q, PQ_N_WORD, q->at++);
        else
            column = pq_expression(q);
        if (!column || !no_alias(q)) return false;
        pq_node_add(s->columns, column);
    } while (pq_symbol_is(q->at, ","));
    return true;
}

static bool order(struct pq *q, struct pq_statement *s)
{
    if (!pq_word_is(q->at, "order")) return true;
    s->order = pq_node_new(q, PQ_N_LIST, q->at++);
    if (!accept(q, "by")) return malformed(q, "Expected BY after ORDER");
    do {
        if (pq_symbol_is(q->at, ",")) q->at++;
        struct pq_node *key = pq_expression(q);
        if (!key) return false;
        key->negated = accept(q, "desc");
        if (!key->negated) accept(q, "asc");
        pq_node_add(s->order, key);
    } while (pq_symbol_is(q->at, ","));
    return true;
}

/* What SQL has and DynamoDB has not. */
static bool others(struct pq *q, struct pq_statement *s)
{
    if (accept(q, "group")) s->unsupported = "GROUP BY";
    if (s->unsupported && (!accept(q, "by") || !pq_expression(q))) return malformed(q, "Unexpected token after expression");
    if (accept(q, "having")) {
        s->unsupported = "HAVING";
        if (!pq_expression(q)) return false;
    }
    if (accept(q, "limit")) {
        s->limit = q->at;
        if (!pq_expression(q)) return false;
    }
    return true;
}

bool pq_select(struct pq *q, struct pq_statement *s)
{
    s->kind = PARTIQL_SELECT;
    if (accept(q, "distinct")) s->unsupported = "DISTINCT";
    if (!columns(q, s)) return false;
    if (!accept(q, "from")) return malformed(q, "Expected FROM after SELECT list");
    s->table = pq_expression(q);
    if (!s->table || !no_alias(q)) return false;
    if (pq_symbol_is(q->at, ",")) s->unsupported = "JOIN";
    while (pq_symbol_is(q->at, ",")) {
        q->at++;
        if (!pq_expression(q)) return false;
    }
    return where(q, s) && order(q, s) && others(q, s);
}

/* ---- the statements that write ---- */

static bool changes(struct pq *q, struct pq_statement *s)
{
    struct pq_change **last = &s->changes;
    for (;;) {
        bool set = accept(q, "set");
        if (!set && !accept(q, "remove")) return s->changes || malformed(q, "Expected data manipulation");
        do {
            struct pq_change *c = *last = ARENA_NEW(q->arena, struct pq_change);
            last = &c->next;
            if (pq_symbol_is(q->at, ",")) q->at++;
            c->path = pq_simple_path(q);
            if (!c->path) return false;
            if (!set) break;
            if (!pq_symbol_is(q->at, "=")) return malformed(q, "Expected = in SET");
            q->at++;
            c->value = pq_expression(q);
            if (!c->value) return false;
        } while (pq_symbol_is(q->at, ","));
    }
}

static bool returning(struct pq *q, struct pq_statement *s)
{
    if (!accept(q, "returning")) return true;
    bool modified = accept(q, "modified");
    if (!modified && !accept(q, "all")) return malformed(q, "Expected ALL or MODIFIED after RETURNING");
    bool old = accept(q, "old");
    if (!old && !accept(q, "new")) return malformed(q, "Expected OLD or NEW in RETURNING");
    if (!pq_symbol_is(q->at, "*")) return malformed(q, "Expected * in RETURNING");
    q->at++;
    if (modified)
        s->returning = old ? PARTIQL_RETURNING_MODIFIED_OLD : PARTIQL_RETURNING_MODIFIED_NEW;
    else
        s->returning = old ? PARTIQL_RETURNING_ALL_OLD : PARTIQL_RETURNING_ALL_NEW;
    return true;
}

/* A table to write to, which goes by no other name. */
static bool target(struct pq *q, struct pq_statement *s)
{
    s->table = pq_simple_path(q);
    return s->table && no_alias(q);
}

static bool update(struct pq *q, struct pq_statement *s)
{
    s->kind = PARTIQL_UPDATE;
    return target(q, s) && changes(q, s) && where(q, s) && returning(q, s);
}

static bool from(struct pq *q, struct pq_statement *s)
{
    s->kind = PARTIQL_UPDATE;
    return target(q, s) && where(q, s) && changes(q, s) && returning(q, s);
}

static bool delete(struct pq *q, struct pq_statement *s)
{
    s->kind = PARTIQL_DELETE;
    if (!accept(q, "from")) return malformed(q, "Expected FROM after DELETE");
    return target(q, s) && where(q, s) && returning(q, s);
}

static bool insert(struct pq *q, struct pq_statement *s)
{
    s->kind = PARTIQL_INSERT;
    if (!accept(q, "into")) return malformed(q, "Expected INTO after INSERT");
    s->table = pq_simple_path(q);
    if (!s->table) return false;
    if (!accept(q, "value")) s->unsupported = "INSERT without VALUE";
    s->value = pq_expression(q);
    return s->value && returning(q, s);
}

static bool exists(struct pq *q, struct pq_statement *s)
{
    q->at += 3;
    if (!pq_select(q, s)) return false;
    s->kind = PARTIQL_EXISTS;
    if (!pq_symbol_is(q->at, ")")) return malformed(q, "Expected closing parenthesis");
    q->at++;
    return true;
}

/* An expression by itself is well formed, but not a statement that DynamoDB knows. */
static bool expression(struct pq *q, struct pq_statement *s)
{
    struct pq_node *n = pq_expression(q);
    if (!n) return false;
    static const char *const names[] = {
        [PQ_N_STRING] = "Literal", [PQ_N_NUMBER] = "Literal", [PQ_N_WORD] = "Literal",   [PQ_N_PARAM] = "Parameter",
        [PQ_N_PATH] = "Path",      [PQ_N_CALL] = "Call",      [PQ_N_UNARY] = "NAry",     [PQ_N_BINARY] = "NAry",
        [PQ_N_BETWEEN] = "NAry",   [PQ_N_IN] = "NAry",        [PQ_N_IS] = "IsType",      [PQ_N_LIST] = "Seq",
        [PQ_N_BAG] = "Seq",        [PQ_N_MAP] = "Struct",     [PQ_N_SUBQUERY] = "Select",
    };
    s->unsupported = names[n->kind];
    return true;
}

static bool any_statement(struct pq *q, struct pq_statement *s)
{
    if (accept(q, "select")) return pq_select(q, s);
    if (accept(q, "insert")) return insert(q, s);
    if (accept(q, "update")) return update(q, s);
    if (accept(q, "delete")) return delete(q, s);
    if (accept(q, "from")) return from(q, s);
    if (pq_word_is(q->at, "exists") && pq_symbol_is(q->at + 1, "(") && pq_word_is(q->at + 2, "select")) return exists(q, s);
    return expression(q, s);
}

bool pq_statement(struct pq *q, struct pq_statement *s)
{
    if (!any_statement(q, s)) return false;
    bool semicolon = pq_symbol_is(q->at, ";");
    if (semicolon) q->at++;
    if (q->at->kind == PQ_END) return true;
    return malformed(q, semicolon ? "Unexpected token after semicolon. (Only one query is allowed.)"
                                  : "Unexpected token after expression");
}
