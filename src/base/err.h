/* err.h: every error a caller can be given, in one list: name, the namespace AWS prints before it,
 * HTTP status. Functions that can fail return 0 or an enum err_code and describe the failure in the
 * struct err passed last:
 *
 *     return err_set(e, ERR_ValidationException, "ExpressionAttributeNames must not be empty");
 */
#ifndef OF_BASE_ERR_H
#define OF_BASE_ERR_H

#include "arena.h"

#define ERR_NS_DYNAMODB "com.amazonaws.dynamodb.v20120810"
#define ERR_NS_CORAL    "com.amazon.coral.service"
#define ERR_NS_VALIDATE "com.amazon.coral.validate"
#define ERR_NS_AVAILABLE "com.amazon.coral.availability"

#define ERR_LIST(X)                                                  \
    X(ValidationException, ERR_NS_VALIDATE, 400)                     \
    X(SerializationException, ERR_NS_CORAL, 400)                     \
    X(UnknownOperationException, ERR_NS_CORAL, 400)                  \
    X(AccessDeniedException, ERR_NS_CORAL, 400)                      \
    X(MissingAuthenticationTokenException, ERR_NS_CORAL, 400)        \
    X(IncompleteSignatureException, ERR_NS_CORAL, 400)               \
    X(InvalidSignatureException, ERR_NS_CORAL, 400)                  \
    X(UnrecognizedClientException, ERR_NS_CORAL, 400)                \
    X(ThrottlingException, ERR_NS_AVAILABLE, 400)                    \
    X(InternalServerError, ERR_NS_DYNAMODB, 500)                     \
    X(ServiceUnavailable, ERR_NS_CORAL, 503)                         \
    X(ResourceNotFoundException, ERR_NS_DYNAMODB, 400)               \
    X(ResourceInUseException, ERR_NS_DYNAMODB, 400)                  \
    X(TableNotFoundException, ERR_NS_DYNAMODB, 400)                  \
    X(TableAlreadyExistsException, ERR_NS_DYNAMODB, 400)             \
    X(TableInUseException, ERR_NS_DYNAMODB, 400)                     \
    X(IndexNotFoundException, ERR_NS_DYNAMODB, 400)                  \
    X(LimitExceededException, ERR_NS_DYNAMODB, 400)                  \
    X(BackupNotFoundException, ERR_NS_DYNAMODB, 400)                 \
    X(BackupInUseException, ERR_NS_DYNAMODB, 400)                    \
    X(InvalidRestoreTimeException, ERR_NS_DYNAMODB, 400)             \
    X(PointInTimeRecoveryUnavailableException, ERR_NS_DYNAMODB, 400) \
    X(ConditionalCheckFailedException, ERR_NS_DYNAMODB, 400)         \
    X(TransactionCanceledException, ERR_NS_DYNAMODB, 400)            \
    X(TransactionConflictException, ERR_NS_DYNAMODB, 400)            \
    X(TransactionInProgressException, ERR_NS_DYNAMODB, 400)          \
    X(IdempotentParameterMismatchException, ERR_NS_DYNAMODB, 400)    \
    X(ItemCollectionSizeLimitExceededException, ERR_NS_DYNAMODB, 400) \
    X(ProvisionedThroughputExceededException, ERR_NS_DYNAMODB, 400)  \
    X(RequestLimitExceeded, ERR_NS_DYNAMODB, 400)                    \
    X(ImportConflictException, ERR_NS_DYNAMODB, 400)                 \
    X(ImportNotFoundException, ERR_NS_DYNAMODB, 400)                 \
    X(ExportConflictException, ERR_NS_DYNAMODB, 400)                 \
    X(ExportNotFoundException, ERR_NS_DYNAMODB, 400)                 \
    X(InvalidExportTimeException, ERR_NS_DYNAMODB, 400)              \
    X(PolicyNotFoundException, ERR_NS_DYNAMODB, 400)                 \
    X(GlobalTableNotFoundException, ERR_NS_DYNAMODB, 400)            \
    X(TrimmedDataAccessException, ERR_NS_DYNAMODB, 400)              \
    X(ExpiredIteratorException, ERR_NS_DYNAMODB, 400)                \
    /* Only ever received, from AWS or another DynamoDB. */          \
    X(ExpiredTokenException, ERR_NS_CORAL, 400)                      \
    X(NotAuthorizedException, ERR_NS_CORAL, 400)                     \
    X(OptInRequired, ERR_NS_CORAL, 400)                              \
    X(RequestExpired, ERR_NS_CORAL, 400)                             \
    X(InvalidEndpointException, ERR_NS_DYNAMODB, 400)                \
    X(ReplicatedWriteConflictException, ERR_NS_DYNAMODB, 400)        \
    X(DuplicateItemException, ERR_NS_DYNAMODB, 400)                  \
    X(KMSAccessDeniedException, ERR_NS_DYNAMODB, 400)                \
    X(ServiceException, ERR_NS_CORAL, 400) /* a name that is not in this list; the message begins with it */

enum err_code {
    ERR_NONE = 0,
#define X(name, ns, status) ERR_##name,
    ERR_LIST(X)
#undef X
    ERR_COUNT
};

/* What failed, for the caller. The message lives in the arena. detail holds what some exceptions add
 * to the envelope (CancellationReasons, Item): ready JSON members, each with a leading comma. */
struct err {
    struct arena *arena;
    enum err_code code;
    struct slice message;
    struct slice detail;
};

/* Fills e and returns code, so that callers can `return err_set(...)`. */
int err_set(struct err *e, enum err_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
#ifdef __clang_analyzer__
/* It sees one file at a time, and takes what an unseen function returns for anything: here, for success. */
#define err_set(e, code, ...) (err_set((e), (code), __VA_ARGS__), (int)(code))
#endif

const char *err_name(enum err_code code);      /* "ValidationException" */
const char *err_namespace(enum err_code code); /* "com.amazon.coral.validate" */
int err_status(enum err_code code);            /* 400 */
/* ERR_NONE if the name is not in the list. Also takes the names AWS uses besides: InternalFailure and the like. */
enum err_code err_from_name(struct slice name);

#endif
