// Operators on integers, bytes and bools. T is the element. Arithmetic is done in 32 or 64 bits without a
// sign, so it wraps.
#pragma once

#include "operators.h"

namespace anyccl {

template <class T>
struct Integer {
    typedef u32 Wide;
    typedef i32 Signed;
};
template <>
struct Integer<u64> {
    typedef u64 Wide;
    typedef i64 Signed;
};
template <>
struct Integer<i64> {
    typedef u64 Wide;
    typedef i64 Signed;
};

template <u32 BYTES>
struct UnsignedOf;
template <>
struct UnsignedOf<1> {
    typedef u8 Type;
};
template <>
struct UnsignedOf<2> {
    typedef u16 Type;
};
template <>
struct UnsignedOf<4> {
    typedef u32 Type;
};
template <>
struct UnsignedOf<8> {
    typedef u64 Type;
};

template <class T>
struct IntegerOperator : Plain {
    typedef typename UnsignedOf<sizeof(T)>::Type Bits;
    typedef typename Integer<T>::Wide Wide;
    ANYCCL_DEVICE Wide decode(Bits bits, NoFactor) { return Wide(bits); }
    ANYCCL_DEVICE Bits encode(Wide value, const Finish &) { return Bits(value); }
};

template <class T>
struct IntegerSum : IntegerOperator<T> {
    typedef typename Integer<T>::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return 0; }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a + b; }
};

// The sum wraps in T, and the quotient truncates towards zero.
template <class T>
struct IntegerAvg : IntegerSum<T> {
    typedef typename IntegerOperator<T>::Bits Bits;
    typedef typename Integer<T>::Wide Wide;
    enum : bool { RAW_ALONE = false };
    enum : bool { RAW_FIRST = false };
    ANYCCL_DEVICE Bits encode(Wide value, const Finish &finish)
    {
        const bool is_signed = T(-1) < T(0);
        typedef typename Integer<T>::Signed Signed;
        return is_signed ? Bits(Signed(T(value)) / Signed(finish.divisor))
                         : Bits(Wide(Bits(value)) / Wide(finish.divisor));
    }
};

template <class T>
struct IntegerProduct : IntegerOperator<T> {
    typedef typename Integer<T>::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return 1; }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a * b; }
};

// The registers of minimum and maximum: 32 or 64 bits, with the sign of the element.
template <class T>
struct Ordered {
    typedef i32 Wide;
};
template <>
struct Ordered<u32> {
    typedef u32 Wide;
};
template <>
struct Ordered<i64> {
    typedef i64 Wide;
};
template <>
struct Ordered<u64> {
    typedef u64 Wide;
};

template <class T>
struct IntegerOrder : Plain {
    typedef typename UnsignedOf<sizeof(T)>::Type Bits;
    typedef typename Ordered<T>::Wide Wide;
    ANYCCL_DEVICE Wide decode(Bits bits, NoFactor) { return Wide(T(bits)); }
    ANYCCL_DEVICE Bits encode(Wide value, const Finish &) { return Bits(value); }
    ANYCCL_DEVICE T smallest() { return T(-1) < T(0) ? T(Bits(1) << (8 * sizeof(T) - 1)) : T(0); }
};

template <class T>
struct IntegerMin : IntegerOrder<T> {
    typedef typename Ordered<T>::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return Wide(T(~IntegerOrder<T>::smallest())); }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a < b ? a : b; }
};

template <class T>
struct IntegerMax : IntegerOrder<T> {
    typedef typename Ordered<T>::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return Wide(IntegerOrder<T>::smallest()); }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a > b ? a : b; }
};

// Bitwise operators do not depend on the datatype: T is a word of a vector, or a byte of its own.
template <class T>
struct BitwiseAnd : IntegerOperator<T> {
    typedef typename Integer<T>::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return T(~T(0)); }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a & b; }
};

template <class T>
struct BitwiseOr : IntegerOperator<T> {
    typedef typename Integer<T>::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return 0; }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a | b; }
};

template <class T>
struct BitwiseXor : IntegerOperator<T> {
    typedef typename Integer<T>::Wide Wide;
    ANYCCL_DEVICE Wide identity() { return 0; }
    ANYCCL_DEVICE Wide combine(Wide a, Wide b) { return a ^ b; }
};

// Logical operators give 0 or 1 of T.
template <class T>
struct Logical : IntegerOperator<T> {
    typedef typename IntegerOperator<T>::Bits Bits;
    typedef u32 Wide;
    ANYCCL_DEVICE u32 decode(Bits bits, NoFactor) { return bits != 0 ? 1 : 0; }
    ANYCCL_DEVICE Bits encode(u32 value, const Finish &) { return Bits(value); }
};

template <class T>
struct LogicalAnd : Logical<T> {
    ANYCCL_DEVICE u32 identity() { return 1; }
    ANYCCL_DEVICE u32 combine(u32 a, u32 b) { return a & b; }
};

template <class T>
struct LogicalOr : Logical<T> {
    ANYCCL_DEVICE u32 identity() { return 0; }
    ANYCCL_DEVICE u32 combine(u32 a, u32 b) { return a | b; }
};

template <class T>
struct LogicalXor : Logical<T> {
    ANYCCL_DEVICE u32 identity() { return 0; }
    ANYCCL_DEVICE u32 combine(u32 a, u32 b) { return a ^ b; }
};

// Every input is multiplied by the scalar of its rank first.
template <class T>
struct IntegerPremulSum : IntegerSum<T> {
    typedef typename IntegerOperator<T>::Bits Bits;
    typedef typename Integer<T>::Wide Wide;
    typedef Wide Factor;
    enum : bool { RAW_ALONE = false };
    enum : bool { RAW_FIRST = false };
    ANYCCL_DEVICE Wide factor(const ReduceTable &table, u32 rank) { return Wide(scalar_of<Bits>(table, rank)); }
    ANYCCL_DEVICE Wide decode(Bits bits, Wide factor) { return factor * Wide(bits); }
};

}  // namespace anyccl
