/* Calls on capturing streams are parts of graphs: they run at every launch, in the order of the stream, beside eager calls.
 * Rank r uses device r modulo their number. */
#include <string.h>

#include "rank.h"

enum { COUNT = 1 << 14, LONG = 3 << 19, ROUNDS = 8 };

struct job {
    int rank, ranks;
    ncclComm_t comm;
    cudaStream_t stream, other;
    float *input, *output, *more, *block;
};

/* A graph that can be launched. */
struct graph {
    cudaGraph_t graph;
    cudaGraphExec_t executable;
};

static void begin(struct job *job, enum cudaStreamCaptureMode mode)
{
    CUDACHECK(cudaStreamBeginCapture(job->stream, mode));
}

static struct graph end(struct job *job)
{
    struct graph made;
    CUDACHECK(cudaStreamEndCapture(job->stream, &made.graph));
    CUDACHECK(cudaGraphInstantiate(&made.executable, made.graph, 0));
    return made;
}

static void destroy(struct graph made)
{
    CUDACHECK(cudaGraphExecDestroy(made.executable));
    CUDACHECK(cudaGraphDestroy(made.graph));
}

static void launch(struct job *job, struct graph made)
{
    CUDACHECK(cudaGraphLaunch(made.executable, job->stream));
}

/* Writes the contribution of a rank, scaled, and spoils the outputs. */
static void give(struct job *job, int rank, float scale, size_t count)
{
    float *host = malloc(count * sizeof(float));
    EXPECT(host != NULL);
    for (size_t at = 0; at < count; at++)
        host[at] = scale * contribution(rank, at);
    CUDACHECK(cudaMemcpyAsync(job->input, host, count * sizeof(float), cudaMemcpyHostToDevice, job->stream));
    CUDACHECK(cudaStreamSynchronize(job->stream));
    CUDACHECK(cudaMemsetAsync(job->output, 0xC1, count * sizeof(float), job->stream));
    CUDACHECK(cudaMemsetAsync(job->more, 0xC2, count * sizeof(float), job->stream));
    free(host);
}

static void expect_scaled_sum(struct job *job, const float *device, float scale, size_t count)
{
    float *found = fetch(device, count, job->stream);
    for (size_t at = 0; at < count; at++)
        EXPECT(found[at] == scale * sum_of_contributions(job->ranks, at));
    free(found);
}

/* All bytes of a result that could not be made are 0xFF. */
static void expect_spoilt(struct job *job, const float *device, size_t count)
{
    float *found = fetch(device, count, job->stream);
    for (size_t at = 0; at < count * sizeof(float); at++)
        EXPECT(((unsigned char *)found)[at] == 0xFF);
    free(found);
}

static void sum(struct job *job, const float *from, float *to, size_t count)
{
    NCCLCHECK(ncclAllReduce(from, to, count, ncclFloat, ncclSum, job->comm, job->stream));
}

/* Two graphs of one communicator, and eager calls between their launches; the data changes. */
static void many_launches(struct job *job, enum cudaStreamCaptureMode mode, size_t count)
{
    begin(job, mode);
    sum(job, job->input, job->output, count);
    struct graph once = end(job);
    begin(job, mode);
    sum(job, job->input, job->more, count);
    sum(job, job->more, job->output, count);
    struct graph twice = end(job);
    for (int round = 1; round <= ROUNDS; round++) {
        const float scale = (float)round;
        give(job, job->rank, scale, count);
        launch(job, once);
        sum(job, job->output, job->more, count);
        expect_scaled_sum(job, job->more, scale * (float)job->ranks, count);
        give(job, job->rank, scale + 1, count);
        launch(job, twice);
        launch(job, twice);
        expect_scaled_sum(job, job->output, (scale + 1) * (float)job->ranks, count);
    }
    destroy(twice);
    give(job, job->rank, 3, count);
    launch(job, once);
    expect_scaled_sum(job, job->output, 3, count);
    destroy(once);
}

