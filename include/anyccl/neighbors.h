/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Exchange with the neighbors in a graph.
 *
 * \defgroup chapter_neighbors Neighbors in a graph
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
 * ANYCCL_CHECK(anyccl_neighbor_all_gather_v(&rank, &from_left, 1, &one, NULL, ANYCCL_INT32,
 *                                           ring, ANYCCL_WORLD));
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

/** Opaque type behind anyccl_graph_t. */
typedef struct anyccl_graph anyccl_graph;

/**
 * Handle of a graph: the neighbors of this rank in a communicator. It belongs to one rank. A handle that was
 * destroyed is recognized and refused.
 */
typedef struct anyccl_graph *anyccl_graph_t;

/**
 * Makes a graph from the neighbors of this rank, and checks that the ranks agree.
 *
 * \param[in]  sources            Ranks that send to this one. A rank may occur more than once, and may be
 *                                this one.
 * \param[in]  source_count       Number of sources. With 0, sources may be NULL.
 * \param[in]  destinations       Ranks that this one sends to, as sources.
 * \param[in]  destination_count  Number of destinations. With 0, destinations may be NULL.
 * \param[in]  comm               Communicator, or ANYCCL_WORLD.
 * \param[out] graph              Owned by the caller; release with anyccl_graph_destroy().
 * \returns ANYCCL_SUCCESS or one of \ref failures. When a rank sends to one that does not receive from it,
 *          or the other way round, every rank gets ANYCCL_ERR_INVALID_ARGUMENT and a message that names
 *          both; comm stays usable.
 *
 * Collective. The call blocks until all ranks have made it. Replacement for MPI_Dist_graph_create_adjacent.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_graph_create(const int *sources,
                                    size_t source_count,
                                    const int *destinations,
                                    size_t destination_count,
                                    anyccl_comm_t comm,
                                    anyccl_graph_t *graph);

/**
 * Releases a graph.
 *
 * \param[in] graph  Taken. NULL: nothing happens.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when it is not a graph.
 *
 * Local. Allowed before and after its communicator is destroyed. Operations that were started with the graph
 * continue.
 */
anyccl_status_t anyccl_graph_destroy(anyccl_graph_t graph);

/** \} */

/** \name Exchange
 *  \{ */

/**
 * Sends the same elements to every destination in a graph, and receives a block from every source.
 *
 * \param[in]  send         Elements for all destinations, send_count of them.
 * \param[out] recv         For the i-th source, recv_counts[i] elements from element recv_displs[i] on.
 *                          Elements between the blocks do not change.
 * \param[in]  send_count   Elements that this rank sends.
 * \param[in]  recv_counts  The send_count of each source, in the order of the sources.
 * \param[in]  recv_displs  Offset of the block from each source, or NULL.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  graph        Graph over comm.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective over comm. Buffers must not overlap. Replacement for MPI_Neighbor_allgatherv.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_neighbor_all_gather_v(const void *send,
                                             void *recv,
                                             size_t send_count,
                                             const size_t *recv_counts,
                                             const size_t *recv_displs,
                                             anyccl_datatype_t datatype,
                                             anyccl_graph_t graph,
                                             anyccl_comm_t comm);

/**
 * Nonblocking form of anyccl_neighbor_all_gather_v(): see \ref nonblocking in request.h. Replacement for
 * MPI_Ineighbor_allgatherv.
 */
ANYCCL_NODISCARD
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
 * Persistent form of anyccl_neighbor_all_gather_v(): see \ref persistent in request.h. Replacement for
 * MPI_Neighbor_allgatherv_init.
 */
ANYCCL_NODISCARD
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
 * Sends a block of its own to every destination in a graph, and receives a block from every source.
 *
 * \param[in]  send         For the i-th destination, send_counts[i] elements from element send_displs[i]
 *                          on.
 * \param[out] recv         For the i-th source, recv_counts[i] elements from element recv_displs[i] on.
 *                          Elements between the blocks do not change.
 * \param[in]  send_counts  Length of the block for each destination, in the order of the destinations.
 * \param[in]  send_displs  Offset of the block for each destination, or NULL.
 * \param[in]  recv_counts  Length of the block from each source, in the order of the sources: what the
 *                          source sends to this rank.
 * \param[in]  recv_displs  Offset of the block from each source, or NULL.
 * \param[in]  datatype     Datatype of the elements.
 * \param[in]  graph        Graph over comm.
 * \param[in]  comm         Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures.
 *
 * Collective over comm. Buffers must not overlap. Replacement for MPI_Neighbor_alltoallv.
 */
ANYCCL_NODISCARD
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
 * Nonblocking form of anyccl_neighbor_all_to_all_v(): see \ref nonblocking in request.h. Replacement for
 * MPI_Ineighbor_alltoallv.
 */
ANYCCL_NODISCARD
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
 * Persistent form of anyccl_neighbor_all_to_all_v(): see \ref persistent in request.h. Replacement for
 * MPI_Neighbor_alltoallv_init.
 */
ANYCCL_NODISCARD
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
