/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Collectives on lists of buffers.
 *
 * \defgroup lists Lists of buffers
 *
 * There are two kinds. The `_coalesced` calls do the same collective on each buffer of a list, with fewer
 * messages than a call for each buffer. The `_list` calls are one collective whose blocks lie in separate
 * memory. The contract is the one of \ref collective.
 *
 * \code{.c}
 * float weights[3] = {1, 2, 3}, bias = 4;
 * const void *sends[] = {weights, &bias};
 * void *recvs[] = {weights, &bias};
 * size_t counts[] = {3, 1};
 * ANYCCL_CHECK(anyccl_all_reduce_coalesced(sends, recvs, counts, 2, ANYCCL_FLOAT32, ANYCCL_AVG, ANYCCL_WORLD));
 * assert(weights[2] == 3 && bias == 4);
 * \endcode
 *
 * \section coalesced The contract of a coalesced call
 *
 * - The list of counts is part of what the ranks must agree on. Where it differs, every rank gets
 *   ANYCCL_ERR_MISMATCH and a message that names each list by its number of buffers and a hash.
 * - Small buffers are packed together, large ones travel side by side. The packing happens when an operation
 *   is started, and the results of packed buffers are there when it has ended.
 * - The results are those of a call for each buffer, up to the order in which floats are summed.
 * - The arrays are read during the call only. Buffers must not overlap each other, except in place.
 *
 * \{
 */

#ifndef ANYCCL_LISTS_H
#define ANYCCL_LISTS_H

#include <stddef.h>
#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/datatype.h>
#include <anyccl/reduce_op.h>
#include <anyccl/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name One collective on each buffer
 *  \{ */

/**
 * Combines the elements of all ranks, for each buffer of a list; every rank gets the results.
 *
 *     rank 0  a0 a1 | b0 | c0 c1 c2           S0 S1 | T0 | U0 U1 U2
 *     rank 1  a0 a1 | b0 | c0 c1 c2    =>     S0 S1 | T0 | U0 U1 U2
 *
 * \param sends        [in] As many pointers as there are buffers: where counts[i] elements are read.
 * \param recvs        [out] As many pointers: where counts[i] elements are written. recvs[i] == sends[i]: in
 *                     place.
 * \param counts       [in] Elements of each buffer, the same on every rank. 0 is allowed.
 * \param buffers      [in] Length of the three arrays, the same on every rank. 0: they may be NULL.
 * \param datatype     [in] One of enum anyccl_datatype, the same on every rank.
 * \param op           [in] See anyccl_all_reduce.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns See anyccl_all_reduce. The list of counts is part of what ranks must agree on: where it differs,
 *          every rank gets ANYCCL_ERR_MISMATCH and a sentence that names both lists by their number of
 *          buffers and a hash.
 *
 * Collective. The call blocks until all buffers are done. Gives what anyccl_all_reduce on each buffer gives,
 * up to the order in which floats are summed, in fewer messages: small buffers are packed together, large
 * ones go side by side. The arrays themselves are read during the call only. Buffers must not overlap each
 * other, but for in place. Replacement for ncclGroupStart ... ncclGroupEnd around many small calls, and
 * torch.distributed.all_reduce_coalesced.
 */
anyccl_status_t anyccl_all_reduce_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            anyccl_reduce_op_t op,
                                            anyccl_comm_t comm);

/**
 * Starts an all_reduce of a list of buffers and returns at once.
 *
 * \param sends, recvs, counts, buffers, datatype, op, comm  See anyccl_all_reduce_coalesced; the buffers
 *        belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_iall_reduce.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_iall_reduce_coalesced(const void *const *sends,
                                             void *const *recvs,
                                             const size_t *counts,
                                             size_t buffers,
                                             anyccl_datatype_t datatype,
                                             anyccl_reduce_op_t op,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/**
 * Prepares an all_reduce_coalesced that is started later, and often.
 *
 * \param sends, recvs, counts, buffers, datatype, op, comm  See anyccl_all_reduce_coalesced; the buffers
 *        belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_all_reduce_coalesced_init(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_reduce_op_t op,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/**
 * Gives all ranks the elements of the root, for each buffer of a list.
 *
 * \param sends     [in] At the root: counts[i] elements each. Elsewhere not used, may be NULL.
 * \param recvs     [out] counts[i] elements each. At the root, recvs[i] == sends[i] is in place.
 * \param counts, buffers, datatype  [in] See anyccl_all_reduce_coalesced.
 * \param root      [in] The rank that sends, the same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns See anyccl_all_reduce_coalesced.
 *
 * Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
 */
anyccl_status_t anyccl_broadcast_coalesced(const void *const *sends,
                                           void *const *recvs,
                                           const size_t *counts,
                                           size_t buffers,
                                           anyccl_datatype_t datatype,
                                           int root,
                                           anyccl_comm_t comm);

/**
 * Starts a broadcast of a list of buffers and returns at once.
 *
 * \param sends, recvs, counts, buffers, datatype, root, comm  See anyccl_broadcast_coalesced; the buffers
 *        belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_ibroadcast.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_ibroadcast_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            int root,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/**
 * Prepares a broadcast_coalesced that is started later, and often.
 *
 * \param sends, recvs, counts, buffers, datatype, root, comm  See anyccl_broadcast_coalesced; the buffers
 *        belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_broadcast_coalesced_init(const void *const *sends,
                                                void *const *recvs,
                                                const size_t *counts,
                                                size_t buffers,
                                                anyccl_datatype_t datatype,
                                                int root,
                                                anyccl_comm_t comm,
                                                anyccl_request_t *request);

/**
 * Gives all ranks the elements of every rank, for each buffer of a list.
 *
 * \param sends        [in] send_counts[i] elements each.
 * \param recvs        [out] size * send_counts[i] elements each, in the order of the ranks. In place:
 *                     sends[i] == recvs[i] + rank * send_counts[i] elements.
 * \param send_counts  [in] Elements that each rank gives for each buffer, the same on every rank.
 * \param buffers, datatype, comm  [in] See anyccl_all_reduce_coalesced.
 * \returns See anyccl_all_reduce_coalesced.
 *
 * Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
 */
anyccl_status_t anyccl_all_gather_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *send_counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm);

