/* What NCCL's memory functions give in a process with a GPU: memory of the device. One process is both ranks. */
#include <string.h>

#include "checks.h"

enum { COUNT = 1 << 16, RANKS = 2 };

struct rank {
    ncclComm_t comm;
    float *send, *recv;
    cudaStream_t stream;
    ncclWindow_t window;
};

/* The result of a call that has to be refused, and why. */
static void expect_refusal(ncclResult_t result, ncclComm_t comm, const char *words)
{
    EXPECT(result == ncclInvalidUsage || result == ncclInvalidArgument);
    if (strstr(ncclGetLastError(comm), words) == NULL)
        STOP("sentence", ncclGetLastError(comm));
}

int main(void)
{
    struct rank ranks[RANKS];
    ncclComm_t comms[RANKS];
    const int device[RANKS] = {0, 0}, missing[RANKS] = {0, 99};

    CUDACHECK(cudaSetDevice(0));
    expect_refusal(ncclCommInitAll(comms, RANKS, missing), NULL, "device 99; this process sees devices 0 to");
    NCCLCHECK(ncclCommInitAll(comms, RANKS, device));
    for (int i = 0; i < RANKS; i++) {
        struct cudaPointerAttributes kind;
        struct rank *rank = &ranks[i];
        rank->comm = comms[i];
        CUDACHECK(cudaStreamCreate(&rank->stream));
        NCCLCHECK(ncclMemAlloc((void **)&rank->send, COUNT * sizeof(float)));
        NCCLCHECK(ncclMemAlloc((void **)&rank->recv, COUNT * sizeof(float)));
        CUDACHECK(cudaPointerGetAttributes(&kind, rank->send));
        EXPECT(kind.type == cudaMemoryTypeDevice);
        CUDACHECK(cudaMemset(rank->recv, 0, COUNT * sizeof(float)));
        fill(rank->send, i, COUNT, rank->stream);
        NCCLCHECK(ncclCommWindowRegister(rank->comm, rank->recv, COUNT * sizeof(float), &rank->window,
                                         NCCL_WIN_COLL_SYMMETRIC));
    }

    NCCLCHECK(ncclGroupStart());
    for (int i = 0; i < RANKS; i++)
        NCCLCHECK(
            ncclAllReduce(ranks[i].send, ranks[i].recv, COUNT, ncclFloat, ncclSum, ranks[i].comm, ranks[i].stream));
    NCCLCHECK(ncclGroupEnd());
    float on_host = 1;
    expect_refusal(ncclPutSignal(&on_host, 1, ncclFloat, 1, ranks[0].window, 0, 0, 0, 0, comms[0], ranks[0].stream),
                   comms[0], "the window is GPU memory here");

    for (int i = 0; i < RANKS; i++) {
        struct rank *rank = &ranks[i];
        expect_sum(rank->recv, RANKS, COUNT, rank->stream);
        NCCLCHECK(ncclCommWindowDeregister(rank->comm, rank->window));
        NCCLCHECK(ncclMemFree(rank->send));
        NCCLCHECK(ncclMemFree(rank->recv));
        CUDACHECK(cudaStreamDestroy(rank->stream));
        NCCLCHECK(ncclCommDestroy(rank->comm));
    }
    printf("Success: memory of the device\n");
    return 0;
}
