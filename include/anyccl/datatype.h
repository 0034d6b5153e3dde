/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Element types.
 *
 * \defgroup datatype Datatypes
 *
 * A datatype names the type of one element of a buffer. Counts are in elements of it.
 *
 * \code{.c}
 * assert(anyccl_datatype_bytes(ANYCCL_FLOAT64) == sizeof(double));
 * printf("16 elements of %s: %zu bytes\n", anyccl_datatype_name(ANYCCL_BFLOAT16),
 *        16 * anyccl_datatype_bytes(ANYCCL_BFLOAT16));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_DATATYPE_H
#define ANYCCL_DATATYPE_H

#include <stddef.h>
#include <anyccl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The values of anyccl_datatype_t. They never change. */
typedef enum anyccl_datatype {
    /** int8_t */
    ANYCCL_INT8 = 0,
    /** uint8_t */
    ANYCCL_UINT8 = 1,
    /** int16_t */
    ANYCCL_INT16 = 2,
    /** uint16_t */
    ANYCCL_UINT16 = 3,
    /** int32_t */
    ANYCCL_INT32 = 4,
    /** uint32_t */
    ANYCCL_UINT32 = 5,
    /** int64_t */
    ANYCCL_INT64 = 6,
    /** uint64_t */
    ANYCCL_UINT64 = 7,
    /** IEEE 754 half precision, _Float16 */
    ANYCCL_FLOAT16 = 8,
    /** bfloat16: the upper half of a float */
    ANYCCL_BFLOAT16 = 9,
    /** float */
    ANYCCL_FLOAT32 = 10,
    /** double */
    ANYCCL_FLOAT64 = 11,
    /**
     * 8 bits: 4 of exponent, 3 of mantissa, no infinity (OCP E4M3). Reductions are done in float and rounded
     * once, at their end; a result beyond 448 is NaN
     */
    ANYCCL_FLOAT8_E4M3 = 12,
    /**
     * 8 bits: 5 of exponent, 2 of mantissa (OCP E5M2). Reductions are done in float and rounded once, at
     * their end; a result beyond 57344 is infinite
     */
    ANYCCL_FLOAT8_E5M2 = 13,
    /** bool; any non-zero byte is true */
    ANYCCL_BOOL = 14,
    /** float _Complex */
    ANYCCL_COMPLEX64 = 15,
    /** double _Complex */
    ANYCCL_COMPLEX128 = 16,
    /** A byte without a meaning: moved, and combined by the bitwise operators only */
    ANYCCL_BYTE = 17,
} anyccl_datatype;

/** Type of one buffer element: one of enum anyccl_datatype. */
typedef int anyccl_datatype_t;

/**
 * Gives the bytes of one element.
 *
 * \param datatype  [in] Any number.
 * \returns 1 to 16; 0 when it is no datatype.
 *
 * Local. Any thread. Replacement for MPI_Type_size.
 */
size_t anyccl_datatype_bytes(anyccl_datatype_t datatype);

/**
 * Names a datatype as messages do: "float32".
 *
 * \param datatype  [in] Any number; one that is no datatype is named "unknown".
 * \returns A text that is always valid and never NULL. Not to be freed.
 *
 * Local. Any thread. Replacement for MPI_Type_get_name.
 */
const char *anyccl_datatype_name(anyccl_datatype_t datatype);

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_DATATYPE_H */
