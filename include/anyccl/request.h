/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Requests: the nonblocking and the persistent form of a call.
 *
 * \defgroup request Requests
 *
 * A request is an operation that has been started, or prepared, and not yet completed. Most calls have three
 * forms: `anyccl_NAME` blocks, `anyccl_iNAME` starts the operation, `anyccl_NAME_init` prepares it.
 *
 * \code{.c}
 * float mine = 1, sum;
 * anyccl_request_t request;
 * ANYCCL_CHECK(anyccl_iall_reduce(&mine, &sum, 1, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD, &request));
 * // Other work, with other memory.
 * ANYCCL_CHECK(anyccl_wait(&request));
 * assert(sum == (float)size && request == ANYCCL_REQUEST_NULL);
 *
 * ANYCCL_CHECK(anyccl_all_reduce_init(&mine, &sum, 1, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD, &request));
 * for (int step = 0; step < 3; step++) {
 *     ANYCCL_CHECK(anyccl_start(request));
 *     ANYCCL_CHECK(anyccl_wait(&request));
 * }
 * ANYCCL_CHECK(anyccl_request_free(&request));
 * \endcode
 *
 * \section nonblocking The nonblocking form
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
 * \section persistent The persistent form
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

/** What anyccl_request_t points to, for the compiler's type check only. */
typedef struct anyccl_request anyccl_request;

/**
 * A started operation. It completes once, and wait or test sets it to NULL then. Its buffers belong to the
 * library until that moment: a send buffer may be read, a receive buffer neither read nor written.
 *
 * One from a function whose name ends in _init is persistent: anyccl_start starts it, wait and test leave it
 * as it is when a run has ended, and anyccl_request_free sets it to NULL. Before and between its runs it has
 * ended for every call that waits or tests, and its buffers are the program's.
 */
typedef struct anyccl_request *anyccl_request_t;

/** Initial and final value of an anyccl_request_t. */
#define ANYCCL_REQUEST_NULL ((anyccl_request_t)0)

/** What is known of a message. Its members never change. */
typedef struct anyccl_message_status_t {
    /** The rank that sent it. */
    int source;
    /** The tag that it was sent with. */
    int32_t tag;
    /** The datatype that it was sent with. */
    anyccl_datatype_t datatype;
    /** 1: the receive was cancelled, there was no message, and the other members say nothing. Else 0. */
    int cancelled;
    /** Elements that were sent: at most what the receive has room for. */
    size_t count;
    /** Bytes that were sent: count times the size of the datatype. */
    size_t bytes;
} anyccl_message_status_t;

/** \} */

/** \name One request
 *  \{ */

/**
 * Waits for the end of an operation.
 *
 * \param request  [in,out] Taken: NULL afterwards, whatever became of the operation. A request that is NULL
 *                 already has ended: success.
 * \returns The status of the operation, as its blocking form returns it; ANYCCL_ERR_INVALID_ARGUMENT when
 *          request is NULL or is no request; ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or
 *          in a forked child. In these cases *request is left alone.
 *
 * The call blocks, at most for the communicator's timeout. Other threads may wait for other requests
 * meanwhile. Replacement for MPI_Wait.
 */
anyccl_status_t anyccl_wait(anyccl_request_t *request);

/**
 * Waits for the end of a send or receive, and tells what is known of its message.
 *
 * \param request  [in,out] See anyccl_wait.
 * \param status   [out] What was received or sent. Left alone when request was NULL, and when it was no send
 *                 or receive. May be NULL.
 * \returns See anyccl_wait.
 *
 * The call blocks, at most for the communicator's timeout. Replacement for MPI_Wait with a status.
 */
anyccl_status_t anyccl_wait_message(anyccl_request_t *request, struct anyccl_message_status_t *status);

/**
 * Waits for the end of an operation, but no longer than for a given time.
 *
 * \param request     [in,out] Taken when the operation has ended: NULL then, also when it failed. Else left
 *                    alone: it can be waited for again.
 * \param timeout_ms  [in] Longest time to wait: 0 or more, or ANYCCL_TIMEOUT_NEVER, as anyccl_wait_message
 *                    waits.
 * \param done        [out] 1 when it has ended, else 0. Written only on ANYCCL_SUCCESS.
 * \param status      [out] See anyccl_wait_message; left alone while the operation has not ended. May be
 *                    NULL.
 * \returns ANYCCL_SUCCESS, also when the time was over first; the status of the operation when it has ended
 *          with a failure; ANYCCL_ERR_INVALID_ARGUMENT for a timeout_ms below -1; else as anyccl_wait.
 *
 * The call blocks, at most for that time: for programs that have something else to look after now and then.
 * The communicator's timeout counts on from one such wait to the next.
 */
