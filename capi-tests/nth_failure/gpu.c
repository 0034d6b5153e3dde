/* A job of the C API on memory of the driver double. After its own calls of the driver, the double is told which call
 * of the library fails. Prints "done" if all is right, else the error.
 *
 * Without NTH_CALL, "DRIVER BEGINS" in standard error is where the library's calls of the driver begin in the double's
 * trace. */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "try.h"

enum { COUNT = 30000, BYTES = 4 * COUNT };

static void *driver;

/* Calls a function of the driver, which is not to fail here. */
#define CUDA(name, ...)                                                                                                \
    do {                                                                                                               \
        int (*entry)();                                                                                                \
        *(void **)&entry = dlsym(driver, name);                                                                        \
        if (entry == NULL || entry(__VA_ARGS__) != 0) {                                                                \
            fprintf(stderr, "anyccl's test: %s fails\n", name);                                                        \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

static void choose_failure(const char *rank)
{
    char list[64] = "";
    const char *victim = getenv("NTH_RANK"), *function = getenv("NTH_DRIVER"), *call = getenv("NTH_CALL");
    if (victim != NULL && function != NULL && call != NULL && strcmp(victim, rank) == 0)
        snprintf(list, sizeof list, "%s:%s", function, call);
    CUDA("cudaDoubleSetFaults", list, 0, "");
    if (victim != NULL && strcmp(victim, rank) == 0)
        fprintf(stderr, "DRIVER BEGINS\n");
}

static void check(uint64_t data, int size, void *stream)
{
    static int got[COUNT];
    CUDA("cuMemcpyDtoHAsync_v2", (void *)got, data, (size_t)BYTES, stream);
    CUDA("cuStreamSynchronize", stream);
    for (int i = 0; i < COUNT; i++)
        if (got[i] != size * i + size * (size - 1) / 2) {
            fprintf(stderr, "WRONG VALUE\n");
            abort();
        }
}

int main(void)
{
    static int mine[COUNT];
    int rank, size, device;
    void *context, *stream;
    uint64_t data[3];
    const anyccl_comm_t world = ANYCCL_WORLD;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == NULL)
        return 2;
    rank = atoi(getenv("ANYCCL_RANK"));
    CUDA("cuInit", 0);
    CUDA("cuDeviceGet", &device, 0);
    CUDA("cuDevicePrimaryCtxRetain", &context, device);
    CUDA("cuCtxSetCurrent", context);
    CUDA("cuStreamCreate", &stream, 1);
    for (int i = 0; i < COUNT; i++)
        mine[i] = rank + i;
    for (int i = 0; i < 3; i++) {
        CUDA("cuMemAlloc_v2", &data[i], (size_t)BYTES);
        CUDA("cuMemcpyHtoD_v2", data[i], (void *)mine, (size_t)BYTES);
    }
    choose_failure(getenv("ANYCCL_RANK"));
    TRY(anyccl_init());
    TRY(anyccl_comm_size(world, &size));
    TRY(anyccl_all_reduce((void *)data[0], (void *)data[0], COUNT, ANYCCL_INT32, ANYCCL_SUM, world));
    TRY(anyccl_comm_set_stream(world, stream));
    TRY(anyccl_all_reduce((void *)data[1], (void *)data[1], COUNT, ANYCCL_INT32, ANYCCL_SUM, world));
    TRY(anyccl_comm_unset_stream(world));
    anyccl_request_t request;
    TRY(anyccl_iall_reduce((void *)data[2], (void *)data[2], COUNT, ANYCCL_INT32, ANYCCL_SUM, world, &request));
    TRY(anyccl_wait(&request));
    void *exportable;
    TRY(anyccl_mem_alloc_kind(BYTES, ANYCCL_MEM_DEVICE_EXPORTABLE, &exportable));
    TRY(anyccl_mem_free(exportable));
    TRY(anyccl_finalize());
    if (getenv("CUDA_DOUBLE_TRACE") != NULL)
        fprintf(stderr, "DRIVER ENDS\n");
    CUDA("cudaDoubleSetFaults", "", 0, "");
    for (int i = 0; i < 3; i++)
        check(data[i], size, stream);
    puts("done");
    return 0;
}
