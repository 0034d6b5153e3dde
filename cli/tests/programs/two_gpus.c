/* A CUDA program of several ranks, without kernels: each rank uses device rank % devices. It copies numbers through
 * device memory on two streams that an event orders, and prints what it has found. */
#include <cuda_runtime.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

#define EXPECT(condition)                                                                                              \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: %s does not hold\n", __LINE__, #condition);                                      \
            exit(4);                                                                                                   \
        }                                                                                                              \
    } while (0)

enum { COUNT = 1 << 16, BYTES = COUNT * sizeof(int) };

static void count_up(void *counter)
{
    *(int *)counter += 1;
}

/* Errors have codes, texts, and are remembered until they are taken. */
static void test_errors(int devices)
{
    EXPECT(cudaSetDevice(devices) == cudaErrorInvalidDevice);
    EXPECT(cudaPeekAtLastError() == cudaErrorInvalidDevice);
    EXPECT(cudaGetLastError() == cudaErrorInvalidDevice && cudaGetLastError() == cudaSuccess);
    EXPECT(strcmp(cudaGetErrorName(cudaErrorInvalidDevice), "cudaErrorInvalidDevice") == 0);
    void *managed = NULL;
    EXPECT(cudaMallocManaged(&managed, 16, 7) == cudaErrorInvalidValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    int number = 0;
    EXPECT(cudaMemcpy(&number, &number, 4, (enum cudaMemcpyKind)9) == cudaErrorInvalidMemcpyDirection);
    EXPECT(cudaGetLastError() == cudaErrorInvalidMemcpyDirection);
}

static void test_pointers(void *device_memory, void *pinned, int device)
{
    struct cudaPointerAttributes found;
    CHECK(cudaPointerGetAttributes(&found, device_memory));
    EXPECT(found.type == cudaMemoryTypeDevice && found.device == device && found.devicePointer == device_memory);
    CHECK(cudaPointerGetAttributes(&found, pinned));
    EXPECT(found.type == cudaMemoryTypeHost && found.hostPointer == pinned);
    void *managed = NULL;
    CHECK(cudaMallocManaged(&managed, 16, cudaMemAttachGlobal));
    CHECK(cudaPointerGetAttributes(&found, managed));
    EXPECT(found.type == cudaMemoryTypeManaged && found.hostPointer == managed && found.devicePointer == managed);
    CHECK(cudaFree(managed));
    CHECK(cudaPointerGetAttributes(&found, &found));
    EXPECT(found.type == cudaMemoryTypeUnregistered && found.devicePointer == NULL);
    EXPECT(cudaGetLastError() == cudaSuccess);
}

/* Rows of 12 bytes out of rows of 16. */
static void test_rows(void)
{
    unsigned char rows[64], packed[48];
    void *memory;
    for (int at = 0; at < 64; at++)
        rows[at] = (unsigned char)at;
    CHECK(cudaMalloc(&memory, 64));
    CHECK(cudaMemcpy(memory, rows, 64, cudaMemcpyHostToDevice));
    CHECK(cudaMemcpy2D(packed, 12, memory, 16, 12, 4, cudaMemcpyDeviceToHost));
    for (int at = 0; at < 48; at++)
        EXPECT(packed[at] == at / 12 * 16 + at % 12);
    EXPECT(cudaMemcpy2D(packed, 8, memory, 16, 12, 4, cudaMemcpyDefault) == cudaErrorInvalidPitchValue);
    EXPECT(cudaGetLastError() == cudaErrorInvalidPitchValue);
    CHECK(cudaFree(memory));
}

static void test_peers(int device, int devices)
{
    int other = (device + 1) % devices, can = -1, number = 7, answer = 0;
    void *here, *there;
    if (other == device)
        return;
    CHECK(cudaDeviceCanAccessPeer(&can, device, other));
    EXPECT(can == 1);
    CHECK(cudaDeviceEnablePeerAccess(other, 0));
    EXPECT(cudaDeviceEnablePeerAccess(other, 0) == cudaErrorPeerAccessAlreadyEnabled);
    EXPECT(cudaGetLastError() == cudaErrorPeerAccessAlreadyEnabled);
    CHECK(cudaMalloc(&here, sizeof number));
    CHECK(cudaSetDevice(other));
    CHECK(cudaMalloc(&there, sizeof number));
    CHECK(cudaSetDevice(device));
    CHECK(cudaMemcpy(here, &number, sizeof number, cudaMemcpyDefault));
    CHECK(cudaMemcpyPeer(there, other, here, device, sizeof number));
    CHECK(cudaSetDevice(other));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaSetDevice(device));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&answer, there, sizeof answer, cudaMemcpyDefault));
    EXPECT(answer == 7);
    CHECK(cudaFree(here));
    CHECK(cudaFree(there));
}

