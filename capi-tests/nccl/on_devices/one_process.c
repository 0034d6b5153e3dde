/* One process with one thread, and several devices: the first of the classic NCCL programs.
 *
 * ncclCommInitAll makes the communicators, and groups hold the calls of all of them.
 *
 *     one_process [RANKS] */
#include "checks.h"

enum { COUNT = 1 << 16, MOST = 64 };

int main(int argc, char **argv)
{
    const int ranks = argc > 1 ? atoi(argv[1]) : 4;
    int devices = 0, device[MOST];
    ncclComm_t comms[MOST];
    float *send[MOST], *recv[MOST];
    cudaStream_t streams[MOST];

    EXPECT(ranks >= 1 && ranks <= MOST);
    CUDACHECK(cudaGetDeviceCount(&devices));
    for (int i = 0; i < ranks; i++) {
        device[i] = i % devices;
        CUDACHECK(cudaSetDevice(device[i]));
        CUDACHECK(cudaMalloc((void **)&send[i], COUNT * sizeof(float)));
        CUDACHECK(cudaMalloc((void **)&recv[i], COUNT * sizeof(float)));
        CUDACHECK(cudaStreamCreate(&streams[i]));
        fill(send[i], i, COUNT, streams[i]);
        CUDACHECK(cudaMemsetAsync(recv[i], 0, COUNT * sizeof(float), streams[i]));
    }

    NCCLCHECK(ncclCommInitAll(comms, ranks, device));

    NCCLCHECK(ncclGroupStart());
    for (int i = 0; i < ranks; i++)
        NCCLCHECK(ncclAllReduce(send[i], recv[i], COUNT, ncclFloat, ncclSum, comms[i], streams[i]));
    NCCLCHECK(ncclGroupEnd());

    for (int i = 0; i < ranks; i++) {
        CUDACHECK(cudaSetDevice(device[i]));
        CUDACHECK(cudaStreamSynchronize(streams[i]));
        expect_sum(recv[i], ranks, COUNT, streams[i]);
    }
    for (int i = 0; i < ranks; i++) {
        int own = -1;
        NCCLCHECK(ncclCommCuDevice(comms[i], &own));
        EXPECT(own == device[i]);
        CUDACHECK(cudaSetDevice(device[i]));
        CUDACHECK(cudaFree(send[i]));
        CUDACHECK(cudaFree(recv[i]));
        CUDACHECK(cudaStreamDestroy(streams[i]));
    }
    for (int i = 0; i < ranks; i++)
        NCCLCHECK(ncclCommDestroy(comms[i]));
    printf("Success: %d ranks on %d devices\n", ranks, devices);
    return 0;
}
