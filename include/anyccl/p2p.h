/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Messages from one rank to another.
 *
 * \defgroup chapter_p2p Point to point
 *
 * A message carries elements from one rank to another of the same communicator. The sender names the
 * receiver and a tag; the receiver names sender and tag, or accepts any.
 *
 * \code{.c}
 * int left = (rank + size - 1) % size, right = (rank + 1) % size, from_left;
 * anyccl_message_status_t status;
 * ANYCCL_CHECK(anyccl_sendrecv(&rank, 1, ANYCCL_INT32, right, 7,
 *                              &from_left, 1, ANYCCL_INT32, left, 7, ANYCCL_WORLD, &status));
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
 * \param[in] send      Elements to send, count of them.
 * \param[in] count     Number of elements; not more than the receive has room for.
 * \param[in] datatype  Datatype of the elements.
 * \param[in] peer      Rank that receives.
 * \param[in] tag       Tag of the message, 0 or more.
 * \param[in] comm      Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * The call blocks until the send buffer may be changed. This may be before or after the receive is
 * posted: do not rely on either. Two ranks that both send first may therefore wait for each other until
 * the timeout: use anyccl_sendrecv(), anyccl_isend() or a batch. Threads of a rank may send and receive
 * at the same time. Replacement for MPI_Send and ncclSend.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_send(const void *send,
                            size_t count,
                            anyccl_datatype_t datatype,
                            int peer,
                            int32_t tag,
                            anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_send(): see \ref nonblocking in request.h. The request ends when the send
 * buffer may be changed. Replacement for MPI_Isend.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_isend(const void *send,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int peer,
                             int32_t tag,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Persistent form of anyccl_send(): see \ref persistent in request.h. Each run sends one message, which any
 * form of receive may receive. Replacement for MPI_Send_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_send_init(const void *send,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int peer,
                                 int32_t tag,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Sends elements to one rank, and waits until a receive has matched the message.
 *
 * \param[in] send      As for anyccl_send().
 * \param[in] count     As for anyccl_send().
 * \param[in] datatype  As for anyccl_send().
 * \param[in] peer      As for anyccl_send().
 * \param[in] tag       As for anyccl_send().
 * \param[in] comm      As for anyccl_send().
 * \returns As anyccl_send().
 *
 * The call blocks until a receive has matched the message and the send buffer may be changed.
 * Replacement for MPI_Ssend.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_ssend(const void *send,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int peer,
                             int32_t tag,
                             anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_ssend(): see \ref nonblocking in request.h. The request ends when a receive has
 * matched the message and the send buffer may be changed. Replacement for MPI_Issend.
 */
ANYCCL_NODISCARD
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
 * \param[out] recv      Room for count elements. Elements that a shorter message does not fill do not
 *                       change.
 * \param[in]  count     Number of elements that there is room for.
 * \param[in]  datatype  Datatype of the sender.
 * \param[in]  source    Rank that sends, or ANYCCL_ANY_SOURCE.
 * \param[in]  tag       Tag of the message, or ANYCCL_ANY_TAG.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \param[out] status    Sender, tag and length of the message. Inside a batch it is written at the end of
 *                       the batch. May be NULL.
 * \returns ANYCCL_SUCCESS or one of \ref failures. When the message is longer than count or of another
 *          datatype, both sides get ANYCCL_ERR_MISMATCH.
 *
 * The call blocks until the elements have arrived. Replacement for MPI_Recv and ncclRecv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_recv(void *recv,
                            size_t count,
                            anyccl_datatype_t datatype,
                            int source,
                            int32_t tag,
                            anyccl_comm_t comm,
                            struct anyccl_message_status_t *status);

/**
 * Nonblocking form of anyccl_recv(): see \ref nonblocking in request.h.
 *
 * The request ends when the elements have arrived; anyccl_wait_message() tells about the message. The call
 * itself returns ANYCCL_ERR_MISMATCH when a message that has already arrived is longer than count or of
 * another datatype; the communicator has then failed. Replacement for MPI_Irecv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_irecv(void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int source,
                             int32_t tag,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Persistent form of anyccl_recv(): see \ref persistent in request.h. Each run receives one message, from
 * any form of send; anyccl_wait_message() tells about it. Replacement for MPI_Recv_init.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_recv_init(void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int source,
                                 int32_t tag,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Receives elements from one rank, if they come within a moment.
 *
 * \param[out] recv      As for anyccl_recv(). Unchanged when nothing was received.
 * \param[in]  count     Number of elements of the message: a shorter or longer one is not received.
 * \param[in]  datatype  Datatype of the sender.
 * \param[in]  source    Rank that sends.
 * \param[in]  tag       Tag of the message.
 * \param[in]  comm      Communicator, or ANYCCL_WORLD.
 * \param[out] received  1 when the message was received, else 0: nothing was done then.
 * \returns ANYCCL_SUCCESS or one of \ref failures; ANYCCL_ERR_INVALID_USAGE inside a batch.
 *
 * The call does not block: it polls for some microseconds, about as long as a rank that is at work takes to
 * answer. It gets small messages of ranks of the same host, and only while no other operation of the
 * communicator's connections is under way. So a program that calls it in a loop must use anyccl_recv() or
 * anyccl_improbe() in the end. It is for messages whose length is usually, but not always, the same.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_try_recv(void *recv,
                                size_t count,
                                anyccl_datatype_t datatype,
                                int source,
                                int32_t tag,
                                anyccl_comm_t comm,
                                int *received);

/**
 * Sends elements to one rank and receives elements from one, at the same time.
 *
 * \param[in]  send           As for anyccl_send().
 * \param[in]  send_count     As for anyccl_send().
 * \param[in]  send_datatype  As for anyccl_send().
 * \param[in]  peer           As for anyccl_send().
 * \param[in]  send_tag       As for anyccl_send().
 * \param[out] recv           As for anyccl_recv(). It must not overlap send.
 * \param[in]  recv_count     As for anyccl_recv().
 * \param[in]  recv_datatype  As for anyccl_recv().
 * \param[in]  source         As for anyccl_recv().
 * \param[in]  recv_tag       As for anyccl_recv().
 * \param[in]  comm           Communicator, or ANYCCL_WORLD.
 * \param[out] status         As for anyccl_recv().
 * \returns As anyccl_recv(). After an argument is refused, nothing was sent.
 *
 * The call blocks until both messages are complete. Ranks may make it in a ring, or any two ranks to each
 * other, without waiting for ever. Any other send or receive may be its counterpart. Replacement for
 * MPI_Sendrecv.
 */
ANYCCL_NODISCARD
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
 * Waits for a message and tells about it, but does not receive it.
 *
 * \param[in]  source  Rank that sends, or ANYCCL_ANY_SOURCE.
 * \param[in]  tag     Tag of the message, or ANYCCL_ANY_TAG.
 * \param[in]  comm    Communicator, or ANYCCL_WORLD.
 * \param[out] status  Sender, tag and length of the message. May be NULL.
 * \returns As anyccl_recv().
 *
 * The call blocks until there is a message that anyccl_recv() with the same arguments would receive. Where
 * several threads receive, another thread may receive it first: use anyccl_mprobe(). Not allowed inside a
 * batch. Replacement for MPI_Probe.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_probe(int source, int32_t tag, anyccl_comm_t comm, struct anyccl_message_status_t *status);

/**
 * Asks whether there is a message, and tells about it.
 *
 * \param[in]  source  As for anyccl_probe().
 * \param[in]  tag     As for anyccl_probe().
 * \param[in]  comm    As for anyccl_probe().
 * \param[out] found   1 when anyccl_recv() with the same arguments would receive a message at once, else 0.
 * \param[out] status  As for anyccl_probe(). Unchanged when there is no message. May be NULL.
 * \returns As anyccl_recv().
 *
 * The call does not block. It lets the operations of the communicator progress. Replacement for MPI_Iprobe.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_iprobe(int source,
                              int32_t tag,
                              anyccl_comm_t comm,
                              int *found,
                              struct anyccl_message_status_t *status);

/** \} */

/** \name Matched probe
 *  A message that is taken out can be received only by the thread that has its handle.
 *  \{ */

/** Opaque type behind anyccl_message_t. */
typedef struct anyccl_message anyccl_message;

/**
 * Handle of a message that anyccl_mprobe() or anyccl_improbe() has taken out: no other receive gets it. It
 * is received once, which sets the handle to NULL.
 */
typedef struct anyccl_message *anyccl_message_t;

/**
 * Waits for a message and takes it out.
 *
 * \param[in]  source   As for anyccl_probe().
 * \param[in]  tag      As for anyccl_probe().
 * \param[in]  comm     As for anyccl_probe().
 * \param[out] message  Owned by the caller until anyccl_mrecv() or anyccl_imrecv() takes it.
 * \param[out] status   As for anyccl_probe(). May be NULL.
 * \returns As anyccl_recv().
 *
 * The call blocks until there is a message. Not allowed inside a batch. Replacement for MPI_Mprobe.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mprobe(int source,
                              int32_t tag,
                              anyccl_comm_t comm,
                              anyccl_message_t *message,
                              struct anyccl_message_status_t *status);

/**
 * Takes out a message if there is one.
 *
 * \param[in]  source   As for anyccl_probe().
 * \param[in]  tag      As for anyccl_probe().
 * \param[in]  comm     As for anyccl_probe().
 * \param[out] message  Owned by the caller until anyccl_mrecv() or anyccl_imrecv() takes it. NULL when there
 *                      is no message.
 * \param[out] status   As for anyccl_probe(). Unchanged when there is no message. May be NULL.
 * \returns As anyccl_recv().
 *
 * The call does not block. It lets the operations of the communicator progress. Replacement for MPI_Improbe.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_improbe(int source,
                               int32_t tag,
                               anyccl_comm_t comm,
                               anyccl_message_t *message,
                               struct anyccl_message_status_t *status);

/**
 * Receives a message that was taken out.
 *
 * \param[out]    recv      Room for count elements.
 * \param[in]     count     Number of elements that there is room for.
 * \param[in]     datatype  Datatype of the sender.
 * \param[in,out] message   Taken: NULL afterwards, if the arguments are valid.
 * \param[out]    status    As for anyccl_recv(). May be NULL.
 * \returns As anyccl_recv(); ANYCCL_ERR_INVALID_ARGUMENT when message is NULL or not a message.
 *
 * The call blocks until the elements have arrived. Replacement for MPI_Mrecv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mrecv(void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             anyccl_message_t *message,
                             struct anyccl_message_status_t *status);

/** Nonblocking form of anyccl_mrecv(): see \ref nonblocking in request.h. Replacement for MPI_Imrecv. */
ANYCCL_NODISCARD
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
