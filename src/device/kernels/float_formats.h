// Formats of floating-point numbers: how the bits of each become a number to compute with, and back.
//
// The conversions are those of src/reduce (small_float.rs, bfloat16.rs, float.rs), bit by bit. `encode`
// rounds to nearest even and gives one canonical NaN.
#pragma once

#include "target.h"

namespace anyccl {

struct Float32 {
    typedef u32 Bits;
    typedef i32 Ordered;  // the bits with their sign extended
    typedef float Wide;
    static const i32 MAGNITUDE = 0x7fffffff;
    // The magnitude of infinity, or of the largest number in a format without one. Larger magnitudes are
    // NaNs.
    static const i32 LARGEST = 0x7f800000;
    static const i32 LARGEST_FINITE = LARGEST - 1;
    static const i32 NOT_A_NUMBER = 0x7fc00000;
    ANYCCL_DEVICE float decode(u32 bits) { return float_of(bits); }
    ANYCCL_DEVICE u32 encode(float value) { return value != value ? u32(NOT_A_NUMBER) : bits_of(value); }
    ANYCCL_DEVICE i32 ordered(u32 bits) { return i32(bits); }
};

struct Float64 {
    typedef u64 Bits;
    typedef i64 Ordered;
    typedef double Wide;
    static const i64 MAGNITUDE = 0x7fffffffffffffff;
    static const i64 LARGEST = 0x7ff0000000000000;
    static const i64 LARGEST_FINITE = LARGEST - 1;
    static const i64 NOT_A_NUMBER = 0x7ff8000000000000;
    ANYCCL_DEVICE double decode(u64 bits) { return double_of(bits); }
    ANYCCL_DEVICE u64 encode(double value) { return value != value ? u64(NOT_A_NUMBER) : bits_of(value); }
    ANYCCL_DEVICE i64 ordered(u64 bits) { return i64(bits); }
};

struct Bfloat16 {
    typedef u16 Bits;
    typedef i32 Ordered;
    typedef float Wide;
    static const i32 MAGNITUDE = 0x7fff;
    static const i32 LARGEST = 0x7f80;
    static const i32 LARGEST_FINITE = LARGEST - 1;
    static const i32 NOT_A_NUMBER = 0x7fc0;
    ANYCCL_DEVICE float decode(u16 bits) { return float_of(u32(bits) << 16); }
    ANYCCL_DEVICE u16 encode(float value)
    {
        u32 bits = bits_of(value);
        // A carry out of the fraction moves into the exponent, which is correct.
        u32 rounded = bits + 0x7fff + ((bits >> 16) & 1);
        return value != value ? u16(NOT_A_NUMBER) : u16(rounded >> 16);
    }
    ANYCCL_DEVICE i32 ordered(u16 bits) { return i16(bits); }
};

// A format of at most 16 bits with fewer exponent bits than float32. OVERFLOW_CODE is the magnitude after the
// largest finite number: infinity, or NaN in a format without infinity.
template <class BITS, class SIGNED, u32 FRACTION, u32 BIAS, u32 OVERFLOW_CODE, i32 LARGEST_CODE, i32 NAN_CODE>
struct SmallFormat {
    typedef BITS Bits;
    typedef i32 Ordered;
    typedef float Wide;
    static const u32 SIGN_SHIFT = 32 - 8 * sizeof(BITS);
    static const u32 SHIFT = 23 - FRACTION;
    static const i32 MAGNITUDE = 0x7fffffff >> SIGN_SHIFT;
    static const i32 LARGEST = LARGEST_CODE;
    static const i32 NOT_A_NUMBER = NAN_CODE;
    static const i32 LARGEST_FINITE = OVERFLOW_CODE - 1;

