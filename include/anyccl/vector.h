/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Collectives with blocks of different lengths.
 *
 * \defgroup vector Blocks of different lengths
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
 * Collects the elements of all ranks on every rank; ranks may have different numbers of them.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0 a1 c0
 *     rank 1  -         =>    rank 1  a0 a1 c0         recv_counts 2 0 1
 *     rank 2  c0              rank 2  a0 a1 c0
 *
 * \param send         [in] recv_counts[rank] elements. Read only.
 * \param recv         [out] For each rank r, recv_counts[r] elements from element recv_displs[r] on. What
 *                     lies between these blocks is left alone.
 * \param recv_counts  [in] size numbers of elements. The same on every rank.
 * \param recv_displs  [in] size numbers of elements; NULL: the blocks lie one after the other. Each rank's
 *                     own affair.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv + recv_displs[rank]
 * elements. Any other overlap is refused, also among the blocks of recv. Replacement for MPI_Allgatherv.
 */
anyccl_status_t anyccl_all_gather_v(const void *send,
                                    void *recv,
                                    const size_t *recv_counts,
                                    const size_t *recv_displs,
                                    anyccl_datatype_t datatype,
                                    anyccl_comm_t comm);

/**
 * Starts an all_gather_v and returns at once.
 *
 * \param send, recv, recv_counts, recv_displs, datatype, comm  See anyccl_all_gather_v; the
 *        buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iallgatherv.
 */
anyccl_status_t anyccl_iall_gather_v(const void *send,
                                     void *recv,
                                     const size_t *recv_counts,
                                     const size_t *recv_displs,
                                     anyccl_datatype_t datatype,
                                     anyccl_comm_t comm,
                                     anyccl_request_t *request);

/**
 * Prepares an all_gather_v that is started later, and often.
 *
 * \param send, recv, recv_counts, recv_displs, datatype, comm  See anyccl_all_gather_v; the buffers belong
 *        to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Allgatherv_init.
 */
