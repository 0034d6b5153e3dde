/* The test harness: makes one collective call on this rank and compares what comes with the oracle. */
#ifndef HARNESS_H
#define HARNESS_H

#include <stddef.h>

#include <anyccl/anyccl.h>

enum collective { ALL_REDUCE, REDUCE, BROADCAST, ALL_GATHER, GATHER, SCATTER, REDUCE_SCATTER, ALL_TO_ALL, COLLECTIVES };

/* Where buffers come from: malloc, or parts of anyccl_mem_alloc's memory, at odd addresses. */
enum home { OF_THE_PROGRAM, OF_THE_LIBRARY };

/* Where this rank is. */
struct harness {
    anyccl_comm_t comm;
    int rank, size;
    enum home home;
};

struct trial {
    enum collective collective;
    anyccl_datatype_t datatype;
    anyccl_reduce_op_t op; /* where the collective reduces */
    int root;              /* where it has one */
    size_t count;
    int in_place;
    int started; /* by the form that gives a request */
};

/* Makes the call on every rank, and ends the process when a byte is wrong: of the result, of the send
 * buffer, or outside of both. */
void try_collective(const struct harness *harness, const struct trial *trial);

/* Tries every collective in both forms, apart and in place, with every root: for one datatype, operator,
 * count. */
void try_all_collectives(const struct harness *harness, anyccl_datatype_t datatype, anyccl_reduce_op_t op,
                         size_t count);

/* Tries everything for every datatype and operator that go together, with a few counts. At most four ranks. */
void try_all_datatypes(const struct harness *harness);

#endif
