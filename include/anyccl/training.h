/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Parameters and gradients of data-parallel training.
 *
 * \defgroup training Training
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
 * Gives all ranks the root's parameters.
 *
 *     rank 0 (root)  w0 w1 | b0           w0 w1 | b0
 *     rank 1         x0 x1 | c0    =>     w0 w1 | b0
 *
 * \param buffers    [in,out] number pointers. At the root read, elsewhere written. None is NULL where its
 *                   count is not 0.
 * \param counts     [in] Elements of each, the same on every rank.
 * \param datatypes  [in] One of enum anyccl_datatype for each, the same on every rank; they may differ from
 *                   each other.
 * \param number     [in] Length of the three arrays, the same on every rank. 0: they may be NULL.
 * \param root       [in] The rank whose parameters all get, the same on every rank.
 * \param comm       [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; ANYCCL_ERR_MISMATCH when the lists of the ranks differ; any other status when comm
 *          has failed.
 *
 * Collective. The call blocks until all are there. Few messages, as anyccl_broadcast_coalesced. This is the
 * first step of PyTorch's DistributedDataParallel.
 */
anyccl_status_t anyccl_sync_params(void *const *buffers,
                                   const size_t *counts,
                                   const anyccl_datatype_t *datatypes,
                                   size_t number,
                                   int root,
                                   anyccl_comm_t comm);

/**
 * Prepares anyccl_sync_params for many runs.
 *
 * \param buffers, counts, datatypes, number, root, comm  See anyccl_sync_params; the buffers belong to
 *        the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_sync_params_init(void *const *buffers,
                                        const size_t *counts,
                                        const anyccl_datatype_t *datatypes,
                                        size_t number,
                                        int root,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/**
 * Sums gradients over all ranks; every rank gets the sums.
 *
 *     rank 0  a0 a1 | NULL | c0           a0+x0 a1+x1 | NULL | c0+z0
 *     rank 1  x0 x1 | NULL | z0    =>     a0+x0 a1+x1 | NULL | c0+z0
 *
 * \param buffers    [in,out] number pointers. NULL: this rank has no gradient there, which is in order when
 *                   no rank has one.
 * \param counts     [in] Elements of each, the same on every rank, also where a buffer is NULL.
 * \param datatypes  [in] One of enum anyccl_datatype for each, with a sum; the same on every rank. They may
 *                   differ from each other.
 * \param number     [in] Length of the three arrays, the same on every rank. 0: they may be NULL.
 * \param comm       [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT on every rank, with a sentence that names buffer and
 *          ranks, when a buffer is NULL on some ranks only: then no buffer has changed and comm works on;
 *          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE for what was wrong on this rank alone,
 *          when nothing was sent and comm works on; ANYCCL_ERR_MISMATCH when the lists of the ranks differ;
 *          any other status when comm has failed.
 *
 * Collective. The call blocks until all are there. The ranks compare by a small message which buffers they
 * have; then the buffers travel in few messages, as by anyccl_all_reduce_coalesced. The results are sums,
 * not averages: divide by the size where the mean is wanted.
 */
anyccl_status_t anyccl_sum_grads(void *const *buffers,
                                 const size_t *counts,
                                 const anyccl_datatype_t *datatypes,
                                 size_t number,
                                 anyccl_comm_t comm);

/**
 * Prepares the sum of a list of buffers over all ranks for many runs.
 *
 * \param buffers, counts, datatypes, number, comm  See anyccl_sum_grads; the buffers belong to the
 *        library during each run, the arrays only during this call. None may be NULL, unless its count is 0:
 *        which ranks have a buffer cannot be found out without them.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, on all ranks by requests of this function:
 * anyccl_sum_grads is another call, which compares what ranks have first.
 */
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