/* A thread starts with device 0, without errors, and gets a context by its first call. */
static void *in_a_thread(void *address)
{
    int device = -1, answer = 0;
    void *memory;
    EXPECT(cudaPeekAtLastError() == cudaSuccess);
    CHECK(cudaGetDevice(&device));
    EXPECT(device == 0);
    CHECK(cudaMemcpy(&answer, address, sizeof answer, cudaMemcpyDeviceToHost));
    EXPECT(answer == 5);
    CHECK(cudaMalloc(&memory, 16));
    struct cudaPointerAttributes found;
    CHECK(cudaPointerGetAttributes(&found, memory));
    EXPECT(found.device == 0);
    CHECK(cudaFree(memory));
    EXPECT(cudaSetDevice(-1) == cudaErrorInvalidDevice);
    return NULL;
}

static void test_threads(int device)
{
    int number = 5, now = -1;
    void *memory;
    pthread_t thread;
    CHECK(cudaMalloc(&memory, sizeof number));
    CHECK(cudaMemcpy(memory, &number, sizeof number, cudaMemcpyHostToDevice));
    CHECK(cudaDeviceSynchronize());
    EXPECT(cudaFree((void *)1) == cudaErrorInvalidValue);
    EXPECT(pthread_create(&thread, NULL, in_a_thread, memory) == 0 && pthread_join(thread, NULL) == 0);
    EXPECT(cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaGetDevice(&now));
    EXPECT(now == device);
    CHECK(cudaFree(memory));
}

/* CUDA does not work in a forked child. */
static void test_fork(void)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        void *memory;
        _exit(cudaMalloc(&memory, 16) == cudaErrorInitializationError ? 0 : 1);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0);
}

static void *reset(void *device)
{
    CHECK(cudaSetDevice(*(int *)device));
    CHECK(cudaDeviceReset());
    return NULL;
}

/* After a reset by another thread, the next call makes a new context. Memory from before is gone. */
static void test_reset(int device)
{
    void *memory;
    pthread_t thread;
    CHECK(cudaMalloc(&memory, 16));
    EXPECT(pthread_create(&thread, NULL, reset, &device) == 0 && pthread_join(thread, NULL) == 0);
    EXPECT(cudaFree(memory) == cudaErrorInvalidValue && cudaGetLastError() == cudaErrorInvalidValue);
    CHECK(cudaMalloc(&memory, 16));
    CHECK(cudaFree(memory));
    CHECK(cudaDeviceReset());
    CHECK(cudaDeviceSynchronize());
}

