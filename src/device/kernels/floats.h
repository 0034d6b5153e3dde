// Operators on real and complex floats. F is a format (float_formats.h).
//
// 16-bit and 8-bit floats are accumulated in float32 and rounded once, at the end.
#pragma once

#include "float_formats.h"
#include "operators.h"

namespace anyccl {

// Four results of an 8-bit format. A function of its own, because the code would be large where it is used.
template <class F>
ANYCCL_DEVICE_FUNCTION u32 encode_word(float a, float b, float c, float d, u32 saturates)
{
    return u32(encode_finite_if<F>(a, saturates)) | u32(encode_finite_if<F>(b, saturates)) << 8 |
           u32(encode_finite_if<F>(c, saturates)) << 16 | u32(encode_finite_if<F>(d, saturates)) << 24;
}

// 8-bit floats are converted by the host engine wherever there are several ranks, so NaN becomes canonical
// there.
template <class F>
struct FloatOperator : Plain {
    typedef typename F::Bits Bits;
    typedef typename F::Wide Wide;
    enum : bool { RAW_FIRST = sizeof(Bits) > 1 };
    enum : bool { ENCODES_WORDS = sizeof(Bits) == 1 };
    enum : bool { MAY_SATURATE = sizeof(Bits) == 1 };
    ANYCCL_DEVICE Wide decode(Bits bits, NoFactor) { return F::decode(bits); }
    ANYCCL_DEVICE Bits encode(Wide value, const Finish &finish) { return encode_finite_if<F>(value, finish.saturates); }
    ANYCCL_DEVICE u32 encode_four(const Wide *n, const Finish &finish)
    {
        return encode_word<F>(n[0], n[1], n[2], n[3], finish.saturates);
    }
};

template <class F>
struct Sum : FloatOperator<F> {
    typedef typename F::Wide Wide;
    // Unlike +0, -0 is the neutral element also for -0.
    ANYCCL_DEVICE Wide identity() { return Wide(-0.0); }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a + b; }
};

template <class F>
struct Avg : Sum<F> {
    typedef typename F::Wide Wide;
    enum : bool { RAW_ALONE = false };
    enum : bool { RAW_FIRST = false };
    ANYCCL_DEVICE typename F::Bits encode(Wide value, const Finish &finish)
    {
        return encode_finite_if<F>(value / Wide(finish.divisor), finish.saturates);
    }
    ANYCCL_DEVICE u32 encode_four(const Wide *n, const Finish &finish)
    {
        const Wide by = Wide(finish.divisor);
        return encode_word<F>(n[0] / by, n[1] / by, n[2] / by, n[3] / by, finish.saturates);
    }
};

template <class F>
struct Product : FloatOperator<F> {
    typedef typename F::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return Wide(1.0); }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a * b; }
};

// Rounds a number to a number of the format. A function of its own, because the code would be large where it is
// used.
template <class F>
struct Round {
    ANYCCL_DEVICE_FUNCTION float to_format(float value, u32 saturates)
    {
        return F::decode(encode_finite_if<F>(value, saturates));
    }
};
template <>
struct Round<Float32> {
    ANYCCL_DEVICE float to_format(float value, u32) { return value; }
};
template <>
struct Round<Float64> {
    ANYCCL_DEVICE double to_format(double value, u32) { return value; }
};

// A scalar, and what becomes of products with it.
template <class F>
struct RoundedFactor {
    typename F::Wide scalar;
    u32 saturates;
};

// The product of a contribution and its scalar is rounded to the format first, as if the rank had sent it.
template <class F>
struct PremulSum : Sum<F> {
    typedef typename F::Bits Bits;
    typedef typename F::Wide Wide;
    typedef RoundedFactor<F> Factor;
    enum : bool { RAW_ALONE = false };
    enum : bool { RAW_FIRST = false };
    ANYCCL_DEVICE Factor factor(const ReduceTable &table, u32 rank)
    {
        Factor factor = {F::decode(scalar_of<Bits>(table, rank)), table.saturates()};
        return factor;
    }
    ANYCCL_DEVICE Wide decode(Bits bits, Factor factor)
    {
        return Round<F>::to_format(factor.scalar * F::decode(bits), factor.saturates);
    }
};

// Minimum and maximum compare integers: the bits, with those but the sign inverted in negative numbers. So -0
// is smaller than +0. NaN becomes an integer that always wins.
template <class F>
struct FloatOrder : Plain {
    typedef typename F::Bits Bits;
    typedef typename F::Ordered Wide;
    enum : bool { MAY_SATURATE = sizeof(Bits) == 1 };
    ANYCCL_DEVICE Wide flip(Wide bits) { return bits < 0 ? bits ^ F::MAGNITUDE : bits; }
    ANYCCL_DEVICE Wide decode_or(Bits bits, Wide not_a_number)
    {
        Wide value = F::ordered(bits);
        return (value & F::MAGNITUDE) > F::LARGEST ? not_a_number : flip(value);
    }
    ANYCCL_DEVICE Bits encode_but(Wide value, Wide not_a_number, u32 saturates)
    {
        if (value == not_a_number)
            return Bits(F::NOT_A_NUMBER);
        Bits bits = Bits(flip(value));
        const bool is_infinite = (bits & F::MAGNITUDE) > F::LARGEST_FINITE;
        return sizeof(Bits) == 1 && saturates && is_infinite ? Bits(bits - 1) : bits;
    }
};

