/* Calls on memory of devices that another engine makes, and that cannot end. Rank r uses device r.
 *
 *     stuck late      rank 1 makes no call: the other ranks' calls time out
 *     stuck mixed     rank 1 makes the call on host memory, which the builtin engine serves
 *     stuck lost      rank 1 is killed
 *     stuck aborted   rank 1 aborts the communicator
 *
 * Only rank 0 has a deadline in the first case, and only rank 1 in the second.
 * The call of the others has a stream, or none (second argument "blocking"), or a request ("request"). */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"

enum { COUNT = 5000, BYTES = COUNT * 4 };

/* The rank that does not take part. Returns whether it goes on. */
static void other(const char *how)
{
    static int32_t host[COUNT];
    if (strcmp(how, "lost") == 0)
        raise(SIGKILL);
    if (strcmp(how, "aborted") == 0)
        CHECK_OK(anyccl_comm_abort(ANYCCL_WORLD));
    if (strcmp(how, "mixed") == 0)
        CHECK(anyccl_all_reduce(host, host, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD) != ANYCCL_SUCCESS);
    int token = 0;
    CHECK(anyccl_broadcast(&token, &token, 1, ANYCCL_INT32, 0, ANYCCL_WORLD) != ANYCCL_SUCCESS);
    printf("rank 1: %s\n", anyccl_last_error());
}

int main(int argc, char **argv)
{
    int rank = -1, status;
    void *context = NULL, *stream = NULL;
    uint64_t data = 0;
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    CHECK(argc == 3);
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(driver != NULL);
    CUDA("cuInit", 0u);
    CUDA("cuDevicePrimaryCtxRetain", &context, atoi(getenv("ANYCCL_RANK")));
    CUDA("cuCtxSetCurrent", context);
    CHECK_OK(anyccl_init());
    CHECK_OK(anyccl_comm_rank(ANYCCL_WORLD, &rank));
    CUDA("cuStreamCreate", &stream, 1u);
    CUDA("cuMemAlloc_v2", &data, (size_t)BYTES);
    void *buffer = address(data);
    if (strcmp(argv[1], rank == 1 ? "late" : "mixed") == 0)
        CHECK_OK(anyccl_comm_set_timeout(ANYCCL_WORLD, ANYCCL_TIMEOUT_NEVER));
    if (rank == 1) {
        other(argv[1]);
        return 0;
    }
    if (strcmp(argv[2], "stream") == 0) {
        CHECK_OK(anyccl_comm_set_stream(ANYCCL_WORLD, stream));
        status = anyccl_all_reduce(buffer, buffer, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD);
        CHECK_OK(status);
        CUDA("cuStreamSynchronize", stream);
        status = anyccl_comm_failure(ANYCCL_WORLD);
    } else if (strcmp(argv[2], "request") == 0) {
        status = anyccl_iall_reduce(buffer, buffer, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD, &request);
        CHECK_OK(status);
        status = anyccl_wait(&request);
    } else {
        status = anyccl_all_reduce(buffer, buffer, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD);
    }
    CHECK(status != ANYCCL_SUCCESS);
    printf("rank %d: %s: %s\n", rank, anyccl_status_string(status), anyccl_last_error());
    return 0;
}
