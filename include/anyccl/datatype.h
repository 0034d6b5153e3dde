/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Element types.
 *
 * \defgroup chapter_datatype Datatypes
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

/** Values of anyccl_datatype_t. They never change. */
typedef enum anyccl_datatype ANYCCL_ENUM_TYPE {
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
     * 8-bit float of OCP with 4 bits of exponent, 3 of mantissa and no infinity. Reductions compute in float
     * and round once, at the end. A result beyond 448 is NaN.
     */
    ANYCCL_FLOAT8_E4M3 = 12,
    /**
     * 8-bit float of OCP with 5 bits of exponent and 2 of mantissa. Reductions compute in float and round
     * once, at the end. A result beyond 57344 is infinite.
     */
    ANYCCL_FLOAT8_E5M2 = 13,
    /** bool; any byte that is not 0 is true */
    ANYCCL_BOOL = 14,
    /** float _Complex */
    ANYCCL_COMPLEX64 = 15,
    /** double _Complex */
    ANYCCL_COMPLEX128 = 16,
    /** Byte without a meaning; only bitwise operators accept it */
    ANYCCL_BYTE = 17,
} ANYCCL_ENUM_SIZE anyccl_datatype;

/** Type of one element: one of enum anyccl_datatype. */
typedef enum anyccl_datatype anyccl_datatype_t;

/**
 * Gives the size of one element in bytes.
 *
 * \param[in] datatype  Any number.
 * \returns 1 to 16; 0 when it is not a datatype.
 *
 * Local. Replacement for MPI_Type_size.
 */
size_t anyccl_datatype_bytes(anyccl_datatype_t datatype);

/**
 * Gives the name of a datatype, such as "float32".
 *
 * \param[in] datatype  Any number. One that is not a datatype is named "unknown".
 * \returns A string that is always valid and never NULL. Do not free it.
 *
 * Local. Replacement for MPI_Type_get_name.
 */
const char *anyccl_datatype_name(anyccl_datatype_t datatype);

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_DATATYPE_H */
