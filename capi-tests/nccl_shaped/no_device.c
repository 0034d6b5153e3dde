/* A stand-in for the CUDA driver on a machine without one. It starts, and has NO_DEVICE_COUNT devices, which all
 * have the same UUID. */
#include <stdlib.h>
#include <string.h>

static int device, context;

int cuInit(unsigned flags)
{
    return flags == 0 ? 0 : 1;
}

int cuDeviceGetCount(int *count)
{
    const char *text = getenv("NO_DEVICE_COUNT");
    *count = text == NULL ? 0 : atoi(text);
    return 0;
}

int cuDeviceGetUuid(void *uuid, int which)
{
    (void)which;
    memset(uuid, 7, 16);
    return 0;
}

int cuCtxGetDevice(int *which)
{
    *which = device;
    return 0;
}

int cuCtxGetCurrent(void **current)
{
    *current = NULL;
    return 0;
}

int cuCtxSetCurrent(void *current)
{
    return current == &context ? 0 : 201;
}

int cuDevicePrimaryCtxRetain(void **retained, int which)
{
    device = which;
    *retained = &context;
    return 0;
}

int cuStreamQuery(void *stream)
{
    (void)stream;
    return 0;
}

int cuGetErrorString(int result, const char **text)
{
    *text = result == 0 ? "no error" : "refused by the stand-in";
    return 0;
}

/* All memory is unknown to it, and so is memory of the host. */
int cuPointerGetAttribute(void *place, int attribute, unsigned long long address)
{
    (void)place;
    (void)attribute;
    (void)address;
    return 1;
}

/* The library looks for all functions that it may call. These refuse: it has no device on which to call them. */
#define REFUSE(name)                                                                                                   \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return 801;                                                                                                    \
    }

REFUSE(cuCtxPushCurrent_v2)
REFUSE(cuCtxPopCurrent_v2)
REFUSE(cuCtxGetStreamPriorityRange)
REFUSE(cuStreamCreateWithPriority)
REFUSE(cuStreamDestroy_v2)
REFUSE(cuStreamIsCapturing)
REFUSE(cuStreamGetCtx)
REFUSE(cuStreamWaitEvent)
REFUSE(cuStreamWaitValue32_v2)
REFUSE(cuStreamWriteValue32_v2)
REFUSE(cuThreadExchangeStreamCaptureMode)
REFUSE(cuEventCreate)
REFUSE(cuEventDestroy_v2)
REFUSE(cuEventRecord)
REFUSE(cuEventQuery)
REFUSE(cuMemAlloc_v2)
REFUSE(cuMemFree_v2)
REFUSE(cuMemHostRegister_v2)
REFUSE(cuMemHostUnregister)
REFUSE(cuMemHostGetDevicePointer_v2)
REFUSE(cuMemcpyDtoHAsync_v2)
REFUSE(cuMemcpyHtoDAsync_v2)
