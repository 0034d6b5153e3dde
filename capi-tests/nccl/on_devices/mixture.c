/* Memory of devices and of the host in the calls of one MPI job, as no other NCCL allows it: in one group, in one
 * call, and in blocks of different lengths by sends and receives. Rank r uses device r modulo their number. It
 * needs ANYCCL_DEVICE_WAY=staged. */
#include <mpi.h>
#include <string.h>

#include "checks.h"

enum { COUNT = 5003, MOST = 16 };

struct job {
    int rank, ranks;
    ncclComm_t comm;
    cudaStream_t stream, other;
    float *device, *more, *host;
};

/* What `from` sends to `to` in a call with blocks of different lengths: some are empty. */
static size_t length(int from, int to)
{
    return (size_t)((from + 2 * to) % 5) * 1000;
}

static float sent(int from, int to, size_t at)
{
    return (float)(from * 1000 + to * 100) + (float)(at % 50);
}

/* One all-to-all with unequal blocks, made of sends and receives. Each second block lies in host memory, on the
 * side of the sender and on that of the receiver apart. */
static void unequal_blocks(struct job *job)
{
    size_t from_here = 0, to_here = 0, sends[MOST], recvs[MOST];
    for (int peer = 0; peer < job->ranks; peer++) {
        sends[peer] = from_here;
        recvs[peer] = to_here;
        from_here += length(job->rank, peer);
        to_here += length(peer, job->rank);
    }
    float *send_host = malloc((from_here + 1) * sizeof(float));
    float *recv_host = calloc(to_here + 1, sizeof(float));
    EXPECT(send_host != NULL && recv_host != NULL);
    for (int peer = 0; peer < job->ranks; peer++)
        for (size_t at = 0; at < length(job->rank, peer); at++)
            send_host[sends[peer] + at] = sent(job->rank, peer, at);
    CUDACHECK(cudaMemcpyAsync(job->device, send_host, from_here * sizeof(float), cudaMemcpyHostToDevice, job->stream));
    NCCLCHECK(ncclGroupStart());
    for (int peer = 0; peer < job->ranks; peer++) {
        float *from = (peer % 2 ? send_host : job->device) + sends[peer];
        float *to = (peer / 2 % 2 ? recv_host : job->more) + recvs[peer];
        NCCLCHECK(ncclSend(from, length(job->rank, peer), ncclFloat, peer, job->comm, job->stream));
        NCCLCHECK(ncclRecv(to, length(peer, job->rank), ncclFloat, peer, job->comm, job->stream));
    }
    NCCLCHECK(ncclGroupEnd());
    float *from_device = fetch(job->more, to_here + 1, job->stream);
    for (int peer = 0; peer < job->ranks; peer++)
        for (size_t at = 0; at < length(peer, job->rank); at++) {
            const size_t place = recvs[peer] + at;
            EXPECT((peer / 2 % 2 ? recv_host : from_device)[place] == sent(peer, job->rank, at));
        }
    free(send_host);
    free(recv_host);
    free(from_device);
}

/* A group with a call on host memory, one on a device, one that reads the host and writes a device, and one on
 * another stream. */
static void one_group(struct job *job)
{
    float *host_sum = job->host + COUNT, *device_sum = job->device + COUNT, *gathered = job->more;
    float *other = job->device + 2 * COUNT;
    for (size_t at = 0; at < COUNT; at++)
        job->host[at] = contribution(job->rank, at);
    fill(job->device, job->rank, COUNT, job->stream);
    fill(other, job->rank, COUNT, job->other);
    NCCLCHECK(ncclGroupStart());
    NCCLCHECK(ncclAllReduce(job->host, host_sum, COUNT, ncclFloat, ncclSum, job->comm, job->stream));
    NCCLCHECK(ncclAllReduce(job->device, device_sum, COUNT, ncclFloat, ncclSum, job->comm, job->stream));
    NCCLCHECK(ncclAllGather(job->host, gathered, COUNT, ncclFloat, job->comm, job->stream));
    NCCLCHECK(ncclAllReduce(other, other, COUNT, ncclFloat, ncclSum, job->comm, job->other));
    NCCLCHECK(ncclGroupEnd());
    CUDACHECK(cudaStreamSynchronize(job->stream));
    for (size_t at = 0; at < COUNT; at++)
        EXPECT(host_sum[at] == sum_of_contributions(job->ranks, at));
    expect_sum(device_sum, job->ranks, COUNT, job->stream);
    expect_sum(other, job->ranks, COUNT, job->other);
    float *found = fetch(gathered, (size_t)job->ranks * COUNT, job->stream);
    for (size_t at = 0; at < (size_t)job->ranks * COUNT; at++)
        EXPECT(found[at] == contribution((int)(at / COUNT), at % COUNT));
    free(found);
}

