/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Batches: calls that are started together.
 *
 * \defgroup chapter_batch Batches
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

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_BATCH_H */
