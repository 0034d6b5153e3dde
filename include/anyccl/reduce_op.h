/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Operators: builtin ones, and those that the program makes.
 *
 * \defgroup chapter_reduce_op Operators
 *
 * An operator says how a reduction combines the contributions of the ranks. It is a builtin one, a sum of
 * scaled contributions, or a function of the program.
 *
 * \code{.c}
 * float half = 0.5f, mine = 4, sum;
 * anyccl_reduce_op_t halved;
 * ANYCCL_CHECK(anyccl_op_create_premul_sum(&half, ANYCCL_FLOAT32, ANYCCL_SCALAR_IMMEDIATE,
 *                                         &halved));
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
 * Values of anyccl_reduce_op_t. They never change.
 *
 * Integers accept all operators. Floats accept sum, product, min, max and avg; complex numbers accept sum,
 * product and avg. bool accepts all but avg: sum, max and bor mean "or", and product, min and band mean
 * "and". byte accepts band, bor and bxor.
 */
typedef enum anyccl_reduce_op ANYCCL_ENUM_TYPE {
    /** Sum. Integers wrap around. */
    ANYCCL_SUM = 0,
    /** Product. Integers wrap around. */
    ANYCCL_PRODUCT = 1,
    /** Smallest contribution. */
    ANYCCL_MIN = 2,
    /** Largest contribution. */
    ANYCCL_MAX = 3,
    /**
     * Sum divided by the number of ranks. Integers truncate towards zero. The sum of float16 and 8-bit
     * floats is one of float32, which does not overflow.
     */
    ANYCCL_AVG = 4,
    /** Bitwise and. */
    ANYCCL_BAND = 5,
    /** Bitwise or. */
    ANYCCL_BOR = 6,
    /** Bitwise exclusive or. */
    ANYCCL_BXOR = 7,
    /** Logical and: 1 where no contribution is 0, else 0. With a single rank, elements stay as they are. */
    ANYCCL_LAND = 8,
    /**
     * Logical or: 1 where some contribution is not 0, else 0. With a single rank, elements stay as they are.
     */
    ANYCCL_LOR = 9,
    /**
     * Logical exclusive or: 1 where an odd number of contributions is not 0, else 0. With a single rank,
     * elements stay as they are.
     */
    ANYCCL_LXOR = 10,
} ANYCCL_ENUM_SIZE anyccl_reduce_op;

/**
 * Operator of a reduction: one of enum anyccl_reduce_op, or an operator of anyccl_op_create() or
 * anyccl_op_create_premul_sum().
 */
typedef enum anyccl_reduce_op anyccl_reduce_op_t;

/**
 * Gives the name of an operator, such as "sum".
 *
 * \param[in] op  Any number. One that is not an operator is named "unknown". Operators of the program are
 *                named "premul_sum", "commutative callback" or "ordered callback".
 * \returns A string that is always valid and never NULL. Do not free it.
 *
 * Local.
 */
const char *anyccl_reduce_op_name(anyccl_reduce_op_t op);

/**
 * Asks whether an operator accepts a datatype.
 *
 * \param[in]  op         Builtin operator or operator of the program.
 * \param[in]  datatype   Datatype.
 * \param[out] supported  1 or 0.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when a number is out of range or supported is NULL.
 *
 * Local.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_is_supported(anyccl_reduce_op_t op, anyccl_datatype_t datatype, int *supported);

/** \} */

/** \name Operators of the program
 *  \{ */

/** Values of anyccl_scalar_t. They never change. */
typedef enum anyccl_scalar ANYCCL_ENUM_TYPE {
    /** The scalar is read when the operator is made. */
    ANYCCL_SCALAR_IMMEDIATE = 0,
    /** The scalar is read at the beginning of each call that uses the operator. */
    ANYCCL_SCALAR_DEFERRED = 1,
} ANYCCL_ENUM_SIZE anyccl_scalar;

/** When the scalar of a premultiplied sum is read: one of enum anyccl_scalar. */
typedef enum anyccl_scalar anyccl_scalar_t;

