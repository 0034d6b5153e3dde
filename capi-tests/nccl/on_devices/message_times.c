/* Times of messages of 16 KiB to 4 MiB: each rank sends one to the next and receives one from the one before, in a group. Rank 0
 * prints the median time of a group in microseconds, "BYTES MICROSECONDS", a line for each length. Every rank checks what it has got.
 * The argument is the number of groups of each length. */
#define _POSIX_C_SOURCE 200809L
#include <time.h>

#include "rank.h"

enum { SHORTEST = 16 << 10, LONGEST = 4 << 20, MOST_GROUPS = 1000 };

static double now_us(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int order(const void *one, const void *other)
{
    double left = *(const double *)one, right = *(const double *)other;
    return (left > right) - (left < right);
}

int main(int argc, char **argv)
{
    int rank, ranks, groups = argc > 1 ? atoi(argv[1]) : 10;
    float *sent, *got;
    double times[MOST_GROUPS];
    cudaStream_t stream;

    EXPECT(groups > 0 && groups <= MOST_GROUPS);
    begin_mpi(&argc, &argv, &rank, &ranks);
    use_device(rank);
    ncclComm_t comm = join(rank, ranks);
    CUDACHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDACHECK(cudaMalloc((void **)&sent, LONGEST));
    CUDACHECK(cudaMalloc((void **)&got, LONGEST));
    int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;
    fill(sent, rank, LONGEST / sizeof(float), stream);
    for (size_t bytes = SHORTEST; bytes <= LONGEST; bytes *= 2) {
        size_t count = bytes / sizeof(float);
        CUDACHECK(cudaMemsetAsync(got, 0, bytes, stream));
        CUDACHECK(cudaStreamSynchronize(stream));
        /* The first groups have the buffers mapped. */
        for (int at = -5; at < groups; at++) {
            MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
            double begin = now_us();
            NCCLCHECK(ncclGroupStart());
            NCCLCHECK(ncclSend(sent, count, ncclFloat, next, comm, stream));
            NCCLCHECK(ncclRecv(got, count, ncclFloat, before, comm, stream));
            NCCLCHECK(ncclGroupEnd());
            CUDACHECK(cudaStreamSynchronize(stream));
            if (at >= 0)
                times[at] = now_us() - begin;
        }
        qsort(times, (size_t)groups, sizeof(*times), order);
        if (rank == 0)
            printf("%zu %.0f\n", bytes, times[groups / 2]);
        float *found = fetch(got, count, stream);
        for (size_t at = 0; at < count; at++)
            EXPECT(found[at] == contribution(before, at));
        free(found);
    }
    NCCLCHECK(ncclCommDestroy(comm));
    CUDACHECK(cudaStreamDestroy(stream));
    CUDACHECK(cudaFree(sent));
    CUDACHECK(cudaFree(got));
    printf("Success: rank %d of %d\n", rank, ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
