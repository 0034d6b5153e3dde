/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Parameters and gradients of data-parallel training.
 *
 * \defgroup chapter_training Training
 *
 * Data-parallel training copies the parameters of one rank to all ranks once, and sums the gradients of all
 * ranks after each step. These calls take the list of all tensors, of mixed datatypes.
 *
 * \code{.c}
 * float weights[3] = {(float)rank}, gradients[3] = {1, 2, 3};
 * void *parameters[] = {weights}, *grads[] = {gradients};
 * size_t counts[] = {3};
 * anyccl_datatype_t types[] = {ANYCCL_FLOAT32};
 * ANYCCL_CHECK(anyccl_sync_params(parameters, counts, types, 1, 0, ANYCCL_WORLD));
 * ANYCCL_CHECK(anyccl_sum_grads(grads, counts, types, 1, ANYCCL_WORLD));
 * assert(weights[0] == 0 && gradients[2] == (float)(3 * size));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_TRAINING_H
#define ANYCCL_TRAINING_H

#include <stddef.h>
#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/datatype.h>
#include <anyccl/request.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Copies the parameters of the root to all ranks.
 *
 *     rank 0 (root)  w0 w1 | b0           w0 w1 | b0
 *     rank 1         x0 x1 | c0    =>     w0 w1 | b0
 *
 * \param[in,out] buffers    Array of pointers: read at the root, written on the other ranks. A pointer may
 *                           be NULL if its count is 0.
 * \param[in]     counts     Elements of each buffer. The same on every rank.
 * \param[in]     datatypes  Datatype of each buffer. The same on every rank; they may differ from each
 *                           other.
 * \param[in]     number     Length of the three arrays. The same on every rank. 0: they may be NULL.
 * \param[in]     root       Rank whose parameters all ranks get.
 * \param[in]     comm       Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures. ANYCCL_ERR_MISMATCH when the lists of the ranks differ.
 *
 * Collective. Buffers are packed as in anyccl_broadcast_coalesced(). This is the first step of PyTorch's
 * DistributedDataParallel.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_sync_params(void *const *buffers,
                                   const size_t *counts,
                                   const anyccl_datatype_t *datatypes,
                                   size_t number,
                                   int root,
                                   anyccl_comm_t comm);

/**
 * Persistent form of anyccl_sync_params(): see \ref persistent in request.h. Small buffers are packed when a
 * run is started.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_sync_params_init(void *const *buffers,
                                        const size_t *counts,
                                        const anyccl_datatype_t *datatypes,
                                        size_t number,
                                        int root,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/**
 * Sums the gradients of all ranks; every rank gets the sums.
 *
 *     rank 0  a0 a1 | NULL | c0           a0+x0 a1+x1 | NULL | c0+z0
 *     rank 1  x0 x1 | NULL | z0    =>     a0+x0 a1+x1 | NULL | c0+z0
 *
 * \param[in,out] buffers    Array of pointers. NULL: this rank has no gradient there. This is allowed if no
 *                           rank has one.
 * \param[in]     counts     Elements of each buffer, also where it is NULL. The same on every rank.
 * \param[in]     datatypes  Datatype of each buffer, one that has a sum. The same on every rank; they may
 *                           differ from each other.
 * \param[in]     number     Length of the three arrays. The same on every rank. 0: they may be NULL.
 * \param[in]     comm       Communicator, or ANYCCL_WORLD.
 * \returns ANYCCL_SUCCESS or one of \ref failures. When a buffer is NULL on some ranks only, every rank gets
 *          ANYCCL_ERR_INVALID_ARGUMENT and a message that names buffer and ranks; no buffer has changed and
 *          comm stays usable. ANYCCL_ERR_MISMATCH when the lists of the ranks differ.
 *
 * Collective. A small message compares which buffers the ranks have. Then the buffers are packed as in
 * anyccl_all_reduce_coalesced(). The results are sums: divide by the number of ranks for the mean.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_sum_grads(void *const *buffers,
                                 const size_t *counts,
                                 const anyccl_datatype_t *datatypes,
                                 size_t number,
                                 anyccl_comm_t comm);

/**
 * Persistent form of anyccl_sum_grads(): see \ref persistent in request.h.
 *
 * A buffer may be NULL only if its count is 0: the ranks do not compare which buffers they have. All ranks
 * therefore make this call by requests of this function; anyccl_sum_grads() is another call.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_sum_grads_init(void *const *buffers,
                                      const size_t *counts,
                                      const anyccl_datatype_t *datatypes,
                                      size_t number,
                                      anyccl_comm_t comm,
                                      anyccl_request_t *request);

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_TRAINING_H */