/* Some ranks have their buffers on a device, and the others in host memory. */
static void ranks_of_both_kinds(struct job *job)
{
    const int on_device = job->rank % 2 == 0;
    float *send = on_device ? job->device : job->host;
    fill(job->device, job->rank, COUNT, job->stream);
    for (size_t at = 0; at < COUNT; at++)
        job->host[at] = contribution(job->rank, at);
    NCCLCHECK(ncclAllReduce(send, send, COUNT, ncclFloat, ncclSum, job->comm, job->stream));
    CUDACHECK(cudaStreamSynchronize(job->stream));
    if (on_device)
        expect_sum(send, job->ranks, COUNT, job->stream);
    for (size_t at = 0; !on_device && at < COUNT; at++)
        EXPECT(send[at] == sum_of_contributions(job->ranks, at));
}

/* The collectives that NCCL has since 2.28, and a communicator of half of the ranks. */
static void newer_functions(struct job *job)
{
    const size_t all = (size_t)job->ranks * COUNT;
    fill(job->device, job->rank, all, job->stream);
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 28, 3)
    NCCLCHECK(ncclAlltoAll(job->device, job->more, COUNT, ncclFloat, job->comm, job->stream));
    float *found = fetch(job->more, all, job->stream);
    for (size_t at = 0; at < all; at++)
        EXPECT(found[at] == contribution((int)(at / COUNT), (size_t)job->rank * COUNT + at % COUNT));
    free(found);
    NCCLCHECK(ncclGather(job->device, job->more, COUNT, ncclFloat, 0, job->comm, job->stream));
    NCCLCHECK(ncclScatter(job->more, job->device, COUNT, ncclFloat, 0, job->comm, job->stream));
    found = fetch(job->device, COUNT, job->stream);
    for (size_t at = 0; at < COUNT; at++)
        EXPECT(found[at] == contribution(job->rank, at));
    free(found);
#endif
    ncclComm_t half;
    NCCLCHECK(ncclCommSplit(job->comm, job->rank % 2, job->rank, &half, NULL));
    NCCLCHECK(ncclReduceScatter(job->device, job->more, 1, ncclFloat, ncclMax, half, job->stream));
    CUDACHECK(cudaStreamSynchronize(job->stream));
    NCCLCHECK(ncclCommDestroy(half));
}