anyccl_status_t anyccl_wait_for(anyccl_request_t *request,
                                int64_t timeout_ms,
                                int *done,
                                struct anyccl_message_status_t *status);

/**
 * Asks whether an operation has ended, and moves the operations of its communicator on.
 *
 * \param request  [in,out] Taken when the operation has ended: NULL then, also when it failed. A request
 *                 that is NULL already has ended.
 * \param done     [out] 1 when it has ended, else 0. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; the status of the operation when it has ended with a failure; else as
 *          anyccl_wait.
 *
 * Local. The call does not wait. Call it again, or anyccl_wait: nothing moves an operation on but calls on
 * its communicator. Replacement for MPI_Test.
 */
anyccl_status_t anyccl_test(anyccl_request_t *request, int *done);

/**
 * Asks whether a send or receive has ended, and tells what is known of its message.
 *
 * \param request  [in,out] See anyccl_test.
 * \param done     [out] See anyccl_test.
 * \param status   [out] See anyccl_wait_message; left alone while the operation has not ended. May be
 *                 NULL.
 * \returns See anyccl_test.
 *
 * Local. The call does not wait. Replacement for MPI_Test with a status.
 */
anyccl_status_t anyccl_test_message(anyccl_request_t *request, int *done, struct anyccl_message_status_t *status);

/**
 * Asks for the end of a receive that has met no message yet.
 *
 * \param request  [in] Borrowed: it must still be waited for. NULL: nothing happens.
 * \returns ANYCCL_SUCCESS, whether the receive was cancelled or not: anyccl_wait_message tells, by the
 *          member cancelled of its status. ANYCCL_ERR_INVALID_ARGUMENT when request is none;
 *          ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or in a forked child.
 *
 * Local. The call does not wait. A send or a collective is not cancelled. Replacement for MPI_Cancel.
 */
anyccl_status_t anyccl_cancel(anyccl_request_t request);

/** \} */

/** \name Several requests
 *
 *  The requests may belong to several communicators. Calls that wait for one or some of them skip entries that
 *  are NULL and persistent requests that are not running.
 *  \{ */

/** Not an index: what anyccl_wait_any() and anyccl_test_any() give when all entries are skipped. */
#define ANYCCL_NO_INDEX ((size_t)-1)

/**
 * Waits for the end of several operations, of one or several communicators.
 *
 * \param count     [in] Number of requests. 0: nothing happens.
 * \param requests  [in,out] count requests, each taken as by anyccl_wait: NULL afterwards. Entries that are
 *                  NULL are skipped. May be NULL when count is 0.
 * \returns ANYCCL_SUCCESS when all have succeeded; else the first failure in the order of the array, after
 *          all have ended. ANYCCL_ERR_INVALID_ARGUMENT when an entry is no request, ANYCCL_ERR_INVALID_USAGE
 *          when one is given twice or used by another thread, or in a forked child: then none was waited
 *          for.
 *
 * The call blocks, at most for the communicators' timeouts. Replacement for MPI_Waitall.
 */
anyccl_status_t anyccl_wait_all(size_t count, anyccl_request_t *requests);

/**
 * Waits for the end of one of several operations, of one or several communicators.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in,out] The one that has ended is taken as by anyccl_wait. Entries that are NULL, and
 *                  persistent ones that are not under way, are skipped. May be NULL when count is 0.
 * \param index     [out] Its place in the array; ANYCCL_NO_INDEX when all are skipped. Also written when the
 *                  operation failed.
 * \returns The status of that operation, as its blocking form returns it; ANYCCL_SUCCESS when all are
 *          skipped; ANYCCL_ERR_INVALID_ARGUMENT when an entry is no request or index is NULL,
 *          ANYCCL_ERR_INVALID_USAGE when one is given twice or used by another thread, or in a forked child:
 *          then nothing was waited for, and index is left alone.
 *
 * The call blocks, at most until the timeout of one of the communicators; a rank that waits long sleeps,
 * however many communicators there are. Of several that have ended, the first in the array. Replacement for
 * MPI_Waitany.
 */
anyccl_status_t anyccl_wait_any(size_t count, anyccl_request_t *requests, size_t *index);

