/* The measured collectives: their buffers, one call of each, and the expected result. */
#ifndef ANYCCL_BENCH_CASES_H
#define ANYCCL_BENCH_CASES_H

#include <stddef.h>

enum collective { ALL_REDUCE, ALL_TO_ALL, ALL_GATHER, REDUCE_SCATTER, BROADCAST, BARRIER, PING_PONG, COLLECTIVES };

extern const char *const collective_names[COLLECTIVES];

/* One collective at one size, on this rank. */
struct bench_case {
    enum collective collective;
    int rank, size;
    size_t block; /* elements of one rank, where the collective has blocks */
    size_t count; /* elements of the larger buffer */
    float *send, *recv;
};

/* Makes a case. `bytes` is the size of the larger buffer. It is rounded down to whole elements for every rank, but to at
 * least one element. */
struct bench_case case_of(enum collective collective, size_t bytes, int rank, int size, float *send, float *recv);

/* Makes one call. Roots take turns: `number` counts the calls, alike on all ranks. */
void case_call(const struct bench_case *c, long number);

/* Writes the input. Fills the output with a value that no correct result contains. */
void case_fill(const struct bench_case *c);

/* Whether every element of the output is right after a call for which `root` was the root. */
int case_is_right(const struct bench_case *c, int root);

#endif
