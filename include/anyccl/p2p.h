/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Messages from one rank to another.
 *
 * \defgroup p2p Point to point
 *
 * A message carries elements from one rank to another of the same communicator. The sender names the
 * receiver and a tag; the receiver names sender and tag, or accepts any.
 *
 * \code{.c}
 * int left = (rank + size - 1) % size, right = (rank + 1) % size, from_left;
 * anyccl_message_status_t status;
 * ANYCCL_CHECK(anyccl_sendrecv(&rank, 1, ANYCCL_INT32, right, 7, &from_left, 1, ANYCCL_INT32, left, 7,
 *                              ANYCCL_WORLD, &status));
 * assert(from_left == left && status.source == left && status.count == 1);
 * \endcode
 *
 * \section matching Which receive gets a message
 *
 * - A receive accepts a message if sender and tag match, or if it says ANYCCL_ANY_SOURCE or ANYCCL_ANY_TAG.
 * - A message goes to the oldest receive that accepts it, and a receive takes the oldest message that it
 *   accepts. Messages of one rank with one tag are therefore received in the order in which they were sent.
 * - The receive buffer may be longer than the message. It must not be shorter, and the datatype must be the
 *   sender's: otherwise both sides get ANYCCL_ERR_MISMATCH.
 * - The status is ANYCCL_SUCCESS or one of \ref failures.
 *
 * \{
 */

#ifndef ANYCCL_P2P_H
#define ANYCCL_P2P_H

#include <stddef.h>
#include <stdint.h>
#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/datatype.h>
#include <anyccl/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Send and receive
 *  \{ */

/** Source of a receive or a probe that accepts any rank. */
#define ANYCCL_ANY_SOURCE -1

/** Tag of a receive or a probe that accepts any tag. */
#define ANYCCL_ANY_TAG -1

/**
 * Sends elements to one rank.
 *
 *     rank 0  anyccl_send(x, 2, ..., peer 2, tag 7)      x0 x1 ----+
 *     rank 2  anyccl_recv(y, 2, ..., source 0, tag 7)              +--> y0 y1
 *
 * \param send      [in] count elements. Read only.
 * \param count     [in] Elements: at most what the receive has room for.
 * \param datatype  [in] One of enum anyccl_datatype, the same on both sides.
 * \param peer      [in] The rank that receives: 0 to size-1.
 * \param tag       [in] Name of the message, 0 or more.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Failures" at the top of this header.
 *
 * The call blocks until send may be changed, which may be before or after the receiver has come: do not rely
 * on either. Two ranks that send to each other first may wait for ever; use anyccl_sendrecv, anyccl_isend or
 * a batch. A message goes to the oldest receive that accepts its sender and tag, and a receive takes the
 * oldest message: so messages of one rank with one tag are received in the order in which they were started.
 * Threads of a rank may send and receive at the same time. Replacement for MPI_Send and ncclSend.
 */
anyccl_status_t anyccl_send(const void *send,
                            size_t count,
                            anyccl_datatype_t datatype,
                            int peer,
                            int32_t tag,
                            anyccl_comm_t comm);

/**
 * Starts a send and returns at once.
 *
 * \param send, count, datatype, peer, tag, comm  See anyccl_send; the buffer must not be changed until
 *        the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed.
 *
 * The call does not block. The request ends when the buffer may be changed. Replacement for MPI_Isend.
 */
anyccl_status_t anyccl_isend(const void *send,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int peer,
                             int32_t tag,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Prepares a send that is started later, and often.
 *
 * \param send, count, datatype, peer, tag, comm  See anyccl_send, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run sends a message of its own, for any receive. Replacement for MPI_Send_init.
 */
anyccl_status_t anyccl_send_init(const void *send,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int peer,
                                 int32_t tag,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Sends elements to one rank, and waits until it receives them.
 *
 * \param send, count, datatype, peer, tag, comm  See anyccl_send.
 * \returns See anyccl_send.
 *
 * The call blocks until a receive has met the message, and send may be changed. Replacement for MPI_Ssend.
 */
anyccl_status_t anyccl_ssend(const void *send,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int peer,
                             int32_t tag,
                             anyccl_comm_t comm);

/**
 * Starts a send that ends when it is received, and returns at once.
 *
 * \param send, count, datatype, peer, tag, comm, request  See anyccl_isend.
 * \returns See anyccl_isend.
 *
 * The call does not block. The request ends when a receive has met the message and the buffer may be
 * changed. Replacement for MPI_Issend.
 */
anyccl_status_t anyccl_issend(const void *send,
                              size_t count,
                              anyccl_datatype_t datatype,
                              int peer,
                              int32_t tag,
                              anyccl_comm_t comm,
                              anyccl_request_t *request);

/**
 * Receives elements from one rank, or from any.
 *
 * \param recv      [out] Room for count elements. What a shorter message does not fill stays as it is.
 * \param count     [in] Elements that there is room for.
 * \param datatype  [in] One of enum anyccl_datatype, the same on both sides.
 * \param source    [in] The rank that sends: 0 to size-1, or ANYCCL_ANY_SOURCE.
 * \param tag       [in] The tag of the message, or ANYCCL_ANY_TAG.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param status    [out] What is known of the message: from whom, which tag, how many elements. May be NULL.
 *                  Inside of a batch it is written at its end.
 * \returns See anyccl_send; ANYCCL_ERR_MISMATCH, on both sides, when the message is longer than the room for
 *          it or of another datatype.
 *
 * The call blocks until the elements are there. Replacement for MPI_Recv and ncclRecv.
 */
anyccl_status_t anyccl_recv(void *recv,
                            size_t count,
                            anyccl_datatype_t datatype,
                            int source,
                            int32_t tag,
                            anyccl_comm_t comm,
                            struct anyccl_message_status_t *status);

/**
 * Starts a receive and returns at once.
 *
 * \param recv, count, datatype, source, tag, comm  See anyccl_recv; the buffer must not be used until the
 *        request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it; anyccl_wait_message
 *                 tells what was received. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_isend; ANYCCL_ERR_MISMATCH when a message that has come already is longer than the
 *          room for it or of another datatype: comm has failed then.
 *
 * The call does not block. The request ends when the elements are there. Replacement for MPI_Irecv.
 */
anyccl_status_t anyccl_irecv(void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int source,
                             int32_t tag,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Prepares a receive that is started later, and often.
 *
 * \param recv, count, datatype, source, tag, comm  See anyccl_recv, during each run.
 * \param request  [out] See anyccl_all_reduce_init. anyccl_wait_message tells of the message of each run.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run gets a message, however that was sent. Replacement for MPI_Recv_init.
 */
anyccl_status_t anyccl_recv_init(void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int source,
                                 int32_t tag,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Sends elements to one rank and receives elements from one, at the same time.
 *
 * \param send, send_count, send_datatype, peer, send_tag  See anyccl_send.
 * \param recv, recv_count, recv_datatype, source, recv_tag  See anyccl_recv. recv and send do not
 *         overlap.
 * \param comm    [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param status  [out] What is known of the message that was received. May be NULL.
 * \returns See anyccl_recv. When an argument is refused, nothing was sent.
 *
 * The call blocks until both are done. Ranks may call it in a ring, or any two of each other: nobody waits
 * for ever. Its messages are met by any other send and receive as well. Replacement for MPI_Sendrecv.
 */
anyccl_status_t anyccl_sendrecv(const void *send,
                                size_t send_count,
                                anyccl_datatype_t send_datatype,
                                int peer,
                                int32_t send_tag,
                                void *recv,
                                size_t recv_count,
                                anyccl_datatype_t recv_datatype,
                                int source,
                                int32_t recv_tag,
                                anyccl_comm_t comm,
                                struct anyccl_message_status_t *status);

/** \} */

/** \name Probe for a message
 *  \{ */

/**
 * Waits for a message, and leaves it there to be received.
 *
 * \param source  [in] The rank that sends, or ANYCCL_ANY_SOURCE.
 * \param tag     [in] Its tag, or ANYCCL_ANY_TAG.
 * \param comm    [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param status  [out] What is known of the message: its count tells how much room it needs. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call blocks until a message has come that anyccl_recv with the same arguments would get. Where several
 * threads receive, another one may get it first: use anyccl_mprobe. Not inside of a batch. Replacement for
 * MPI_Probe.
 */
anyccl_status_t anyccl_probe(int source, int32_t tag, anyccl_comm_t comm, struct anyccl_message_status_t *status);

/**
 * Asks whether a message has come.
 *
 * \param source, tag, comm  See anyccl_probe.
 * \param found   [out] 1: anyccl_recv with the same arguments would get a message at once. Else 0.
 * \param status  [out] What is known of the message. Left alone when there is none. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call does not block; moves the operations of its communicator on. Replacement for MPI_Iprobe.
 */
anyccl_status_t anyccl_iprobe(int source,
                              int32_t tag,
                              anyccl_comm_t comm,
                              int *found,
                              struct anyccl_message_status_t *status);

/** \} */

/** \name Matched probe
 *  A message that is taken out can be received only by the thread that has its handle.
 *  \{ */

/** What anyccl_message_t points to, for the compiler's type check only. */
typedef struct anyccl_message anyccl_message;

/**
 * A message that was found by anyccl_mprobe or anyccl_improbe: no other receive gets it. It is received
 * once, and the handle is NULL then.
 */
typedef struct anyccl_message *anyccl_message_t;

/**
 * Waits for a message and takes it out: only who has its handle can receive it.
 *
 * \param source, tag, comm  See anyccl_probe.
 * \param message  [out] Owned by the caller until anyccl_mrecv or anyccl_imrecv takes it.
 * \param status   [out] What is known of the message. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call blocks until a message has come. Not inside of a batch. Replacement for MPI_Mprobe.
 */
anyccl_status_t anyccl_mprobe(int source,
                              int32_t tag,
                              anyccl_comm_t comm,
                              anyccl_message_t *message,
                              struct anyccl_message_status_t *status);

/**
 * Takes a message out if one has come.
 *
 * \param source, tag, comm  See anyccl_probe.
 * \param message  [out] Owned by the caller until anyccl_mrecv or anyccl_imrecv takes it. NULL: no such
 *                 message has come.
 * \param status   [out] What is known of the message. Left alone when there is none. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call does not block; moves the operations of its communicator on. Replacement for MPI_Improbe.
 */
anyccl_status_t anyccl_improbe(int source,
                               int32_t tag,
                               anyccl_comm_t comm,
                               anyccl_message_t *message,
                               struct anyccl_message_status_t *status);

/**
 * Receives a message that was taken out before.
 *
 * \param recv      [out] Room for count elements.
 * \param count     [in] Elements that there is room for.
 * \param datatype  [in] One of enum anyccl_datatype, the sender's.
 * \param message   [in,out] From anyccl_mprobe or anyccl_improbe. Taken: NULL afterwards, if the arguments
 *                  are valid.
 * \param status    [out] What is known of the message. May be NULL. Inside of a batch it is written at its
 *                  end.
 * \returns See anyccl_recv; ANYCCL_ERR_INVALID_ARGUMENT when message is NULL or is none.
 *
 * The call blocks until the elements are there. Replacement for MPI_Mrecv.
 */
anyccl_status_t anyccl_mrecv(void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             anyccl_message_t *message,
                             struct anyccl_message_status_t *status);

/**
 * Starts the receive of a message that was taken out before, and returns at once.
 *
 * \param recv, count, datatype, message  See anyccl_mrecv; the buffer must not be used until the request
 *                                        has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_irecv; ANYCCL_ERR_INVALID_ARGUMENT when message is NULL or is none.
 *
 * The call does not block. Replacement for MPI_Imrecv.
 */
anyccl_status_t anyccl_imrecv(void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_message_t *message,
                              anyccl_request_t *request);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_P2P_H */
