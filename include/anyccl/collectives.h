/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Collectives: all ranks of a communicator make the call.
 *
 * \defgroup collectives Collectives
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
 * \section collective The contract of a collective
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
 * A rank whose part is complete before the difference can be known returns ANYCCL_SUCCESS. This happens to a
 * root of broadcast or scatter, to a rank that only sends in reduce or gather, to a rank of broadcast or
 * scatter whose own root has sent, and to any rank where the count is 0. The next call of the communicator
 * that meets the difference then returns the error. The latest such call is anyccl_finalize() or
 * anyccl_comm_destroy(), where the ranks compare all calls that they have made.
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
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements.
 * \param count     [in] Elements of each buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The result has the same bits on every rank and
 * in every run. In place: send == recv. Any other overlap is refused. Replacement for MPI_Allreduce and
 * ncclAllReduce.
 */
anyccl_status_t anyccl_all_reduce(const void *send,
                                  void *recv,
                                  size_t count,
                                  anyccl_datatype_t datatype,
                                  anyccl_reduce_op_t op,
                                  anyccl_comm_t comm);

/**
 * Starts an all_reduce and returns at once.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_all_reduce; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iallreduce.
 */
anyccl_status_t anyccl_iall_reduce(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Prepares an all_reduce that is started later, and often.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_all_reduce; the buffers belong to the library
 *        during each run. An operator that the program has made may be destroyed before the request is
 *        freed.
 * \param request  [out] Persistent: see anyccl_request_t. Owned by the caller; release with
 *                 anyccl_request_free(). Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT, ANYCCL_ERR_INVALID_USAGE or ANYCCL_ERR_UNSUPPORTED
 *          as for anyccl_all_reduce.
 *
 * Local: arguments are checked, nothing is sent. Each run is a collective call of its own, which ranks may
 * as well make by anyccl_all_reduce or anyccl_iall_reduce. Replacement for MPI_Allreduce_init.
 */
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
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements at the root. Not used elsewhere: may be NULL.
 * \param count     [in] Elements of each buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param root      [in] 0 to size-1. The same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
 * the others have come. In place: send == recv at the root. Any other overlap is refused. Replacement for
 * MPI_Reduce and ncclReduce.
 */
anyccl_status_t anyccl_reduce(const void *send,
                              void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_reduce_op_t op,
                              int root,
                              anyccl_comm_t comm);

/**
 * Starts a reduce and returns at once.
 *
 * \param send, recv, count, datatype, op, root, comm  See anyccl_reduce; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ireduce.
 */
anyccl_status_t anyccl_ireduce(const void *send,
                               void *recv,
                               size_t count,
                               anyccl_datatype_t datatype,
                               anyccl_reduce_op_t op,
                               int root,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/**
 * Prepares a reduce that is started later, and often.
 *
 * \param send, recv, count, datatype, op, root, comm  See anyccl_reduce, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Reduce_init.
 */
anyccl_status_t anyccl_reduce_init(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   int root,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Combines the elements of all ranks; every rank gets its part of the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  S0
 *     rank 1  b0 b1 b2  =>    rank 1  S1         Sk = ak op bk op ck; recv_count 1
 *     rank 2  c0 c1 c2        rank 2  S2
 *
 * \param send        [in] size * recv_count elements. Read only.
 * \param recv        [out] recv_count elements.
 * \param recv_count  [in] Elements that each rank receives. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param op          [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: recv == send + rank * recv_count
 * elements. The rest of send is left as it was. Any other overlap is refused. Replacement for
 * MPI_Reduce_scatter_block and ncclReduceScatter.
 */
anyccl_status_t anyccl_reduce_scatter(const void *send,
                                      void *recv,
                                      size_t recv_count,
                                      anyccl_datatype_t datatype,
                                      anyccl_reduce_op_t op,
                                      anyccl_comm_t comm);

/**
 * Starts a reduce_scatter and returns at once.
 *
 * \param send, recv, recv_count, datatype, op, comm  See anyccl_reduce_scatter; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ireduce_scatter_block.
 */
anyccl_status_t anyccl_ireduce_scatter(const void *send,
                                       void *recv,
                                       size_t recv_count,
                                       anyccl_datatype_t datatype,
                                       anyccl_reduce_op_t op,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Prepares a reduce_scatter that is started later, and often.
 *
 * \param send, recv, recv_count, datatype, op, comm  See anyccl_reduce_scatter, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Reduce_scatter_block_init.
 */
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
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements.
 * \param count     [in] Elements of either buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 *                  ANYCCL_AVG: the average of ranks 0 to r.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
 * refused. Replacement for MPI_Scan.
 */
anyccl_status_t anyccl_scan(const void *send,
                            void *recv,
                            size_t count,
                            anyccl_datatype_t datatype,
                            anyccl_reduce_op_t op,
                            anyccl_comm_t comm);

/**
 * Starts a scan and returns at once.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_scan; the buffers belong to the library until
 *        the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iscan.
 */
anyccl_status_t anyccl_iscan(const void *send,
                             void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             anyccl_reduce_op_t op,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Prepares a scan that is started later, and often.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_scan, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Scan_init.
 */
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
 *     rank 0  a0 a1           rank 0  as it was
 *     rank 1  b0 b1     =>    rank 1  a0             a1
 *     rank 2  c0 c1           rank 2  a0 op b0       a1 op b1
 *
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements. Left alone on rank 0, before which there is nobody: may be NULL
 *                  there.
 * \param count     [in] Elements of either buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 *                  ANYCCL_AVG: the average of ranks 0 to r-1.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
 * refused. Replacement for MPI_Exscan.
 */
anyccl_status_t anyccl_exscan(const void *send,
                              void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_reduce_op_t op,
                              anyccl_comm_t comm);

/**
 * Starts an exscan and returns at once.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_exscan; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iexscan.
 */
anyccl_status_t anyccl_iexscan(const void *send,
                               void *recv,
                               size_t count,
                               anyccl_datatype_t datatype,
                               anyccl_reduce_op_t op,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/**
 * Prepares an exscan that is started later, and often.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_exscan, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Exscan_init.
 */
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
 * \param send      [in] count elements at the root. Not used elsewhere: may be NULL, or recv.
 * \param recv      [out] count elements.
 * \param count     [in] Elements of each buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param root      [in] 0 to size-1. The same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The root may return before the others have
 * come. In place: send == recv. So one pointer, given twice on every rank, does what MPI_Bcast does. Any
 * other overlap is refused. Replacement for MPI_Bcast and ncclBroadcast.
 */
anyccl_status_t anyccl_broadcast(const void *send,
                                 void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm);

/**
 * Starts a broadcast and returns at once.
 *
 * \param send, recv, count, datatype, root, comm  See anyccl_broadcast; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ibcast.
 */
anyccl_status_t anyccl_ibroadcast(const void *send,
                                  void *recv,
                                  size_t count,
                                  anyccl_datatype_t datatype,
                                  int root,
                                  anyccl_comm_t comm,
                                  anyccl_request_t *request);

/**
 * Prepares a broadcast that is started later, and often.
 *
 * \param send, recv, count, datatype, root, comm  See anyccl_broadcast, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Bcast_init.
 */
anyccl_status_t anyccl_broadcast_init(const void *send,
                                      void *recv,
                                      size_t count,
                                      anyccl_datatype_t datatype,
                                      int root,
                                      anyccl_comm_t comm,
                                      anyccl_request_t *request);

/**
 * Collects the elements of all ranks, in the order of ranks, on every rank.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0 a1 b0 b1 c0 c1
 *     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1
 *     rank 2  c0 c1           rank 2  a0 a1 b0 b1 c0 c1
 *
 * \param send        [in] send_count elements. Read only.
 * \param recv        [out] size * send_count elements.
 * \param send_count  [in] Elements that each rank sends. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv + rank * send_count
 * elements. Any other overlap is refused. Replacement for MPI_Allgather and ncclAllGather.
 */
anyccl_status_t anyccl_all_gather(const void *send,
                                  void *recv,
                                  size_t send_count,
                                  anyccl_datatype_t datatype,
                                  anyccl_comm_t comm);

/**
 * Starts an all_gather and returns at once.
 *
 * \param send, recv, send_count, datatype, comm  See anyccl_all_gather; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iallgather.
 */
anyccl_status_t anyccl_iall_gather(const void *send,
                                   void *recv,
                                   size_t send_count,
                                   anyccl_datatype_t datatype,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Prepares an all_gather that is started later, and often.
 *
 * \param send, recv, send_count, datatype, comm  See anyccl_all_gather, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Allgather_init.
 */
anyccl_status_t anyccl_all_gather_init(const void *send,
                                       void *recv,
                                       size_t send_count,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Collects the elements of all ranks, in the order of ranks, at the root.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  -
 *     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1      root 1
 *     rank 2  c0 c1           rank 2  -
 *
 * \param send        [in] send_count elements. Read only.
 * \param recv        [out] size * send_count elements at the root. Not used elsewhere: may be NULL.
 * \param send_count  [in] Elements that each rank sends. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param root        [in] 0 to size-1. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
 * the others have come. In place: send == recv + root * send_count elements at the root. Any other overlap
 * is refused. Replacement for MPI_Gather and ncclGather.
 */
anyccl_status_t anyccl_gather(const void *send,
                              void *recv,
                              size_t send_count,
                              anyccl_datatype_t datatype,
                              int root,
                              anyccl_comm_t comm);

/**
 * Starts a gather and returns at once.
 *
 * \param send, recv, send_count, datatype, root, comm  See anyccl_gather; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Igather.
 */
anyccl_status_t anyccl_igather(const void *send,
                               void *recv,
                               size_t send_count,
                               anyccl_datatype_t datatype,
                               int root,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/**
 * Prepares a gather that is started later, and often.
 *
 * \param send, recv, send_count, datatype, root, comm  See anyccl_gather, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Gather_init.
 */
anyccl_status_t anyccl_gather_init(const void *send,
                                   void *recv,
                                   size_t send_count,
                                   anyccl_datatype_t datatype,
                                   int root,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Deals the elements of the root out to all ranks, in the order of ranks.
 *
 *     before  send                        after  recv
 *     rank 0  -                           rank 0  a0 a1
 *     rank 1  a0 a1 b0 b1 c0 c1     =>    rank 1  b0 b1      root 1
 *     rank 2  -                           rank 2  c0 c1
 *
 * \param send        [in] size * recv_count elements at the root. Not used elsewhere: may be NULL.
 * \param recv        [out] recv_count elements.
 * \param recv_count  [in] Elements that each rank receives. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param root        [in] 0 to size-1. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The root may return before the others have
 * come. In place: recv == send + root * recv_count elements at the root. Any other overlap is refused.
 * Replacement for MPI_Scatter and ncclScatter.
 */
anyccl_status_t anyccl_scatter(const void *send,
                               void *recv,
                               size_t recv_count,
                               anyccl_datatype_t datatype,
                               int root,
                               anyccl_comm_t comm);

/**
 * Starts a scatter and returns at once.
 *
 * \param send, recv, recv_count, datatype, root, comm  See anyccl_scatter; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iscatter.
 */
anyccl_status_t anyccl_iscatter(const void *send,
                                void *recv,
                                size_t recv_count,
                                anyccl_datatype_t datatype,
                                int root,
                                anyccl_comm_t comm,
                                anyccl_request_t *request);

/**
 * Prepares a scatter that is started later, and often.
 *
 * \param send, recv, recv_count, datatype, root, comm  See anyccl_scatter, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Scatter_init.
 */
anyccl_status_t anyccl_scatter_init(const void *send,
                                    void *recv,
                                    size_t recv_count,
                                    anyccl_datatype_t datatype,
                                    int root,
                                    anyccl_comm_t comm,
                                    anyccl_request_t *request);

/**
 * Sends part k of every rank to rank k, where the parts lie in the order of the ranks they come from.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  a0 b0 c0
 *     rank 1  b0 b1 b2  =>    rank 1  a1 b1 c1      count_per_rank 1
 *     rank 2  c0 c1 c2        rank 2  a2 b2 c2
 *
 * \param send            [in] size * count_per_rank elements. Read only.
 * \param recv            [out] size * count_per_rank elements.
 * \param count_per_rank  [in] Elements for each rank. The same on every rank.
 * \param datatype        [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm            [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
 * refused. Replacement for MPI_Alltoall and ncclAlltoAll.
 */
anyccl_status_t anyccl_all_to_all(const void *send,
                                  void *recv,
                                  size_t count_per_rank,
                                  anyccl_datatype_t datatype,
                                  anyccl_comm_t comm);

/**
 * Starts an all_to_all and returns at once.
 *
 * \param send, recv, count_per_rank, datatype, comm  See anyccl_all_to_all; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ialltoall.
 */
anyccl_status_t anyccl_iall_to_all(const void *send,
                                   void *recv,
                                   size_t count_per_rank,
                                   anyccl_datatype_t datatype,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Prepares an all_to_all that is started later, and often.
 *
 * \param send, recv, count_per_rank, datatype, comm  See anyccl_all_to_all, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Alltoall_init.
 */
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
 * Waits until every rank has come here.
 *
 *     rank 0  ----------|
 *     rank 1  ---|......|   =>   all go on
 *     rank 2  -------|..|
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until all have come. What a rank did before it, the others see after it.
 * Replacement for MPI_Barrier.
 */
anyccl_status_t anyccl_barrier(anyccl_comm_t comm);

/**
 * Starts a barrier and returns at once; the request ends when every rank has come.
 *
 * \param comm     See anyccl_barrier.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ibarrier.
 */
anyccl_status_t anyccl_ibarrier(anyccl_comm_t comm, anyccl_request_t *request);

/**
 * Prepares a barrier that is started later, and often.
 *
 * \param comm     [in] See anyccl_barrier.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Barrier_init.
 */
anyccl_status_t anyccl_barrier_init(anyccl_comm_t comm, anyccl_request_t *request);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_COLLECTIVES_H */
