/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Batches: calls that are started together.
 *
 * \defgroup batch Batches
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
 * Begins a batch: calls of this thread up to anyccl_batch_end are started together.
 *
 * \returns ANYCCL_SUCCESS.
 *
 * Local, of this thread. Inside of a batch, collectives, also of lists, and sends and receives do not block,
 * on any communicator: each returns as soon as it is started, and its buffers, and the status of a receive,
 * belong to the library until the end of the batch. So calls that need each other may stand in any order:
 *
 *     anyccl_batch_begin();
 *     anyccl_send(mine, 1000, ANYCCL_FLOAT32, peer, 0, comm);
 *     anyccl_recv(theirs, 1000, ANYCCL_FLOAT32, peer, 0, comm, NULL);
 *     anyccl_batch_end();
 *
 * Batches may be nested; the outermost end counts. Replacement for ncclGroupStart.
 */
anyccl_status_t anyccl_batch_begin(void);

/**
 * Ends a batch: waits until everything that was called inside of it is done.
 *
 * \returns ANYCCL_SUCCESS when all calls have succeeded; else the first failure, after all have ended. A
 *          call with an argument that was refused has returned that at once; it is told here again, and the
 *          other calls of the batch are not touched by it. ANYCCL_ERR_INVALID_USAGE without a batch.
 *
 * The call blocks, at most for the communicators' timeouts; the end of an inner batch does not. Requests
 * that calls inside of the batch have given out are waited for by anyccl_wait, as ever. Replacement for
 * ncclGroupEnd.
 */
anyccl_status_t anyccl_batch_end(void);

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_BATCH_H */
