/* Pinned, registered and managed memory is part of the stream, alone and beside memory of a device. Rank r uses device r modulo
 * their number. */
#include "rank.h"

enum { COUNT = 1 << 18, ROUNDS = 3, KINDS = 4 };

struct job {
    int rank, ranks;
    ncclComm_t comm;
    cudaStream_t stream;
    float *device, *more, *pinned, *registered, *managed;
};

/* Writes the contribution of a rank, scaled, into memory of any kind, in the order of the stream. What was there is spoilt
 * first, so that a call that reads too early is seen. */
static void give(struct job *job, float *to, int scale)
{
    static float *staging;
    if (staging == NULL)
        CUDACHECK(cudaMallocHost((void **)&staging, COUNT * sizeof(float)));
    CUDACHECK(cudaStreamSynchronize(job->stream));
    for (size_t at = 0; at < COUNT; at++)
        staging[at] = (float)scale * contribution(job->rank, at);
    CUDACHECK(cudaMemcpyAsync(job->more, staging, COUNT * sizeof(float), cudaMemcpyHostToDevice, job->stream));
    CUDACHECK(cudaMemsetAsync(to, 0xC1, COUNT * sizeof(float), job->stream));
    CUDACHECK(cudaStreamSynchronize(job->stream));
    CUDACHECK(cudaMemcpyAsync(to, job->more, COUNT * sizeof(float), cudaMemcpyDefault, job->stream));
}

/* Sums from one memory into another. The stream copies the result away before the host looks at it. */
static void sum(struct job *job, float *from, float *to, int scale)
{
    give(job, from, scale);
    NCCLCHECK(ncclAllReduce(from, to, COUNT, ncclFloat, ncclSum, job->comm, job->stream));
    CUDACHECK(cudaMemcpyAsync(job->more, to, COUNT * sizeof(float), cudaMemcpyDefault, job->stream));
    CUDACHECK(cudaMemsetAsync(to, 0xC2, COUNT * sizeof(float), job->stream));
    float *found = fetch(job->more, COUNT, job->stream);
    for (size_t at = 0; at < COUNT; at++)
        EXPECT(found[at] == (float)scale * sum_of_contributions(job->ranks, at));
    free(found);
}

/* Passes the contribution of each rank to the next one, between two kinds of memory. */
static void pass(struct job *job, float *from, float *to)
{
    const int next = (job->rank + 1) % job->ranks, before = (job->rank + job->ranks - 1) % job->ranks;
    give(job, from, 1);
    NCCLCHECK(ncclGroupStart());
    NCCLCHECK(ncclSend(from, COUNT, ncclFloat, next, job->comm, job->stream));
    NCCLCHECK(ncclRecv(to, COUNT, ncclFloat, before, job->comm, job->stream));
    NCCLCHECK(ncclGroupEnd());
    CUDACHECK(cudaMemcpyAsync(job->more, to, COUNT * sizeof(float), cudaMemcpyDefault, job->stream));
    float *found = fetch(job->more, COUNT, job->stream);
    for (size_t at = 0; at < COUNT; at++)
        EXPECT(found[at] == contribution(before, at));
    free(found);
}

int main(int argc, char **argv)
{
    struct job job;

    begin_mpi(&argc, &argv, &job.rank, &job.ranks);
    use_device(job.rank);
    job.comm = join(job.rank, job.ranks);
    CUDACHECK(cudaStreamCreate(&job.stream));
    CUDACHECK(cudaMalloc((void **)&job.device, COUNT * sizeof(float)));
    CUDACHECK(cudaMalloc((void **)&job.more, COUNT * sizeof(float)));
    CUDACHECK(cudaMallocHost((void **)&job.pinned, COUNT * sizeof(float)));
    job.registered = malloc(COUNT * sizeof(float));
    EXPECT(job.registered != NULL);
    CUDACHECK(cudaHostRegister(job.registered, COUNT * sizeof(float), cudaHostRegisterDefault));
    CUDACHECK(cudaMallocManaged((void **)&job.managed, COUNT * sizeof(float), cudaMemAttachGlobal));

    float *const memory[KINDS] = {job.device, job.pinned, job.registered, job.managed};
    for (int round = 0; round < ROUNDS; round++)
        for (int from = 0; from < KINDS; from++)
            for (int to = 0; to < KINDS; to++) {
                sum(&job, memory[from], memory[to], round + 1);
                if (from != to)
                    pass(&job, memory[from], memory[to]);
            }

    NCCLCHECK(ncclCommDestroy(job.comm));
    CUDACHECK(cudaHostUnregister(job.registered));
    CUDACHECK(cudaFreeHost(job.pinned));
    CUDACHECK(cudaFree(job.managed));
    CUDACHECK(cudaFree(job.device));
    CUDACHECK(cudaFree(job.more));
    CUDACHECK(cudaStreamDestroy(job.stream));
    free(job.registered);
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
