/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief The world: joining and leaving the job.
 *
 * \defgroup world The world
 *
 * The world is the communicator of all processes of the job. anyccl_init() joins the job that the launcher
 * has described in the environment; docs/starting.md lists the launchers. Every process that has joined
 * leaves by anyccl_finalize().
 *
 * \code{.c}
 * #include <stdio.h>
 * #include <anyccl/anyccl.h>
 *
 * int main(void)
 * {
 *     int rank, size;
 *     if (anyccl_init() != ANYCCL_SUCCESS)
 *         return fprintf(stderr, "%s\n", anyccl_last_error()), 1;
 *     if (anyccl_rank(&rank) == ANYCCL_SUCCESS && anyccl_world_size(&size) == ANYCCL_SUCCESS)
 *         printf("rank %d of %d\n", rank, size);
 *     return anyccl_finalize() != ANYCCL_SUCCESS;
 * }
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_WORLD_H
#define ANYCCL_WORLD_H

#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Joining and leaving
 *  \{ */

/**
 * Joins the job that the environment describes, with all defaults: anyccl_init_with(NULL).
 *
 * \returns See anyccl_init_with.
 *
 * Collective. The call blocks. Replacement for MPI_Init_thread with MPI_THREAD_MULTIPLE.
 */
anyccl_status_t anyccl_init(void);

/**
 * Joins the job that the environment describes: the one of `anyccl run`, of ANYCCL_RANK, ANYCCL_WORLD_SIZE
 * and ANYCCL_STORE, of torchrun, of an mpiexec (MPICH, Intel MPI, Open MPI), or of srun; docs/starting.md
 * tells more. Where it describes none, the world is this process alone.
 *
 * \param config  [in] Read during the call. NULL: all defaults.
 * \returns ANYCCL_SUCCESS, also when the world is there already: config is then ignored;
 *          ANYCCL_ERR_INVALID_ARGUMENT for a config or a variable that cannot be understood;
 *          ANYCCL_ERR_INVALID_USAGE after anyccl_finalize, or in a child of a process that has a world;
 *          ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did not find each other;
 *          ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
 *
 * Collective over all processes of the job. The call blocks until all have come, at most for the configured
 * time. Any thread; threads that call it at once get the same world.
 */
anyccl_status_t anyccl_init_with(const struct anyccl_config_t *config);

/**
 * Leaves the world.
 *
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_USAGE without a world, in a forked child, or while a call or
 *          request of the world is unfinished: in these cases nothing has changed. ANYCCL_ERR_MISMATCH when
 *          the ranks have made different calls, in the world or in a communicator that was made from it, and
 *          no call of this rank has said so. Any other status tells why the ranks could not part in good
 *          order. After ANYCCL_ERR_MISMATCH or any other status the world has ended.
 *
 * Collective. The call blocks until all ranks have come here. It is local when the world has failed. Other
 * communicators are not concerned. Afterwards ANYCCL_WORLD is refused, and the process cannot enter the
 * world again. Replacement for MPI_Finalize.
 */
anyccl_status_t anyccl_finalize(void);

/**
 * Says whether this process is in the world: after anyccl_init, before anyccl_finalize.
 *
 * \param flag  [out] 1 or 0. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when flag is NULL.
 *
 * Local. Any thread. The answer is 0 in a forked child. Replacement for MPI_Initialized and MPI_Finalized.
 */
anyccl_status_t anyccl_is_initialized(int *flag);

/** \} */

/** \name Queries
 *  \{ */

/**
 * Gives this process's rank in the world.
 *
 * \param rank  [out] 0 to world size - 1. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL; ANYCCL_ERR_INVALID_USAGE without a
 *          world, or in a forked child.
 *
 * Local. Any thread. Replacement for MPI_Comm_rank of MPI_COMM_WORLD.
 */
anyccl_status_t anyccl_rank(int *rank);

/**
 * Gives the number of ranks in the world.
 *
 * \param size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_rank.
 *
 * Local. Any thread. Replacement for MPI_Comm_size of MPI_COMM_WORLD.
 */
anyccl_status_t anyccl_world_size(int *size);

/**
 * Gives this process's position among the ranks of the world on its host, for choosing a device or core.
 *
 * \param local_rank  [out] 0 to local size - 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_local_rank(int *local_rank);

/**
 * Gives the number of ranks of the world on this host, this one included.
 *
 * \param local_size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_local_size(int *local_size);

/**
 * Gives a handle of the world, for code that takes a communicator and compares handles. To pass the world to
 * a call, ANYCCL_WORLD is enough.
 *
 * \param comm  [out] Borrowed: valid until anyccl_finalize, refused by anyccl_comm_destroy. Written only on
 *              ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is NULL; ANYCCL_ERR_INVALID_USAGE without a
 *          world, or in a forked child.
 *
 * Local. Any thread. Every call gives the same handle.
 */
anyccl_status_t anyccl_world(anyccl_comm_t *comm);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_WORLD_H */
