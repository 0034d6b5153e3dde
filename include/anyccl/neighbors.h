/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Exchange with the neighbors in a graph.
 *
 * \defgroup neighbors Neighbors in a graph
 *
 * A graph says from which ranks this rank receives and to which it sends. The collectives of this chapter
 * exchange a block with each of these neighbors. All ranks of the communicator make the call, also those
 * without neighbors: the contract is the one of \ref collective, and lengths agree as in \ref lengths.
 *
 * \code{.c}
 * int left = (rank + size - 1) % size, right = (rank + 1) % size, from_left;
 * size_t one = 1;
 * anyccl_graph_t ring;
 * ANYCCL_CHECK(anyccl_graph_create(&left, 1, &right, 1, ANYCCL_WORLD, &ring));
 * ANYCCL_CHECK(anyccl_neighbor_all_gather_v(&rank, &from_left, 1, &one, NULL, ANYCCL_INT32, ring, ANYCCL_WORLD));
 * assert(from_left == left);
 * ANYCCL_CHECK(anyccl_graph_destroy(ring));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_NEIGHBORS_H
#define ANYCCL_NEIGHBORS_H

#include <stddef.h>
#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/datatype.h>
#include <anyccl/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Graphs
 *  \{ */

/** What anyccl_graph_t points to, for the compiler's type check only. */
typedef struct anyccl_graph anyccl_graph;

/**
 * The neighbours of this rank in a graph over a communicator. Belongs to one rank; a handle that was
 * destroyed is recognised and refused.
 */
typedef struct anyccl_graph *anyccl_graph_t;

/**
 * Says with which ranks this rank exchanges, and checks that they say the same.
 *
 * \param sources            [in] The ranks that send to this one. A rank may be there more than once, and
 *                           this one, too.
 * \param source_count       [in] How many. NULL goes with 0.
 * \param destinations       [in] The ranks that this one sends to.
 * \param destination_count  [in] How many. NULL goes with 0.
 * \param comm               [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param graph              [out] Owned by the caller; release with anyccl_graph_destroy(). Written only on
 *                           ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT on every rank when some rank sends to one that does
 *          not receive from it, or the other way round: the sentence names both, and comm works on;
 *          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent; any other status
 *          when comm has failed: see "Collectives" at the top of this header.
 *
 * Collective. The call blocks until all ranks have come. Replacement for MPI_Dist_graph_create_adjacent.
 */
anyccl_status_t anyccl_graph_create(const int *sources,
                                    size_t source_count,
                                    const int *destinations,
                                    size_t destination_count,
                                    anyccl_comm_t comm,
                                    anyccl_graph_t *graph);

/**
 * Gives up a graph.
 *
 * \param graph  [in] Taken. NULL: nothing happens.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when it is no graph.
 *
 * Local. Before or after its communicator is destroyed. Exchanges that were started go on.
 */
anyccl_status_t anyccl_graph_destroy(anyccl_graph_t graph);

/** \} */

/** \name Exchange
 *  \{ */

/**
 * Sends the same elements to every destination in a graph, and receives those of every source.
 *
 * \param send         [in] send_count elements. Read only.
 * \param recv         [out] For each source, as many elements as recv_counts says, from its recv_displs on,
 *                     in the order of the sources. What lies between these blocks is left alone.
 * \param send_count   [in] Elements that this rank sends: what its destinations have in recv_counts for it.
 * \param recv_counts  [in] A number of elements for each source: what that rank has for this one.
 * \param recv_displs  [in] A number of elements for each source; NULL: the blocks lie one after the other.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param graph        [in] Borrowed. From anyccl_graph_create over comm.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective over comm, also for ranks without neighbours. The call blocks until this rank's part is done.
 * Where a rank expects another number of elements than its neighbour sends, both are named by
 * ANYCCL_ERR_MISMATCH on every rank. Buffers must not overlap. Replacement for MPI_Neighbor_allgatherv.
 */
anyccl_status_t anyccl_neighbor_all_gather_v(const void *send,
                                             void *recv,
                                             size_t send_count,
                                             const size_t *recv_counts,
                                             const size_t *recv_displs,
                                             anyccl_datatype_t datatype,
                                             anyccl_graph_t graph,
                                             anyccl_comm_t comm);

/**
 * Starts a neighbor_all_gather_v and returns at once.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_gather_v; the buffers belong to the library until the request has ended, the
 *        arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ineighbor_allgatherv.
 */
anyccl_status_t anyccl_ineighbor_all_gather_v(const void *send,
                                              void *recv,
                                              size_t send_count,
                                              const size_t *recv_counts,
                                              const size_t *recv_displs,
                                              anyccl_datatype_t datatype,
                                              anyccl_graph_t graph,
                                              anyccl_comm_t comm,
                                              anyccl_request_t *request);

/**
 * Prepares a neighbor_all_gather_v that is started later, and often.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_gather_v; the buffers belong to the library during each run, arrays only during
 *        this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Neighbor_allgatherv_init.
 */
anyccl_status_t anyccl_neighbor_all_gather_v_init(const void *send,
                                                  void *recv,
                                                  size_t send_count,
                                                  const size_t *recv_counts,
                                                  const size_t *recv_displs,
                                                  anyccl_datatype_t datatype,
                                                  anyccl_graph_t graph,
                                                  anyccl_comm_t comm,
                                                  anyccl_request_t *request);

/**
 * Sends every destination in a graph a part of its own, and receives one from every source.
 *
 * \param send         [in] For each destination, as many elements as send_counts says, from its send_displs
 *                     on, in the order of the destinations. Read only.
 * \param recv         [out] For each source, as many elements as recv_counts says, from its recv_displs on,
 *                     in the order of the sources. What lies between these blocks is left alone.
 * \param send_counts  [in] A number of elements for each destination.
 * \param send_displs  [in] A number of elements for each destination; NULL: the blocks lie one after the
 *                     other.
 * \param recv_counts  [in] A number of elements for each source: what that rank has for this one.
 * \param recv_displs  [in] A number of elements for each source; NULL: the blocks lie one after the other.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param graph        [in] Borrowed. From anyccl_graph_create over comm.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective over comm, also for ranks without neighbours. The call blocks until this rank's part is done.
 * Where a rank expects another number of elements than its neighbour sends, both are named by
 * ANYCCL_ERR_MISMATCH on every rank. Buffers must not overlap. Replacement for MPI_Neighbor_alltoallv.
 */
anyccl_status_t anyccl_neighbor_all_to_all_v(const void *send,
                                             void *recv,
                                             const size_t *send_counts,
                                             const size_t *send_displs,
                                             const size_t *recv_counts,
                                             const size_t *recv_displs,
                                             anyccl_datatype_t datatype,
                                             anyccl_graph_t graph,
                                             anyccl_comm_t comm);

/**
 * Starts a neighbor_all_to_all_v and returns at once.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_to_all_v; the buffers belong to the library until the request has ended, the
 *        arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ineighbor_alltoallv.
 */
anyccl_status_t anyccl_ineighbor_all_to_all_v(const void *send,
                                              void *recv,
                                              const size_t *send_counts,
                                              const size_t *send_displs,
                                              const size_t *recv_counts,
                                              const size_t *recv_displs,
                                              anyccl_datatype_t datatype,
                                              anyccl_graph_t graph,
                                              anyccl_comm_t comm,
                                              anyccl_request_t *request);

/**
 * Prepares a neighbor_all_to_all_v that is started later, and often.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_to_all_v; the buffers belong to the library during each run, arrays only during
 *        this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Neighbor_alltoallv_init.
 */
anyccl_status_t anyccl_neighbor_all_to_all_v_init(const void *send,
                                                  void *recv,
                                                  const size_t *send_counts,
                                                  const size_t *send_displs,
                                                  const size_t *recv_counts,
                                                  const size_t *recv_displs,
                                                  anyccl_datatype_t datatype,
                                                  anyccl_graph_t graph,
                                                  anyccl_comm_t comm,
                                                  anyccl_request_t *request);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_NEIGHBORS_H */
