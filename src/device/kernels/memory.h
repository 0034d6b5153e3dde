// Loads and stores at any alignment, and the units within a vector of 16 bytes.
#pragma once

#include "target.h"

namespace anyccl {

// A unit of 16 bytes: a complex128.
struct Wide16 {
    u64 low, high;
};

// Units of type T in a vector.
template <class T>
struct Unit {
    static const u32 PER_VECTOR = 16 / sizeof(T);
    static const u32 PER_WORD = 4 / sizeof(T);
    ANYCCL_DEVICE T get(const Vector &v, u32 i) { return T(v.word[i / PER_WORD] >> (8 * sizeof(T) * (i % PER_WORD))); }
    // The unit must be zero before.
    ANYCCL_DEVICE void set(Vector &v, u32 i, T unit)
    {
        v.word[i / PER_WORD] |= u32(unit) << (8 * sizeof(T) * (i % PER_WORD));
    }
};

template <>
struct Unit<u64> {
    static const u32 PER_VECTOR = 2;
    ANYCCL_DEVICE u64 get(const Vector &v, u32 i) { return u64(v.word[2 * i]) | u64(v.word[2 * i + 1]) << 32; }
    ANYCCL_DEVICE void set(Vector &v, u32 i, u64 unit)
    {
        v.word[2 * i] = u32(unit);
        v.word[2 * i + 1] = u32(unit >> 32);
    }
};

template <>
struct Unit<Wide16> {
    static const u32 PER_VECTOR = 1;
    ANYCCL_DEVICE Wide16 get(const Vector &v, u32)
    {
        Wide16 unit = {Unit<u64>::get(v, 0), Unit<u64>::get(v, 1)};
        return unit;
    }
    ANYCCL_DEVICE void set(Vector &v, u32, Wide16 unit)
    {
        Unit<u64>::set(v, 0, unit.low);
        Unit<u64>::set(v, 1, unit.high);
    }
};

// Reads 16 bytes in pieces, because the address is no multiple of 16. Reads no byte beyond them.
ANYCCL_DEVICE_FUNCTION Vector load_vector_in_pieces(u64 address)
{
    Vector v = {{0, 0, 0, 0}};
    if (address % 4 == 0) {
#pragma unroll
        for (u32 i = 0; i < 4; i++)
            v.word[i] = load<u32>(address + 4 * i);
    } else if (address % 2 == 0) {
#pragma unroll
        for (u32 i = 0; i < 8; i++)
            Unit<u16>::set(v, i, load<u16>(address + 2 * i));
    } else {
#pragma unroll
        for (u32 i = 0; i < 16; i++)
            Unit<u8>::set(v, i, load<u8>(address + i));
    }
    return v;
}

// Writes 16 bytes in pieces, and no byte beyond them.
ANYCCL_DEVICE_FUNCTION void store_vector_in_pieces(u64 address, const Vector v)
{
    if (address % 4 == 0) {
#pragma unroll
        for (u32 i = 0; i < 4; i++)
            store<u32>(address + 4 * i, v.word[i]);
    } else if (address % 2 == 0) {
#pragma unroll
        for (u32 i = 0; i < 8; i++)
            store<u16>(address + 2 * i, Unit<u16>::get(v, i));
    } else {
#pragma unroll
        for (u32 i = 0; i < 16; i++)
            store<u8>(address + i, Unit<u8>::get(v, i));
    }
}

ANYCCL_DEVICE Vector load_unaligned(u64 address)
{
    return address % 16 == 0 ? load_vector(address) : load_vector_in_pieces(address);
}

ANYCCL_DEVICE void store_unaligned(u64 address, const Vector &v)
{
    if (address % 16 == 0)
        store_vector(address, v);
    else
        store_vector_in_pieces(address, v);
}

// Reads one unit at any address, as the lowest bytes of a vector.
template <u32 BYTES>
ANYCCL_DEVICE_FUNCTION Vector load_single(u64 address)
{
    Vector v = {{0, 0, 0, 0}};
    if (BYTES == 2 && address % 2 == 0) {
        v.word[0] = load<u16>(address);
    } else if (BYTES >= 4 && address % 4 == 0) {
#pragma unroll
        for (u32 i = 0; 4 * i < BYTES; i++)
            v.word[i] = load<u32>(address + 4 * i);
    } else {
#pragma unroll
        for (u32 i = 0; i < BYTES; i++)
            Unit<u8>::set(v, i, load<u8>(address + i));
    }
    return v;
}

// Writes the lowest bytes of a vector to any address.
template <u32 BYTES>
ANYCCL_DEVICE_FUNCTION void store_single(u64 address, const Vector v)
{
    if (BYTES == 2 && address % 2 == 0) {
        store<u16>(address, Unit<u16>::get(v, 0));
    } else if (BYTES >= 4 && address % 4 == 0) {
#pragma unroll
        for (u32 i = 0; 4 * i < BYTES; i++)
            store<u32>(address + 4 * i, v.word[i]);
    } else {
#pragma unroll
        for (u32 i = 0; i < BYTES; i++)
            store<u8>(address + i, Unit<u8>::get(v, i));
    }
}

}  // namespace anyccl
