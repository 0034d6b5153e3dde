/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Batches: calls that are started together. Estimates: calls that are not made.
 *
 * \defgroup chapter_batch Batches and estimates
 *
 * A batch is the calls of one thread between anyccl_batch_begin() and anyccl_batch_end(). They are started
 * one after the other without waiting, so calls that need each other may stand in any order.
 *
 * \code{.c}
 * int right = (rank + 1) % size, left = (rank + size - 1) % size, theirs;
 * ANYCCL_CHECK(anyccl_batch_begin());
 * ANYCCL_CHECK(anyccl_send(&rank, 1, ANYCCL_INT32, right, 0, ANYCCL_WORLD));
 * ANYCCL_CHECK(anyccl_recv(&theirs, 1, ANYCCL_INT32, left, 0, ANYCCL_WORLD, NULL));
 * ANYCCL_CHECK(anyccl_batch_end());
 * assert(theirs == left);
 * \endcode
 *
 * An estimate is the calls between anyccl_estimate_begin() and anyccl_estimate_end(). They are not made; their time is
 * predicted.
 *
 * \{
 */

#ifndef ANYCCL_BATCH_H
#define ANYCCL_BATCH_H

#include <anyccl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Begins a batch: the calls of this thread up to anyccl_batch_end() are started together.
 *
 * \returns ANYCCL_SUCCESS.
 *
 * Local to this thread. Inside a batch, collectives, sends and receives on any communicator do not block:
 * each returns when it is started. Its buffers, and the status of a receive, belong to the library until the
 * end of the batch. Batches may be nested; the end of the outermost one counts. Replacement for
 * ncclGroupStart.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_batch_begin(void);

/**
 * Ends a batch: waits until all its calls are complete.
 *
 * \returns ANYCCL_SUCCESS when all calls have succeeded; otherwise the first failure, after all have ended.
 *          A call whose argument was refused has already returned that status; it is reported here again,
 *          and does not affect the other calls. ANYCCL_ERR_INVALID_USAGE without a batch.
 *
 * The call blocks, at most for the timeouts of the communicators. The end of an inner batch does not block.
 * Requests that were made inside the batch must still be waited for. Replacement for ncclGroupEnd.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_batch_end(void);

/**
 * Begins an estimate: the calls of this thread up to anyccl_estimate_end() are not made; their time is
 * predicted.
 *
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_USAGE if this thread has an estimate or a batch open already.
 *
 * Local: other ranks need not do the same. Until the end, collectives, sends and receives on any
 * communicator check their arguments, touch no buffer and return at once; requests that they give have
 * ended. Persistent requests, probes that wait, and receives of messages that were taken out are refused
 * meanwhile; communicators are made as always.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_estimate_begin(void);

/**
 * Ends an estimate, and tells how long its calls would have taken, one after the other.
 *
 * \param[out] microseconds  The sum of the predicted times.
 * \returns ANYCCL_SUCCESS; the failure of the first call that was refused, with the time of the others;
 *          ANYCCL_ERR_INVALID_USAGE without an estimate. A call on GPU memory, or by another library, was
 *          refused with ANYCCL_ERR_UNSUPPORTED.
 *
 * The prediction is equal on all ranks that make equal calls. It is close to a measurement with a file that
 * `anyccl perf --tune` has made in such a job (ANYCCL_TUNING_FILE); see docs/measuring.md. Replacement for
 * ncclGroupSimulateEnd.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_estimate_end(double *microseconds);

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_BATCH_H */
