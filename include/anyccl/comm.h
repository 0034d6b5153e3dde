/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Communicators: create, query, split, recover, destroy.
 *
 * \defgroup comm Communicators
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

/** What anyccl_comm_t points to, for the compiler's type check only. */
typedef struct anyccl_comm anyccl_comm;

/**
 * A communicator. Plain to copy and compare, of no use to follow: a handle that was destroyed is recognised
 * and refused. NULL, which is ANYCCL_WORLD, means the communicator of the whole job.
 */
typedef struct anyccl_comm *anyccl_comm_t;

/** The communicator of the whole job. Any call that takes a communicator accepts it. */
#define ANYCCL_WORLD ((anyccl_comm_t)0)

/** No communicator: what a rank gets that is not a member of the new communicator. */
#define ANYCCL_COMM_NONE ((anyccl_comm_t)1)

/** \} */

/** \name Creation from a unique id
 *  \{ */

/** Bytes of anyccl_unique_id_t. */
#define ANYCCL_UNIQUE_ID_BYTES 128

/**
 * The name of a communicator to be. Plain bytes: copy them to the other ranks by any means. They contain the
 * job's secret; whoever has them may join.
 */
typedef struct anyccl_unique_id_t {
    /** Not to be interpreted. */
    unsigned char bytes[ANYCCL_UNIQUE_ID_BYTES];
} anyccl_unique_id_t;

/**
 * Makes a new id. One rank calls it, and gives the bytes to all ranks of the communicator to be, itself
 * included.
 *
 * \param id  [out] Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when id is NULL or a variable cannot be understood;
 *          ANYCCL_ERR_SYSTEM when no socket could be opened.
 *
 * Local. Any thread. This process then answers the ranks that come, until all have come or the deadline has
 * passed: it must live that long. One id names one communicator. Replacement for ncclGetUniqueId.
 */
anyccl_status_t anyccl_get_unique_id(struct anyccl_unique_id_t *id);

/**
 * Joins the communicator that an id names.
 *
 * \param id      [in] The same bytes on every rank. Read during the call.
 * \param size    [in] Number of ranks, the same on every rank; at least 1.
 * \param rank    [in] This rank: 0 to size-1, each exactly once.
 * \param config  [in] Read during the call. NULL: all defaults.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
 *                ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, numbers out of range, an id that is none or
 *          a config that cannot be understood; ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did
 *          not find each other; ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
 *
 * Collective over the ranks of the new communicator. The call blocks until all have come, at most for the
 * configured time. Ranks may be processes or threads: then each thread makes its own. Any thread.
 * The call is independent of anyccl_init. Replacement for ncclCommInitRank.
 */
anyccl_status_t anyccl_comm_create(const struct anyccl_unique_id_t *id,
                                   int size,
                                   int rank,
                                   const struct anyccl_config_t *config,
                                   anyccl_comm_t *comm);

/** \} */

/** \name Creation from another communicator
 *  \{ */

/** A color for anyccl_comm_split: this rank takes part in the call, and is in none of the communicators. */
#define ANYCCL_COLOR_NONE -1

/**
 * Splits a communicator: ranks that pass the same color come together.
 *
 * \param parent  [in] Borrowed; it works on as before. ANYCCL_WORLD: the whole job.
 * \param color   [in] 0 or more; or ANYCCL_COLOR_NONE.
 * \param key     [in] Ranks are numbered in ascending order of it, equal ones in the order of their ranks in
 *                parent.
 * \param config  [in] Read during the call. NULL: the parent's timeout, and a name made from the parent's.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(); ANYCCL_COMM_NONE where color
 *                is ANYCCL_COLOR_NONE. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a color below ANYCCL_COLOR_NONE, a NULL comm, a
 *          parent that is none or a config that cannot be understood, all before anything is sent; else as a
 *          collective of parent.
 *
 * Collective over parent. The new communicator uses the parent's connections, so this costs about as much as
 * an all_gather of 32 bytes. It may outlive its parent. Any thread. Replacement for MPI_Comm_split and
 * ncclCommSplit.
 */
anyccl_status_t anyccl_comm_split(anyccl_comm_t parent,
                                  int color,
                                  int key,
                                  const struct anyccl_config_t *config,
                                  anyccl_comm_t *comm);

/**
 * Splits a communicator by hosts: the ranks that share this rank's memory come together, in the order of
 * their ranks.
 *
 * \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
 *                ANYCCL_SUCCESS.
 * \returns See anyccl_comm_split.
 *
 * Collective over parent. Any thread. Replacement for MPI_Comm_split_type with MPI_COMM_TYPE_SHARED.
 */
anyccl_status_t anyccl_comm_split_by_host(anyccl_comm_t parent,
                                          const struct anyccl_config_t *config,
                                          anyccl_comm_t *comm);

/**
 * Makes a communicator of the same ranks with a context of its own: what goes on in one is not seen in the
 * other.
 *
 * \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
 *                ANYCCL_SUCCESS.
 * \returns See anyccl_comm_split.
 *
 * Collective over parent. Any thread. Replacement for MPI_Comm_dup.
 */
anyccl_status_t anyccl_comm_dup(anyccl_comm_t parent, const struct anyccl_config_t *config, anyccl_comm_t *comm);