anyccl_status_t anyccl_all_gather_v_init(const void *send,
                                         void *recv,
                                         const size_t *recv_counts,
                                         const size_t *recv_displs,
                                         anyccl_datatype_t datatype,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

/**
 * Collects the elements of all ranks at the root; ranks may have different numbers of them.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  -
 *     rank 1  -         =>    rank 1  a0 a1 c0         root 1, recv_counts 2 0 1
 *     rank 2  c0              rank 2  -
 *
 * \param send         [in] send_count elements. Read only.
 * \param recv         [out] At the root: for each rank r, recv_counts[r] elements from element
 *                     recv_displs[r] on. What lies between these blocks is left alone. Not used elsewhere:
 *                     may be NULL.
 * \param send_count   [in] Elements that this rank sends: what the root has in recv_counts for it.
 * \param recv_counts  [in] At the root: size numbers of elements. Not used elsewhere: may be NULL.
 * \param recv_displs  [in] At the root: size numbers of elements; NULL: the blocks lie one after the other.
 *                     Not used elsewhere.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param root         [in] 0 to size-1. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
 * the others have come. Where the root expects another number of elements than a rank sends, both are named
 * by ANYCCL_ERR_MISMATCH on every rank. In place: send == recv + recv_displs[root] elements at the root. Any
 * other overlap is refused. Replacement for MPI_Gatherv.
 */
anyccl_status_t anyccl_gather_v(const void *send,
                                void *recv,
                                size_t send_count,
                                const size_t *recv_counts,
                                const size_t *recv_displs,
                                anyccl_datatype_t datatype,
                                int root,
                                anyccl_comm_t comm);

/**
 * Starts a gather_v and returns at once.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, root, comm  See anyccl_gather_v; the
 *        buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Igatherv.
 */
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
 * Prepares a gather_v that is started later, and often.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, root, comm  See anyccl_gather_v; the
 *        buffers belong to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Gatherv_init.
 */
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
 * Cuts the elements of the root into parts of different lengths, one for each rank.
 *
 *     before  send            after  recv
 *     rank 0  -               rank 0  b0 b1
 *     rank 1  b0 b1 b2  =>    rank 1  -                root 1, send_counts 2 0 1
 *     rank 2  -               rank 2  b2
 *
 * \param send         [in] At the root: for each rank r, send_counts[r] elements from element send_displs[r]
 *                     on. Read only. Not used elsewhere: may be NULL.
 * \param recv         [out] recv_count elements.
 * \param send_counts  [in] At the root: size numbers of elements. Not used elsewhere: may be NULL.
 * \param send_displs  [in] At the root: size numbers of elements; NULL: the blocks lie one after the other.
 *                     Not used elsewhere.
 * \param recv_count   [in] Elements that this rank receives: what the root has in send_counts for it.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param root         [in] 0 to size-1. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The root may return before the others have
 * come. Where a rank expects another number of elements than the root sends, both are named by
 * ANYCCL_ERR_MISMATCH on every rank. In place: recv == send + send_displs[root] elements at the root. Any
 * other overlap is refused. Replacement for MPI_Scatterv.
 */
anyccl_status_t anyccl_scatter_v(const void *send,
                                 void *recv,
                                 const size_t *send_counts,
                                 const size_t *send_displs,
                                 size_t recv_count,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm);

/**
 * Starts a scatter_v and returns at once.
 *
 * \param send, recv, send_counts, send_displs, recv_count, datatype, root, comm  See anyccl_scatter_v;
 *        the buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iscatterv.
 */
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
 * Prepares a scatter_v that is started later, and often.
 *
 * \param send, recv, send_counts, send_displs, recv_count, datatype, root, comm  See anyccl_scatter_v; the
 *        buffers belong to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Scatterv_init.
 */
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
 * Combines the elements of all ranks; every rank gets a part of the result, of a length of its own.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  S0 S1
 *     rank 1  b0 b1 b2  =>    rank 1  -          Sk = ak op bk op ck; recv_counts 2 0 1
 *     rank 2  c0 c1 c2        rank 2  S2
 *
 * \param send         [in] As many elements as all recv_counts together, part by part. Read only.
 * \param recv         [out] recv_counts[rank] elements.
 * \param recv_counts  [in] size numbers of elements. The same on every rank.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param op           [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: recv is this rank's part of send;
 * the rest of send is left as it was. Any other overlap is refused. Replacement for MPI_Reduce_scatter.
 */
anyccl_status_t anyccl_reduce_scatter_v(const void *send,
                                        void *recv,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_reduce_op_t op,
                                        anyccl_comm_t comm);

/**
 * Starts a reduce_scatter_v and returns at once.
 *
 * \param send, recv, recv_counts, datatype, op, comm  See anyccl_reduce_scatter_v; the
 *        buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ireduce_scatter.
 */
anyccl_status_t anyccl_ireduce_scatter_v(const void *send,
                                         void *recv,
                                         const size_t *recv_counts,
                                         anyccl_datatype_t datatype,
                                         anyccl_reduce_op_t op,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

/**
 * Prepares a reduce_scatter_v that is started later, and often.
 *
 * \param send, recv, recv_counts, datatype, op, comm  See anyccl_reduce_scatter_v; the buffers belong to
 *        the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Reduce_scatter_init.
 */
anyccl_status_t anyccl_reduce_scatter_v_init(const void *send,
                                             void *recv,
                                             const size_t *recv_counts,
                                             anyccl_datatype_t datatype,
                                             anyccl_reduce_op_t op,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/**
 * Every rank sends every rank a part of its own, of any length.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  a0 b0        send_counts of rank 0: 1 2
 *     rank 1  b0        =>    rank 1  a1 a2        send_counts of rank 1: 1 0
 *
 * \param send         [in] For each rank r, send_counts[r] elements from element send_displs[r] on. Read
 *                     only.
 * \param recv         [out] For each rank r, recv_counts[r] elements from element recv_displs[r] on. What
 *                     lies between these blocks is left alone.
 * \param send_counts  [in] size numbers of elements.
 * \param send_displs  [in] size numbers of elements; NULL: the blocks lie one after the other.
 * \param recv_counts  [in] size numbers of elements: recv_counts[r] here is send_counts of this rank there.
 * \param recv_displs  [in] size numbers of elements; NULL: the blocks lie one after the other.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. Where a rank expects another number of
 * elements than another one sends, both are named by ANYCCL_ERR_MISMATCH on every rank. In place: a block of
 * send is identical with the block of recv from the same rank, address and length. Any other overlap is
 * refused, also among the blocks of recv. Replacement for MPI_Alltoallv.
 */
anyccl_status_t anyccl_all_to_all_v(const void *send,
                                    void *recv,
                                    const size_t *send_counts,
                                    const size_t *send_displs,
                                    const size_t *recv_counts,
                                    const size_t *recv_displs,
                                    anyccl_datatype_t datatype,
                                    anyccl_comm_t comm);

/**
 * Starts an all_to_all_v and returns at once.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, comm  See
 *        anyccl_all_to_all_v; the buffers belong to the library until the request has ended, the arrays do
 *        not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ialltoallv.
 */
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
 * Prepares an all_to_all_v that is started later, and often.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, comm  See
 *        anyccl_all_to_all_v; the buffers belong to the library during each run, arrays only during this
 *        call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Alltoallv_init.
 */
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
