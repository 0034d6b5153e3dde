/* Calls on memory of devices, of which each rank has one of its own if there are enough: rank r uses device r modulo
 * their number. The driver is the double. Some of the calls have another engine, if one is chosen.
 *
 *     own_gpus            with a device, current before the communicator is made
 *     own_gpus later      the device becomes current afterwards
 *     own_gpus devices    the communicator is made for memory of devices
 *     own_gpus host       without any device: then neither the driver nor NCCL may be in the process */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cuda.h"

enum { COUNT = 5000, BYTES = COUNT * 4 };

static void check_ints(uint64_t at, int expected, void *stream)
{
    static int32_t got[COUNT];
    CUDA("cuMemcpyDtoHAsync_v2", (void *)got, at, (size_t)BYTES, stream);
    CUDA("cuStreamSynchronize", stream);
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == expected);
}

static void set(uint64_t at, int value, void *stream)
{
    CUDA("cuMemsetD32Async", at, (unsigned)value, (size_t)COUNT, stream);
}

/* All-reduces, in the order of a stream and without one, blocking and with a request. The engine has them. */
static void sums(anyccl_comm_t comm, uint64_t data, void *stream, int rank, int size)
{
    const int sum = size * (size + 1) / 2;
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    CHECK_OK(anyccl_comm_set_stream(comm, stream));
    for (int round = 1; round <= 3; round++) {
        set(data, round * (rank + 1), stream);
        CHECK_OK(anyccl_all_reduce(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, comm));
        check_ints(data, round * sum, stream);
    }
    set(data, rank + 1, stream);
    CHECK_OK(anyccl_iall_reduce(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, comm, &request));
    CHECK_OK(anyccl_wait(&request));
    check_ints(data, sum, stream);
    CHECK_OK(anyccl_comm_unset_stream(comm));
    set(data, rank + 1, stream);
    CUDA("cuStreamSynchronize", stream);
    CHECK_OK(anyccl_all_reduce(address(data), address(data), COUNT, ANYCCL_INT32, ANYCCL_SUM, comm));
    check_ints(data, sum, stream);
}

/* Messages and unequal blocks, which stay with the builtin engine. */
static void others(anyccl_comm_t comm, uint64_t data, void *stream, int rank, int size)
{
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    const int next = (rank + 1) % size, last = (rank + size - 1) % size;
    set(data, rank + 1, stream);
    CUDA("cuStreamSynchronize", stream);
    CHECK_OK(anyccl_isend(address(data), COUNT, ANYCCL_INT32, next, 0, comm, &request));
    CHECK_OK(anyccl_recv(address(data + BYTES), COUNT, ANYCCL_INT32, last, 0, comm, NULL));
    CHECK_OK(anyccl_wait(&request));
    check_ints(data + BYTES, last + 1, stream);
    size_t counts[8], places[8];
    for (int peer = 0; peer < size; peer++) {
        counts[peer] = peer == 0 ? COUNT : 0;
        places[peer] = 0;
    }
    CHECK_OK(anyccl_all_gather_v(address(data), address(data + BYTES), counts, places, ANYCCL_INT32, comm));
    check_ints(data + BYTES, 1, stream);
}

static int is_mapped(const char *name)
{
    char line[4096];
    int found = 0;
    FILE *maps = fopen("/proc/self/maps", "r");
    CHECK(maps != NULL);
    while (fgets(line, sizeof line, maps) != NULL)
        found |= strstr(line, name) != NULL;
    fclose(maps);
    return found;
}

static void host_only(void)
{
    int one = 1, all = 0, size = 0;
    CHECK_OK(anyccl_init());
    CHECK_OK(anyccl_comm_size(ANYCCL_WORLD, &size));
    CHECK_OK(anyccl_all_reduce(&one, &all, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    CHECK(all == size);
    CHECK(!is_mapped("libcuda") && !is_mapped("libnccl"));
    CHECK_OK(anyccl_finalize());
    puts("host only");
}

int main(int argc, char **argv)
{
    int rank = -1, size = -1, devices = 0;
    void *context = NULL, *stream = NULL;
    uint64_t data = 0;
    anyccl_comm_t copy;
    const char *how = argc > 1 ? argv[1] : "";
    if (strcmp(how, "host") == 0) {
        host_only();
        return 0;
    }
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(driver != NULL);
    CUDA("cuInit", 0u);
    CUDA("cuDeviceGetCount", &devices);
    CUDA("cuDevicePrimaryCtxRetain", &context, atoi(getenv("ANYCCL_RANK")) % devices);
    if (strcmp(how, "later") != 0)
        CUDA("cuCtxSetCurrent", context);
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    config.for_devices = strcmp(how, "devices") == 0;
    CHECK_OK(anyccl_init_with(&config));
    CUDA("cuCtxSetCurrent", context);
    CUDA("cuStreamCreate", &stream, 1u);
    CUDA("cuMemAlloc_v2", &data, (size_t)(2 * BYTES));
    CHECK_OK(anyccl_comm_rank(ANYCCL_WORLD, &rank));
    CHECK_OK(anyccl_comm_size(ANYCCL_WORLD, &size));
    sums(ANYCCL_WORLD, data, stream, rank, size);
    others(ANYCCL_WORLD, data, stream, rank, size);
    CHECK_OK(anyccl_comm_dup(ANYCCL_WORLD, NULL, &copy));
    sums(copy, data, stream, rank, size);
    CHECK_OK(anyccl_comm_destroy(copy));
    CHECK_OK(anyccl_finalize());
    CUDA("cuMemFree_v2", data);
    puts("right");
    return 0;
}
