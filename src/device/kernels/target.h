// What a kernel needs of the machine that it runs on: entries, loads, stores, bits of floats.
//
// On a GPU this file defines it. For the host, cuda-double/kernels/host.h defines the same names before it
// includes the kernels.
#pragma once

#include "arguments.h"

#ifndef ANYCCL_HOST_KERNELS

#define ANYCCL_DEVICE static __device__ __forceinline__
#define ANYCCL_MEMBER __device__ __forceinline__
#define ANYCCL_DEVICE_FUNCTION static __device__ __noinline__
// Threads of a block and blocks of a multiprocessor for which registers are assigned.
#define ANYCCL_KERNEL(name, Arguments)                                                                                 \
    extern "C" __global__ void __launch_bounds__(512, 2) name(const Arguments arguments)

namespace anyccl {

// 16 bytes in four registers.
struct Vector {
    u32 word[4];
};

// Loads and stores are written as instructions, so that the compiler knows the memory as global, and keeps
// their order: an output may be an input.
ANYCCL_DEVICE Vector load_vector(u64 address)
{
    Vector v;
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(v.word[0]), "=r"(v.word[1]), "=r"(v.word[2]), "=r"(v.word[3])
                 : "l"(address)
                 : "memory");
    return v;
}

ANYCCL_DEVICE void store_vector(u64 address, const Vector &v)
{
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};"
                 :
                 : "l"(address), "r"(v.word[0]), "r"(v.word[1]), "r"(v.word[2]), "r"(v.word[3])
                 : "memory");
}

// The address is a multiple of the size of T.
template <class T>
ANYCCL_DEVICE T load(u64 address)
{
    return *(const volatile T *)__cvta_global_to_generic(address);
}

// Reads what nobody writes while the kernel runs. The address is a multiple of the size of T.
template <class T>
ANYCCL_DEVICE T load_constant(u64 address)
{
    return __ldg((const T *)address);
}

template <class T>
ANYCCL_DEVICE void store(u64 address, T value)
{
    *(volatile T *)__cvta_global_to_generic(address) = value;
}

ANYCCL_DEVICE u32 bits_of(float value)
{
    return __float_as_uint(value);
}
ANYCCL_DEVICE float float_of(u32 bits)
{
    return __uint_as_float(bits);
}
ANYCCL_DEVICE u64 bits_of(double value)
{
    return (u64)__double_as_longlong(value);
}
ANYCCL_DEVICE double double_of(u64 bits)
{
    return __longlong_as_double((i64)bits);
}

// Some hundred cycles, in which the thread loads nothing.
ANYCCL_DEVICE void rest()
{
    const i64 begin = clock64();
    while (clock64() - begin < 256) {
    }
}

ANYCCL_DEVICE void add_to_counter(u64 address, u32 amount)
{
    atomicAdd((u32 *)address, amount);
}

}  // namespace anyccl

#endif
