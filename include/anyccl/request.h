/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Requests: the nonblocking and the persistent form of a call.
 *
 * \defgroup chapter_request Requests
 *
 * A request is an operation that has been started, or prepared, and not yet completed. Most calls have three
 * forms: `anyccl_NAME` blocks, `anyccl_iNAME` starts the operation, `anyccl_NAME_init` prepares it.
 *
 * \code{.c}
 * float mine = 1, sum;
 * anyccl_request_t request;
 * ANYCCL_CHECK(anyccl_iall_reduce(&mine, &sum, 1, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD,
 *                                 &request));
 * // Other work, with other memory.
 * ANYCCL_CHECK(anyccl_wait(&request));
 * assert(sum == (float)size && request == ANYCCL_REQUEST_NULL);
 *
 * ANYCCL_CHECK(anyccl_all_reduce_init(&mine, &sum, 1, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD,
 *                                     &request));
 * for (int step = 0; step < 3; step++) {
 *     ANYCCL_CHECK(anyccl_start(request));
 *     ANYCCL_CHECK(anyccl_wait(&request));
 * }
 * ANYCCL_CHECK(anyccl_request_free(&request));
 * \endcode
 *
 * \section nonblocking Nonblocking form
 *
 * `anyccl_iNAME` takes the arguments of `anyccl_NAME` and a pointer to a request. It starts the operation and
 * returns without waiting.
 *
 * - `request` is an output. The caller owns the request until a call that waits or tests takes it.
 * - Buffers belong to the library until the request has ended: the program does not change a send buffer and
 *   does not touch a receive buffer. Arrays of counts, displacements or pointers are read during the call
 *   only.
 * - The call returns ANYCCL_SUCCESS when the operation has started. Otherwise it returns
 *   ANYCCL_ERR_INVALID_ARGUMENT, ANYCCL_ERR_INVALID_USAGE or ANYCCL_ERR_UNSUPPORTED where nothing was sent,
 *   or the status of the failure where the communicator has failed. The call that ends the request returns
 *   what the blocking form would have returned.
 * - Operations progress only inside calls on their communicator. A program that computes for long between
 *   start and wait should call anyccl_test() now and then.
 * - The ranks of a communicator start their collectives in the same order. They may wait for them in any
 *   order.
 *
 * \section persistent Persistent form
 *
 * `anyccl_NAME_init` takes the same arguments, checks them and plans the operation. It is local: nothing is
 * sent. anyccl_start() starts a run, and a call that waits or tests ends it. Then the request can be started
 * again.
 *
 * - `request` is an output. The caller owns the request; release it with anyccl_request_free().
 * - Buffers belong to the library during each run, and to the program between the runs. Arrays of counts,
 *   displacements or pointers are read by the `_init` call only. An operator that the program has made may be
 *   destroyed before the request is freed.
 * - The call returns ANYCCL_SUCCESS, or ANYCCL_ERR_INVALID_ARGUMENT, ANYCCL_ERR_INVALID_USAGE or
 *   ANYCCL_ERR_UNSUPPORTED as the blocking form does.
 * - Each run is a call of its own. The other ranks may make that call in any of its forms, unless its
 *   documentation says otherwise.
 *
 * \{
 */

#ifndef ANYCCL_REQUEST_H
#define ANYCCL_REQUEST_H

#include <stddef.h>
#include <stdint.h>
#include <anyccl/base.h>
#include <anyccl/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Handles and results
 *  \{ */

/** Opaque type behind anyccl_request_t. */
typedef struct anyccl_request anyccl_request;

/**
 * Handle of an operation that was started or prepared.
 *
 * A request of the nonblocking form completes once; the call that waits for it or finds it complete sets it
 * to NULL. A request of the persistent form is started by anyccl_start(), keeps its value when a run has
 * ended, and is set to NULL by anyccl_request_free(). Before and between its runs, calls that wait or test
 * treat it as ended.
 */
typedef struct anyccl_request *anyccl_request_t;

/** Initial and final value of an anyccl_request_t. */
#define ANYCCL_REQUEST_NULL ((anyccl_request_t)0)

/** What is known about a message. Its members never change. */
typedef struct anyccl_message_status_t {
    /** Rank of the sender. */
    int source;
    /** Tag of the message. */
    int32_t tag;
    /** Datatype of the sender. */
    anyccl_datatype_t datatype;
    /**
     * 1: the receive was cancelled. There was no message, and the other members have no meaning. Otherwise
     * 0.
     */
    int cancelled;
    /** Number of elements that were sent. It is at most the count of the receive. */
    size_t count;
    /** Number of bytes that were sent: count times the size of the datatype. */
    size_t bytes;
} anyccl_message_status_t;

/** \} */

/** \name One request
 *  \{ */

/**
 * Waits for the end of an operation.
 *
 * \param[in,out] request  Taken: NULL afterwards, also if the operation failed. A persistent request keeps
 *                         its value. A request that is NULL has ended successfully.
 * \returns The status of the operation, as its blocking form returns it; ANYCCL_ERR_INVALID_ARGUMENT when
 *          request is NULL or not a request; ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or
 *          in a forked child. After these two, *request is unchanged.
 *
 * The call blocks, at most for the timeout of the communicator. Other threads may wait for other requests at
 * the same time. Replacement for MPI_Wait.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_wait(anyccl_request_t *request);

/**
 * Waits for the end of a send or receive, and tells about its message.
 *
 * \param[in,out] request  As for anyccl_wait().
 * \param[out]    status   What was received or sent. Unchanged if request was NULL or the operation is not a
 *                         send or receive. May be NULL.
 * \returns As anyccl_wait().
 *
 * The call blocks, at most for the timeout of the communicator. Replacement for MPI_Wait with a status.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_wait_message(anyccl_request_t *request, struct anyccl_message_status_t *status);

/**
 * Waits for the end of an operation, but not longer than a given time.
 *
 * \param[in,out] request     Taken if the operation has ended: NULL then, also if it failed. Otherwise
 *                            unchanged: it can be waited for again.
 * \param[in]     timeout_ms  Longest time to wait, 0 or more. ANYCCL_TIMEOUT_NEVER: as
 *                            anyccl_wait_message().
 * \param[out]    done        1 when the operation has ended, else 0. Unchanged if it has failed.
 * \param[out]    status      As for anyccl_wait_message(). Unchanged if the operation has not ended. May be
 *                            NULL.
 * \returns ANYCCL_SUCCESS, also if the time has passed first; the status of the operation when it has ended
 *          with a failure; ANYCCL_ERR_INVALID_ARGUMENT for a timeout_ms below -1; otherwise as
 *          anyccl_wait().
 *
 * It is for programs that look after something else from time to time, such as signals. The timeout of the
 * communicator continues to count from one such call to the next.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_wait_for(anyccl_request_t *request,
                                int64_t timeout_ms,
                                int *done,
                                struct anyccl_message_status_t *status);

/**
 * Asks whether an operation has ended, and lets the operations of its communicator progress.
 *
 * \param[in,out] request  Taken if the operation has ended: NULL then, also if it failed. A request that is
 *                         NULL has ended.
 * \param[out]    done     1 when it has ended, else 0. Unchanged if it has failed.
 * \returns ANYCCL_SUCCESS; the status of the operation when it has ended with a failure; otherwise as
 *          anyccl_wait().
 *
 * Local. The call does not block. If the operation has not ended, call it again, or wait: operations
 * progress only inside calls on their communicator. Replacement for MPI_Test.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_test(anyccl_request_t *request, int *done);

/**
 * Asks whether a send or receive has ended, and tells about its message.
 *
 * \param[in,out] request  As for anyccl_test().
 * \param[out]    done     As for anyccl_test().
 * \param[out]    status   As for anyccl_wait_message(). Unchanged if the operation has not ended. May be
 *                         NULL.
 * \returns As anyccl_test().
 *
 * Local. The call does not block. Replacement for MPI_Test with a status.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_test_message(anyccl_request_t *request, int *done, struct anyccl_message_status_t *status);

/**
 * Asks for the end of a receive that no message has matched yet.
 *
 * \param[in] request  Borrowed: it must still be waited for. NULL: nothing happens.
 * \returns ANYCCL_SUCCESS, whether the receive was cancelled or not: the member cancelled of
 *          anyccl_wait_message() tells. ANYCCL_ERR_INVALID_ARGUMENT when request is not a request;
 *          ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or in a forked child.
 *
 * Local. The call does not block. It has no effect on a send or a collective. Replacement for MPI_Cancel.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_cancel(anyccl_request_t request);

/**
 * Lets blocking calls of this thread return before their operation has ended.
 *
 * \param[in] limit_ms    Longest time that a call waits, 0 or more. ANYCCL_TIMEOUT_NEVER: calls wait until
 *                        their operation has ended, as they do at first.
 * \param[in] unfinished  Place for a request. It must stay writable until the thread sets another limit, or
 *                        ends. Not used, and may be NULL, with ANYCCL_TIMEOUT_NEVER.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a limit_ms below -1, or when unfinished is NULL
 *          beside another limit than ANYCCL_TIMEOUT_NEVER.
 *
 * If the operation of a blocking collective, send or receive has not ended after limit_ms, the call writes a
 * request to *unfinished and returns ANYCCL_SUCCESS. The operation goes on and uses its buffers, as if the
 * nonblocking form had started it: see \ref nonblocking. A call that ends in time does not change
 * *unfinished, so set that to NULL before each call. The status of a received message comes from
 * anyccl_wait_for() then.
 *
 * There is no limit for anyccl_sendrecv(), probes, calls in a batch, functions that wait for requests, and
 * calls on a communicator with a stream. The limit is for bindings of languages that look after signals
 * between calls. Local.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_set_blocking_limit(int64_t limit_ms, anyccl_request_t *unfinished);

/** \} */

/** \name Several requests
 *
 *  The requests may belong to several communicators. Calls that wait for one or some of them skip entries that
 *  are NULL and persistent requests that are not running.
 *  \{ */

/** Not an index: what anyccl_wait_any() and anyccl_test_any() give when all entries are skipped. */
#define ANYCCL_NO_INDEX ((size_t)-1)

/**
 * Waits for the end of all operations of an array.
 *
 * \param[in]     count     Number of requests. 0: nothing happens.
 * \param[in,out] requests  Array of count requests, each taken as by anyccl_wait(). Entries that are NULL
 *                          are skipped. May be NULL when count is 0.
 * \returns ANYCCL_SUCCESS when all have succeeded; otherwise the first failure in the order of the array,
 *          after all have ended. ANYCCL_ERR_INVALID_ARGUMENT when an entry is not a request;
 *          ANYCCL_ERR_INVALID_USAGE when an entry is given twice or used by another thread, or in a forked
 *          child. After these two, no request was taken.
 *
 * The call blocks, at most for the timeouts of the communicators. Replacement for MPI_Waitall.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_wait_all(size_t count, anyccl_request_t *requests);

/**
 * Waits for the end of one operation of an array.
 *
 * \param[in]     count     Number of requests.
 * \param[in,out] requests  Array of count requests. The one that has ended is taken as by anyccl_wait(). May
 *                          be NULL when count is 0.
 * \param[out]    index     Its place in the array; ANYCCL_NO_INDEX when all entries are skipped. Also
 *                          written if the operation failed.
 * \returns The status of that operation, as its blocking form returns it; ANYCCL_SUCCESS when all entries
 *          are skipped; ANYCCL_ERR_INVALID_ARGUMENT when an entry is not a request or index is NULL;
 *          ANYCCL_ERR_INVALID_USAGE when an entry is given twice or used by another thread, or in a forked
 *          child. After these two refusals, no request was taken and index is unchanged.
 *
 * The call blocks, at most until the timeout of one of the communicators. If several operations have ended,
 * it takes the first in the array. A rank that waits long sleeps, whatever the number of communicators.
 * Replacement for MPI_Waitany.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_wait_any(size_t count, anyccl_request_t *requests, size_t *index);

/**
 * Waits until at least one operation of an array has ended, and takes all that have ended.
 *
 * \param[in]     count     Number of requests, and room in indices and statuses.
 * \param[in,out] requests  Array of count requests. Those that have ended are taken as by anyccl_wait().
 * \param[out]    ended     Number of requests taken. 0 only when all entries are skipped.
 * \param[out]    indices   Their places in the array, ascending.
 * \param[out]    statuses  Their statuses, in the order of indices. May be NULL.
 * \returns ANYCCL_SUCCESS when these operations have succeeded, or all entries are skipped; otherwise the
 *          first failure in the order of indices. Also then all outputs are written.
 *          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE as anyccl_wait_any(): no request was
 *          taken and nothing is written.
 *
 * The call blocks as anyccl_wait_any() does. Replacement for MPI_Waitsome.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_wait_some(size_t count,
                                 anyccl_request_t *requests,
                                 size_t *ended,
                                 size_t *indices,
                                 anyccl_status_t *statuses);

/**
 * Waits until at least one operation of an array has ended, and takes none.
 *
 * \param[in] count     Number of requests.
 * \param[in] requests  Array of count requests, borrowed. May be NULL when count is 0.
 * \returns ANYCCL_SUCCESS, also if the operation failed and when all entries are skipped;
 *          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE as anyccl_wait_any().
 *
 * It is for one thread that looks after the requests of many: anyccl_test() and anyccl_test_message() tell
 * afterwards which have ended, and how. The call blocks as anyccl_wait_any() does. The time that an
 * operation goes without progress continues to count from one such call to the next.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_wait_ready(size_t count, anyccl_request_t *requests);

/**
 * Asks whether all operations of an array have ended, and lets the operations of their communicators
 * progress.
 *
 * \param[in]     count     Number of requests.
 * \param[in,out] requests  Array of count requests. If all have ended, each is taken as by anyccl_wait();
 *                          otherwise none is. Entries that are NULL have ended. May be NULL when count is 0.
 * \param[out]    done      1 when all have ended, else 0. Also written if an operation failed.
 * \returns ANYCCL_SUCCESS; when all have ended, the first failure in the order of the array; otherwise as
 *          anyccl_wait_any().
 *
 * Local. The call does not block. Replacement for MPI_Testall.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_test_all(size_t count, anyccl_request_t *requests, int *done);

/**
 * Asks whether one operation of an array has ended, and lets the operations of their communicators progress.
 *
 * \param[in]     count     Number of requests.
 * \param[in,out] requests  Array of count requests. One that has ended is taken as by anyccl_wait().
 * \param[out]    index     Its place in the array; ANYCCL_NO_INDEX when none has ended or all entries are
 *                          skipped. Also written if the operation failed.
 * \param[out]    done      1 when one has ended or all entries are skipped, else 0. Also written if the
 *                          operation failed.
 * \returns ANYCCL_SUCCESS; the status of the operation that has ended; otherwise as anyccl_wait_any().
 *
 * Local. The call does not block. Replacement for MPI_Testany.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_test_any(size_t count, anyccl_request_t *requests, size_t *index, int *done);

/** \} */

/** \name Persistent requests
 *  \{ */

/**
 * Starts a run of a persistent operation.
 *
 * \param[in] request  Borrowed: from a function whose name ends in `_init`.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is not a request;
 *          ANYCCL_ERR_INVALID_USAGE when it is not persistent, is running, is used by another thread, or in
 *          a forked child; the status of the failure when its communicator has failed.
 *
 * The call does not block. The operation takes its place in the order of the communicator's calls now, not
 * when it was prepared. Replacement for MPI_Start.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_start(anyccl_request_t request);

/**
 * Starts a run of several persistent operations, in the order of the array.
 *
 * \param[in] count     Number of requests. 0: nothing happens.
 * \param[in] requests  Array of count requests, as for anyccl_start(). NULL is not skipped. May be NULL when
 *                      count is 0.
 * \returns As anyccl_start(). After ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE, none was
 *          started.
 *
 * The call does not block. Replacement for MPI_Startall.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_start_all(size_t count, anyccl_request_t *requests);

/**
 * Releases a persistent request.
 *
 * \param[in,out] request  Taken: NULL afterwards. A request that is NULL already is accepted.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is NULL or not a request;
 *          ANYCCL_ERR_INVALID_USAGE when it is running, not persistent (wait for it instead), used by
 *          another thread, or in a forked child. After these two, nothing has changed.
 *
 * Local. The communicator cannot be destroyed before. Replacement for MPI_Request_free.
 */
anyccl_status_t anyccl_request_free(anyccl_request_t *request);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_REQUEST_H */
