/* Tests of buffers in memory of a GPU, which is the driver double of cuda-double: one process per rank, on a
 * stream of the program and without one. The program finds the driver by its usual name. */
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

enum { COUNT = 100000, BYTES = COUNT * 4, PATTERN = 0x01010101 };

static void check_device(uint64_t at, int32_t expected, void *stream)
{
    int32_t *got = malloc(BYTES);
    CHECK(got != NULL);
    CUDA("cuMemcpyDtoHAsync_v2", (void *)got, at, (size_t)BYTES, stream);
    CUDA("cuStreamSynchronize", stream);
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == expected);
    free(got);
}

/* The call sees what the stream has done before it, and the stream then sees the result. Nobody waits between. */
static void on_a_stream(uint64_t data, void *stream, int rank, int size)
{
    CHECK_OK(anyccl_comm_set_stream(ANYCCL_WORLD, stream));
    for (int round = 0; round < 3; round++) {
        CUDA("cuMemsetD8Async", data, (unsigned char)(round + 1), (size_t)BYTES, stream);
        CHECK_OK(anyccl_all_reduce(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    }
    check_device(data, 3 * PATTERN * size, stream);
    CUDA("cuMemsetD8Async", data, (unsigned char)(rank + 1), (size_t)BYTES, stream);
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    CHECK_OK(anyccl_ibroadcast(address(data), address(data), COUNT, ANYCCL_INT32, size - 1, ANYCCL_WORLD, &request));
    CHECK_OK(anyccl_wait(&request));
    check_device(data, size * PATTERN, stream);
    CHECK_OK(anyccl_comm_unset_stream(ANYCCL_WORLD));
}

/* Without a stream a call ends when it returns. A rank without a device takes part as well. */
static void without_a_stream(uint64_t data, void *stream, int rank, int size)
{
    CUDA("cuMemsetD8Async", data, (unsigned char)1, (size_t)BYTES, stream);
    CUDA("cuStreamSynchronize", stream);
    if (rank == 0) {
        int32_t *host = malloc(BYTES);
        CHECK(host != NULL);
        for (int i = 0; i < COUNT; i++)
            host[i] = 5;
        CHECK_OK(anyccl_all_reduce(host, host, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        for (int i = 0; i < COUNT; i++)
            CHECK(host[i] == 5 + (size - 1) * PATTERN);
        free(host);
    } else {
        CHECK_OK(anyccl_all_reduce(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        check_device(data, 5 + (size - 1) * PATTERN, stream);
    }
}

/* Prepared operations are part of the stream at each start. */
static void prepared(uint64_t data, void *stream, int size)
{
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    CHECK_OK(anyccl_comm_set_stream(ANYCCL_WORLD, stream));
    CHECK_OK(
        anyccl_all_reduce_init(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD, &request));
    for (int round = 1; round <= 3; round++) {
        CUDA("cuMemsetD8Async", data, (unsigned char)round, (size_t)BYTES, stream);
        CHECK_OK(anyccl_start(request));
        check_device(data, round * PATTERN * size, stream);
        CHECK_OK(anyccl_wait(&request));
    }
    CHECK_OK(anyccl_request_free(&request));
    CHECK_OK(anyccl_comm_unset_stream(ANYCCL_WORLD));
}

/* A call on a stream that records a graph runs at each launch. */
static void while_recording(uint64_t data, void *stream, int size)
{
    const int thread_local_mode = 1;
    void *graph = NULL;
    void *launchable = NULL;
    CHECK_OK(anyccl_comm_set_stream(ANYCCL_WORLD, stream));
    CUDA("cuStreamBeginCapture_v2", stream, thread_local_mode);
    CUDA("cuMemsetD8Async", data, (unsigned char)1, (size_t)BYTES, stream);
    CHECK_OK(anyccl_all_reduce(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    CUDA("cuStreamEndCapture", stream, &graph);
    CUDA("cuGraphInstantiateWithFlags", &launchable, graph, 0ULL);
    for (int round = 0; round < 2; round++) {
        CUDA("cuGraphLaunch", launchable, stream);
        check_device(data, PATTERN * size, stream);
    }
    CUDA("cuGraphExecDestroy", launchable);
    CUDA("cuGraphDestroy", graph);
    CUDA("cuMemsetD8Async", data, (unsigned char)1, (size_t)BYTES, stream);
    CHECK_OK(anyccl_all_reduce(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    check_device(data, PATTERN * size, stream);
    CHECK_OK(anyccl_comm_unset_stream(ANYCCL_WORLD));
}

/* Memory of each kind. Only that of the host can be read here. */
static void kinds_of_memory(void *stream, int size)
{
    enum { MEMORY_TYPE = 2, ON_DEVICE = 2 };
    const anyccl_mem_kind_t kinds[] = {ANYCCL_MEM_SHARED, ANYCCL_MEM_DEVICE, ANYCCL_MEM_DEVICE_EXPORTABLE};
    void *unset = stream;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_alloc_kind(8, 3, &unset));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_alloc_kind(8, ANYCCL_MEM_DEVICE, NULL));
    CHECK_STATUS(ANYCCL_ERR_SYSTEM, anyccl_mem_alloc_kind((size_t)1 << 60, ANYCCL_MEM_DEVICE, &unset));
    CHECK(unset == stream);
    for (int i = 0; i < 3; i++) {
        void *memory = NULL;
        CHECK_OK(anyccl_mem_alloc_kind(0, kinds[i], &memory));
        CHECK(memory == NULL);
        CHECK_OK(anyccl_mem_alloc_kind(BYTES, kinds[i], &memory));
        const uint64_t data = (uint64_t)(uintptr_t)memory;
        if (kinds[i] == ANYCCL_MEM_SHARED) {
            memset(memory, 2, BYTES);
        } else {
            unsigned type = 0;
            CUDA("cuPointerGetAttribute", &type, MEMORY_TYPE, data);
            CHECK(type == ON_DEVICE);
            CUDA("cuMemsetD8Async", data, (unsigned char)2, (size_t)BYTES, stream);
            CUDA("cuStreamSynchronize", stream);
        }
        CHECK_OK(anyccl_all_reduce(memory, memory, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        if (kinds[i] == ANYCCL_MEM_SHARED)
            CHECK(((int *)memory)[COUNT - 1] == 2 * PATTERN * size);
        else
            check_device(data, 2 * PATTERN * size, stream);
        CHECK_OK(anyccl_mem_free(memory));
        CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_free(memory));
    }
}

/* Messages around a ring. The message is shorter than the buffer, whose end stays as it is. */
static void around_the_ring(uint64_t data, void *stream, int rank, int size)
{
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    const uint64_t half = data + BYTES / 2;
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    CUDA("cuMemsetD8Async", data, (unsigned char)(rank + 1), (size_t)BYTES, stream);
    CUDA("cuStreamSynchronize", stream);
    CHECK_OK(anyccl_irecv(address(half), COUNT / 2, ANYCCL_INT32, last, 7, ANYCCL_WORLD, &request));
    CHECK_OK(anyccl_send(address(data), COUNT / 4, ANYCCL_INT32, next, 7, ANYCCL_WORLD));
    CHECK_OK(anyccl_wait(&request));
    int32_t got[2];
    CUDA("cuMemcpyDtoHAsync_v2", (void *)&got[0], half, (size_t)4, stream);
    CUDA("cuMemcpyDtoHAsync_v2", (void *)&got[1], data + BYTES - 4, (size_t)4, stream);
    CUDA("cuStreamSynchronize", stream);
    CHECK(got[0] == (last + 1) * PATTERN && got[1] == (rank + 1) * PATTERN);
}

int main(void)
{
    int rank = -1, size = -1;
    void *context = NULL, *stream = NULL;
    uint64_t data = 0;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(driver != NULL);
    CUDA("cuInit", 0u);
    CUDA("cuDevicePrimaryCtxRetain", &context, 0);
    CUDA("cuCtxSetCurrent", context);
    CUDA("cuStreamCreate", &stream, 1u);
    CUDA("cuMemAlloc_v2", &data, (size_t)BYTES);
    CHECK_OK(anyccl_init());
    CHECK_OK(anyccl_comm_rank(ANYCCL_WORLD, &rank));
    CHECK_OK(anyccl_comm_size(ANYCCL_WORLD, &size));
    on_a_stream(data, stream, rank, size);
    without_a_stream(data, stream, rank, size);
    around_the_ring(data, stream, rank, size);
    prepared(data, stream, size);
    while_recording(data, stream, size);
    kinds_of_memory(stream, size);
    CHECK_OK(anyccl_finalize());
    CUDA("cuMemFree_v2", data);
    return 0;
}