/**
 * Starts an all_gather of a list of buffers and returns at once.
 *
 * \param sends, recvs, send_counts, buffers, datatype, comm  See anyccl_all_gather_coalesced; the buffers
 *        belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_iall_gather.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_iall_gather_coalesced(const void *const *sends,
                                             void *const *recvs,
                                             const size_t *send_counts,
                                             size_t buffers,
                                             anyccl_datatype_t datatype,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/**
 * Prepares an all_gather_coalesced that is started later, and often.
 *
 * \param sends, recvs, send_counts, buffers, datatype, comm  See anyccl_all_gather_coalesced; the buffers
 *        belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_all_gather_coalesced_init(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *send_counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/**
 * Combines the elements of all ranks and gives each rank its block, for each buffer of a list.
 *
 * \param sends        [in] size * recv_counts[i] elements each: a block per rank.
 * \param recvs        [out] recv_counts[i] elements each: block number rank of the result. In place:
 *                     recvs[i] == sends[i] + rank * recv_counts[i] elements.
 * \param recv_counts  [in] Elements that each rank gets of each buffer, the same on every rank.
 * \param buffers, datatype, op, comm  [in] See anyccl_all_reduce_coalesced.
 * \returns See anyccl_all_reduce_coalesced.
 *
 * Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
 */
anyccl_status_t anyccl_reduce_scatter_coalesced(const void *const *sends,
                                                void *const *recvs,
                                                const size_t *recv_counts,
                                                size_t buffers,
                                                anyccl_datatype_t datatype,
                                                anyccl_reduce_op_t op,
                                                anyccl_comm_t comm);