/**
 * Makes an operator that multiplies the contribution of this rank by a scalar and then sums.
 *
 *     rank 0  scalar 2, send a0 a1
 *     rank 1  scalar 3, send b0 b1     =>     2*a0+3*b0  2*a1+3*b1
 *
 * \param[in]  scalar    One element. With ANYCCL_SCALAR_DEFERRED it must stay valid and unchanged while the
 *                       operator is in use. Ranks may have different scalars.
 * \param[in]  datatype  Datatype of the scalar and of the calls; not bool or byte.
 * \param[in]  when      One of enum anyccl_scalar.
 * \param[out] op        Number of the operator, 1024 or more, for calls on any communicator of this process.
 *                       Owned by the caller; release with anyccl_op_destroy().
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, or a datatype
 *          without a sum; ANYCCL_ERR_UNSUPPORTED after a billion operators.
 *
 * Local. Products are rounded to the datatype before they are summed; integers wrap around. The send buffer
 * does not change, except in place. In a call, every rank uses an operator of this kind: a plain sum on one
 * rank and a premultiplied sum on another are ANYCCL_ERR_MISMATCH. Replacement for ncclRedOpCreatePreMulSum.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_op_create_premul_sum(const void *scalar,
                                            anyccl_datatype_t datatype,
                                            anyccl_scalar_t when,
                                            anyccl_reduce_op_t *op);

/**
 * Function of the program that combines elements: inout[i] = in[i] op inout[i].
 *
 * \param[in]     in        Left operands, count elements.
 * \param[in,out] inout     Right operands, then the results, count elements. Does not overlap in.
 * \param[in]     count     Number of elements, at least 1: those of the call, or a part of them.
 * \param[in]     datatype  Datatype of the call.
 * \param[in]     context   Pointer that was given to anyccl_op_create().
 *
 * The function must be associative. Both arrays are aligned for the datatype, and nobody else uses them
 * during the call.
 *
 * The function runs in a thread that is inside an anyccl call on a communicator that uses the operator. This
 * is not always the thread that started the operation. Several threads may run it at once, for several
 * communicators. While it runs, other threads wait for the communicator.
 *
 * It must not call anyccl: such a call returns ANYCCL_ERR_INVALID_USAGE. It must return: an exception that
 * leaves it ends the process, and a longjmp out of it is undefined.
 */
typedef void (*anyccl_reduce_function_t)(const void *in,
                                         void *inout,
                                         size_t count,
                                         anyccl_datatype_t datatype,
                                         void *context);

/**
 * Makes an operator from a function of the program.
 *
 * \param[in]  function     Combines elements; see anyccl_reduce_function_t. Every rank gives its own
 *                          function, with the same effect.
 * \param[in]  context      Pointer that is passed to the function. It must stay valid while the operator is
 *                          in use. May be NULL.
 * \param[in]  commutative  Not 0: `a op b` and `b op a` are equal, bit by bit if all ranks are to get the
 *                          same bits. 0: contributions are combined in the order of the ranks, with rank 0
 *                          leftmost, which is slower.
 * \param[out] op           Number of the operator, 1024 or more, for calls with any datatype on any
 *                          communicator of this process. Owned by the caller; release with
 *                          anyccl_op_destroy().
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when function or op is NULL; ANYCCL_ERR_UNSUPPORTED
 *          after a billion operators.
 *
 * Local. In a call, every rank uses an operator of this kind with the same value of commutative; otherwise
 * the ranks get ANYCCL_ERR_MISMATCH. The library cannot check that the functions have the same effect.
 * Replacement for MPI_Op_create.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_op_create(anyccl_reduce_function_t function,
                                 void *context,
                                 int commutative,
                                 anyccl_reduce_op_t *op);

/**
 * Releases an operator.
 *
 * \param[in] op  Taken: an operator of anyccl_op_create() or anyccl_op_create_premul_sum(). Its number is
 *                not used again.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when op is builtin, destroyed already, or made by a
 *          parent before a fork.
 *
 * Local. Operations that were started with the operator still use it, its function and its context until
 * they have ended; persistent requests until they are freed. Replacement for ncclRedOpDestroy and
 * MPI_Op_free.
 */
anyccl_status_t anyccl_op_destroy(anyccl_reduce_op_t op);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_REDUCE_OP_H */