/* A graph that was captured runs each time it is launched. A wait for a stream that captures spoils the capture. */
static void test_graphs(cudaStream_t stream)
{
    int counter = 0;
    void *memory;
    size_t nodes = 0;
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    enum cudaStreamCaptureStatus status;
    CHECK(cudaMalloc(&memory, 4));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    CHECK(cudaMemsetAsync(memory, 1, 4, stream));
    CHECK(cudaLaunchHostFunc(stream, count_up, &counter));
    CHECK(cudaStreamIsCapturing(stream, &status));
    EXPECT(status == cudaStreamCaptureStatusActive);
    CHECK(cudaStreamEndCapture(stream, &graph));
    CHECK(cudaGraphGetNodes(graph, NULL, &nodes));
    EXPECT(nodes == 2 && counter == 0);
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaGraphLaunch(executable, stream));
    CHECK(cudaStreamSynchronize(stream));
    EXPECT(counter == 2);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
    EXPECT(cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
    EXPECT(cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated && graph == NULL);
    EXPECT(cudaGetLastError() == cudaErrorStreamCaptureInvalidated);
    CHECK(cudaFree(memory));
}

int main(void)
{
    int rank = atoi(getenv("ANYCCL_RANK")), devices = 0, device = -1, major = 0, version = 0;
    char bus[16];
    struct cudaDeviceProp properties;
    CHECK(cudaGetDeviceCount(&devices));
    test_errors(devices);
    CHECK(cudaGetDevice(&device));
    EXPECT(device == 0);
    CHECK(cudaSetDevice(rank % devices));
    CHECK(cudaGetDevice(&device));
    EXPECT(device == rank % devices);
    CHECK(cudaGetDeviceProperties(&properties, device));
    CHECK(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, device));
    CHECK(cudaDriverGetVersion(&version));
    EXPECT(properties.name[0] && properties.major == major && properties.multiProcessorCount > 0);
    EXPECT(properties.pciBusID == (int)strtol(bus + 5, NULL, 16) && properties.warpSize == 32 && version >= 12000);

    size_t available, total;
    CHECK(cudaMemGetInfo(&available, &total));
    EXPECT(total == properties.totalGlobalMem && available <= total);

    int *pinned, calls = 0;
    void *first, *second;
    cudaStream_t up, down;
    cudaEvent_t arrived;
    CHECK(cudaMallocHost((void **)&pinned, BYTES));
    CHECK(cudaMalloc(&first, BYTES));
    CHECK(cudaMalloc(&second, BYTES));
    CHECK(cudaStreamCreateWithFlags(&up, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithPriority(&down, cudaStreamNonBlocking, -1));
    CHECK(cudaEventCreateWithFlags(&arrived, cudaEventDisableTiming));
    test_pointers(first, pinned, device);
    for (int at = 0; at < COUNT; at++)
        pinned[at] = rank * COUNT + at;
    CHECK(cudaMemcpyAsync(first, pinned, BYTES, cudaMemcpyHostToDevice, up));
    CHECK(cudaMemcpyAsync(second, first, BYTES, cudaMemcpyDeviceToDevice, up));
    CHECK(cudaMemsetAsync(second, 0, 4 * sizeof(int), up));
    CHECK(cudaEventRecord(arrived, up));
    CHECK(cudaStreamWaitEvent(down, arrived, 0));
    CHECK(cudaMemcpyAsync(pinned, second, BYTES, cudaMemcpyDefault, down));
    CHECK(cudaLaunchHostFunc(down, count_up, &calls));
    CHECK(cudaStreamSynchronize(down));
    EXPECT(calls == 1 && cudaEventQuery(arrived) == cudaSuccess);
    for (int at = 0; at < COUNT; at++)
        EXPECT(pinned[at] == (at < 4 ? 0 : rank * COUNT + at));
    test_rows();
    test_peers(device, devices);
    test_threads(device);
    test_graphs(up);
    test_fork();

    CHECK(cudaEventDestroy(arrived));
    CHECK(cudaStreamDestroy(up));
    CHECK(cudaStreamDestroy(down));
    CHECK(cudaFree(first));
    CHECK(cudaFree(second));
    CHECK(cudaFreeHost(pinned));
    CHECK(cudaFree(NULL));
    test_reset(device);
    printf("devices %d, mine %d at %s\n", devices, device, bus);
    return 0;
}
