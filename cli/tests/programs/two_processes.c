/* A CUDA program of two processes: one opens memory and an event of the other by their handles, and writes there. */
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(call)                                                                                                    \
    do {                                                                                                               \
        cudaError_t error = (call);                                                                                    \
        if (error != cudaSuccess) {                                                                                    \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error));                                             \
            exit(3);                                                                                                   \
        }                                                                                                              \
    } while (0)

struct handles {
    cudaIpcMemHandle_t memory;
    cudaIpcEventHandle_t event;
};

enum { BYTES = 1 << 20 };

/* Copies numbers behind the owner's event, and records the event again. */
static int write_there(int from)
{
    struct handles handles;
    if (read(from, &handles, sizeof handles) != sizeof handles)
        return 5;
    void *memory;
    unsigned char *number;
    cudaEvent_t event;
    cudaStream_t stream;
    CHECK(cudaMallocHost((void **)&number, 1));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaIpcOpenMemHandle(&memory, handles.memory, cudaIpcMemLazyEnablePeerAccess));
    CHECK(cudaIpcOpenEventHandle(&event, handles.event));
    CHECK(cudaStreamWaitEvent(stream, event, 0));
    CHECK(cudaMemcpyAsync(number, memory, 1, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaMemsetAsync(memory, *number + 1, BYTES, stream));
    CHECK(cudaStreamSynchronize(stream));
    CHECK(cudaEventDestroy(event));
    CHECK(cudaIpcCloseMemHandle(memory));
    CHECK(cudaFreeHost(number));
    return 0;
}

int main(void)
{
    int pipes[2], status = 0;
    if (pipe(pipes) != 0)
        return 5;
    /* Before the first call of CUDA, which does not work in a child that is forked later. */
    pid_t child = fork();
    if (child == 0)
        return write_there(pipes[0]);
    struct handles handles;
    void *memory;
    unsigned char *found = malloc(BYTES);
    cudaEvent_t event;
    cudaStream_t stream;
    CHECK(cudaMalloc(&memory, BYTES));
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming | cudaEventInterprocess));
    CHECK(cudaMemsetAsync(memory, 41, BYTES, stream));
    CHECK(cudaEventRecord(event, stream));
    CHECK(cudaIpcGetMemHandle(&handles.memory, memory));
    CHECK(cudaIpcGetEventHandle(&handles.event, event));
    if (write(pipes[1], &handles, sizeof handles) != sizeof handles)
        return 5;
    if (waitpid(child, &status, 0) != child || status != 0)
        return 6;
    CHECK(cudaMemcpy(found, memory, BYTES, cudaMemcpyDeviceToHost));
    for (int at = 0; at < BYTES; at++)
        if (found[at] != 42)
            return 7;
    CHECK(cudaFree(memory));
    free(found);
    printf("right\n");
    return 0;
}
