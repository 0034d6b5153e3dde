/* The test harness: makes one collective call on this rank and compares the result with the oracle. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>

#include <anyccl/anyccl.h>

enum collective { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, GATHER, SCATTER, REDUCE_SCATTER, ALL_TO_ALL, COLLECTIVES };

/* Source of buffers: malloc, or parts of memory of anyccl_mem_alloc, at odd addresses. */
enum home { OF_THE_PROGRAM, OF_THE_LIBRARY };

/* This rank, its communicator, and the source of its buffers. */
struct harness {
    anyccl_comm_t comm;
    int rank, size;
    enum home home;
};

struct trial {
    enum collective collective;
    anyccl_datatype_t datatype;
    anyccl_reduce_op_t op; /* used if the collective reduces */
    int root;              /* used if it has a root */
    size_t count;
    int in_place;
    int started; /* by the nonblocking form */
};

/* Makes the call on this rank; every rank must do so. Ends the process when a byte is wrong in the result, in
 * the send buffer, or outside of both. */
void try_collective(const struct harness *harness, const struct trial *trial);

/* Tries every collective with one datatype, operator and count: a sample of both forms, apart and in place, and of
 * the roots. */
void try_all_collectives(const struct harness *harness, anyccl_datatype_t datatype, anyccl_reduce_op_t op,
                         size_t count);

/* Tries every collective with one datatype and operator, each at one point of the sample of counts, forms and roots. */
void try_each_collective(const struct harness *harness, int point, anyccl_datatype_t datatype, anyccl_reduce_op_t op,
                         int count, const size_t *counts);

/* Tries every collective with every datatype and operator that it takes. Each is tried once, at a point of the sample
 * of counts, forms and roots. Then tries each with a large count. Takes at most four ranks. */
void try_all_datatypes(const struct harness *harness, int point);

#endif
