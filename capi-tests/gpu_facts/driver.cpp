#include "driver.hpp"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>

static Driver driver;

template <class Entry>
static void find(void *library, const char *name, Entry &entry)
{
    entry = reinterpret_cast<Entry>(dlsym(library, name));
    if (entry == nullptr) {
        std::fprintf(stderr, "the CUDA driver has no %s\n", name);
        std::exit(1);
    }
}

const Driver &open_driver()
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    if (library == nullptr) {
        std::fprintf(stderr, "%s\n", dlerror());
        std::exit(1);
    }
    find(library, "cuInit", driver.init);
    find(library, "cuGetErrorName", driver.errorName);
    find(library, "cuDriverGetVersion", driver.version);
    find(library, "cuDeviceGetName", driver.deviceName);
    find(library, "cuDeviceGetAttribute", driver.deviceAttribute);
    find(library, "cuDevicePrimaryCtxRetain", driver.retainPrimary);
    find(library, "cuCtxSetCurrent", driver.setCurrent);
    find(library, "cuMemAlloc_v2", driver.alloc);
    find(library, "cuMemFree_v2", driver.free);
    find(library, "cuMemHostRegister_v2", driver.hostRegister);
    find(library, "cuMemHostUnregister", driver.hostUnregister);
    find(library, "cuMemHostGetDevicePointer_v2", driver.hostDevicePointer);
    find(library, "cuMemsetD8Async", driver.fill);
    find(library, "cuMemcpyDtoDAsync_v2", driver.copy);
    find(library, "cuMemcpyHtoDAsync_v2", driver.copyToDevice);
    find(library, "cuMemcpyDtoHAsync_v2", driver.copyToHost);
    find(library, "cuStreamCreate", driver.streamCreate);
    find(library, "cuStreamQuery", driver.streamQuery);
    find(library, "cuStreamSynchronize", driver.streamSynchronize);
    find(library, "cuStreamWaitValue32_v2", driver.waitValue);
    find(library, "cuStreamWriteValue32_v2", driver.writeValue);
    find(library, "cuEventCreate", driver.eventCreate);
    find(library, "cuEventDestroy_v2", driver.eventDestroy);
    find(library, "cuEventRecord", driver.eventRecord);
    find(library, "cuEventQuery", driver.eventQuery);
    find(library, "cuEventElapsedTime", driver.eventElapsed);
    find(library, "cuModuleLoadData", driver.moduleLoad);
    find(library, "cuModuleGetFunction", driver.moduleFunction);
    find(library, "cuModuleUnload", driver.moduleUnload);
    find(library, "cuLaunchKernel", driver.launch);
    find(library, "cuIpcGetMemHandle", driver.ipcHandle);
    find(library, "cuIpcOpenMemHandle_v2", driver.ipcOpen);
    find(library, "cuIpcCloseMemHandle", driver.ipcClose);
    CUDA(init(0));
    Context context;
    CUDA(retainPrimary(&context, 0));
    CUDA(setCurrent(context));
    return driver;
}

void check(const char *call, int result)
{
    if (result == 0)
        return;
    const char *name = "unknown";
    driver.errorName(result, &name);
    std::fprintf(stderr, "%s: %s\n", call, name);
    std::exit(1);
}

void report(const char *fact, double value, const char *unit)
{
    std::printf("{\"fact\": \"%s\", \"value\": %.6g, \"unit\": \"%s\"}\n", fact, value, unit);
    std::fflush(stdout);
}

void report(const char *fact, const char *text)
{
    std::printf("{\"fact\": \"%s\", \"text\": \"%s\"}\n", fact, text);
    std::fflush(stdout);
}

double now()
{
    timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}
