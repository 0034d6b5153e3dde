/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief The whole C interface of anyccl: includes every chapter.
 *
 * anyccl is a library for collective communication between processes. This header needs nothing but C99 or
 * C++11. Each chapter can also be included alone:
 *
 *     base.h          statuses, error messages, the version; the conventions of all calls
 *     config.h        settings of a communicator, log lines
 *     comm.h          communicators: create, query, split, recover, destroy
 *     world.h         the communicator of the whole job
 *     bootstrap.h     finding the other ranks by a store or a file
 *     datatype.h      element types
 *     reduce_op.h     operators, builtin and made by the program
 *     request.h       nonblocking and persistent calls: wait, test, start
 *     collectives.h   all_reduce, broadcast, barrier and the others with blocks of one length
 *     vector.h        collectives with blocks of different lengths
 *     lists.h         collectives on lists of buffers
 *     neighbors.h     exchange with the neighbors in a graph
 *     p2p.h           messages from one rank to another
 *     batch.h         calls that are started together
 *     training.h      parameters and gradients of data-parallel training
 *     memory.h        memory that the other ranks of the host can read
 *
 * \code{.c}
 * #include <stdio.h>
 * #include <anyccl/anyccl.h>
 *
 * int main(void)
 * {
 *     int rank;
 *     if (anyccl_init() != ANYCCL_SUCCESS || anyccl_rank(&rank) != ANYCCL_SUCCESS)
 *         return fprintf(stderr, "%s\n", anyccl_last_error()), 1;
 *     float mine = (float)rank, sum;
 *     anyccl_status_t status =
 *         anyccl_all_reduce(&mine, &sum, 1, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD);
 *     if (status == ANYCCL_SUCCESS)
 *         printf("rank %d: the sum is %g\n", rank, sum);
 *     return anyccl_finalize() != ANYCCL_SUCCESS;
 * }
 * \endcode
 */

#ifndef ANYCCL_ANYCCL_H
#define ANYCCL_ANYCCL_H

#include <anyccl/base.h>
#include <anyccl/config.h>
#include <anyccl/comm.h>
#include <anyccl/world.h>
#include <anyccl/bootstrap.h>
#include <anyccl/datatype.h>
#include <anyccl/reduce_op.h>
#include <anyccl/request.h>
#include <anyccl/collectives.h>
#include <anyccl/vector.h>
#include <anyccl/lists.h>
#include <anyccl/neighbors.h>
#include <anyccl/p2p.h>
#include <anyccl/batch.h>
#include <anyccl/training.h>
#include <anyccl/memory.h>

#endif /* ANYCCL_ANYCCL_H */
