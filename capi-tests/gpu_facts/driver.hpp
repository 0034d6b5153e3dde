// The functions of the CUDA driver that the measurements call, opened at run time: building needs no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>

using Address = std::uint64_t;
using Stream = void *;
using Event = void *;
using Module = void *;
using Function = void *;
using Context = void *;

// A handle of legacy CUDA IPC.
struct IpcHandle {
    char bytes[64];
};

// Each is the function of the driver whose name it has, with the suffix that CUDA's header gives it.
struct Driver {
    int (*init)(unsigned);
    int (*errorName)(int, const char **);
    int (*version)(int *);
    int (*deviceName)(char *, int, int);
    int (*deviceAttribute)(int *, int, int);
    int (*retainPrimary)(Context *, int);
    int (*setCurrent)(Context);
    int (*alloc)(Address *, std::size_t);
    int (*free)(Address);
    int (*hostRegister)(void *, std::size_t, unsigned);
    int (*hostUnregister)(void *);
    int (*hostDevicePointer)(Address *, void *, unsigned);
    int (*fill)(Address, unsigned char, std::size_t, Stream);
    int (*copy)(Address, Address, std::size_t, Stream);
    int (*copyToDevice)(Address, const void *, std::size_t, Stream);
    int (*copyToHost)(void *, Address, std::size_t, Stream);
    int (*streamCreate)(Stream *, unsigned);
    int (*streamQuery)(Stream);
    int (*streamSynchronize)(Stream);
    int (*waitValue)(Stream, Address, std::uint32_t, unsigned);
    int (*writeValue)(Stream, Address, std::uint32_t, unsigned);
    int (*eventCreate)(Event *, unsigned);
    int (*eventDestroy)(Event);
    int (*eventRecord)(Event, Stream);
    int (*eventQuery)(Event);
    int (*eventElapsed)(float *, Event, Event);
    int (*moduleLoad)(Module *, const void *);
    int (*moduleFunction)(Function *, Module, const char *);
    int (*moduleUnload)(Module);
    int (*launch)(Function, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, Stream, void **,
                  void **);
    int (*ipcHandle)(IpcHandle *, Address);
    int (*ipcOpen)(Address *, IpcHandle, unsigned);
    int (*ipcClose)(Address);
};

// The driver, initialised, with the primary context of device 0 current. Ends the program if there is none.
const Driver &open_driver();

// Ends the program with the name of the call and CUDA's name of the error, unless `result` is success.
void check(const char *call, int result);

#define CUDA(call) check(#call, driver.call)

// Prints one figure: a line of JSON.
void report(const char *fact, double value, const char *unit);

// Prints what is not a figure: a line of JSON.
void report(const char *fact, const char *text);

// Seconds of the monotonic clock.
double now();
