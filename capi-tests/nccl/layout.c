/* Tests that the library uses the numbers and layouts of the header. Runs in one process. */
#include <stddef.h>
#include <string.h>

#include "check.h"

_Static_assert(ncclSuccess == 0 && ncclUnhandledCudaError == 1 && ncclSystemError == 2 && ncclInternalError == 3, "");
_Static_assert(ncclInvalidArgument == 4 && ncclInvalidUsage == 5 && ncclRemoteError == 6 && ncclInProgress == 7, "");
_Static_assert(ncclTimeout == 8 && ncclNumResults == 9, "");
_Static_assert(ncclInt8 == 0 && ncclUint8 == 1 && ncclInt32 == 2 && ncclUint32 == 3 && ncclInt64 == 4, "");
_Static_assert(ncclUint64 == 5 && ncclFloat16 == 6 && ncclFloat32 == 7 && ncclFloat64 == 8 && ncclBfloat16 == 9, "");
_Static_assert(ncclFloat8e4m3 == 10 && ncclFloat8e5m2 == 11 && ncclNumTypes == 12, "");
_Static_assert(ncclSum == 0 && ncclProd == 1 && ncclMax == 2 && ncclMin == 3 && ncclAvg == 4 && ncclNumOps == 5, "");
_Static_assert(ncclScalarDevice == 0 && ncclScalarHostImmediate == 1, "");
_Static_assert(NCCL_SPLIT_NOCOLOR == -1 && NCCL_SHRINK_DEFAULT == 0 && NCCL_SHRINK_ABORT == 1, "");
_Static_assert(NCCL_SUSPEND_MEM == 1 && ncclStatGpuMemSuspended == 1 && ncclStatGpuMemTotal == 3, "");
_Static_assert(NCCL_API_MAGIC == 0xcafebeef, "");

_Static_assert(sizeof(ncclUniqueId) == 128 && sizeof(ncclConfig_t) == 120 && sizeof(ncclCollConfig_t) == 72, "");
_Static_assert(sizeof(ncclSimInfo_t) == 24 && sizeof(ncclWaitSignalDesc_t) == 16, "");
_Static_assert(offsetof(ncclConfig_t, blocking) == 16 && offsetof(ncclConfig_t, netName) == 32, "");
_Static_assert(offsetof(ncclConfig_t, splitShare) == 40 && offsetof(ncclConfig_t, trafficClass) == 44, "");
_Static_assert(offsetof(ncclConfig_t, commName) == 48 && offsetof(ncclConfig_t, nvlsHostMode) == 112, "");
_Static_assert(offsetof(ncclCollConfig_t, algSelection) == 40 && offsetof(ncclCollConfig_t, userProfilerTag) == 56, "");
_Static_assert(offsetof(ncclSimInfo_t, estimatedTime) == 16, "");

/* Makes a communicator of one rank. Its config says that it has `size` bytes and is of that version. */
static void one_of(size_t size, unsigned version)
{
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    ncclUniqueId id;
    ncclComm_t comm = NULL;
    int rank = -1, count = -1;
    char *bytes = malloc(size);
    CHECK(bytes != NULL);
    memset(bytes, 0xff, size);
    config.size = size;
    config.version = version;
    config.blocking = 1;
    memcpy(bytes, &config, size < sizeof config ? size : sizeof config);
    CHECK_OK(ncclGetUniqueId(&id));
    CHECK_OK(ncclCommInitRankConfig(&comm, 1, id, 0, (ncclConfig_t *)bytes));
    free(bytes);
    CHECK_OK(ncclCommUserRank(comm, &rank));
    CHECK_OK(ncclCommCount(comm, &count));
    CHECK(rank == 0 && count == 1);
    CHECK_OK(ncclCommDestroy(comm));
}

