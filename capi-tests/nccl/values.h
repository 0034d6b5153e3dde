/* Numbers in every datatype of NCCL, and the results of collectives by their definition.
 *
 * Every rank contributes a small known number at every index. The results for up to eight ranks are exact in
 * every datatype, 8-bit floats included, so they are compared bit for bit. Averages of floats over a number of
 * ranks that is no power of two are the exception. */
#ifndef VALUES_H
#define VALUES_H

#include <stddef.h>

#include <nccl.h>

size_t bytes_of(ncclDataType_t datatype);
int is_float(ncclDataType_t datatype);

/* Returns the contribution of `rank` at `index`. */
double contribution(ncclDataType_t datatype, int rank, size_t index);

/* The contributions of ranks 0 to size-1 at `index`, combined by a builtin operator. */
double combined(ncclDataType_t datatype, ncclRedOp_t op, int size, size_t index);

/* Element `index` of an array. */
double load(ncclDataType_t datatype, const void *array, size_t index);
void store(ncclDataType_t datatype, void *array, size_t index, double value);

/* Tells whether a result is right. */
int is_right(ncclDataType_t datatype, ncclRedOp_t op, int size, double expected, double found);

#endif
