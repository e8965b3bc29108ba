/* statements.c: see statements.h. */
#include "statements.h"
#include <stdio.h>

#define SPACES 5 /* those with rows of their own: all but the counters */

/* %s: the table. Columns by name, so that a later version may add some. */
#define KEY "place = $1 AND head = $2 AND tail = $3"
#define ROW "place, head, tail, rest, version, value"
#define RANGE "(place, head, tail) >= ($1::bytea, $2::bytea, $3::bytea) AND (place, head, tail) < ($4::bytea, $5::bytea, $6::bytea)"
#define PLACE "place = $1::bytea AND (head, tail) >= ($2::bytea, $3::bytea) AND (head, tail) < ($4::bytea, $5::bytea)"
#define GROUP "place = $1::bytea AND head = $2::bytea AND tail > '' AND rest >= $3::bytea AND ($5::boolean OR rest < $4::bytea)"

static const char *const of_space[S_OF_SPACE] = {
    [S_GET] = "SELECT " ROW " FROM %s WHERE place = $1::bytea AND head = $2::bytea AND tail = $3::bytea",
    [S_MANY] = "SELECT i.place, i.head, i.tail, i.rest, i.version, i.value "
               "FROM unnest($1::bytea[], $2::bytea[], $3::bytea[]) WITH ORDINALITY k(place, head, tail, n) "
               "JOIN LATERAL (SELECT " ROW " FROM %s t WHERE t.place = k.place AND t.head = k.head AND t.tail = k.tail OFFSET 0) i ON true "
               "ORDER BY k.n",
    [S_UP] = "SELECT " ROW " FROM %s WHERE " RANGE " ORDER BY place, head, tail LIMIT $7::bigint",
    [S_DOWN] = "SELECT " ROW " FROM %s WHERE " RANGE " ORDER BY place DESC, head DESC, tail DESC LIMIT $7::bigint",
    [S_PLACE_UP] = "SELECT " ROW " FROM %s WHERE " PLACE " ORDER BY place, head, tail LIMIT $6::bigint",
    [S_PLACE_DOWN] = "SELECT " ROW " FROM %s WHERE " PLACE " ORDER BY place DESC, head DESC, tail DESC LIMIT $6::bigint",
    [S_GROUP_UP] = "SELECT " ROW " FROM %s WHERE " GROUP " ORDER BY rest LIMIT $6::bigint",
    [S_GROUP_DOWN] = "SELECT " ROW " FROM %s WHERE " GROUP " ORDER BY rest DESC LIMIT $6::bigint",
    [S_INSERT] = "INSERT INTO %s (" ROW ") VALUES ($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, $6::bytea) ON CONFLICT DO NOTHING",
    [S_UPSERT] = "INSERT INTO %s (" ROW ") VALUES ($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, $6::bytea) "
                 "ON CONFLICT (place, head, tail) DO UPDATE SET version = excluded.version, value = excluded.value",
    [S_UPDATE] = "UPDATE %s SET version = $4::bigint, value = $5::bytea WHERE " KEY " AND version = $6::bigint",
    [S_DELETE] = "DELETE FROM %s WHERE " KEY,
    [S_DELETE_AT] = "DELETE FROM %s WHERE " KEY " AND version = $4::bigint",
    [S_CHECK] = "SELECT 1 FROM %s WHERE " KEY " AND version = $4::bigint FOR SHARE",
};

/* Advisory locks, of this schema, so that several can be in one database. The catalog's: all who write share it, who changes the catalog has it alone. */
#define CATALOG_LOCK "(1::bigint << 40) | 'onefold_epoch'::regclass::oid::bigint"
#define LEADER_LOCK  "(2::bigint << 40) | 'onefold_epoch'::regclass::oid::bigint"
#define COUNTERS(order)                                                                                                            \
    "SELECT place, head, tail, rest, 0::bigint, sum(value)::bigint FROM onefold_counter WHERE " RANGE                              \
    " GROUP BY place, head, tail, rest ORDER BY place " order ", head " order ", tail " order " LIMIT $7::bigint"

static const char *const others[S_END] = {
    [S_EPOCH] = "SELECT epoch FROM onefold_epoch",
    [S_NEW_EPOCH] = "UPDATE onefold_epoch SET epoch = epoch + $1::bigint",
    [S_SHARE_EPOCH] = "SELECT pg_advisory_xact_lock_shared(" CATALOG_LOCK ")",
    [S_TAKE_EPOCH] = "SELECT pg_advisory_xact_lock(" CATALOG_LOCK ")",
    [S_BATCH] = "UPDATE onefold_server SET batch = $2::bigint, seen = now() WHERE id = $1::bigint",
    [S_LAST_BATCH] = "SELECT batch FROM onefold_server WHERE id = $1::bigint FOR UPDATE",
    [S_ADD] = "INSERT INTO onefold_counter (place, head, tail, rest, slot, value) VALUES ($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, $6::bigint) "
              "ON CONFLICT (place, head, tail, slot) DO UPDATE SET value = onefold_counter.value + excluded.value",
    [S_SUM] = "SELECT sum(value)::bigint FROM onefold_counter WHERE " KEY,
    [S_RESET] = "DELETE FROM onefold_counter WHERE " KEY,
    [S_SERIES] = "INSERT INTO onefold_meta AS m (" ROW ") VALUES ($1::bytea, $2::bytea, $3::bytea, $4::bytea, $5::bigint, $6::bytea) "
                 "ON CONFLICT (place, head, tail) DO UPDATE SET version = excluded.version, value = excluded.value WHERE m.version < $7::bigint",
    [S_FORGET] = "DELETE FROM onefold_server WHERE seen < now() - interval '7 days'",
    [S_LEAD] = "SELECT pg_try_advisory_lock(" LEADER_LOCK ")",
    [S_COUNTERS_UP] = COUNTERS("ASC"),
    [S_COUNTERS_DOWN] = COUNTERS("DESC"),
};

const char *space_table(enum store_space space)
{
    static const char *const names[SPACE_END] = { [SPACE_META] = "onefold_meta",   [SPACE_ITEM] = "onefold_item",     [SPACE_INDEX] = "onefold_index",
                                                  [SPACE_TOKEN] = "onefold_token", [SPACE_STREAM] = "onefold_stream", [SPACE_COUNTER] = "onefold_counter" };
    return names[space];
}

unsigned statement_number(enum statement s, enum store_space space)
{
    return s < S_OF_SPACE ? (unsigned)s * SPACES + (unsigned)space : (unsigned)S_OF_SPACE * SPACES + (unsigned)(s - S_OF_SPACE);
}

unsigned statement_count(void)
{
    return (unsigned)S_OF_SPACE * SPACES + (unsigned)(S_END - S_OF_SPACE);
}

void statement_text(unsigned number, char *text, size_t size)
{
    unsigned s = number / SPACES;
    if (s < S_OF_SPACE) {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
        snprintf(text, size, of_space[s], space_table((enum store_space)(number % SPACES)));
#pragma GCC diagnostic pop
    } else {
        snprintf(text, size, "%s", others[number - S_OF_SPACE * SPACES + S_OF_SPACE]);
    }
}
