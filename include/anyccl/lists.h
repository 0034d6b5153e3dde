/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Collectives on lists of buffers.
 *
 * \defgroup chapter_lists Lists of buffers
 *
 * These collectives take many buffers in one call. The `_coalesced` calls do the same collective on each buffer
 * of a list, with fewer messages than a call for each buffer. The `_list` calls are one collective whose blocks lie in separate
 * memory. The contract is the one of \ref collective.
 *
 * \code{.c}
 * float weights[3] = {1, 2, 3}, bias = 4;
 * const void *sends[] = {weights, &bias};
 * void *recvs[] = {weights, &bias};
 * size_t counts[] = {3, 1};
 * ANYCCL_CHECK(anyccl_all_reduce_coalesced(sends, recvs, counts, 2, ANYCCL_FLOAT32, ANYCCL_AVG,
 *                                          ANYCCL_WORLD));
 * assert(weights[2] == 3 && bias == 4);
 * \endcode
 *
 * \section coalesced Contract of a coalesced call
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
 * \param[in]  sends     Array of pointers: sends[i] has counts[i] elements.
 * \param[out] recvs     Array of pointers: recvs[i] takes counts[i] elements. In place: recvs[i] ==
 *                       sends[i].
 * \param[in]  counts    Elements of each buffer. 0 is allowed.
 * \param[in]  buffers   Length of the three arrays. 0: they may be NULL.
 * \param[in]  datatype  Datatype of all elements.
 * \param[in]  op        Operator that accepts datatype.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective; see \ref coalesced. Replacement for many small calls between ncclGroupStart and
 * ncclGroupEnd, and for torch.distributed.all_reduce_coalesced.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_reduce_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            anyccl_reduce_op_t op,
                                            anyccl_comm_t comm);

/** Nonblocking form of anyccl_all_reduce_coalesced(): see \ref nonblocking in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_reduce_coalesced(const void *const *sends,
                                             void *const *recvs,
                                             const size_t *counts,
                                             size_t buffers,
                                             anyccl_datatype_t datatype,
                                             anyccl_reduce_op_t op,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/** Persistent form of anyccl_all_reduce_coalesced(): see \ref persistent in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_reduce_coalesced_init(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_reduce_op_t op,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/**
 * Copies the elements of the root to every rank, for each buffer of a list.
 *
 * \param[in]  sends     Array of pointers at the root: sends[i] has counts[i] elements. Not used on the
 *                       other ranks: may be NULL.
 * \param[out] recvs     Array of pointers: recvs[i] takes counts[i] elements. In place: recvs[i] ==
 *                       sends[i] at the root.
 * \param[in]  counts    Elements of each buffer. 0 is allowed.
 * \param[in]  buffers   Length of the three arrays. 0: they may be NULL.
 * \param[in]  datatype  Datatype of all elements.
 * \param[in]  root      Rank that sends.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective; see \ref coalesced.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_broadcast_coalesced(const void *const *sends,
                                           void *const *recvs,
                                           const size_t *counts,
                                           size_t buffers,
                                           anyccl_datatype_t datatype,
                                           int root,
                                           anyccl_comm_t comm);

/** Nonblocking form of anyccl_broadcast_coalesced(): see \ref nonblocking in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ibroadcast_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            int root,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/** Persistent form of anyccl_broadcast_coalesced(): see \ref persistent in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_broadcast_coalesced_init(const void *const *sends,
                                                void *const *recvs,
                                                const size_t *counts,
                                                size_t buffers,
                                                anyccl_datatype_t datatype,
                                                int root,
                                                anyccl_comm_t comm,
                                                anyccl_request_t *request);

/**
 * Collects the elements of all ranks on every rank, for each buffer of a list.
 *
 * \param[in]  sends        Array of pointers: sends[i] has send_counts[i] elements.
 * \param[out] recvs        Array of pointers: recvs[i] takes size * send_counts[i] elements, in the
 *                          order of the ranks. In place: sends[i] == recvs[i] + rank * send_counts[i]
 *                          elements.
 * \param[in]  send_counts  Elements that each rank contributes to each buffer. 0 is allowed.
 * \param[in]  buffers      Length of the three arrays. 0: they may be NULL.
 * \param[in]  datatype     Datatype of all elements.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective; see \ref coalesced.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_gather_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *send_counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm);

/** Nonblocking form of anyccl_all_gather_coalesced(): see \ref nonblocking in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_gather_coalesced(const void *const *sends,
                                             void *const *recvs,
                                             const size_t *send_counts,
                                             size_t buffers,
                                             anyccl_datatype_t datatype,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/** Persistent form of anyccl_all_gather_coalesced(): see \ref persistent in request.h. */
