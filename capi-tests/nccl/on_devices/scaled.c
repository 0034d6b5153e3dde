/* Scaled sums whose scalar is written by the stream right before the call: on a device and in pinned memory. Rank r uses
 * device r modulo their number, and scales by r + 2 in the first round. */
#include "rank.h"

enum { COUNT = 3 << 18, ROUNDS = 4 };

struct job {
    int rank, ranks;
    ncclComm_t comm;
    cudaStream_t stream;
    float *data, *factor, *staging;
};

/* Writes the factor in the order of the stream. What was there is spoilt first. */
static void give_factor(struct job *job, float *to, float value)
{
    CUDACHECK(cudaStreamSynchronize(job->stream));
    *job->staging = value;
    CUDACHECK(cudaMemcpyAsync(job->factor + 1, job->staging, sizeof(float), cudaMemcpyHostToDevice, job->stream));
    CUDACHECK(cudaMemsetAsync(to, 0xC3, sizeof(float), job->stream));
    CUDACHECK(cudaStreamSynchronize(job->stream));
    CUDACHECK(cudaMemcpyAsync(to, job->factor + 1, sizeof(float), cudaMemcpyDefault, job->stream));
}

static void sum(struct job *job, float *factor, int round)
{
    float expected = 0;
    ncclRedOp_t op;
    for (int rank = 0; rank < job->ranks; rank++)
        expected += (float)(rank + 2 + round) * contribution(rank, 7);
    fill(job->data, job->rank, COUNT, job->stream);
    NCCLCHECK(ncclRedOpCreatePreMulSum(&op, factor, ncclFloat, ncclScalarDevice, job->comm));
    give_factor(job, factor, (float)(job->rank + 2 + round));
    NCCLCHECK(ncclAllReduce(job->data, job->data, COUNT, ncclFloat, op, job->comm, job->stream));
    CUDACHECK(cudaMemsetAsync(factor, 0xC3, sizeof(float), job->stream));
    float *found = fetch(job->data, COUNT, job->stream);
    for (size_t at = 7; at < COUNT; at += 100)
        EXPECT(found[at] == expected);
    free(found);
    NCCLCHECK(ncclRedOpDestroy(op, job->comm));
}

int main(int argc, char **argv)
{
    struct job job;
    float *pinned;

    begin_mpi(&argc, &argv, &job.rank, &job.ranks);
    use_device(job.rank);
    job.comm = join(job.rank, job.ranks);
    CUDACHECK(cudaStreamCreate(&job.stream));
    CUDACHECK(cudaMalloc((void **)&job.data, COUNT * sizeof(float)));
    CUDACHECK(cudaMalloc((void **)&job.factor, 2 * sizeof(float)));
    CUDACHECK(cudaMallocHost((void **)&pinned, sizeof(float)));
    CUDACHECK(cudaMallocHost((void **)&job.staging, sizeof(float)));
    for (int round = 0; round < ROUNDS; round++) {
        sum(&job, job.factor, round);
        sum(&job, pinned, round);
    }
    NCCLCHECK(ncclCommDestroy(job.comm));
    CUDACHECK(cudaFreeHost(pinned));
    CUDACHECK(cudaFreeHost(job.staging));
    CUDACHECK(cudaFree(job.factor));
    CUDACHECK(cudaFree(job.data));
    CUDACHECK(cudaStreamDestroy(job.stream));
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
