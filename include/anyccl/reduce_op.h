/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Operators: builtin ones, and those that the program makes.
 *
 * \defgroup reduce_op Operators
 *
 * An operator says how a reduction combines the contributions of the ranks. It is a builtin one, a sum of
 * scaled contributions, or a function of the program.
 *
 * \code{.c}
 * float half = 0.5f, mine = 4, sum;
 * anyccl_reduce_op_t halved;
 * ANYCCL_CHECK(anyccl_op_create_premul_sum(&half, ANYCCL_FLOAT32, ANYCCL_SCALAR_IMMEDIATE, &halved));
 * ANYCCL_CHECK(anyccl_all_reduce(&mine, &sum, 1, ANYCCL_FLOAT32, halved, ANYCCL_WORLD));
 * assert(sum == (float)(2 * size));
 * ANYCCL_CHECK(anyccl_op_destroy(halved));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_REDUCE_OP_H
#define ANYCCL_REDUCE_OP_H

#include <stddef.h>
#include <anyccl/base.h>
#include <anyccl/datatype.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Builtin operators
 *  \{ */

/**
 * The values of anyccl_reduce_op_t. They never change.
 *
 * Integers take all of them. Floats take sum, product, min, max, avg. Complex numbers take sum, product,
 * avg. bool takes all but avg; sum, max and bor are "or" there, product, min and band are "and". byte takes
 * band, bor, bxor.
 */
typedef enum anyccl_reduce_op {
    /** Integers wrap around. */
    ANYCCL_SUM = 0,
    /** Integers wrap around. */
    ANYCCL_PRODUCT = 1,
    /** The least contribution. */
    ANYCCL_MIN = 2,
    /** The greatest contribution. */
    ANYCCL_MAX = 3,
    /** The sum divided by the number of ranks; integers truncate towards zero. */
    ANYCCL_AVG = 4,
    /** Bitwise and. */
    ANYCCL_BAND = 5,
    /** Bitwise or. */
    ANYCCL_BOR = 6,
    /** Bitwise exclusive or. */
    ANYCCL_BXOR = 7,
    /**
     * Logical and: 1 where every contribution is not 0, else 0. A single rank keeps its elements as they
     * are.
     */
    ANYCCL_LAND = 8,
    /** Logical or: 1 where some contribution is not 0, else 0. As above for a single rank. */
    ANYCCL_LOR = 9,
    /** Logical exclusive or: 1 where an odd number of contributions is not 0, else 0. As above. */
    ANYCCL_LXOR = 10,
} anyccl_reduce_op;

/**
 * How contributions are combined: one of enum anyccl_reduce_op, or what anyccl_op_create or
 * anyccl_op_create_premul_sum gave.
 */
typedef int anyccl_reduce_op_t;

/**
 * Names an operator as messages do: "sum".
 *
 * \param op  [in] Any number; one that is no operator is named "unknown". One that the program has made is
 *            named "premul_sum", "commutative callback" or "ordered callback".
 * \returns A text that is always valid and never NULL. Not to be freed.
 *
 * Local. Any thread.
 */
const char *anyccl_reduce_op_name(anyccl_reduce_op_t op);

/**
 * Says whether an operator is defined on a datatype.
 *
 * \param op         [in] One of enum anyccl_reduce_op, or one that the program has made.
 * \param datatype   [in] One of enum anyccl_datatype.
 * \param supported  [out] 1 or 0. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when a number is out of range or supported is NULL.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_is_supported(anyccl_reduce_op_t op, anyccl_datatype_t datatype, int *supported);

/** \} */

/** \name Operators of the program
 *  \{ */

/** The values of anyccl_scalar_t. They never change. */
typedef enum anyccl_scalar {
    /** When the operator is made. */
    ANYCCL_SCALAR_IMMEDIATE = 0,
    /** At the beginning of each call that uses the operator. */
    ANYCCL_SCALAR_DEFERRED = 1,
} anyccl_scalar;

/** When the scalar of a premultiplied sum is read: one of enum anyccl_scalar. */
typedef int anyccl_scalar_t;

/**
 * Makes an operator that multiplies this rank's contribution by a scalar and then sums.
 *
 *     rank 0  scalar 2, send a0 a1
 *     rank 1  scalar 3, send b0 b1     =>     2*a0+3*b0  2*a1+3*b1
 *
 * \param scalar    [in] One element. Read now, or in each call: then it stays valid and unchanged as long as
 *                  the operator is in use. Ranks may have different ones.
 * \param datatype  [in] One of enum anyccl_datatype, but bool and byte. The operator serves only this one.
 * \param when      [in] One of enum anyccl_scalar.
 * \param op        [out] A number of this process, 1024 or more, for the calls that take an
 *                  anyccl_reduce_op_t, on any communicator. Owned by the caller; release with
 *                  anyccl_op_destroy(). Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, or a datatype that
 *          has no sum; ANYCCL_ERR_UNSUPPORTED after a billion operators.
 *
 * Local. Any thread. Products are rounded to the datatype before they are summed; integers wrap around. The
 * send buffer is not changed, except in place. In a call, all ranks use such an operator, each its own: a
 * sum on one rank and a premultiplied sum on another are ANYCCL_ERR_MISMATCH. Replacement for
 * ncclRedOpCreatePreMulSum.
 */
anyccl_status_t anyccl_op_create_premul_sum(const void *scalar,
                                            anyccl_datatype_t datatype,
                                            anyccl_scalar_t when,
                                            anyccl_reduce_op_t *op);

/**
 * Combines elements: inout[i] = in[i] op inout[i].
 *
 * \param in        [in] count elements, the left operands. Not to be changed.
 * \param inout     [in,out] count elements, the right operands, then the results. Apart from in.
 * \param count     [in] Elements: those of the call, or some of them. At least 1.
 * \param datatype  [in] That of the call.
 * \param context   [in] What was given to anyccl_op_create.
 *
 * Both arrays are aligned for the datatype and used by nobody else during the call. Called on a thread that
 * is inside an anyccl call on a communicator in which the operator is used, not always the one that made the
 * call; several threads may be in it at once when several communicators use it. It must be associative.
 * While it runs, other threads wait for the communicator. It must return: one that never does blocks its
 * rank for ever, an exception that leaves it ends the process, longjmp out of it is undefined. It must not
 * call anyccl: such a call returns ANYCCL_ERR_INVALID_USAGE.
 */
typedef void (*anyccl_reduce_function_t)(const void *in,
                                         void *inout,
                                         size_t count,
                                         anyccl_datatype_t datatype,
                                         void *context);

/**
 * Makes an operator of a function.
 *
 * \param function     [in] Combines elements; see anyccl_reduce_function_t. Every rank gives its own, to the
 *                     same effect.
 * \param context      [in] Handed to the function. May be NULL; stays valid as long as the operator is in
 *                     use.
 * \param commutative  [in] Not 0: a op b and b op a are the same, bit by bit, if ranks are to get the same
 *                     bits. 0: the contributions are combined in the order of the ranks, rank 0 leftmost;
 *                     the call is slower.
 * \param op           [out] A number of this process, 1024 or more, for the calls that take an
 *                     anyccl_reduce_op_t, on any communicator and with any datatype. Owned by the caller;
 *                     release with anyccl_op_destroy(). Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when function or op is NULL; ANYCCL_ERR_UNSUPPORTED
 *          after a billion operators.
 *
 * Local. Any thread. In a call, all ranks use such an operator, all with the same word on commutativity;
 * else they get ANYCCL_ERR_MISMATCH. That their functions do the same cannot be seen. Replacement for
 * MPI_Op_create.
 */
anyccl_status_t anyccl_op_create(anyccl_reduce_function_t function,
                                 void *context,
                                 int commutative,
                                 anyccl_reduce_op_t *op);

/**
 * Gives up an operator.
 *
 * \param op  [in] Taken: from anyccl_op_create or anyccl_op_create_premul_sum. The number is not used again.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when op is builtin, destroyed, or made by a parent
 *          before a fork.
 *
 * Local. Any thread. Operations that were started with it still use it, and what it was made of, until they
 * have ended; persistent ones until they are freed. Replacement for ncclRedOpDestroy and MPI_Op_free.
 */
anyccl_status_t anyccl_op_destroy(anyccl_reduce_op_t op);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_REDUCE_OP_H */