ANYCCL_NODISCARD
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
 * \param[in]  sends        Array of pointers: sends[i] has size * recv_counts[i] elements, one block for
 *                          each rank.
 * \param[out] recvs        Array of pointers: recvs[i] takes recv_counts[i] elements, the block of this
 *                          rank. In place: recvs[i] == sends[i] + rank * recv_counts[i] elements.
 * \param[in]  recv_counts  Elements that each rank gets of each buffer. 0 is allowed.
 * \param[in]  buffers      Length of the three arrays. 0: they may be NULL.
 * \param[in]  datatype     Datatype of all elements.
 * \param[in]  op           Operator that accepts datatype.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective; see \ref coalesced.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_reduce_scatter_coalesced(const void *const *sends,
                                                void *const *recvs,
                                                const size_t *recv_counts,
                                                size_t buffers,
                                                anyccl_datatype_t datatype,
                                                anyccl_reduce_op_t op,
                                                anyccl_comm_t comm);

/** Nonblocking form of anyccl_reduce_scatter_coalesced(): see \ref nonblocking in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ireduce_scatter_coalesced(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *recv_counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_reduce_op_t op,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/** Persistent form of anyccl_reduce_scatter_coalesced(): see \ref persistent in request.h. */
ANYCCL_NODISCARD
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
 * Collects blocks of different lengths on every rank; each block has memory of its own.
 *
 * \param[in]  send         Block of this rank, recv_counts[rank] elements.
 * \param[out] recvs        Array of size pointers: recvs[r] takes recv_counts[r] elements from rank r. A
 *                          pointer to no elements may be NULL.
 * \param[in]  recv_counts  Length of each block, size numbers. The same on every rank.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective. In place: send == recvs[rank]. Other ranks may call anyccl_all_gather_v() instead.
 * Replacement for the all_gather of torch.distributed.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_gather_list(const void *send,
                                       void *const *recvs,
                                       const size_t *recv_counts,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm);

/** Nonblocking form of anyccl_all_gather_list(): see \ref nonblocking in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_gather_list(const void *send,
                                        void *const *recvs,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/** Persistent form of anyccl_all_gather_list(): see \ref persistent in request.h. */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_gather_list_init(const void *send,
                                            void *const *recvs,
                                            const size_t *recv_counts,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/**
 * Sends a block of any length from every rank to every rank; each block has memory of its own.
 *
 * \param[in]  sends        Array of size pointers: sends[r] has send_counts[r] elements for rank r. A
 *                          pointer to no elements may be NULL.
 * \param[out] recvs        Array of size pointers: recvs[r] takes recv_counts[r] elements from rank r. A
 *                          pointer to no elements may be NULL.
 * \param[in]  send_counts  Length of the block for each rank, size numbers.
 * \param[in]  recv_counts  Length of the block from each rank, size numbers: recv_counts[r] is what rank
 *                          r has in its send_counts for this rank.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures. Lengths must agree: see \ref lengths.
 *
 * Collective. In place: sends[r] == recvs[r], with the same count. Other ranks may call
 * anyccl_all_to_all_v() instead. Replacement for the all_to_all of torch.distributed.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_all_to_all_list(const void *const *sends,
                                       void *const *recvs,
                                       const size_t *send_counts,
                                       const size_t *recv_counts,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_all_to_all_list(): see \ref nonblocking in request.h. Replacement for
 * MPI_Ialltoallw.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iall_to_all_list(const void *const *sends,
                                        void *const *recvs,
                                        const size_t *send_counts,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/** Persistent form of anyccl_all_to_all_list(): see \ref persistent in request.h. */
ANYCCL_NODISCARD
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