/**
 * Waits until at least one of several operations has ended, of one or several communicators; takes all that
 * have by then.
 *
 * \param count     [in] Number of requests, and room in indices and statuses.
 * \param requests  [in,out] Those that have ended are taken as by anyccl_wait. Entries are skipped as by
 *                  anyccl_wait_any.
 * \param ended     [out] How many have ended: 0 only when all are skipped.
 * \param indices   [out] Their places in the array, ascending.
 * \param statuses  [out] How each has ended, in the order of indices. May be NULL.
 * \returns ANYCCL_SUCCESS when these have succeeded, or none is under way; else the first failure in the
 *          order of indices. For a refusal as by anyccl_wait_any nothing was waited for or written; else
 *          everything is written.
 *
 * The call blocks as anyccl_wait_any. Replacement for MPI_Waitsome.
 */
anyccl_status_t anyccl_wait_some(size_t count,
                                 anyccl_request_t *requests,
                                 size_t *ended,
                                 size_t *indices,
                                 anyccl_status_t *statuses);

/**
 * Waits until at least one of several operations has ended, of one or several communicators, and takes none.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in] Borrowed. Entries are skipped as by anyccl_wait_any. May be NULL when count is 0.
 * \returns ANYCCL_SUCCESS, also when what has ended has failed, and when all are skipped;
 *          ANYCCL_ERR_INVALID_ARGUMENT and ANYCCL_ERR_INVALID_USAGE as by anyccl_wait_any.
 *
 * The call blocks as anyccl_wait_any. For one thread that looks after the requests of many: anyccl_test and
 * anyccl_test_message tell then which have ended, and how. The time that an operation goes without progress
 * counts on from one such wait to the next.
 */
anyccl_status_t anyccl_wait_ready(size_t count, anyccl_request_t *requests);

/**
 * Asks whether several operations have all ended, and moves those of their communicators on.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in,out] When all have ended, each is taken as by anyccl_wait; else none is. Entries that
 *                  are NULL have ended. May be NULL when count is 0.
 * \param done      [out] 1 when all have ended, else 0. Also written when an operation failed.
 * \returns ANYCCL_SUCCESS; when all have ended, the first failure in the order of the array; else as
 *          anyccl_wait_any.
 *
 * Local. The call does not wait. Replacement for MPI_Testall.
 */
anyccl_status_t anyccl_test_all(size_t count, anyccl_request_t *requests, int *done);

/**
 * Asks whether one of several operations has ended, and moves those of their communicators on.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in,out] One that has ended is taken as by anyccl_wait. Entries are skipped as by
 *                  anyccl_wait_any.
 * \param index     [out] Its place in the array; ANYCCL_NO_INDEX when none has ended or all are skipped.
 *                  Also written when the operation failed.
 * \param done      [out] 1 when one has ended or all are skipped, else 0. Also written when the operation
 *                  failed.
 * \returns ANYCCL_SUCCESS; the status of the operation that has ended; else as anyccl_wait_any.
 *
 * Local. The call does not wait. Replacement for MPI_Testany.
 */
anyccl_status_t anyccl_test_any(size_t count, anyccl_request_t *requests, size_t *index, int *done);

/** \} */

/** \name Persistent requests
 *  \{ */

/**
 * Starts a persistent operation.
 *
 * \param request  [in] Borrowed: from a function whose name ends in _init.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is no request; ANYCCL_ERR_INVALID_USAGE
 *          when it is not persistent, under way, used by another thread, or in a forked child; the status of
 *          the failure when its communicator has failed.
 *
 * The call does not block. In the order of operations on the communicator it counts from here on, not from
 * its making. Its buffers belong to the library until anyccl_wait or anyccl_test has seen the end.
 * Replacement for MPI_Start.
 */
anyccl_status_t anyccl_start(anyccl_request_t request);

/**
 * Starts several persistent operations, in the order of the array.
 *
 * \param count     [in] Number of requests. 0: nothing happens.
 * \param requests  [in] count requests, as for anyccl_start, of one or several communicators. NULL is not
 *                  skipped. May be NULL when count is 0.
 * \returns See anyccl_start; when it is ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE, none was
 *          started.
 *
 * The call does not block. Replacement for MPI_Startall.
 */
anyccl_status_t anyccl_start_all(size_t count, anyccl_request_t *requests);

/**
 * Gives up a persistent operation.
 *
 * \param request  [in,out] Taken: NULL afterwards. A request that is NULL already is nothing to free.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is NULL or is no request;
 *          ANYCCL_ERR_INVALID_USAGE when it is under way, not persistent (wait for it instead), used by
 *          another thread, or in a forked child. In these cases nothing has changed.
 *
 * Local. Its communicator cannot be destroyed before. Replacement for MPI_Request_free.
 */
anyccl_status_t anyccl_request_free(anyccl_request_t *request);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_REQUEST_H */
