/* A group on several streams begins when all of them have come to it, and all of them wait for its end. Collectives of one
 * communicator on different streams run in the order of the calls. Rank r uses device r modulo their number. */
#include "rank.h"

enum { FEW = 64, MANY = 1 << 21, ROUNDS = 10 };

struct job {
    int rank, ranks;
    ncclComm_t comm;
    cudaStream_t first, second, third;
    float *few, *many, *result, *copy, *given;
};

/* Writes the contribution of a rank into `result`, at the end of much work on the stream. */
static void give_late(struct job *job, cudaStream_t stream)
{
    CUDACHECK(cudaMemsetAsync(job->result, 0, MANY * sizeof(float), stream));
    CUDACHECK(cudaMemcpyAsync(job->result, job->given, MANY * sizeof(float), cudaMemcpyDeviceToDevice, stream));
}

static void expect_copy(struct job *job, float scale)
{
    float *found = fetch(job->copy, MANY, job->third);
    for (size_t at = 0; at < MANY; at += 97)
        EXPECT(found[at] == scale * sum_of_contributions(job->ranks, at));
    free(found);
}

/* The second stream has much to do before and in the group. Who waits for the first one finds it done. */
static void one_group(struct job *job)
{
    cudaEvent_t done;
    CUDACHECK(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
    give_late(job, job->second);
    NCCLCHECK(ncclGroupStart());
    NCCLCHECK(ncclAllReduce(job->few, job->few, FEW, ncclFloat, ncclMax, job->comm, job->first));
    NCCLCHECK(ncclAllReduce(job->result, job->result, MANY, ncclFloat, ncclSum, job->comm, job->second));
    NCCLCHECK(ncclGroupEnd());
    CUDACHECK(cudaEventRecord(done, job->first));
    CUDACHECK(cudaStreamWaitEvent(job->third, done, 0));
    CUDACHECK(cudaMemcpyAsync(job->copy, job->result, MANY * sizeof(float), cudaMemcpyDeviceToDevice, job->third));
    expect_copy(job, 1);
    CUDACHECK(cudaEventDestroy(done));
}

/* What the first stream writes before the group is there for the call on the second one. */
static void begin_together(struct job *job)
{
    give_late(job, job->first);
    NCCLCHECK(ncclGroupStart());
    NCCLCHECK(ncclAllReduce(job->few, job->few, FEW, ncclFloat, ncclMax, job->comm, job->first));
    NCCLCHECK(ncclAllReduce(job->result, job->copy, MANY, ncclFloat, ncclSum, job->comm, job->third));
    NCCLCHECK(ncclGroupEnd());
    expect_copy(job, 1);
}

/* The second collective reads what the first one writes, on another stream, with nothing between them. */
static void one_after_the_other(struct job *job)
{
    give_late(job, job->first);
    NCCLCHECK(ncclAllReduce(job->result, job->many, MANY, ncclFloat, ncclSum, job->comm, job->first));
    NCCLCHECK(ncclAllReduce(job->many, job->copy, MANY, ncclFloat, ncclSum, job->comm, job->third));
    expect_copy(job, (float)job->ranks);
}

int main(int argc, char **argv)
{
    struct job job;

    begin_mpi(&argc, &argv, &job.rank, &job.ranks);
    use_device(job.rank);
    job.comm = join(job.rank, job.ranks);
    cudaStream_t *const streams[] = {&job.first, &job.second, &job.third};
    float **const buffers[] = {&job.few, &job.many, &job.result, &job.copy, &job.given};
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaStreamCreateWithFlags(streams[i], cudaStreamNonBlocking));
    for (int i = 0; i < 5; i++)
        CUDACHECK(cudaMalloc((void **)buffers[i], MANY * sizeof(float)));
    fill(job.given, job.rank, MANY, job.first);
    fill(job.few, job.rank, FEW, job.first);
    for (int round = 0; round < ROUNDS; round++) {
        one_group(&job);
        begin_together(&job);
        one_after_the_other(&job);
    }
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaStreamSynchronize(*streams[i]));
    NCCLCHECK(ncclCommDestroy(job.comm));
    for (int i = 0; i < 5; i++)
        CUDACHECK(cudaFree(*buffers[i]));
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaStreamDestroy(*streams[i]));
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
