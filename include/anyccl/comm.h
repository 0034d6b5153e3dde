/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Communicators: create, query, split, recover, destroy.
 *
 * \defgroup chapter_comm Communicators
 *
 * A communicator is an ordered set of ranks whose calls are separate from those of every other communicator.
 * The communicator of the whole job is ANYCCL_WORLD, see world.h; the others are made from it, or from a
 * unique id that the ranks share.
 *
 * \code{.c}
 * anyccl_comm_t row;
 * ANYCCL_CHECK(anyccl_comm_split(ANYCCL_WORLD, rank / 2, rank, NULL, &row));
 * int row_rank;
 * ANYCCL_CHECK(anyccl_comm_rank(row, &row_rank));
 * assert(row_rank == rank % 2);
 * ANYCCL_CHECK(anyccl_comm_destroy(row));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_COMM_H
#define ANYCCL_COMM_H

#include <anyccl/base.h>
#include <anyccl/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Handles
 *  \{ */

/** Opaque type behind anyccl_comm_t. */
typedef struct anyccl_comm anyccl_comm;

/**
 * Handle of a communicator.
 *
 * Handles can be copied and compared. A handle whose communicator was destroyed is recognized and refused.
 * NULL is ANYCCL_WORLD.
 */
typedef struct anyccl_comm *anyccl_comm_t;

/** The communicator of the whole job. Any call that takes a communicator accepts it. */
#define ANYCCL_WORLD ((anyccl_comm_t)0)

/** No communicator: what a rank gets that is not a member of the new communicator. */
#define ANYCCL_COMM_NONE ((anyccl_comm_t)1)

/** \} */

/** \name Creation from a unique id
 *  \{ */

/** Size of anyccl_unique_id_t. */
#define ANYCCL_UNIQUE_ID_BYTES 128

/**
 * Name of a communicator that is being created.
 *
 * It is plain bytes: send them to the other ranks by any means. They contain a secret; any process that has
 * them can join.
 */
typedef struct anyccl_unique_id_t {
    /** Opaque content. */
    unsigned char bytes[ANYCCL_UNIQUE_ID_BYTES];
} anyccl_unique_id_t;

/**
 * Makes a new unique id. One rank calls it and gives the id to all ranks of the new communicator.
 *
 * \param[out] id  The id.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when id is NULL or an environment variable is
 *          invalid; ANYCCL_ERR_SYSTEM when no socket could be opened.
 *
 * Local. This process then answers the ranks that join. It must live until all have joined or the timeout
 * has passed. One id names one communicator. Replacement for ncclGetUniqueId.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_get_unique_id(struct anyccl_unique_id_t *id);

/**
 * Joins the communicator that a unique id names.
 *
 * \param[in]  id      The same bytes on every rank.
 * \param[in]  size    Number of ranks, at least 1. The same on every rank.
 * \param[in]  rank    Rank of the caller, 0 to size-1. Each rank exactly once.
 * \param[in]  config  Settings. NULL: the defaults.
 * \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, an invalid id or an
 *          invalid config; ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did not find each
 *          other; ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
 *
 * Collective over the ranks of the new communicator. The call blocks until all ranks have joined, at most
 * for the timeout. A rank is a process or a thread; with threads, each makes the call for its own rank. It
 * does not need anyccl_init(). Replacement for ncclCommInitRank.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_create(const struct anyccl_unique_id_t *id,
                                   int size,
                                   int rank,
                                   const struct anyccl_config_t *config,
                                   anyccl_comm_t *comm);

/** \} */

/** \name Creation from another communicator
 *  \{ */

/** Color of a rank that takes part in anyccl_comm_split() and becomes a member of no new communicator. */
#define ANYCCL_COLOR_NONE -1

/**
 * Splits a communicator: the ranks with the same color form a new one.
 *
 * \param[in]  parent  Communicator to split, or ANYCCL_WORLD. It stays usable.
 * \param[in]  color   0 or more; or ANYCCL_COLOR_NONE.
 * \param[in]  key     Ranks are numbered in ascending order of their keys. Equal keys keep the order of
 *                     parent.
 * \param[in]  config  Settings. NULL: the timeout of parent, and a name made from the name of parent.
 * \param[out] comm    Owned by the caller; release with anyccl_comm_destroy(). ANYCCL_COMM_NONE for the
 *                     color ANYCCL_COLOR_NONE.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a color below ANYCCL_COLOR_NONE, a NULL comm, an
 *          invalid parent or an invalid config; otherwise one of \ref failures of parent.
 *
 * Collective over parent. The new communicator uses the connections of parent, so the call costs about as
 * much as an all_gather of 32 bytes. It may outlive parent. Replacement for MPI_Comm_split and
 * ncclCommSplit.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_split(anyccl_comm_t parent,
                                  int color,
                                  int key,
                                  const struct anyccl_config_t *config,
                                  anyccl_comm_t *comm);

/**
 * Splits a communicator by host: the ranks that share memory with each other form a new one, in the order of
 * parent.
 *
 * \param[in]  parent  Communicator to split, or ANYCCL_WORLD.
 * \param[in]  config  Settings, as for anyccl_comm_split().
 * \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
 * \returns As anyccl_comm_split().
 *
 * Collective over parent. Replacement for MPI_Comm_split_type with MPI_COMM_TYPE_SHARED.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_split_by_host(anyccl_comm_t parent,
                                          const struct anyccl_config_t *config,
                                          anyccl_comm_t *comm);

/**
 * Makes a communicator of the same ranks whose calls and messages are separate from those of parent.
 *
 * \param[in]  parent  Communicator to duplicate, or ANYCCL_WORLD.
 * \param[in]  config  Settings, as for anyccl_comm_split().
 * \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
 * \returns As anyccl_comm_split().
 *
 * Collective over parent. Replacement for MPI_Comm_dup.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_dup(anyccl_comm_t parent, const struct anyccl_config_t *config, anyccl_comm_t *comm);

/**
 * Makes a communicator of some ranks of another one.
 *
 * \param[in]  parent  Communicator that has the ranks, or ANYCCL_WORLD.
 * \param[in]  ranks   Array of count ranks of parent, each at most once. The first becomes rank 0, and so
 *                     on. The same on every rank of parent, members or not.
 * \param[in]  count   Length of the array: 0 to the size of parent. With 0, ranks may be NULL.
 * \param[in]  config  Settings, as for anyccl_comm_split().
 * \param[out] comm    Owned by the caller; release with anyccl_comm_destroy(). ANYCCL_COMM_NONE on a rank
 *                     that is not in the array.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a rank that is out of range or listed twice;
 *          ANYCCL_ERR_MISMATCH on all ranks when the arrays differ: no communicator is made then, and parent
 *          stays usable; otherwise as anyccl_comm_split().
 *
 * Collective over parent. Replacement for MPI_Comm_create and torch.distributed.new_group.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_create_from_ranks(anyccl_comm_t parent,
                                              const int *ranks,
                                              int count,
                                              const struct anyccl_config_t *config,
                                              anyccl_comm_t *comm);

/** \} */

/** \name Queries
 *  \{ */

/**
 * Gives the rank of the caller in a communicator.
 *
 * \param[in]  comm  Communicator, or ANYCCL_WORLD.
 * \param[out] rank  0 to size-1.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL or comm is not a communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. Replacement for MPI_Comm_rank and ncclCommUserRank.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_rank(anyccl_comm_t comm, int *rank);

/**
 * Gives the number of ranks in a communicator.
 *
 * \param[in]  comm  Communicator, or ANYCCL_WORLD.
 * \param[out] size  At least 1.
 * \returns As anyccl_comm_rank().
 *
 * Local. Replacement for MPI_Comm_size and ncclCommCount.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_size(anyccl_comm_t comm, int *size);

/**
 * Gives the position of the caller among the ranks of a communicator on its host.
 *
 * \param[in]  comm        Communicator, or ANYCCL_WORLD.
 * \param[out] local_rank  0 to local size - 1.
 * \returns As anyccl_comm_rank().
 *
 * Local.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_local_rank(anyccl_comm_t comm, int *local_rank);

/**
 * Gives the number of ranks of a communicator on the host of the caller, the caller included.
 *
 * \param[in]  comm        Communicator, or ANYCCL_WORLD.
 * \param[out] local_size  At least 1.
 * \returns As anyccl_comm_rank().
 *
 * Local.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_local_size(anyccl_comm_t comm, int *local_size);

/** \} */

/** \name Calls on memory of a GPU
 *  \{ */

/**
 * Orders the calls that have buffers in memory of a GPU on a CUDA stream.
 *
 * \param[in] comm    Communicator, or ANYCCL_WORLD.
 * \param[in] stream  CUstream or cudaStream_t; NULL is the default stream. Must live until its calls have
 *                    ended.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. It applies to calls that are made afterwards and have a buffer on a GPU. Each is enqueued on the
 * stream. It sees what the stream has done before it, and what is enqueued later sees its result. The
 * blocking forms return when the call is enqueued, and the buffers belong to the call until the stream has
 * passed it. A status then describes the buffer, not the message. Requests complete when the stream has
 * passed their call.
 *
 * A call that fails after it was enqueued lets the stream go on, and fails the communicator:
 * anyccl_comm_failure() tells. Without a stream, the calls behave as with a CUDA-aware MPI: the buffers are
 * ready when the call is made, and blocking forms wait for the end. A call on a stream that captures a CUDA
 * graph becomes part of the graph, and runs at every launch. Its request completes when it is captured.
 * Messages are refused there.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_set_stream(anyccl_comm_t comm, void *stream);

/**
 * Ends the effect of anyccl_comm_set_stream().
 *
 * \param[in] comm  Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. Calls that are on the stream already stay there.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_unset_stream(anyccl_comm_t comm);

/** \} */

/** \name Failure and recovery
 *  \{ */

/**
 * Asks whether a communicator has failed, and why.
 *
 * \param[in] comm  Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS when it is usable. Otherwise the status that its calls return since it failed;
 *          anyccl_last_error() has the message. ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator.
 *
 * Local. A failed communicator stays failed: it can only be shrunk and destroyed. Replacement for
 * ncclCommGetAsyncError.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_failure(anyccl_comm_t comm);

/**
 * Sets how long calls may wait without progress.
 *
 * \param[in] comm        Communicator, or ANYCCL_WORLD.
 * \param[in] timeout_ms  Milliseconds, at least 1; or ANYCCL_TIMEOUT_NEVER. Ranks may choose different
 *                        values.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator or the number is out
 *          of range; ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. The limit applies to calls that begin, and requests that are started, afterwards. Communicators
 * that were made from this one keep their own limits.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_set_timeout(anyccl_comm_t comm, int64_t timeout_ms);

/**
 * Makes a communicator fail on all its ranks.
 *
 * \param[in] comm  Communicator, which must still be destroyed; or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. The call does not wait for other ranks. It may run while other threads are blocked in calls of
 * comm: those return ANYCCL_ERR_ABORTED at once. The calls of the other ranks do so when they learn of it.
 * Replacement for ncclCommAbort, which also destroys, and MPI_Abort, which also ends processes.
 */
anyccl_status_t anyccl_comm_abort(anyccl_comm_t comm);

/**
 * Makes a communicator fail on all its ranks, as anyccl_comm_abort() does, and tells them why.
 *
 * \param[in] comm    Communicator, which must still be destroyed; or ANYCCL_WORLD.
 * \param[in] reason  What happened on this rank: half a sentence, which the errors of all ranks quote behind
 *                    the number of the rank. Texts over 2 KiB are cut. NULL or empty: the call itself.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. The call does not wait for other ranks.
 */
anyccl_status_t anyccl_comm_abort_with(anyccl_comm_t comm, const char *reason);

/**
 * Makes a new communicator of the ranks that are still alive, to go on after a failure.
 *
 * \param[in]  parent  Communicator, or ANYCCL_WORLD. It may have failed. It must still be destroyed.
 * \param[in]  config  Settings, as for anyccl_comm_split().
 * \param[out] comm    Owned by the caller; release with anyccl_comm_destroy(). Its ranks are in the order of
 *                     parent.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_TIMEOUT when a rank that is alive did not make the call in time (the
 *          message names it); ANYCCL_ERR_ABORTED when the other ranks go on without this one.
 *
 * Collective over the ranks of parent whose processes have not ended and that have not destroyed it. All of
 * them get the same ranks, even if more ranks die during the call. Operations that were running in parent
 * are not continued. Replacement for MPIX_Comm_shrink of User-Level Failure Mitigation and ncclCommShrink.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_shrink(anyccl_comm_t parent, const struct anyccl_config_t *config, anyccl_comm_t *comm);

/** \} */

/** \name Release
 *  \{ */

/**
 * Leaves a communicator and releases its handle.
 *
 * \param[in] comm  Taken: every later call refuses the handle. NULL and ANYCCL_COMM_NONE are accepted and do
 *                  nothing.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is not a communicator, or is the handle
 *          that anyccl_world() gave; ANYCCL_ERR_INVALID_USAGE while a call or a request of comm is
 *          unfinished, or in a forked child. After these two, nothing has changed. After any other status
 *          the communicator is destroyed: ANYCCL_ERR_MISMATCH tells that the ranks have made different calls
 *          and no call of this rank has reported it. The others tell why the ranks could not leave in good
 *          order.
 *
 * On a communicator of anyccl_comm_create() the call is collective. It blocks until all ranks have made it,
 * so that no rank takes the end of another for its death. It also reports different calls in communicators
 * that were made from comm and destroyed.
 *
 * On a communicator that was made from another one (split, dup, shrink ...) the call is local. A rank that
 * still waits for this one in a call gets ANYCCL_ERR_PEER_LOST. The call is also local on a communicator
 * that has failed; requests that are still open may be waited for afterwards.
 *
 * A connection is closed with the last communicator that uses it. Replacement for ncclCommDestroy and
 * MPI_Comm_free.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_destroy(anyccl_comm_t comm);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_COMM_H */
