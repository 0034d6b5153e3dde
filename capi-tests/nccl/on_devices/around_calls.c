/* What programs do around their calls, as CUDA and NCCL permit it: streams that are destroyed and memory that is freed right behind
 * a call, default streams, calls without elements, groups that are only simulated, and threads with a communicator each. Rank r
 * uses device r modulo their number. */
#include <pthread.h>

#include "rank.h"

enum { COUNT = 1 << 14, ROUNDS = 10, THREADS = 4, CALLS = 20 };

struct job {
    int rank, ranks;
    ncclComm_t comm;
    cudaStream_t stream;
    float *given, *data, *copy;
};

static void sum(struct job *job, float *data, cudaStream_t stream)
{
    NCCLCHECK(ncclAllReduce(data, data, COUNT, ncclFloat, ncclSum, job->comm, stream));
}

static void give(struct job *job, float *data, cudaStream_t stream)
{
    CUDACHECK(cudaMemcpyAsync(data, job->given, COUNT * sizeof(float), cudaMemcpyDeviceToDevice, stream));
}

/* The stream ends when it has passed the call. */
static void destroyed_stream(struct job *job)
{
    cudaStream_t stream;
    cudaEvent_t end;
    CUDACHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CUDACHECK(cudaEventCreateWithFlags(&end, cudaEventDisableTiming));
    give(job, job->data, stream);
    sum(job, job->data, stream);
    CUDACHECK(cudaEventRecord(end, stream));
    CUDACHECK(cudaStreamDestroy(stream));
    CUDACHECK(cudaStreamWaitEvent(job->stream, end, 0));
    expect_sum(job->data, job->ranks, COUNT, job->stream);
    CUDACHECK(cudaEventDestroy(end));
}

/* Memory of the stream's pool, which the next round gets again. */
static void freed_memory(struct job *job)
{
    float *data;
    CUDACHECK(cudaMallocAsync((void **)&data, COUNT * sizeof(float), job->stream));
    give(job, data, job->stream);
    sum(job, data, job->stream);
    CUDACHECK(cudaMemcpyAsync(job->copy, data, COUNT * sizeof(float), cudaMemcpyDeviceToDevice, job->stream));
    CUDACHECK(cudaFreeAsync(data, job->stream));
    expect_sum(job->copy, job->ranks, COUNT, job->stream);
}

/* The legacy default stream waits for the streams that were not made to ignore it, and they for it. */
static void default_streams(struct job *job)
{
    const cudaStream_t of_thread = (cudaStream_t)2;
    cudaStream_t blocking;
    CUDACHECK(cudaStreamCreate(&blocking));
    give(job, job->data, blocking);
    sum(job, job->data, NULL);
    CUDACHECK(cudaMemcpyAsync(job->copy, job->data, COUNT * sizeof(float), cudaMemcpyDeviceToDevice, blocking));
    expect_sum(job->copy, job->ranks, COUNT, blocking);
    give(job, job->data, of_thread);
    sum(job, job->data, of_thread);
    expect_sum(job->data, job->ranks, COUNT, of_thread);
    CUDACHECK(cudaStreamDestroy(blocking));
}

/* Neither a call without elements nor a simulated group touches its buffers. */
static void untouched(struct job *job)
{
    ncclSimInfo_t info = NCCL_SIM_INFO_INITIALIZER;
    give(job, job->data, job->stream);
    NCCLCHECK(ncclAllReduce(job->data, job->data, 0, ncclFloat, ncclSum, job->comm, job->stream));
    NCCLCHECK(ncclAllGather(job->data, job->data, 0, ncclFloat, job->comm, job->stream));
    NCCLCHECK(ncclGroupStart());
    sum(job, job->data, job->stream);
    NCCLCHECK(ncclGroupSimulateEnd(&info));
    EXPECT(info.estimatedTime >= 0);
    float *found = fetch(job->data, COUNT, job->stream);
    for (size_t at = 0; at < COUNT; at++)
        EXPECT(found[at] == contribution(job->rank, at));
    free(found);
}

static void *calls_of_thread(void *shared)
{
    struct job *job = shared;
    use_device(job->rank);
    for (int call = 0; call < CALLS; call++) {
        give(job, job->data, job->stream);
        sum(job, job->data, job->stream);
    }
    /* A copy to pageable memory that waits for its stream may hold up the calls of other threads. */
    CUDACHECK(cudaStreamSynchronize(job->stream));
    expect_sum(job->data, job->ranks, COUNT, job->stream);
    return NULL;
}

/* The threads of a process make their calls at the same time. */
static void threads(const struct job *job)
{
    struct job of_thread[THREADS];
    pthread_t thread[THREADS];
    for (int i = 0; i < THREADS; i++) {
        of_thread[i] = *job;
        of_thread[i].comm = join(job->rank, job->ranks);
        CUDACHECK(cudaStreamCreateWithFlags(&of_thread[i].stream, cudaStreamNonBlocking));
        CUDACHECK(cudaMalloc((void **)&of_thread[i].data, COUNT * sizeof(float)));
    }
    for (int i = 0; i < THREADS; i++)
        EXPECT(pthread_create(&thread[i], NULL, calls_of_thread, &of_thread[i]) == 0);
    for (int i = 0; i < THREADS; i++)
        EXPECT(pthread_join(thread[i], NULL) == 0);
    for (int i = 0; i < THREADS; i++) {
        NCCLCHECK(ncclCommDestroy(of_thread[i].comm));
        CUDACHECK(cudaStreamDestroy(of_thread[i].stream));
        CUDACHECK(cudaFree(of_thread[i].data));
    }
}

int main(int argc, char **argv)
{
    struct job job;

    begin_mpi(&argc, &argv, &job.rank, &job.ranks);
    use_device(job.rank);
    job.comm = join(job.rank, job.ranks);
    CUDACHECK(cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking));
    float **const buffers[] = {&job.given, &job.data, &job.copy};
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaMalloc((void **)buffers[i], COUNT * sizeof(float)));
    fill(job.given, job.rank, COUNT, job.stream);
    for (int round = 0; round < ROUNDS; round++) {
        destroyed_stream(&job);
        freed_memory(&job);
        default_streams(&job);
        untouched(&job);
    }
    threads(&job);
    NCCLCHECK(ncclCommDestroy(job.comm));
    CUDACHECK(cudaStreamDestroy(job.stream));
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaFree(*buffers[i]));
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
