/* What programs for NCCL have in common: checks of CUDA, NCCL and MPI, and numbers in memory of a device. */
#ifndef ON_DEVICES_CHECKS_H
#define ON_DEVICES_CHECKS_H

#include <stdio.h>
#include <stdlib.h>

#include "cuda_runtime.h"
#include "nccl.h"

#define STOP(kind, text)                                                                                               \
    do {                                                                                                               \
        fprintf(stderr, "%s error %s:%d '%s'\n", kind, __FILE__, __LINE__, text);                                      \
        _Exit(EXIT_FAILURE);                                                                                           \
    } while (0)

#define CUDACHECK(cmd)                                                                                                 \
    do {                                                                                                               \
        cudaError_t found = (cmd);                                                                                     \
        if (found != cudaSuccess)                                                                                      \
            STOP("CUDA", cudaGetErrorString(found));                                                                   \
    } while (0)

#define NCCLCHECK(cmd)                                                                                                 \
    do {                                                                                                               \
        ncclResult_t found = (cmd);                                                                                    \
        if (found != ncclSuccess)                                                                                      \
            STOP("NCCL", ncclGetLastError(NULL));                                                                      \
    } while (0)

#define MPICHECK(cmd)                                                                                                  \
    do {                                                                                                               \
        if ((cmd) != MPI_SUCCESS)                                                                                      \
            STOP("MPI", #cmd);                                                                                         \
    } while (0)

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition))                                                                                              \
            STOP("result", #condition);                                                                                \
    } while (0)

/* Small whole numbers, so that every sum is exact. */
static inline float contribution(int rank, size_t at)
{
    return (float)(rank + 1) * (float)(at % 100);
}

static inline float sum_of_contributions(int ranks, size_t at)
{
    return (float)(ranks * (ranks + 1) / 2) * (float)(at % 100);
}

/* Fills `count` floats on the current device with a rank's contribution, in the order of `stream`. */
static inline void fill(float *device, int rank, size_t count, cudaStream_t stream)
{
    float *host = malloc(count * sizeof(float));
    EXPECT(host != NULL);
    for (size_t at = 0; at < count; at++)
        host[at] = contribution(rank, at);
    CUDACHECK(cudaMemcpyAsync(device, host, count * sizeof(float), cudaMemcpyHostToDevice, stream));
    CUDACHECK(cudaStreamSynchronize(stream));
    free(host);
}

/* Copies `count` floats from the current device to the host, after everything in `stream`. The caller frees
 * them. */
static inline float *fetch(const float *device, size_t count, cudaStream_t stream)
{
    float *host = malloc(count * sizeof(float));
    EXPECT(host != NULL);
    CUDACHECK(cudaMemcpyAsync(host, device, count * sizeof(float), cudaMemcpyDeviceToHost, stream));
    CUDACHECK(cudaStreamSynchronize(stream));
    return host;
}

/* Checks the sum of the contributions of all ranks. */
static inline void expect_sum(const float *device, int ranks, size_t count, cudaStream_t stream)
{
    float *found = fetch(device, count, stream);
    for (size_t at = 0; at < count; at++)
        EXPECT(found[at] == sum_of_contributions(ranks, at));
    free(found);
}

#endif
