/* Calls on memory of devices that another engine makes, and that cannot end. Rank r uses device r modulo their number.
 *
 *     stuck late      rank 1 makes no call: the other ranks' calls time out
 *     stuck mixed     rank 1 makes the call on host memory, which the builtin engine serves
 *     stuck lost      rank 1 is killed
 *     stuck aborted   rank 1 aborts the communicator
 *     stuck left      rank 1 makes no call, and both ranks leave in good order
 *
 * Only rank 0 has a deadline in the first case and the last, and only rank 1 in the second. The call of the others has a
 * stream, or none (second argument "blocking"), or a request that is waited for in several ways ("wait", "all", "any",
 * "some", "for"). With "leave" it has a stream, and the rank leaves as soon as the communicator has failed. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cuda.h"

enum { COUNT = 5000, BYTES = COUNT * 4, DEADLINE_MS = 1000 };

/* Tells rank 1 that the call is under way. In a blocking call it is told just before. */
static void tell(const char *how)
{
    int token = 0;
    if (strcmp(how, "lost") == 0 || strcmp(how, "aborted") == 0)
        CHECK_OK(anyccl_send(&token, 1, ANYCCL_INT32, 1, 0, ANYCCL_WORLD));
}

/* The rank that does not take part. */
static void other(const char *how)
{
    static int32_t host[COUNT];
    int token = 0;
    if (strcmp(how, "lost") == 0 || strcmp(how, "aborted") == 0)
        CHECK_OK(anyccl_recv(&token, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD, NULL));
    if (strcmp(how, "lost") == 0)
        raise(SIGKILL);
    if (strcmp(how, "aborted") == 0)
        CHECK_OK(anyccl_comm_abort(ANYCCL_WORLD));
    if (strcmp(how, "mixed") == 0)
        CHECK(anyccl_all_reduce(host, host, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD) != ANYCCL_SUCCESS);
    if (strcmp(how, "left") == 0) {
        CHECK(anyccl_finalize() != ANYCCL_SUCCESS);
        return;
    }
    CHECK(anyccl_broadcast(&token, &token, 1, ANYCCL_INT32, 0, ANYCCL_WORLD) != ANYCCL_SUCCESS);
    printf("rank 1: %s\n", anyccl_last_error());
}

/* Waits for the request in one of the ways. */
static anyccl_status_t waited(const char *how, anyccl_request_t *request)
{
    anyccl_request_t both[2] = {ANYCCL_REQUEST_NULL, *request};
    anyccl_status_t status = ANYCCL_SUCCESS, statuses[2];
    size_t index = 0, indices[2];
    int has_ended = 0;
    if (strcmp(how, "all") == 0)
        return anyccl_wait_all(2, both);
    if (strcmp(how, "any") == 0)
        return anyccl_wait_any(2, both, &index);
    if (strcmp(how, "some") == 0) {
        CHECK(anyccl_wait_some(2, both, &index, indices, statuses) != ANYCCL_SUCCESS && index == 1);
        return statuses[0];
    }
    if (strcmp(how, "for") == 0) {
        status = anyccl_wait_for(request, 30000, &has_ended, NULL);
        CHECK(*request == ANYCCL_REQUEST_NULL);
        return status;
    }
    return anyccl_wait(request);
}

/* Leaves as soon as the communicator has failed. The stream must end all the same. */
static anyccl_status_t left_at_once(void *stream)
{
    anyccl_status_t status;
    while ((status = anyccl_comm_failure(ANYCCL_WORLD)) == ANYCCL_SUCCESS)
        ;
    printf("rank 0: %s\n", anyccl_last_error());
    CHECK_OK(anyccl_finalize());
    CUDA("cuStreamSynchronize", stream);
    return status;
}

int main(int argc, char **argv)
{
    int rank = -1, devices = 0, status;
    void *context = NULL, *stream = NULL;
    uint64_t data = 0;
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    CHECK(argc == 3);
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    CHECK(driver != NULL);
    CUDA("cuInit", 0u);
    CUDA("cuDeviceGetCount", &devices);
    CUDA("cuDevicePrimaryCtxRetain", &context, atoi(getenv("ANYCCL_RANK")) % devices);
    CUDA("cuCtxSetCurrent", context);
    CHECK_OK(anyccl_init());
    CHECK_OK(anyccl_comm_rank(ANYCCL_WORLD, &rank));
    CUDA("cuStreamCreate", &stream, 1u);
    CUDA("cuMemAlloc_v2", &data, (size_t)BYTES);
    void *buffer = address(data);

    /* NCCL connects the ranks in their first call, which returns when all have made it. */
    CHECK_OK(anyccl_all_reduce(buffer, buffer, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    /* Not before: the ranks may come late to their first calls. */
    if (strcmp(argv[1], rank == 0 ? "late" : "mixed") == 0 || (rank == 0 && strcmp(argv[1], "left") == 0))
        CHECK_OK(anyccl_comm_set_timeout(ANYCCL_WORLD, DEADLINE_MS));
    if (rank == 1) {
        other(argv[1]);
        return 0;
    }
    if (strcmp(argv[2], "stream") == 0 || strcmp(argv[2], "leave") == 0) {
        CHECK_OK(anyccl_comm_set_stream(ANYCCL_WORLD, stream));
        CHECK_OK(anyccl_all_reduce(buffer, buffer, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
        tell(argv[1]);
        if (strcmp(argv[1], "left") == 0) {
            if (strcmp(argv[2], "leave") == 0)
                CUDA("cuStreamSynchronize", stream); /* The communicator fails first, and no call tells it. */
            status = anyccl_finalize();
        } else if (strcmp(argv[2], "leave") == 0) {
            status = left_at_once(stream);
        } else {
            CUDA("cuStreamSynchronize", stream);
            status = anyccl_comm_failure(ANYCCL_WORLD);
        }
    } else if (strcmp(argv[2], "blocking") == 0) {
        tell(argv[1]);
        status = anyccl_all_reduce(buffer, buffer, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD);
    } else {
        CHECK_OK(anyccl_iall_reduce(buffer, buffer, COUNT, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD, &request));
        tell(argv[1]);
        status = waited(argv[2], &request);
    }
    CHECK(status != ANYCCL_SUCCESS);
    printf("rank %d: %s: %s\n", rank, anyccl_status_string(status), anyccl_last_error());
    return 0;
}
