/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief The world: joining and leaving the job.
 *
 * \defgroup chapter_world The world
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
 * Joins the job that the environment describes, with default settings: anyccl_init_with(NULL).
 *
 * \returns As anyccl_init_with().
 *
 * Collective. The call blocks. Replacement for MPI_Init_thread with MPI_THREAD_MULTIPLE.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_init(void);

/**
 * Joins the job that the environment describes.
 *
 * The launcher is `anyccl run`, torchrun, an mpiexec (MPICH, Intel MPI, Open MPI) or srun, or the variables
 * ANYCCL_RANK, ANYCCL_WORLD_SIZE and ANYCCL_STORE are set: see docs/starting.md. If the environment
 * describes no job, the world is this process alone.
 *
 * \param[in] config  Settings of the world. NULL: the defaults.
 * \returns ANYCCL_SUCCESS, also when the world exists already (config is then ignored);
 *          ANYCCL_ERR_INVALID_ARGUMENT for an invalid config or environment variable;
 *          ANYCCL_ERR_INVALID_USAGE after anyccl_finalize(), or in a child of a process that has a world;
 *          ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did not find each other;
 *          ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
 *
 * Collective over all processes of the job. The call blocks until all have joined, at most for the timeout.
 * Threads that make the call at the same time get the same world.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_init_with(const struct anyccl_config_t *config);

/**
 * Leaves the world.
 *
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_USAGE without a world, in a forked child, or while a call or a
 *          request of the world is unfinished. After this status nothing has changed. After any other status
 *          the world has ended: ANYCCL_ERR_MISMATCH tells that the ranks have made different calls, in the
 *          world or in a communicator made from it, and no call of this rank has reported it. The others
 *          tell why the ranks could not leave in good order.
 *
 * Collective. The call blocks until all ranks have made it; if the world has failed, it is local. Other
 * communicators are not affected. Afterwards calls refuse ANYCCL_WORLD, and the process cannot join again.
 * Replacement for MPI_Finalize.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_finalize(void);

/**
 * Asks whether this process is in the world: after anyccl_init(), before anyccl_finalize().
 *
 * \param[out] flag  1 or 0. 0 in a forked child.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when flag is NULL.
 *
 * Local. Replacement for MPI_Initialized and MPI_Finalized.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_is_initialized(int *flag);

/** \} */

/** \name Queries
 *  \{ */

/**
 * Gives the rank of this process in the world.
 *
 * \param[out] rank  0 to world size - 1.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL; ANYCCL_ERR_INVALID_USAGE without a
 *          world, or in a forked child.
 *
 * Local. Replacement for MPI_Comm_rank of MPI_COMM_WORLD.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_rank(int *rank);

/**
 * Gives the number of ranks in the world.
 *
 * \param[out] size  At least 1.
 * \returns As anyccl_rank().
 *
 * Local. Replacement for MPI_Comm_size of MPI_COMM_WORLD.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_world_size(int *size);

/**
 * Gives the position of this process among the ranks of the world on its host, for choosing a device or a
 * core.
 *
 * \param[out] local_rank  0 to local size - 1.
 * \returns As anyccl_rank().
 *
 * Local.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_local_rank(int *local_rank);

/**
 * Gives the number of ranks of the world on this host, this one included.
 *
 * \param[out] local_size  At least 1.
 * \returns As anyccl_rank().
 *
 * Local.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_local_size(int *local_size);

/**
 * Gives a handle of the world, for code that compares handles. In a call, ANYCCL_WORLD is enough.
 *
 * \param[out] comm  Borrowed: valid until anyccl_finalize(). anyccl_comm_destroy() refuses it.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is NULL; ANYCCL_ERR_INVALID_USAGE without a
 *          world, or in a forked child.
 *
 * Local. Every call gives the same handle.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_world(anyccl_comm_t *comm);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_WORLD_H */
