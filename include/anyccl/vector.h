/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Collectives with blocks of different lengths.
 *
 * \defgroup chapter_vector Blocks of different lengths
 *
 * These collectives take one count for each rank. Displacements say at which element of the buffer each block
 * begins; NULL means that the blocks lie one after the other. The contract is the one of \ref collective.
 *
 * \code{.c}
 * enum { RANKS = 16 };
 * size_t counts[RANKS];
 * int mine[RANKS], all[RANKS * RANKS];
 * assert(size <= RANKS);
 * for (int r = 0; r < size; r++)
 *     counts[r] = (size_t)r + 1;
 * for (int i = 0; i <= rank; i++)
 *     mine[i] = rank;
 * ANYCCL_CHECK(anyccl_all_gather_v(mine, all, counts, NULL, ANYCCL_INT32, ANYCCL_WORLD));
 * assert(all[size * (size + 1) / 2 - 1] == size - 1);
 * \endcode
 *
 * \section lengths Lengths that must agree
 *
 * The length that a receiver gives for a block must be the length that the sender gives. Where they differ,
 * every rank gets ANYCCL_ERR_MISMATCH and a message that names both ranks.
 *
 * \{
 */

#ifndef ANYCCL_VECTOR_H
#define ANYCCL_VECTOR_H

#include <stddef.h>
#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/datatype.h>
#include <anyccl/reduce_op.h>
#include <anyccl/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Collects blocks of different lengths on every rank.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0 a1 c0
 *     rank 1  -         =>    rank 1  a0 a1 c0         recv_counts 2 0 1
 *     rank 2  c0              rank 2  a0 a1 c0
 *
 * \param[in]  send         Block of this rank, recv_counts[rank] elements.
 * \param[out] recv         For each rank r, recv_counts[r] elements from element recv_displs[r] on.
 *                          Elements between the blocks do not change.
 * \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
 * \param[in]  recv_displs  Offset of each block, size numbers, or NULL. Ranks may have different ones.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv + recv_displs[rank] elements. Blocks of recv must not overlap.
 * Replacement for MPI_Allgatherv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_gather_v(const void *send,
                                    void *recv,
                                    const size_t *recv_counts,
                                    const size_t *recv_displs,
                                    anyccl_datatype_t datatype,
                                    anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_all_gather_v(): see \ref nonblocking in request.h. Replacement for
 * MPI_Iallgatherv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_gather_v(const void *send,
                                     void *recv,
                                     const size_t *recv_counts,
                                     const size_t *recv_displs,
                                     anyccl_datatype_t datatype,
                                     anyccl_comm_t comm,
                                     anyccl_request_t *request);

/**
 * Persistent form of anyccl_all_gather_v(): see \ref persistent in request.h. Replacement for
 * MPI_Allgatherv_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_gather_v_init(const void *send,
                                         void *recv,
                                         const size_t *recv_counts,
                                         const size_t *recv_displs,
                                         anyccl_datatype_t datatype,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

/**
 * Collects blocks of different lengths at the root.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  -
 *     rank 1  -         =>    rank 1  a0 a1 c0         root 1, recv_counts 2 0 1
 *     rank 2  c0              rank 2  -
 *
 * \param[in]  send         Block of this rank, send_count elements.
 * \param[out] recv         At the root: for each rank r, recv_counts[r] elements from element
 *                          recv_displs[r] on. Elements between the blocks do not change. Not used on the
 *                          other ranks: may be NULL.
 * \param[in]  send_count   Elements of the block of this rank.
 * \param[in]  recv_counts  At the root: the send_count of each rank, size numbers. Not used on the other
 *                          ranks: may be NULL.
 * \param[in]  recv_displs  At the root: offset of each block, size numbers, or NULL. Not used on the
 *                          other ranks.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  root         Rank that gets the blocks.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv + recv_displs[root] elements at the root. Replacement for
 * MPI_Gatherv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_gather_v(const void *send,
                                void *recv,
                                size_t send_count,
                                const size_t *recv_counts,
                                const size_t *recv_displs,
                                anyccl_datatype_t datatype,
                                int root,
                                anyccl_comm_t comm);

/** Nonblocking form of anyccl_gather_v(): see \ref nonblocking in request.h. Replacement for MPI_Igatherv. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_igather_v(const void *send,
                                 void *recv,
                                 size_t send_count,
                                 const size_t *recv_counts,
                                 const size_t *recv_displs,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Persistent form of anyccl_gather_v(): see \ref persistent in request.h. Replacement for MPI_Gatherv_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_gather_v_init(const void *send,
                                     void *recv,
                                     size_t send_count,
                                     const size_t *recv_counts,
                                     const size_t *recv_displs,
                                     anyccl_datatype_t datatype,
                                     int root,
                                     anyccl_comm_t comm,
                                     anyccl_request_t *request);

/**
 * Distributes blocks of different lengths from the root to all ranks.
 *
 *     before  send            after  recv
 *     rank 0  -               rank 0  b0 b1
 *     rank 1  b0 b1 b2  =>    rank 1  -                root 1, send_counts 2 0 1
 *     rank 2  -               rank 2  b2
 *
 * \param[in]  send         At the root: for each rank r, send_counts[r] elements from element
 *                          send_displs[r] on. Not used on the other ranks: may be NULL.
 * \param[out] recv         Block of this rank, recv_count elements.
 * \param[in]  send_counts  At the root: the recv_count of each rank, size numbers. Not used on the other
 *                          ranks: may be NULL.
 * \param[in]  send_displs  At the root: offset of each block, size numbers, or NULL. Not used on the
 *                          other ranks.
 * \param[in]  recv_count   Elements of the block of this rank.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  root         Rank that sends the blocks.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: recv == send + send_displs[root] elements at the root. Replacement for
 * MPI_Scatterv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_scatter_v(const void *send,
                                 void *recv,
                                 const size_t *send_counts,
                                 const size_t *send_displs,
                                 size_t recv_count,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_scatter_v(): see \ref nonblocking in request.h. Replacement for MPI_Iscatterv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iscatter_v(const void *send,
                                  void *recv,
                                  const size_t *send_counts,
                                  const size_t *send_displs,
                                  size_t recv_count,
                                  anyccl_datatype_t datatype,
                                  int root,
                                  anyccl_comm_t comm,
                                  anyccl_request_t *request);

/**
 * Persistent form of anyccl_scatter_v(): see \ref persistent in request.h. Replacement for
 * MPI_Scatterv_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_scatter_v_init(const void *send,
                                      void *recv,
                                      const size_t *send_counts,
                                      const size_t *send_displs,
                                      size_t recv_count,
                                      anyccl_datatype_t datatype,
                                      int root,
                                      anyccl_comm_t comm,
                                      anyccl_request_t *request);

/**
 * Combines the elements of all ranks; every rank gets a block of its own length of the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  S0 S1
 *     rank 1  b0 b1 b2  =>    rank 1  -          Sk = ak op bk op ck; recv_counts 2 0 1
 *     rank 2  c0 c1 c2        rank 2  S2
 *
 * \param[in]  send         Contribution of this rank: as many elements as the sum of recv_counts.
 * \param[out] recv         Block of this rank, recv_counts[rank] elements.
 * \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  op           Operator that accepts datatype.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: recv is the block of this rank in send; the rest of send does not change.
 * Replacement for MPI_Reduce_scatter.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_reduce_scatter_v(const void *send,
                                        void *recv,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_reduce_op_t op,
                                        anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_reduce_scatter_v(): see \ref nonblocking in request.h. Replacement for
 * MPI_Ireduce_scatter.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ireduce_scatter_v(const void *send,
                                         void *recv,
                                         const size_t *recv_counts,
                                         anyccl_datatype_t datatype,
                                         anyccl_reduce_op_t op,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

/**
 * Persistent form of anyccl_reduce_scatter_v(): see \ref persistent in request.h. Replacement for
 * MPI_Reduce_scatter_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_reduce_scatter_v_init(const void *send,
                                             void *recv,
                                             const size_t *recv_counts,
                                             anyccl_datatype_t datatype,
                                             anyccl_reduce_op_t op,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/**
 * Sends a block of any length from every rank to every rank.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  a0 b0        send_counts of rank 0: 1 2
 *     rank 1  b0        =>    rank 1  a1 a2        send_counts of rank 1: 1 0
 *
 * \param[in]  send         For each rank r, send_counts[r] elements from element send_displs[r] on.
 * \param[out] recv         For each rank r, recv_counts[r] elements from element recv_displs[r] on.
 *                          Elements between the blocks do not change.
 * \param[in]  send_counts  Length of the block for each rank, size numbers.
 * \param[in]  send_displs  Offset of the block for each rank, size numbers, or NULL.
 * \param[in]  recv_counts  Length of the block from each rank, size numbers: recv_counts[r] is what rank
 *                          r has in its send_counts for this rank.
 * \param[in]  recv_displs  Offset of the block from each rank, size numbers, or NULL.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: a block of send has the address and the length of the block of recv of the same
 * rank. Blocks of recv must not overlap. Replacement for MPI_Alltoallv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_to_all_v(const void *send,
                                    void *recv,
                                    const size_t *send_counts,
                                    const size_t *send_displs,
                                    const size_t *recv_counts,
                                    const size_t *recv_displs,
                                    anyccl_datatype_t datatype,
                                    anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_all_to_all_v(): see \ref nonblocking in request.h. Replacement for
 * MPI_Ialltoallv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_to_all_v(const void *send,
                                     void *recv,
                                     const size_t *send_counts,
                                     const size_t *send_displs,
                                     const size_t *recv_counts,
                                     const size_t *recv_displs,
                                     anyccl_datatype_t datatype,
                                     anyccl_comm_t comm,
                                     anyccl_request_t *request);

/**
 * Persistent form of anyccl_all_to_all_v(): see \ref persistent in request.h. Replacement for
 * MPI_Alltoallv_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_to_all_v_init(const void *send,
                                         void *recv,
                                         const size_t *send_counts,
                                         const size_t *send_displs,
                                         const size_t *recv_counts,
                                         const size_t *recv_displs,
                                         anyccl_datatype_t datatype,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_VECTOR_H */
