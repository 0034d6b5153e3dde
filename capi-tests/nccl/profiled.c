/* Calls that a profiler plugin sees: alone, in groups, and on a communicator that does not block. */
#include <string.h>

#include "check.h"
#include "ranks.h"

#define COUNT 300

static void body(struct harness *harness)
{
    const int size = harness->size, rank = harness->rank;
    float in[COUNT] = {0}, out[COUNT];
    ncclComm_t other;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclResult_t state = ncclInProgress;
    CHECK_OK(ncclAllReduce(in, out, COUNT, ncclFloat, ncclSum, harness->comm, NULL));
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclSend(in, 3, ncclFloat, (rank + 1) % size, harness->comm, NULL));
    CHECK_OK(ncclRecv(out, 3, ncclFloat, (rank + size - 1) % size, harness->comm, NULL));
    CHECK_OK(ncclAllReduce(in, out, 7, ncclFloat, ncclMax, harness->comm, NULL));
    CHECK_OK(ncclGroupEnd());
    /* A refused call has no event of a group. */
    CHECK(ncclBroadcast(in, out, COUNT, ncclFloat, size, harness->comm, NULL) == ncclInvalidArgument);
    CHECK_OK(ncclBroadcast(in, out, COUNT, ncclFloat, size - 1, harness->comm, NULL));
    config.blocking = 0;
    (void)ncclCommSplit(harness->comm, 0, rank, &other, &config);
    while (state == ncclInProgress)
        CHECK_OK(ncclCommGetAsyncError(harness->comm, &state));
    for (state = ncclInProgress; state == ncclInProgress;)
        CHECK_OK(ncclCommGetAsyncError(other, &state));
    (void)ncclAllReduce(in, out, COUNT, ncclFloat, ncclSum, other, NULL);
    for (state = ncclInProgress; state == ncclInProgress;)
        CHECK_OK(ncclCommGetAsyncError(other, &state));
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclAllReduce(in, out, 5, ncclFloat, ncclSum, other, NULL));
    CHECK_OK(ncclAllReduce(in, out + 5, 6, ncclFloat, ncclSum, harness->comm, NULL));
    (void)ncclGroupEnd();
    for (state = ncclInProgress; state == ncclInProgress;)
        CHECK_OK(ncclCommGetAsyncError(other, &state));
    CHECK_OK(ncclCommDestroy(other));
}

int main(int argc, char **argv)
{
    run_ranks(spread_from(argc, argv), body);
}
