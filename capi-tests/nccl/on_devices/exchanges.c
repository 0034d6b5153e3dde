/* All-to-alls of long messages with different lengths, made of sends and receives. A group is on two streams, and has two messages
 * to some ranks; each rank sends to itself, too. Short-lived communicators make the buffers known to all ranks. The calls of the
 * one named "last" need no copies in host memory then, which the library tells at its end. Rank r uses device r modulo their number. */
#include "rank.h"

enum { MOST = 8, SHORTEST = 300000, STEP = 10007, SHORT_LIVED = 4, ROUNDS = 6 };

struct job {
    int rank, ranks;
    cudaStream_t stream[2];
    float *given, *result;
};

/* Number of messages from a rank to another one, and their length. */
static int messages(int from, int to)
{
    return 1 + (from + 2 * to) % 2;
}

static size_t length(int from, int to, int message, int round)
{
    return SHORTEST + (size_t)((from * 3 + to * 5 + message * 7 + round) % 6) * STEP;
}

static float sent(int from, int to, int message, int round, size_t at)
{
    return (float)(from * 1000 + to * 100 + message * 10 + round) + (float)(at % 97) / 128;
}

static void give(struct job *job, int round)
{
    size_t at = 0;
    for (int to = 0; to < job->ranks; to++)
        for (int message = 0; message < messages(job->rank, to); message++) {
            size_t count = length(job->rank, to, message, round);
            float *host = malloc(count * sizeof(float));
            EXPECT(host != NULL);
            for (size_t i = 0; i < count; i++)
                host[i] = sent(job->rank, to, message, round, i);
            CUDACHECK(
                cudaMemcpyAsync(job->given + at, host, count * sizeof(float), cudaMemcpyHostToDevice, job->stream[0]));
            CUDACHECK(cudaStreamSynchronize(job->stream[0]));
            free(host);
            at += count;
        }
}

static void exchange(struct job *job, ncclComm_t comm, int round)
{
    size_t sends = 0, receives = 0;
    NCCLCHECK(ncclGroupStart());
    for (int peer = 0; peer < job->ranks; peer++) {
        for (int message = 0; message < messages(job->rank, peer); message++) {
            size_t count = length(job->rank, peer, message, round);
            NCCLCHECK(ncclSend(job->given + sends, count, ncclFloat, peer, comm, job->stream[(peer + message) % 2]));
            sends += count;
        }
        for (int message = 0; message < messages(peer, job->rank); message++) {
            size_t count = length(peer, job->rank, message, round);
            NCCLCHECK(ncclRecv(job->result + receives, count, ncclFloat, peer, comm, job->stream[message]));
            receives += count;
        }
    }
    NCCLCHECK(ncclGroupEnd());
}

static void expect_all(struct job *job, int round)
{
    size_t at = 0;
    for (int from = 0; from < job->ranks; from++)
        for (int message = 0; message < messages(from, job->rank); message++) {
            size_t count = length(from, job->rank, message, round);
            float *found = fetch(job->result + at, count, job->stream[0]);
            for (size_t i = 0; i < count; i++)
                EXPECT(found[i] == sent(from, job->rank, message, round, i));
            free(found);
            at += count;
        }
}

static void rounds(struct job *job, ncclComm_t comm, int number)
{
    for (int round = 0; round < number; round++) {
        give(job, round);
        /* The group follows what is in both streams, and both wait for its end. */
        CUDACHECK(cudaMemsetAsync(job->result, 0, sizeof(float), job->stream[1]));
        exchange(job, comm, round);
        expect_all(job, round);
        CUDACHECK(cudaStreamSynchronize(job->stream[1]));
    }
}

int main(int argc, char **argv)
{
    struct job job;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclComm_t comm;

    begin_mpi(&argc, &argv, &job.rank, &job.ranks);
    EXPECT(job.ranks <= MOST);
    use_device(job.rank);
    config.commName = "last";
    NCCLCHECK(ncclCommInitRankConfig(&comm, job.ranks, shared_id(job.rank), job.rank, &config));
    for (int i = 0; i < 2; i++)
        CUDACHECK(cudaStreamCreateWithFlags(&job.stream[i], cudaStreamNonBlocking));
    size_t bytes = (size_t)job.ranks * 2 * (SHORTEST + 6 * STEP) * sizeof(float);
    CUDACHECK(cudaMalloc((void **)&job.given, bytes));
    CUDACHECK(cudaMalloc((void **)&job.result, bytes));
    /* Memory is mapped at the beginning of a call if no other one is queued, as after the end of a communicator. What is mapped
     * stays for the last communicator. */
    for (int i = 0; i < SHORT_LIVED; i++) {
        ncclComm_t first = join(job.rank, job.ranks);
        rounds(&job, first, 1);
        NCCLCHECK(ncclCommDestroy(first));
    }
    rounds(&job, comm, ROUNDS);
    NCCLCHECK(ncclCommDestroy(comm));
    for (int i = 0; i < 2; i++)
        CUDACHECK(cudaStreamDestroy(job.stream[i]));
    CUDACHECK(cudaFree(job.given));
    CUDACHECK(cudaFree(job.result));
    printf("Success: rank %d of %d\n", job.rank, job.ranks);
    MPICHECK(MPI_Finalize());
    return 0;
}
