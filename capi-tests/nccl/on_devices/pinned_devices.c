/* One thread with a rank on each of two devices, and pinned memory: groups hold the calls of both, without cudaSetDevice. */
#include "checks.h"

enum { COUNT = 1 << 16, RANKS = 2 };

int main(void)
{
    const int device[RANKS] = {0, 1};
    ncclComm_t comms[RANKS];
    float *send[RANKS], *recv[RANKS];
    cudaStream_t streams[RANKS];

    NCCLCHECK(ncclCommInitAll(comms, RANKS, device));
    for (int i = 0; i < RANKS; i++) {
        CUDACHECK(cudaSetDevice(device[i]));
        CUDACHECK(cudaStreamCreate(&streams[i]));
        CUDACHECK(cudaMallocHost((void **)&send[i], COUNT * sizeof(float)));
        CUDACHECK(cudaMallocHost((void **)&recv[i], COUNT * sizeof(float)));
        for (size_t at = 0; at < COUNT; at++)
            send[i][at] = contribution(i, at);
    }
    NCCLCHECK(ncclGroupStart());
    for (int i = 0; i < RANKS; i++) {
        NCCLCHECK(ncclSend(send[i], COUNT, ncclFloat, 1 - i, comms[i], streams[i]));
        NCCLCHECK(ncclRecv(recv[i], COUNT, ncclFloat, 1 - i, comms[i], streams[i]));
    }
    NCCLCHECK(ncclGroupEnd());
    for (int i = 0; i < RANKS; i++)
        CUDACHECK(cudaStreamSynchronize(streams[i]));
    for (size_t at = 0; at < COUNT; at++)
        EXPECT(recv[0][at] == contribution(1, at) && recv[1][at] == contribution(0, at));
    NCCLCHECK(ncclGroupStart());
    for (int i = 0; i < RANKS; i++)
        NCCLCHECK(ncclAllReduce(send[i], recv[i], COUNT, ncclFloat, ncclSum, comms[i], streams[i]));
    NCCLCHECK(ncclGroupEnd());
    for (int i = 0; i < RANKS; i++)
        CUDACHECK(cudaStreamSynchronize(streams[i]));
    for (size_t at = 0; at < COUNT; at++)
        EXPECT(recv[0][at] == sum_of_contributions(RANKS, at) && recv[1][at] == sum_of_contributions(RANKS, at));
    for (int i = 0; i < RANKS; i++) {
        NCCLCHECK(ncclCommDestroy(comms[i]));
        CUDACHECK(cudaSetDevice(device[i]));
        CUDACHECK(cudaFreeHost(send[i]));
        CUDACHECK(cudaFreeHost(recv[i]));
        CUDACHECK(cudaStreamDestroy(streams[i]));
    }
    printf("Success: pinned memory on two devices\n");
    return 0;
}
