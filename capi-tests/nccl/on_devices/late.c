/* A call only enqueues, however late the other ranks are, and however much is enqueued already. Here the other ranks make their
 * calls when rank 0 has returned from all of its own. Rank r uses device r modulo their number. */
#include "rank.h"

enum { FEW = 1024, SHORT = 100, LONG = 5 << 20, MANY = 3, LARGEST = 6 << 20 };

struct job {
    int rank, ranks;
    /* Two communicators of all ranks, with a stream for each. */
    ncclComm_t comm[2];
    cudaStream_t stream[2];
    float *given, *result;
};

/* The other ranks go on when rank 0 has come here. */
static void wait_for_first(const struct job *job, int is_after)
{
    if ((job->rank == 0) == is_after)
        MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
}

static void expect_contribution(struct job *job, int rank, size_t count, cudaStream_t stream)
{
    float *found = fetch(job->result, count, stream);
    for (size_t at = 0; at < count; at++)
        EXPECT(found[at] == contribution(rank, at));
    free(found);
}

static void reduce(struct job *job, int calls, size_t count)
{
    wait_for_first(job, 0);
    for (int call = 0; call < calls; call++)
        NCCLCHECK(ncclAllReduce(job->given, job->result, count, ncclFloat, ncclSum, job->comm[0], job->stream[0]));
    wait_for_first(job, 1);
    expect_sum(job->result, job->ranks, count, job->stream[0]);
}

/* Rank 0 sends to the next one. */
static void send(struct job *job)
{
    wait_for_first(job, 0);
    for (int call = 0; call < MANY; call++) {
        if (job->rank == 0)
            NCCLCHECK(ncclSend(job->given, LARGEST, ncclFloat, 1, job->comm[0], job->stream[0]));
        if (job->rank == 1)
            NCCLCHECK(ncclRecv(job->result, LARGEST, ncclFloat, 0, job->comm[0], job->stream[0]));
    }
    wait_for_first(job, 1);
    if (job->rank == 1)
        expect_contribution(job, 0, LARGEST, job->stream[0]);
    CUDACHECK(cudaStreamSynchronize(job->stream[0]));
}

static void send_to(struct job *job, int to, int lane)
{
    NCCLCHECK(ncclSend(job->given, LARGEST, ncclFloat, to, job->comm[lane], job->stream[1]));
}

static void receive_from(struct job *job, int from, int lane)
{
    NCCLCHECK(ncclRecv(job->result, LARGEST, ncclFloat, from, job->comm[lane], job->stream[0]));
}

/* A ring without a group. The receive and the send of a rank are on two streams, so they do not wait for each other. */
static void ring(struct job *job, int sends_first)
{
    int to = (job->rank + 1) % job->ranks, from = (job->rank + job->ranks - 1) % job->ranks;
    /* Of two ranks, each communicator has one direction. */
    int out = job->ranks == 2 && job->rank == 0, in = job->ranks == 2 && job->rank == 1;

    if (sends_first)
        send_to(job, to, out);
    receive_from(job, from, in);
    if (!sends_first)
        send_to(job, to, out);
    for (int lane = 0; lane < 2; lane++)
        CUDACHECK(cudaStreamSynchronize(job->stream[lane]));
    expect_contribution(job, from, LARGEST, job->stream[0]);
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
    CUDACHECK(cudaMalloc((void **)&job.given, LARGEST * sizeof(float)));
    CUDACHECK(cudaMalloc((void **)&job.result, LARGEST * sizeof(float)));
    fill(job.given, job.rank, LARGEST, job.stream[0]);
    reduce(&job, SHORT, FEW);
    reduce(&job, MANY, LONG);
    if (job.ranks > 1) {
        send(&job);
        ring(&job, 0);
        ring(&job, 1);
    }
    for (int lane = 0; lane < 2; lane++) {
        NCCLCHECK(ncclCommDestroy(job.comm[lane]));
        CUDACHECK(cudaStreamDestroy(job.stream[lane]));
    }
    CUDACHECK(cudaFree(job.given));
    CUDACHECK(cudaFree(job.result));
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
