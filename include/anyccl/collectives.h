/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Collectives: all ranks of a communicator make the call.
 *
 * \defgroup chapter_collectives Collectives
 *
 * A collective is a call that all ranks of a communicator make. Here are the collectives in which every rank
 * contributes or receives a block of the same length; vector.h has the others.
 *
 * \code{.c}
 * float mine[2] = {(float)rank, 1}, sum[2];
 * ANYCCL_CHECK(anyccl_all_reduce(mine, sum, 2, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD));
 * assert(sum[0] == (float)(size * (size - 1) / 2) && sum[1] == (float)size);
 *
 * double settings[3] = {0};
 * if (rank == 0)
 *     settings[0] = 42;
 * ANYCCL_CHECK(anyccl_broadcast(settings, settings, 3, ANYCCL_FLOAT64, 0, ANYCCL_WORLD));
 * assert(settings[0] == 42);
 * \endcode
 *
 * \section collective Contract of a collective
 *
 * - All ranks of a communicator make the same calls in the same order, with the same count, datatype,
 *   operator and root.
 * - Several threads may use one communicator if the program fixes the order of their calls. Otherwise give
 *   each thread a communicator of its own.
 * - Send and receive buffer must not overlap, except in place as each call defines it. Each rank decides for
 *   itself whether it works in place.
 * - A count of 0 is allowed. The buffers may then be NULL.
 * - The blocking form returns when this rank's part is complete. It may return before the other ranks have
 *   made the call, and it may wait until they do. A program is correct if it would be correct with calls that
 *   wait for all ranks.
 * - A rank that is behind buffers what the others send ahead: about 16 MiB, and one message, of each sender
 *   in each communicator. Then the sender waits.
 * - The status is ANYCCL_SUCCESS or one of \ref failures.
 *
 * \section mismatch Ranks that make different calls
 *
 * Every rank gets ANYCCL_ERR_MISMATCH and a message that names both calls. A rank that receives something
 * that contradicts its call returns at once. Ranks that wait for each other return after a tenth of a second.
 *
 * A rank whose part is complete before the difference can be known returns ANYCCL_SUCCESS:
 *
 * - the root of a broadcast or scatter, which receives nothing;
 * - a rank that only sends in a reduce or gather;
 * - a rank of a broadcast or scatter to which the root that it named has sent;
 * - any rank whose count is 0.
 *
 * The next call of the communicator that meets the difference then returns the error. The latest such call is
 * anyccl_finalize() or anyccl_comm_destroy(), where the ranks compare all calls that they have made.
 *
 * Each rank leaves a communicator that was made from another one by itself, perhaps before the difference
 * could be known. That rank gets the error when the original communicator ends by anyccl_finalize() or a
 * collective anyccl_comm_destroy(). A rank that waits in a call for a rank that has left without making it
 * gets ANYCCL_ERR_PEER_LOST.
 *
 * \{
 */

#ifndef ANYCCL_COLLECTIVES_H
#define ANYCCL_COLLECTIVES_H

#include <stddef.h>
#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/datatype.h>
#include <anyccl/reduce_op.h>
#include <anyccl/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Reductions
 *  \{ */

/**
 * Combines the elements of all ranks; every rank gets the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  S0 S1
 *     rank 1  b0 b1     =>    rank 1  S0 S1      Sk = ak op bk op ck
 *     rank 2  c0 c1           rank 2  S0 S1
 *
 * \param[in]  send      Contribution of this rank, count elements.
 * \param[out] recv      Result, count elements.
 * \param[in]  count     Elements of each buffer.
 * \param[in]  datatype  Datatype of the elements.
 * \param[in]  op        Operator that accepts datatype.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv. The result has the same bits on every rank and in every run. If
 * the communicator is deterministic, each element also has the same bits in calls of any length and
 * form.
 * Replacement for MPI_Allreduce and ncclAllReduce.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_reduce(const void *send,
                                  void *recv,
                                  size_t count,
                                  anyccl_datatype_t datatype,
                                  anyccl_reduce_op_t op,
                                  anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_all_reduce(): see \ref nonblocking in request.h. Replacement for
 * MPI_Iallreduce.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_reduce(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Persistent form of anyccl_all_reduce(): see \ref persistent in request.h. Replacement for
 * MPI_Allreduce_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_reduce_init(const void *send,
                                       void *recv,
                                       size_t count,
                                       anyccl_datatype_t datatype,
                                       anyccl_reduce_op_t op,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Combines the elements of all ranks; the root gets the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  - -
 *     rank 1  b0 b1     =>    rank 1  S0 S1      root 1; Sk = ak op bk op ck
 *     rank 2  c0 c1           rank 2  - -
 *
 * \param[in]  send      Contribution of this rank, count elements.
 * \param[out] recv      Result, count elements at the root. Not used on the other ranks: may be NULL.
 * \param[in]  count     Elements of each buffer.
 * \param[in]  datatype  Datatype of the elements.
 * \param[in]  op        Operator that accepts datatype.
 * \param[in]  root      Rank that gets the result.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv at the root. Replacement for MPI_Reduce and ncclReduce.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_reduce(const void *send,
                              void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_reduce_op_t op,
                              int root,
                              anyccl_comm_t comm);

/** Nonblocking form of anyccl_reduce(): see \ref nonblocking in request.h. Replacement for MPI_Ireduce. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ireduce(const void *send,
                               void *recv,
                               size_t count,
                               anyccl_datatype_t datatype,
                               anyccl_reduce_op_t op,
                               int root,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/** Persistent form of anyccl_reduce(): see \ref persistent in request.h. Replacement for MPI_Reduce_init. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_reduce_init(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   int root,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Combines the elements of all ranks; every rank gets one block of the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  S0
 *     rank 1  b0 b1 b2  =>    rank 1  S1         Sk = ak op bk op ck; recv_count 1
 *     rank 2  c0 c1 c2        rank 2  S2
 *
 * \param[in]  send        Contribution of this rank, size * recv_count elements.
 * \param[out] recv        Block of this rank, recv_count elements.
 * \param[in]  recv_count  Elements of each block.
 * \param[in]  datatype    Datatype of the elements.
 * \param[in]  op          Operator that accepts datatype.
 * \param[in]  comm        Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: recv == send + rank * recv_count elements; the rest of send does not change.
 * Replacement for MPI_Reduce_scatter_block and ncclReduceScatter.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_reduce_scatter(const void *send,
                                      void *recv,
                                      size_t recv_count,
                                      anyccl_datatype_t datatype,
                                      anyccl_reduce_op_t op,
                                      anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_reduce_scatter(): see \ref nonblocking in request.h. Replacement for
 * MPI_Ireduce_scatter_block.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ireduce_scatter(const void *send,
                                       void *recv,
                                       size_t recv_count,
                                       anyccl_datatype_t datatype,
                                       anyccl_reduce_op_t op,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Persistent form of anyccl_reduce_scatter(): see \ref persistent in request.h. Replacement for
 * MPI_Reduce_scatter_block_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_reduce_scatter_init(const void *send,
                                           void *recv,
                                           size_t recv_count,
                                           anyccl_datatype_t datatype,
                                           anyccl_reduce_op_t op,
                                           anyccl_comm_t comm,
                                           anyccl_request_t *request);

/**
 * Combines the elements of ranks 0 to r on every rank r.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0             a1
 *     rank 1  b0 b1     =>    rank 1  a0 op b0       a1 op b1
 *     rank 2  c0 c1           rank 2  a0 op b0 op c0 a1 op b1 op c1
 *
 * \param[in]  send      Contribution of this rank, count elements.
 * \param[out] recv      Result for this rank, count elements.
 * \param[in]  count     Elements of each buffer.
 * \param[in]  datatype  Datatype of the elements.
 * \param[in]  op        Operator that accepts datatype. ANYCCL_AVG is the average of ranks 0 to r.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv. Replacement for MPI_Scan.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_scan(const void *send,
                            void *recv,
                            size_t count,
                            anyccl_datatype_t datatype,
                            anyccl_reduce_op_t op,
                            anyccl_comm_t comm);

/** Nonblocking form of anyccl_scan(): see \ref nonblocking in request.h. Replacement for MPI_Iscan. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iscan(const void *send,
                             void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             anyccl_reduce_op_t op,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/** Persistent form of anyccl_scan(): see \ref persistent in request.h. Replacement for MPI_Scan_init. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_scan_init(const void *send,
                                 void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 anyccl_reduce_op_t op,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Combines the elements of ranks 0 to r-1 on every rank r.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  unchanged
 *     rank 1  b0 b1     =>    rank 1  a0             a1
 *     rank 2  c0 c1           rank 2  a0 op b0       a1 op b1
 *
 * \param[in]  send      Contribution of this rank, count elements.
 * \param[out] recv      Result for this rank, count elements. Unchanged on rank 0, where it may be NULL.
 * \param[in]  count     Elements of each buffer.
 * \param[in]  datatype  Datatype of the elements.
 * \param[in]  op        Operator that accepts datatype. ANYCCL_AVG is the average of ranks 0 to r-1.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv. Replacement for MPI_Exscan.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_exscan(const void *send,
                              void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_reduce_op_t op,
                              anyccl_comm_t comm);

/** Nonblocking form of anyccl_exscan(): see \ref nonblocking in request.h. Replacement for MPI_Iexscan. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iexscan(const void *send,
                               void *recv,
                               size_t count,
                               anyccl_datatype_t datatype,
                               anyccl_reduce_op_t op,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/** Persistent form of anyccl_exscan(): see \ref persistent in request.h. Replacement for MPI_Exscan_init. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_exscan_init(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/** \} */

/** \name Data movement
 *  \{ */

/**
 * Copies the elements of the root to every rank.
 *
 *     before  send            after  recv
 *     rank 0  - -             rank 0  b0 b1
 *     rank 1  b0 b1     =>    rank 1  b0 b1      root 1
 *     rank 2  - -             rank 2  b0 b1
 *
 * \param[in]  send      Elements of the root, count of them. Not used on the other ranks: may be NULL,
 *                       or recv.
 * \param[out] recv      Elements of the root, count of them.
 * \param[in]  count     Elements of each buffer.
 * \param[in]  datatype  Datatype of the elements.
 * \param[in]  root      Rank that sends.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv. One pointer, given twice on every rank, does what MPI_Bcast does.
 * Replacement for MPI_Bcast and ncclBroadcast.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_broadcast(const void *send,
                                 void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm);

/** Nonblocking form of anyccl_broadcast(): see \ref nonblocking in request.h. Replacement for MPI_Ibcast. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ibroadcast(const void *send,
                                  void *recv,
                                  size_t count,
                                  anyccl_datatype_t datatype,
                                  int root,
                                  anyccl_comm_t comm,
                                  anyccl_request_t *request);

/**
 * Persistent form of anyccl_broadcast(): see \ref persistent in request.h. Replacement for MPI_Bcast_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_broadcast_init(const void *send,
                                      void *recv,
                                      size_t count,
                                      anyccl_datatype_t datatype,
                                      int root,
                                      anyccl_comm_t comm,
                                      anyccl_request_t *request);

/**
 * Collects the elements of all ranks on every rank, in the order of the ranks.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0 a1 b0 b1 c0 c1
 *     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1
 *     rank 2  c0 c1           rank 2  a0 a1 b0 b1 c0 c1
 *
 * \param[in]  send        Block of this rank, send_count elements.
 * \param[out] recv        All blocks, size * send_count elements.
 * \param[in]  send_count  Elements of each block.
 * \param[in]  datatype    Datatype of the elements.
 * \param[in]  comm        Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv + rank * send_count elements. Replacement for MPI_Allgather and
 * ncclAllGather.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_gather(const void *send,
                                  void *recv,
                                  size_t send_count,
                                  anyccl_datatype_t datatype,
                                  anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_all_gather(): see \ref nonblocking in request.h. Replacement for
 * MPI_Iallgather.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_gather(const void *send,
                                   void *recv,
                                   size_t send_count,
                                   anyccl_datatype_t datatype,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Persistent form of anyccl_all_gather(): see \ref persistent in request.h. Replacement for
 * MPI_Allgather_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_gather_init(const void *send,
                                       void *recv,
                                       size_t send_count,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Collects the elements of all ranks at the root, in the order of the ranks.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  -
 *     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1      root 1
 *     rank 2  c0 c1           rank 2  -
 *
 * \param[in]  send        Block of this rank, send_count elements.
 * \param[out] recv        All blocks, size * send_count elements at the root. Not used on the other
 *                         ranks: may be NULL.
 * \param[in]  send_count  Elements of each block.
 * \param[in]  datatype    Datatype of the elements.
 * \param[in]  root        Rank that gets the blocks.
 * \param[in]  comm        Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv + root * send_count elements at the root. Replacement for
 * MPI_Gather and ncclGather.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_gather(const void *send,
                              void *recv,
                              size_t send_count,
                              anyccl_datatype_t datatype,
                              int root,
                              anyccl_comm_t comm);

/** Nonblocking form of anyccl_gather(): see \ref nonblocking in request.h. Replacement for MPI_Igather. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_igather(const void *send,
                               void *recv,
                               size_t send_count,
                               anyccl_datatype_t datatype,
                               int root,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/** Persistent form of anyccl_gather(): see \ref persistent in request.h. Replacement for MPI_Gather_init. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_gather_init(const void *send,
                                   void *recv,
                                   size_t send_count,
                                   anyccl_datatype_t datatype,
                                   int root,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Distributes the elements of the root to all ranks, in the order of the ranks.
 *
 *     before  send                        after  recv
 *     rank 0  -                           rank 0  a0 a1
 *     rank 1  a0 a1 b0 b1 c0 c1     =>    rank 1  b0 b1      root 1
 *     rank 2  -                           rank 2  c0 c1
 *
 * \param[in]  send        All blocks, size * recv_count elements at the root. Not used on the other
 *                         ranks: may be NULL.
 * \param[out] recv        Block of this rank, recv_count elements.
 * \param[in]  recv_count  Elements of each block.
 * \param[in]  datatype    Datatype of the elements.
 * \param[in]  root        Rank that sends the blocks.
 * \param[in]  comm        Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: recv == send + root * recv_count elements at the root. Replacement for
 * MPI_Scatter and ncclScatter.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_scatter(const void *send,
                               void *recv,
                               size_t recv_count,
                               anyccl_datatype_t datatype,
                               int root,
                               anyccl_comm_t comm);

/** Nonblocking form of anyccl_scatter(): see \ref nonblocking in request.h. Replacement for MPI_Iscatter. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iscatter(const void *send,
                                void *recv,
                                size_t recv_count,
                                anyccl_datatype_t datatype,
                                int root,
                                anyccl_comm_t comm,
                                anyccl_request_t *request);

/**
 * Persistent form of anyccl_scatter(): see \ref persistent in request.h. Replacement for MPI_Scatter_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_scatter_init(const void *send,
                                    void *recv,
                                    size_t recv_count,
                                    anyccl_datatype_t datatype,
                                    int root,
                                    anyccl_comm_t comm,
                                    anyccl_request_t *request);

/**
 * Sends block k of every rank to rank k, which gets the blocks in the order of their senders.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  a0 b0 c0
 *     rank 1  b0 b1 b2  =>    rank 1  a1 b1 c1      count_per_rank 1
 *     rank 2  c0 c1 c2        rank 2  a2 b2 c2
 *
 * \param[in]  send            One block for each rank, size * count_per_rank elements.
 * \param[out] recv            One block from each rank, size * count_per_rank elements.
 * \param[in]  count_per_rank  Elements of each block.
 * \param[in]  datatype        Datatype of the elements.
 * \param[in]  comm            Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recv. Replacement for MPI_Alltoall and ncclAlltoAll.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_to_all(const void *send,
                                  void *recv,
                                  size_t count_per_rank,
                                  anyccl_datatype_t datatype,
                                  anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_all_to_all(): see \ref nonblocking in request.h. Replacement for MPI_Ialltoall.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_to_all(const void *send,
                                   void *recv,
                                   size_t count_per_rank,
                                   anyccl_datatype_t datatype,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Persistent form of anyccl_all_to_all(): see \ref persistent in request.h. Replacement for
 * MPI_Alltoall_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_to_all_init(const void *send,
                                       void *recv,
                                       size_t count_per_rank,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/** \} */

/** \name Synchronization
 *  \{ */

/**
 * Waits until every rank has made the call.
 *
 *     rank 0  ----------|
 *     rank 1  ---|......|   =>   all continue
 *     rank 2  -------|..|
 *
 * \param[in] comm  Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. The request of its nonblocking form ends when every rank has made the call. After the
 * barrier, each rank sees what the others did before it. Replacement for MPI_Barrier.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_barrier(anyccl_comm_t comm);

/** Nonblocking form of anyccl_barrier(): see \ref nonblocking in request.h. Replacement for MPI_Ibarrier. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ibarrier(anyccl_comm_t comm, anyccl_request_t *request);

/**
 * Persistent form of anyccl_barrier(): see \ref persistent in request.h. Replacement for MPI_Barrier_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_barrier_init(anyccl_comm_t comm, anyccl_request_t *request);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_COLLECTIVES_H */
