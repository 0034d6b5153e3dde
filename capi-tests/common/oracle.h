/* The expected result of each collective, computed by its definition.
 *
 * Every rank contributes a known number at every index. The numbers are so small that all results for up to
 * four ranks are exact in every datatype, 8-bit floats included. So results are compared bit for bit. */
#ifndef ORACLE_H
#define ORACLE_H

#include <stddef.h>

#include <anyccl/anyccl.h>

/* A number of any datatype. im is 0 unless the datatype is complex. */
struct number {
    double re, im;
};

/* Returns the contribution of `rank` at `index`. */
struct number contribution(anyccl_datatype_t datatype, int rank, size_t index);

/* Returns the combined contributions of ranks 0 to size-1 at `index`. */
struct number combined(anyccl_datatype_t datatype, anyccl_reduce_op_t op, int size, size_t index);

/* Whether every result of `op` for `size` ranks is exact. Only averages of floats over odd sizes are not. */
int is_exact(anyccl_datatype_t datatype, anyccl_reduce_op_t op, int size);

/* Writes a number as element `index` of an array. */
void store(anyccl_datatype_t datatype, void *array, size_t index, struct number value);

#endif
