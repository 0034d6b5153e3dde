// What the kernels need of the machine, for the host: src/device/kernels/target.h has the same for GPUs.
//
// A kernel runs one thread after the other. Every access goes through `device_pointer`, which finds the
// memory behind an address of the device, and stops the launch where there is none.
#pragma once

#define ANYCCL_HOST_KERNELS

#include <cstring>

#include <unistd.h>

#include "arguments.h"

#define ANYCCL_DEVICE static inline
#define ANYCCL_DEVICE_FUNCTION static inline
#define ANYCCL_MEMBER inline
// The function that the registry names takes the parameters by address. It calls the kernel of the same name.
#define ANYCCL_KERNEL(name, Arguments)                                                                                 \
    static void name(const Arguments &arguments);                                                                      \
    extern "C" void name(const void *parameters)                                                                       \
    {                                                                                                                  \
        name(*static_cast<const Arguments *>(parameters));                                                             \
    }                                                                                                                  \
    static void name(const Arguments &arguments)

struct Dimensions {
    unsigned x, y, z;
};

// __thread, not thread_local: a reader needs no initialisation.
extern __thread Dimensions threadIdx, blockIdx, blockDim, gridDim;

namespace anyccl {

// Addresses of the device from `begin` to `end`, and where the host finds them.
struct Range {
    u64 begin, end;
    char *host;
};

// Why a launch ended early.
enum Fault : i32 { FAULT_NONE = 0, FAULT_ADDRESS = 1, FAULT_ALIGNMENT = 2 };

struct Stopped {
    Fault fault;
    u64 address;
};

// Finds the range of an address in `memory`. Returns 0 if there is none.
typedef i32 (*FindRange)(void *memory, u64 address, Range *range);

// The memory that the running kernel sees, with the ranges that it used last.
struct Memory {
    FindRange find;
    void *memory;
    Range known[8];
    u32 next;
};

extern __thread Memory *running;

inline char *device_pointer(u64 address, u64 bytes)
{
    Memory &memory = *running;
    for (const Range &range : memory.known)
        if (address >= range.begin && address < range.end && range.end - address >= bytes)
            return range.host + (address - range.begin);
    Range range = {0, 0, nullptr};
    const bool known = memory.find(memory.memory, address, &range) != 0;
    if (!known || address < range.begin || address >= range.end || range.end - address < bytes)
        throw Stopped{FAULT_ADDRESS, address};
    memory.known[memory.next++ % 8] = range;
    return range.host + (address - range.begin);
}

// 16 bytes.
struct Vector {
    u32 word[4];
};

template <class T>
inline T load(u64 address)
{
    if (address % sizeof(T) != 0)
        throw Stopped{FAULT_ALIGNMENT, address};
    T value;
    memcpy(&value, device_pointer(address, sizeof(T)), sizeof(T));
    return value;
}

template <class T>
inline T load_constant(u64 address)
{
    return load<T>(address);
}

template <class T>
inline void store(u64 address, T value)
{
    if (address % sizeof(T) != 0)
        throw Stopped{FAULT_ALIGNMENT, address};
    memcpy(device_pointer(address, sizeof(T)), &value, sizeof(T));
}

inline Vector load_vector(u64 address)
{
    return load<Vector>(address);
}
inline void store_vector(u64 address, const Vector &v)
{
    store<Vector>(address, v);
}

template <class To, class From>
inline To same_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "the bits of a type of the same size");
    To to;
    memcpy(&to, &from, sizeof(To));
    return to;
}

inline u32 bits_of(float value)
{
    return same_bits<u32>(value);
}
inline float float_of(u32 bits)
{
    return same_bits<float>(bits);
}
inline u64 bits_of(double value)
{
    return same_bits<u64>(value);
}
inline double double_of(u64 bits)
{
    return same_bits<double>(bits);
}

inline void rest()
{
    usleep(20);
}

// Other processes may map the counter, so the addition is atomic.
inline void add_to_counter(u64 address, u32 amount)
{
    if (address % sizeof(u32) != 0)
        throw Stopped{FAULT_ALIGNMENT, address};
    __atomic_fetch_add(reinterpret_cast<u32 *>(device_pointer(address, sizeof(u32))), amount, __ATOMIC_RELAXED);
}

}  // namespace anyccl