/**
 * Starts a reduce_scatter of a list of buffers and returns at once.
 *
 * \param sends, recvs, recv_counts, buffers, datatype, op, comm  See anyccl_reduce_scatter_coalesced; the
 *        buffers belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_ireduce_scatter.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_ireduce_scatter_coalesced(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *recv_counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_reduce_op_t op,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/**
 * Prepares a reduce_scatter_coalesced that is started later, and often.
 *
 * \param sends, recvs, recv_counts, buffers, datatype, op, comm  See anyccl_reduce_scatter_coalesced; the
 *        buffers belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_reduce_scatter_coalesced_init(const void *const *sends,
                                                     void *const *recvs,
                                                     const size_t *recv_counts,
                                                     size_t buffers,
                                                     anyccl_datatype_t datatype,
                                                     anyccl_reduce_op_t op,
                                                     anyccl_comm_t comm,
                                                     anyccl_request_t *request);

/** \} */

/** \name Blocks in separate memory
 *  \{ */

/**
 * Collects the elements of all ranks on every rank, the elements of each rank in memory of their own.
 *
 * \param send         [in] recv_counts[rank] elements. Read only.
 * \param recvs        [out] size pointers: recvs[r] takes recv_counts[r] elements from rank r. A pointer to
 *                     no elements may be NULL.
 * \param recv_counts  [in] size numbers of elements. The same on every rank.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recvs[rank]. Any other
 * overlap is refused. Other ranks may call anyccl_all_gather_v instead. Replacement for torch.distributed's
 * all_gather.
 */
anyccl_status_t anyccl_all_gather_list(const void *send,
                                       void *const *recvs,
                                       const size_t *recv_counts,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm);

/**
 * Starts an all_gather_list and returns at once.
 *
 * \param send, recvs, recv_counts, datatype, comm  See anyccl_all_gather_list; the
 *        memory belongs to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 */
anyccl_status_t anyccl_iall_gather_list(const void *send,
                                        void *const *recvs,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/**
 * Prepares an all_gather_list that is started later, and often.
 *
 * \param send, recvs, recv_counts, datatype, comm  See anyccl_all_gather_list; the buffers belong to the
 *        library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own.
 */
anyccl_status_t anyccl_all_gather_list_init(const void *send,
                                            void *const *recvs,
                                            const size_t *recv_counts,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/**
 * Every rank sends every rank a part of its own, each in memory of its own: lists of tensors.
 *
 * \param sends        [in] size pointers: sends[r] has send_counts[r] elements for rank r. Read only. A
 *                     pointer to no elements may be NULL.
 * \param recvs        [out] size pointers: recvs[r] takes recv_counts[r] elements from rank r. A pointer to
 *                     no elements may be NULL.
 * \param send_counts  [in] size numbers of elements.
 * \param recv_counts  [in] size numbers of elements: recv_counts[r] here is send_counts of this rank there.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. Where a rank expects another number of
 * elements than another one sends, both are named by ANYCCL_ERR_MISMATCH on every rank. In place: sends[r]
 * == recvs[r], with the same count. Any other overlap is refused. Other ranks may call anyccl_all_to_all_v
 * instead. Replacement for torch.distributed's all_to_all.
 */
anyccl_status_t anyccl_all_to_all_list(const void *const *sends,
                                       void *const *recvs,
                                       const size_t *send_counts,
                                       const size_t *recv_counts,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm);

/**
 * Starts an all_to_all_list and returns at once.
 *
 * \param sends, recvs, send_counts, recv_counts, datatype, comm  See anyccl_all_to_all_list; the
 *        memory belongs to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ialltoallw.
 */
anyccl_status_t anyccl_iall_to_all_list(const void *const *sends,
                                        void *const *recvs,
                                        const size_t *send_counts,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/**
 * Prepares an all_to_all_list that is started later, and often.
 *
 * \param sends, recvs, send_counts, recv_counts, datatype, comm  See anyccl_all_to_all_list; the buffers
 *        belong to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own.
 */
anyccl_status_t anyccl_all_to_all_list_init(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *send_counts,
                                            const size_t *recv_counts,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_LISTS_H */