/* Other collectives, and a ring of messages in a group. */
static void kinds_of_calls(struct job *job)
{
    const int next = (job->rank + 1) % job->ranks, before = (job->rank + job->ranks - 1) % job->ranks;
    begin(job, cudaStreamCaptureModeRelaxed);
    NCCLCHECK(ncclAllGather(job->input, job->block, COUNT, ncclFloat, job->comm, job->stream));
    NCCLCHECK(ncclReduceScatter(job->block, job->more, COUNT, ncclFloat, ncclSum, job->comm, job->stream));
    NCCLCHECK(ncclBroadcast(job->input, job->output, COUNT, ncclFloat, job->ranks - 1, job->comm, job->stream));
    NCCLCHECK(ncclGroupStart());
    NCCLCHECK(ncclRecv(job->block, COUNT, ncclFloat, before, job->comm, job->stream));
    NCCLCHECK(ncclSend(job->input, COUNT, ncclFloat, next, job->comm, job->stream));
    NCCLCHECK(ncclGroupEnd());
    struct graph made = end(job);
    for (int round = 1; round <= ROUNDS; round++) {
        give(job, job->rank, (float)round, COUNT);
        launch(job, made);
        float *scattered = fetch(job->more, COUNT, job->stream), *broadcast = fetch(job->output, COUNT, job->stream);
        float *received = fetch(job->block, COUNT, job->stream);
        for (size_t at = 0; at < COUNT; at++) {
            EXPECT(scattered[at] == (float)(job->ranks * round) * contribution(job->rank, at));
            EXPECT(broadcast[at] == (float)round * contribution(job->ranks - 1, at));
            EXPECT(received[at] == (float)round * contribution(before, at));
        }
        free(scattered);
        free(broadcast);
        free(received);
    }
    destroy(made);
}

/* One capture has two streams. Collectives run in the order of the calls, and a group may have both streams. */
static void branches(struct job *job)
{
    const int next = (job->rank + 1) % job->ranks, before = (job->rank + job->ranks - 1) % job->ranks;
    cudaEvent_t fork, join;
    CUDACHECK(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming));
    CUDACHECK(cudaEventCreateWithFlags(&join, cudaEventDisableTiming));
    begin(job, cudaStreamCaptureModeThreadLocal);
    CUDACHECK(cudaEventRecord(fork, job->stream));
    CUDACHECK(cudaStreamWaitEvent(job->other, fork, 0));
    sum(job, job->input, job->more, COUNT);
    NCCLCHECK(ncclAllReduce(job->more, job->output, COUNT, ncclFloat, ncclMax, job->comm, job->other));
    NCCLCHECK(ncclGroupStart());
    NCCLCHECK(ncclRecv(job->block, COUNT, ncclFloat, before, job->comm, job->other));
    NCCLCHECK(ncclSend(job->input, COUNT, ncclFloat, next, job->comm, job->stream));
    NCCLCHECK(ncclGroupEnd());
    CUDACHECK(cudaEventRecord(join, job->other));
    CUDACHECK(cudaStreamWaitEvent(job->stream, join, 0));
    struct graph made = end(job);
    for (int round = 1; round <= ROUNDS; round++) {
        give(job, job->rank, (float)round, COUNT);
        launch(job, made);
        expect_scaled_sum(job, job->output, (float)round, COUNT);
        float *received = fetch(job->block, COUNT, job->stream);
        for (size_t at = 0; at < COUNT; at++)
            EXPECT(received[at] == (float)round * contribution(before, at));
        free(received);
    }
    destroy(made);
    CUDACHECK(cudaEventDestroy(fork));
    CUDACHECK(cudaEventDestroy(join));
}

/* The calls of another graph take the place of those of one that was launched. Its launches may be in two streams. */
static void updates(struct job *job)
{
    struct graph made, other;
    cudaGraphExecUpdateResultInfo result;
    begin(job, cudaStreamCaptureModeThreadLocal);
    sum(job, job->input, job->output, COUNT);
    made = end(job);
    begin(job, cudaStreamCaptureModeThreadLocal);
    sum(job, job->input, job->more, 1000);
    other = end(job);
    for (int round = 1; round <= ROUNDS; round++) {
        give(job, job->rank, (float)round, COUNT);
        CUDACHECK(cudaGraphExecUpdate(made.executable, made.graph, &result));
        launch(job, made);
        CUDACHECK(cudaGraphExecUpdate(made.executable, other.graph, &result));
        /* Launches of one executable graph run one after the other. */
        CUDACHECK(cudaGraphLaunch(made.executable, job->other));
        CUDACHECK(cudaStreamSynchronize(job->other));
        expect_scaled_sum(job, job->output, (float)round, COUNT);
        expect_scaled_sum(job, job->more, (float)round, 1000);
    }
    destroy(made);
    destroy(other);
}

/* A group with a capturing stream and another one is refused; the capture goes on, and has nothing of the refused call. */
static void mixed_group(struct job *job)
{
    size_t nodes = 0;
    begin(job, cudaStreamCaptureModeThreadLocal);
    NCCLCHECK(ncclGroupStart());
    NCCLCHECK(ncclAllReduce(job->input, job->output, COUNT, ncclFloat, ncclSum, job->comm, job->other));
    NCCLCHECK(ncclAllReduce(job->input, job->more, COUNT, ncclFloat, ncclSum, job->comm, job->stream));
    EXPECT(ncclGroupEnd() == ncclInvalidUsage);
    EXPECT(strstr(ncclGetLastError(NULL), "record a graph") != NULL);
    struct graph made = end(job);
    CUDACHECK(cudaStreamSynchronize(job->other));
    CUDACHECK(cudaGraphGetNodes(made.graph, NULL, &nodes));
    EXPECT(nodes == 0);
    destroy(made);
}

