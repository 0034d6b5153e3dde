/* Streams that share one hardware queue, as CUDA_DEVICE_MAX_CONNECTIONS=1 makes them: a call that waits for other ranks does not
 * hold up what other streams do. The driver double has one queue by CUDA_DOUBLE_CHANNELS=1. Rank r uses device r modulo their
 * number. */
#include "rank.h"

enum { COUNT = 1 << 16, LARGE = 6 << 20 };

struct job {
    int rank, ranks;
    /* Two communicators of all ranks. */
    ncclComm_t comm[2];
    cudaStream_t stream[2];
    float *given, *result, *other;
};

/* Other work goes on while rank 0 waits for the others, which make their call when that work has ended. */
static void overlap(struct job *job, size_t count)
{
    if (job->rank > 0)
        MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
    NCCLCHECK(ncclAllReduce(job->given, job->result, count, ncclFloat, ncclSum, job->comm[0], job->stream[0]));
    if (job->rank == 0) {
        CUDACHECK(cudaMemsetAsync(job->other, 0, COUNT * sizeof(float), job->stream[1]));
        CUDACHECK(cudaStreamSynchronize(job->stream[1]));
        MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
    }
    expect_sum(job->result, job->ranks, count, job->stream[0]);
}

/* A ring without a group: the receive and the send of a rank are on two streams. */
static void ring(struct job *job, size_t count)
{
    int to = (job->rank + 1) % job->ranks, from = (job->rank + job->ranks - 1) % job->ranks;
    /* Of two ranks, each communicator has one direction. */
    int out = job->ranks == 2 && job->rank == 0, in = job->ranks == 2 && job->rank == 1;

    NCCLCHECK(ncclRecv(job->result, count, ncclFloat, from, job->comm[in], job->stream[0]));
    NCCLCHECK(ncclSend(job->given, count, ncclFloat, to, job->comm[out], job->stream[1]));
    for (int lane = 0; lane < 2; lane++)
        CUDACHECK(cudaStreamSynchronize(job->stream[lane]));
    float *found = fetch(job->result, count, job->stream[0]);
    for (size_t at = 0; at < count; at++)
        EXPECT(found[at] == contribution(from, at));
    free(found);
}

/* A collective on one stream reads what another one writes on the other stream. */
static void in_order(struct job *job)
{
    NCCLCHECK(ncclAllReduce(job->given, job->other, COUNT, ncclFloat, ncclSum, job->comm[0], job->stream[0]));
    NCCLCHECK(ncclAllReduce(job->other, job->result, COUNT, ncclFloat, ncclMax, job->comm[0], job->stream[1]));
    expect_sum(job->result, job->ranks, COUNT, job->stream[1]);
}

int main(int argc, char **argv)
{
    struct job job;

    begin_mpi(&argc, &argv, &job.rank, &job.ranks);
    use_device(job.rank);
    for (int lane = 0; lane < 2; lane++) {
        job.comm[lane] = join(job.rank, job.ranks);
        CUDACHECK(cudaStreamCreateWithFlags(&job.stream[lane], cudaStreamNonBlocking));
    }
    float **const buffers[] = {&job.given, &job.result, &job.other};
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaMalloc((void **)buffers[i], LARGE * sizeof(float)));
    fill(job.given, job.rank, LARGE, job.stream[0]);
    for (int round = 0; round < 3; round++) {
        overlap(&job, COUNT);
        in_order(&job);
        if (job.ranks > 1)
            ring(&job, COUNT);
    }
    overlap(&job, LARGE);
    if (job.ranks > 1)
        ring(&job, LARGE);
    for (int lane = 0; lane < 2; lane++) {
        NCCLCHECK(ncclCommDestroy(job.comm[lane]));
        CUDACHECK(cudaStreamDestroy(job.stream[lane]));
    }
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaFree(*buffers[i]));
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
