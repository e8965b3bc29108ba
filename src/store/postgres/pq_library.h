/* pq_library.h: libpq, loaded by dlopen when a store of PostgreSQL is asked for: with it come some twenty libraries that a server on a
 * directory does not need. Its functions are called through the table, by their own names. */
#ifndef OF_STORE_POSTGRES_PQ_LIBRARY_H
#define OF_STORE_POSTGRES_PQ_LIBRARY_H

#include <libpq-fe.h>

#define PQ_FUNCTIONS(X)                                                                                         \
    X(PQconnectdbParams) X(PQstatus) X(PQerrorMessage) X(PQfinish) X(PQsocket) X(PQcmdStatus)                   \
    X(PQenterPipelineMode) X(PQpipelineSync) X(PQsendPrepare) X(PQsendQueryPrepared) X(PQsendQueryParams)       \
    X(PQsendQuery) X(PQgetResult) X(PQclear) X(PQresultStatus) X(PQresultErrorField) X(PQresultErrorMessage)         \
    X(PQntuples) X(PQgetvalue) X(PQgetlength) X(PQgetisnull) X(PQcmdTuples) X(PQflush) X(PQconsumeInput)        \
    X(PQisBusy) X(PQsetnonblocking) X(PQsetNoticeProcessor) X(PQconninfoParse) X(PQconninfoFree) X(PQfreemem) X(PQdb)

struct pq_library {
#define X(name) __typeof__(&name) name;
    PQ_FUNCTIONS(X)
#undef X
};

/* NULL, with one sentence in *why, where it cannot be had. */
const struct pq_library *pq_library(const char **why);

#endif