template <class F>
struct Min : FloatOrder<F> {
    typedef typename F::Bits Bits;
    typedef typename F::Ordered Wide;
    ANYCCL_DEVICE Wide identity() { return F::LARGEST; }
    ANYCCL_DEVICE Wide decode(Bits bits, NoFactor) { return FloatOrder<F>::decode_or(bits, ~F::MAGNITUDE); }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a < b ? a : b; }
    ANYCCL_DEVICE Bits encode(Wide value, const Finish &finish)
    {
        return FloatOrder<F>::encode_but(value, ~F::MAGNITUDE, finish.saturates);
    }
};

template <class F>
struct Max : FloatOrder<F> {
    typedef typename F::Bits Bits;
    typedef typename F::Ordered Wide;
    ANYCCL_DEVICE Wide identity() { return ~F::LARGEST; }
    ANYCCL_DEVICE Wide decode(Bits bits, NoFactor) { return FloatOrder<F>::decode_or(bits, F::MAGNITUDE); }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a > b ? a : b; }
    ANYCCL_DEVICE Bits encode(Wide value, const Finish &finish)
    {
        return FloatOrder<F>::encode_but(value, F::MAGNITUDE, finish.saturates);
    }
};

template <class T>
struct Complex {
    T real, imaginary;
};

// Bits of the two parts of a complex number whose parts have format F.
template <class F>
struct ComplexBits;

template <>
struct ComplexBits<Float32> {
    typedef u64 Bits;
    ANYCCL_DEVICE Complex<float> decode(u64 bits)
    {
        Complex<float> value = {float_of(u32(bits)), float_of(u32(bits >> 32))};
        return value;
    }
    ANYCCL_DEVICE u64 encode(Complex<float> value)
    {
        return u64(Float32::encode(value.real)) | u64(Float32::encode(value.imaginary)) << 32;
    }
};

template <>
struct ComplexBits<Float64> {
    typedef Wide16 Bits;
    ANYCCL_DEVICE Complex<double> decode(Wide16 bits)
    {
        Complex<double> value = {double_of(bits.low), double_of(bits.high)};
        return value;
    }
    ANYCCL_DEVICE Wide16 encode(Complex<double> value)
    {
        Wide16 bits = {Float64::encode(value.real), Float64::encode(value.imaginary)};
        return bits;
    }
};

template <class F>
struct ComplexOperator : Plain {
    typedef typename ComplexBits<F>::Bits Bits;
    typedef Complex<typename F::Wide> Wide;
    ANYCCL_DEVICE Wide decode(Bits bits, NoFactor) { return ComplexBits<F>::decode(bits); }
    ANYCCL_DEVICE Bits encode(Wide value, const Finish &) { return ComplexBits<F>::encode(value); }
    // The plain formula, without C99's recovery of infinities.
    ANYCCL_DEVICE Wide times(Wide a, Wide b)
    {
        Wide product = {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
        return product;
    }
};

template <class F>
struct ComplexProduct : ComplexOperator<F> {
    typedef typename ComplexOperator<F>::Wide Wide;
    enum : bool { HAS_IDENTITY = false };
    ANYCCL_DEVICE Wide identity()
    {
        Wide one = {1, 0};
        return one;
    }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return ComplexOperator<F>::times(a, b); }
};

template <class F>
struct ComplexPremulSum : ComplexOperator<F> {
    typedef typename ComplexOperator<F>::Bits Bits;
    typedef typename ComplexOperator<F>::Wide Wide;
    typedef Wide Factor;
    enum : bool { RAW_ALONE = false };
    enum : bool { RAW_FIRST = false };
    ANYCCL_DEVICE Wide factor(const ReduceTable &table, u32 rank)
    {
        return ComplexBits<F>::decode(scalar_of<Bits>(table, rank));
    }
    ANYCCL_DEVICE Wide decode(Bits bits, Wide factor)
    {
        return ComplexOperator<F>::times(factor, ComplexBits<F>::decode(bits));
    }
    ANYCCL_DEVICE Wide identity()
    {
        Wide zero = {-0.0f, -0.0f};
        return zero;
    }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b)
    {
        Wide sum = {a.real + b.real, a.imaginary + b.imaginary};
        return sum;
    }
};

}  // namespace anyccl