/**
 * Makes a communicator of some ranks.
 *
 * \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param ranks   [in] count ranks of parent, each at most once; the first becomes rank 0, and so on. The
 *                same on every rank of parent, members or not. Read during the call.
 * \param count   [in] 0 to the size of parent. With 0, ranks may be NULL.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(); ANYCCL_COMM_NONE on a rank
 *                that is not in the list. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for ranks that are none, or are listed twice, before
 *          anything is sent; ANYCCL_ERR_MISMATCH, on all ranks, when the lists differ: nothing is made then,
 *          and parent works on; else as anyccl_comm_split.
 *
 * Collective over parent. Any thread. Replacement for MPI_Comm_create and torch.distributed.new_group.
 */
anyccl_status_t anyccl_comm_create_from_ranks(anyccl_comm_t parent,
                                              const int *ranks,
                                              int count,
                                              const struct anyccl_config_t *config,
                                              anyccl_comm_t *comm);

/** \} */

/** \name Queries
 *  \{ */

/**
 * Gives this rank's position in a communicator.
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param rank  [out] 0 to size-1. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL or comm is no communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. Any thread. Replacement for MPI_Comm_rank and ncclCommUserRank.
 */
anyccl_status_t anyccl_comm_rank(anyccl_comm_t comm, int *rank);

/**
 * Gives the number of ranks in a communicator.
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_comm_rank.
 *
 * Local. Any thread. Replacement for MPI_Comm_size and ncclCommCount.
 */
anyccl_status_t anyccl_comm_size(anyccl_comm_t comm, int *size);

/**
 * Gives this rank's position among the ranks of the communicator on the same host.
 *
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param local_rank  [out] 0 to local size - 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_comm_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_comm_local_rank(anyccl_comm_t comm, int *local_rank);

/**
 * Gives the number of ranks of the communicator on the same host, this one included.
 *
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param local_size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_comm_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_comm_local_size(anyccl_comm_t comm, int *local_size);

/** \} */

/** \name Failure and recovery
 *  \{ */

/**
 * Asks whether a communicator has failed, and why.
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS when it works; else the status that its calls have returned since it failed, and
 *          anyccl_last_error() has the sentence. ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator.
 *
 * Local. Any thread. A failure stays: all calls return it; the communicator can only be shrunk and
 * destroyed. Replacement for ncclCommGetAsyncError.
 */
anyccl_status_t anyccl_comm_failure(anyccl_comm_t comm);

/**
 * Changes how long calls may go without progress.
 *
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param timeout_ms  [in] Milliseconds, at least 1; or ANYCCL_TIMEOUT_NEVER. Each rank's own affair.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator or the number is out of
 *          range; ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. Any thread. The limit counts for calls that begin and requests that are started afterwards.
 * Communicators that were made from this one keep their own.
 */
anyccl_status_t anyccl_comm_set_timeout(anyccl_comm_t comm, int64_t timeout_ms);

/**
 * Fails a communicator on all its ranks.
 *
 * \param comm  [in] Borrowed: still to be destroyed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. The call does not wait for the others. Any thread, also while others are blocked in calls of comm:
 * these return ANYCCL_ERR_ABORTED at once, on this rank and, as soon as they hear of it, on all others.
 * Replacement for ncclCommAbort, which destroys as well, and MPI_Abort, which ends processes.
 */
anyccl_status_t anyccl_comm_abort(anyccl_comm_t comm);

/**
 * Goes on after a failure: makes a communicator of those ranks that are still there.
 *
 * \param parent  [in] Borrowed. It may have failed, and still has to be destroyed. ANYCCL_WORLD: the whole
 *                job.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Its ranks are in the order
 *                of their ranks in parent. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_TIMEOUT when a rank that lives has not called it in time, which the
 *          sentence names; ANYCCL_ERR_ABORTED when the others go on without this rank.
 *
 * Collective over those ranks of parent whose processes have not ended and that have not destroyed it. All
 * of them get the same ranks, also when more of them die during the call. What was under way in parent is
 * not continued. Any thread. Replacement for MPIX_Comm_shrink of User-Level Failure Mitigation and
 * ncclCommShrink.
 */
anyccl_status_t anyccl_comm_shrink(anyccl_comm_t parent, const struct anyccl_config_t *config, anyccl_comm_t *comm);

/** \} */

/** \name Release
 *  \{ */

/**
 * Leaves a communicator.
 *
 * \param comm  [in] Taken: afterwards the handle is refused everywhere. NULL and ANYCCL_COMM_NONE are
 *              accepted and do nothing.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator any more, or the one
 *          that anyccl_world gave; ANYCCL_ERR_INVALID_USAGE while a call or a request of comm is unfinished,
 *          or in a forked child. In these cases nothing has changed. ANYCCL_ERR_MISMATCH when the ranks have
 *          made different calls and no call of this rank has said so: in comm, or, where this call is
 *          collective, in a communicator that was made from comm and destroyed. Any other status tells why
 *          the ranks could not part in good order. After ANYCCL_ERR_MISMATCH or any other status the
 *          communicator is destroyed.
 *
 * For a communicator of anyccl_comm_create the call is collective: it blocks until all ranks have come here,
 * so that none of them takes the end of another for its death. For one that was made from another (split,
 * dup, shrink ...) the call is local: a rank that still waits for this one in a call gets
 * ANYCCL_ERR_PEER_LOST. It is local, too, when the communicator has failed; requests that are still open may
 * then be waited for afterwards. Connections are closed with the last communicator that uses them.
 * Replacement for ncclCommDestroy and MPI_Comm_free.
 */
anyccl_status_t anyccl_comm_destroy(anyccl_comm_t comm);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_COMM_H */