int main(void)
{
    static const size_t sizes[] = {24, 40, 48, 72, 80, 88, 96, 112, 120, 256};
    static const unsigned versions[] = {21400, 21700, 21800, 22700, 22800, 22900, 23000, 23100, 23200, 29900};
    int version = 0, device = -1;
    ncclUniqueId id;
    ncclComm_t comm = (ncclComm_t)1;
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    void *memory = NULL, *handle = NULL;

    CHECK_OK(ncclGetVersion(&version));
    CHECK(version >= 22703);
    CHECK_RESULT(ncclInvalidArgument, ncclGetVersion(NULL));
    for (int result = 0; result < ncclNumResults; result++)
        CHECK(strlen(ncclGetErrorString((ncclResult_t)result)) > 0);
    CHECK(strcmp(ncclGetErrorString(ncclSuccess), "no error") == 0);
    CHECK(ncclGetLastError(NULL) != NULL && pncclGetLastError(NULL) != NULL);
    CHECK_OK(ncclGroupStart());
    CHECK_OK(ncclGroupEnd());

    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        one_of(sizes[i], versions[i]);

    /* Invalid ids, ranks, sizes and configs. All bytes of the id count, because it is passed by value. */
    CHECK_OK(ncclGetUniqueId(&id));
    id.internal[127] ^= 1;
    CHECK_RESULT(ncclInvalidArgument, ncclCommInitRank(&comm, 1, id, 0));
    CHECK(comm == NULL);
    id.internal[127] ^= 1;
    CHECK_RESULT(ncclInvalidArgument, ncclCommInitRank(&comm, 1, id, 1));
    CHECK_RESULT(ncclInvalidArgument, ncclCommInitRank(&comm, 0, id, 0));
    config.magic = 0;
    CHECK_RESULT(ncclInvalidArgument, ncclCommInitRankConfig(&comm, 1, id, 0, &config));

    CHECK_OK(ncclCommInitRankScalable(&comm, 1, 0, 1, &id, NULL));
    CHECK_OK(ncclCommCuDevice(comm, &device));
    CHECK(device == 0);
    CHECK_OK(ncclMemAlloc(&memory, 5000));
    memset(memory, 1, 5000);
    CHECK_OK(ncclCommRegister(comm, memory, 5000, &handle));
    CHECK_OK(ncclCommDeregister(comm, handle));
    CHECK_RESULT(ncclInvalidArgument, ncclCommDeregister(comm, handle));
    CHECK_OK(ncclMemFree(memory));
    CHECK_OK(ncclMemFree(NULL));
    CHECK_OK(ncclCommDestroy(comm));
    CHECK_RESULT(ncclInvalidArgument, ncclCommCuDevice(comm, &device));

    ncclParamHandle_t parameter;
    const char *text, **keys;
    int length, number;
    setenv("NCCL_BUFFSIZE", "4096", 1);
    CHECK_OK(ncclParamBind(&parameter, "NCCL_BUFFSIZE"));
    CHECK_OK(ncclParamGetI32(parameter, &number));
    CHECK(number == 4096);
    CHECK_RESULT(ncclInvalidArgument, ncclParamGetI8(parameter, (int8_t *)&number));
    CHECK_OK(ncclParamGetStr(parameter, &text));
    CHECK(strcmp(text, "4096") == 0);
    CHECK_OK(ncclParamGetParameter("NCCL_BUFFSIZE", &text, &length));
    CHECK(strcmp(text, "4096") == 0 && length == 4);
    CHECK_OK(ncclParamGetAllParameterKeys(&keys, &length));
    CHECK(length > 10 && strncmp(keys[length - 1], "NCCL_", 5) == 0);
    CHECK_RESULT(ncclInvalidArgument, ncclParamBind(&parameter, "NCCL_NO_SUCH_THING"));

    /* A function of the device side is refused by name. */
    CHECK_RESULT(ncclInvalidUsage, ncclSetEncryption(NULL));
    CHECK(strstr(ncclGetLastError(NULL), "ncclSetEncryption") != NULL);
    return 0;
}
