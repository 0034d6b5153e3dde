/* The interface through which bench.c measures a library. One file per library defines `library`. */
#ifndef ANYCCL_BENCH_H
#define ANYCCL_BENCH_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Counts are elements of float; `block` is the elements of one rank. A call that fails ends the program. */
struct library {
    /* Joins the job that a launcher has started. */
    void (*start)(int *argc, char ***argv, int *rank, int *size);
    void (*end)(void);
    /* Allocates memory of the library itself. NULL if the library offers none. */
    void *(*allocate)(size_t bytes);

    void (*all_reduce)(const float *send, float *recv, size_t count);
    void (*all_to_all)(const float *send, float *recv, size_t block);
    void (*all_gather)(const float *send, float *recv, size_t block);
    void (*reduce_scatter)(const float *send, float *recv, size_t block);
    void (*broadcast)(float *buffer, size_t count, int root);
    void (*barrier)(void);
    void (*send)(const float *buffer, size_t count, int peer);
    void (*recv)(float *buffer, size_t count, int peer);

    /* Replaces each value by its maximum over all ranks. The benchmark needs it and never measures it. */
    void (*maximum)(double *values, int count);
};

extern const struct library library;

#ifdef __cplusplus
}
#endif

#endif
