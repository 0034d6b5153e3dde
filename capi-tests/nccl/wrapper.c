/* A profiler, as NCCL's documentation describes it: wraps a function, and calls its pnccl twin. */
#include <stdatomic.h>
#include <stdio.h>

#include <nccl.h>

ncclResult_t ncclAllReduce(const void *sendbuff, void *recvbuff, size_t count, ncclDataType_t datatype, ncclRedOp_t op,
                           ncclComm_t comm, cudaStream_t stream)
{
    static atomic_int calls;
    static _Thread_local int depth;
    if (atomic_fetch_add(&calls, 1) == 0)
        puts("wrapped ncclAllReduce");
    /* The library must not call the wrapper. */
    if (depth > 0)
        return ncclInternalError;
    depth++;
    const ncclResult_t result = pncclAllReduce(sendbuff, recvbuff, count, datatype, op, comm, stream);
    depth--;
    return result;
}