    ANYCCL_DEVICE float decode(BITS bits)
    {
        const u32 rebias = (127 - BIAS) << 23;
        const u32 one_too_many = rebias + (1u << 23);
        u32 sign = (u32(bits) << SIGN_SHIFT) & 0x80000000u;
        u32 magnitude = u32(bits) & u32(MAGNITUDE);
        u32 normal = (magnitude << SHIFT) + rebias;
        // The fraction with the exponent of the smallest normal number has an implicit one too many.
        float denormal = float_of((magnitude << SHIFT) + one_too_many) - float_of(one_too_many);
        u32 value = magnitude < (1u << FRACTION) ? bits_of(denormal) : normal;
        value = magnitude >= OVERFLOW_CODE ? 0x7f800000u : value;
        value = magnitude > u32(LARGEST_CODE) ? 0x7fc00000u : value;
        return float_of(value | sign);
    }

    ANYCCL_DEVICE BITS encode(float value)
    {
        const u32 rebias = 127 - BIAS;
        u32 sign = (bits_of(value) & 0x80000000u) >> SIGN_SHIFT;
        u32 magnitude = bits_of(value) & 0x7fffffffu;
        // A carry out of the fraction moves into the exponent, which is correct.
        u32 odd = (magnitude >> SHIFT) & 1;
        u32 normal = ((magnitude + ((1u << (SHIFT - 1)) - 1) + odd) >> SHIFT) - (rebias << FRACTION);
        // The last bit of `unit` is worth one denormal step, so adding it rounds.
        const u32 unit = (127 + 24 - BIAS - FRACTION) << 23;
        u32 denormal = bits_of(float_of(magnitude) + float_of(unit)) - unit;
        u32 rounded = magnitude < ((rebias + 1) << 23) ? denormal : normal;
        u32 code = rounded < OVERFLOW_CODE ? rounded : OVERFLOW_CODE;
        bool not_a_number = magnitude > 0x7f800000u || code > u32(LARGEST_CODE);
        return not_a_number ? BITS(NAN_CODE) : BITS(code | sign);
    }

    ANYCCL_DEVICE i32 ordered(BITS bits) { return SIGNED(bits); }
};

// The OCP formats and IEEE 754 binary16, in integer arithmetic.
typedef SmallFormat<u8, i8, 3, 7, 0x7f, 0x7e, 0x7f> IntegerE4m3;
typedef SmallFormat<u8, i8, 2, 15, 0x7c, 0x7c, 0x7e> IntegerE5m2;
typedef SmallFormat<u16, i16, 10, 15, 0x7c00, 0x7c00, 0x7e00> IntegerFloat16;

#ifdef ANYCCL_HOST_KERNELS
typedef IntegerFloat16 Float16;
#else
// With the conversion instructions of GPUs, which give the same numbers.
struct Float16 : IntegerFloat16 {
    ANYCCL_DEVICE float decode(u16 bits)
    {
        float value;
        asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
        return value;
    }
    ANYCCL_DEVICE u16 encode(float value)
    {
        u16 bits;
        asm("cvt.rn.f16.f32 %0, %1;" : "=h"(bits) : "f"(value));
        return value != value ? u16(NOT_A_NUMBER) : bits;
    }
};
#endif

// A float8_e5m2 is the upper half of a float16.
struct Float8E5m2 : IntegerE5m2 {
    ANYCCL_DEVICE float decode(u8 bits) { return Float16::decode(u16(u32(bits) << 8)); }
};

// The bits of a float8_e4m3, as those of a float16, mean a number 2^8 times smaller.
struct Float8E4m3 : IntegerE4m3 {
    ANYCCL_DEVICE float decode(u8 bits)
    {
        u32 magnitude = bits & 0x7fu;
        float value = Float16::decode(u16((u32(bits) & 0x80u) << 8 | magnitude << 7)) * 256.0f;
        return magnitude == 0x7f ? float_of(0x7fc00000u) : value;
    }
};

// The bits of a result. `saturates`: those of 8-bit formats are finite or NaN.
template <class F>
ANYCCL_DEVICE typename F::Bits encode_finite_if(typename F::Wide value, u32 saturates)
{
    if (sizeof(typename F::Bits) == 1 && saturates) {
        typename F::Wide largest = F::decode(typename F::Bits(F::LARGEST_FINITE));
        // NaN fails both comparisons.
        value = value > largest ? largest : value;
        value = value < -largest ? -largest : value;
    }
    return F::encode(value);
}

}  // namespace anyccl