/* Waits until a communicator reports an error. */
static void expect_async_error(ncclComm_t comm)
{
    ncclResult_t state = ncclSuccess;
    while (state == ncclSuccess || state == ncclInProgress)
        NCCLCHECK(ncclCommGetAsyncError(comm, &state));
}

/* Ranks that have captured different calls get an error at the launch, and no old result. */
static void different_calls(struct job *job)
{
    ncclComm_t of_job = job->comm;
    job->comm = join(job->rank, job->ranks);
    begin(job, cudaStreamCaptureModeThreadLocal);
    sum(job, job->input, job->output, COUNT);
    struct graph same = end(job);
    give(job, job->rank, 1, COUNT);
    launch(job, same);
    expect_scaled_sum(job, job->output, 1, COUNT);
    /* A rank that is late has its sum before others fail in the next call. */
    MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
    begin(job, cudaStreamCaptureModeThreadLocal);
    sum(job, job->input, job->output, job->rank == 0 ? COUNT : COUNT / 2);
    struct graph different = end(job);
    if (job->ranks > 1) {
        launch(job, different);
        expect_spoilt(job, job->output, COUNT / 2);
        expect_async_error(job->comm);
        launch(job, same);
        expect_spoilt(job, job->output, COUNT);
    }
    NCCLCHECK(ncclCommAbort(job->comm));
    destroy(same);
    destroy(different);
    job->comm = of_job;
}

/* An abort ends a launch that waits for another rank. A graph may outlive its communicator: its launches end, and what they
 * write is no result. */
static void ended_communicators(struct job *job)
{
    ncclComm_t of_job = job->comm;
    for (int is_aborted = 0; is_aborted < 2; is_aborted++) {
        job->comm = join(job->rank, job->ranks);
        begin(job, cudaStreamCaptureModeThreadLocal);
        sum(job, job->input, job->output, COUNT);
        struct graph made = end(job);
        give(job, job->rank, 1, COUNT);
        launch(job, made);
        expect_scaled_sum(job, job->output, 1, COUNT);
        if (is_aborted && job->ranks > 1) {
            /* A rank that is late has its sum before others abort. */
            MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
            if (job->rank == 0)
                launch(job, made);
            NCCLCHECK(ncclCommAbort(job->comm));
            if (job->rank == 0)
                expect_spoilt(job, job->output, COUNT);
        } else {
            NCCLCHECK(ncclCommDestroy(job->comm));
        }
        for (int round = 0; round < 2; round++) {
            give(job, job->rank, 1, COUNT);
            launch(job, made);
            expect_spoilt(job, job->output, COUNT);
        }
        destroy(made);
    }
    job->comm = of_job;
}

int main(int argc, char **argv)
{
    struct job job;

    begin_mpi(&argc, &argv, &job.rank, &job.ranks);
    use_device(job.rank);
    job.comm = join(job.rank, job.ranks);
    CUDACHECK(cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking));
    CUDACHECK(cudaStreamCreateWithFlags(&job.other, cudaStreamNonBlocking));
    float **const buffers[] = {&job.input, &job.output, &job.more};
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaMalloc((void **)buffers[i], LONG * sizeof(float)));
    CUDACHECK(cudaMalloc((void **)&job.block, (size_t)job.ranks * COUNT * sizeof(float)));

    many_launches(&job, cudaStreamCaptureModeGlobal, COUNT);
    many_launches(&job, cudaStreamCaptureModeThreadLocal, LONG);
    many_launches(&job, cudaStreamCaptureModeRelaxed, 1);
    kinds_of_calls(&job);
    branches(&job);
    updates(&job);
    mixed_group(&job);
    ended_communicators(&job);
    different_calls(&job);

    begin(&job, cudaStreamCaptureModeThreadLocal);
    sum(&job, job.input, job.output, COUNT);
    struct graph last = end(&job);
    give(&job, job.rank, 2, COUNT);
    launch(&job, last);
    expect_scaled_sum(&job, job.output, 2, COUNT);
    NCCLCHECK(ncclCommDestroy(job.comm));
    destroy(last);
    for (int i = 0; i < 3; i++)
        CUDACHECK(cudaFree(*buffers[i]));
    CUDACHECK(cudaFree(job.block));
    CUDACHECK(cudaStreamDestroy(job.stream));
    CUDACHECK(cudaStreamDestroy(job.other));
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