/* Persistent calls of MPI on memory of a device. Each start reads what the buffers hold by then. */
static void prepared_by_mpi(struct job *job)
{
    enum { REQUESTS = 3 };
    MPI_Request requests[REQUESTS];
    const int next = (job->rank + 1) % job->ranks, last = (job->rank + job->ranks - 1) % job->ranks;
    float *sum = job->more, *message = job->more + COUNT;
    MPICHECK(
        MPI_Allreduce_init(job->device, sum, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    MPICHECK(MPI_Send_init(job->device, COUNT, MPI_FLOAT, next, 1, MPI_COMM_WORLD, &requests[1]));
    MPICHECK(MPI_Recv_init(message, COUNT, MPI_FLOAT, last, 1, MPI_COMM_WORLD, &requests[2]));
    for (int round = 0; round < 3; round++) {
        fill(job->device, job->rank, COUNT, job->stream);
        CUDACHECK(cudaMemsetAsync(job->more, 0, 2 * COUNT * sizeof(float), job->stream));
        CUDACHECK(cudaStreamSynchronize(job->stream));
        MPICHECK(MPI_Startall(REQUESTS, requests));
        MPICHECK(MPI_Waitall(REQUESTS, requests, MPI_STATUSES_IGNORE));
        expect_sum(sum, job->ranks, COUNT, job->stream);
        float *found = fetch(message, COUNT, job->stream);
        for (size_t at = 0; at < COUNT; at++)
            EXPECT(found[at] == contribution(last, at));
        free(found);
    }
    for (int i = 0; i < REQUESTS; i++)
        MPICHECK(MPI_Request_free(&requests[i]));
}

/* Expects that a call of MPI refuses its buffer. */
static void expect_refusal(int code)
{
    int class = MPI_SUCCESS;
    MPICHECK(MPI_Error_class(code, &class));
    EXPECT(class == MPI_ERR_BUFFER);
}

/* Calls of MPI in which the processor copies the buffer, which it cannot on a device. Nothing is sent. */
static void refused_by_mpi(struct job *job)
{
    static char packed[4096];
    MPI_Datatype columns;
    MPI_Request request;
    int position = 0;
    MPICHECK(MPI_Type_vector(10, 1, 3, MPI_FLOAT, &columns));
    MPICHECK(MPI_Type_commit(&columns));
    MPICHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN));
    expect_refusal(MPI_Send(job->device, 1, columns, job->rank, 2, MPI_COMM_WORLD));
    expect_refusal(MPI_Irecv(job->device, 1, columns, job->rank, 2, MPI_COMM_WORLD, &request));
    expect_refusal(MPI_Bcast(job->device, 1, columns, 0, MPI_COMM_WORLD));
    expect_refusal(MPI_Iallgather(job->host, 10, MPI_FLOAT, job->device, 1, columns, MPI_COMM_WORLD, &request));
    expect_refusal(MPI_Bsend(job->device, 10, MPI_FLOAT, job->rank, 2, MPI_COMM_WORLD));
    expect_refusal(MPI_Sendrecv_replace(job->device, 10, MPI_FLOAT, job->rank, 2, job->rank, 2, MPI_COMM_WORLD,
                                        MPI_STATUS_IGNORE));
    expect_refusal(MPI_Pack(job->device, 1, columns, packed, sizeof packed, &position, MPI_COMM_WORLD));
    expect_refusal(MPI_Unpack(packed, sizeof packed, &position, job->device, 10, MPI_FLOAT, MPI_COMM_WORLD));
    EXPECT(position == 0);
    MPICHECK(MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL));
    MPICHECK(MPI_Type_free(&columns));
    MPICHECK(MPI_Barrier(MPI_COMM_WORLD));
}

int main(int argc, char **argv)
{
    struct job job = {0};
    int devices = 0;
    ncclUniqueId id;
    MPICHECK(MPI_Init(&argc, &argv));
    MPICHECK(MPI_Comm_rank(MPI_COMM_WORLD, &job.rank));
    MPICHECK(MPI_Comm_size(MPI_COMM_WORLD, &job.ranks));
    EXPECT(job.ranks <= MOST);
    if (job.rank == 0)
        NCCLCHECK(ncclGetUniqueId(&id));
    MPICHECK(MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD));

    CUDACHECK(cudaGetDeviceCount(&devices));
    CUDACHECK(cudaSetDevice(job.rank % devices));
    CUDACHECK(cudaStreamCreateWithFlags(&job.stream, cudaStreamNonBlocking));
    CUDACHECK(cudaStreamCreateWithFlags(&job.other, cudaStreamNonBlocking));
    CUDACHECK(cudaMalloc((void **)&job.device, MOST * COUNT * sizeof(float)));
    CUDACHECK(cudaMalloc((void **)&job.more, MOST * COUNT * sizeof(float)));
    job.host = malloc(2 * COUNT * sizeof(float));
    EXPECT(job.host != NULL);
    NCCLCHECK(ncclCommInitRank(&job.comm, job.ranks, id, job.rank));

    unequal_blocks(&job);
    one_group(&job);
    ranks_of_both_kinds(&job);
    newer_functions(&job);
    prepared_by_mpi(&job);
    refused_by_mpi(&job);

    NCCLCHECK(ncclCommDestroy(job.comm));
    CUDACHECK(cudaFree(job.device));
    CUDACHECK(cudaFree(job.more));
    CUDACHECK(cudaStreamDestroy(job.stream));
    CUDACHECK(cudaStreamDestroy(job.other));
    free(job.host);
    MPICHECK(MPI_Finalize());
    printf("Success: rank %d of %d, host and device\n", job.rank, job.ranks);
    return 0;
}
