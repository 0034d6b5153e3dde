// Which C++ types are elements, and which operators combine them. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_DATATYPE_HPP
#define ANYCCL_CPP_DATATYPE_HPP

#include <complex>
#include <cstddef>
#include <type_traits>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// The datatype of elements of type T, as `value`. A type without `value` cannot be an element. To add a type
// of the program, such as a 16-bit float:
//
//     template <>
//     struct anyccl::datatype_of<half> : anyccl::is_datatype<ANYCCL_FLOAT16> {};
template <class T, class = void>
struct datatype_of {};

// Base of specializations of datatype_of.
template <anyccl_datatype_t datatype>
using is_datatype = std::integral_constant<anyccl_datatype_t, datatype>;

namespace detail {

// Characters of a wider encoding are text, not numbers.
template <class T>
inline constexpr bool is_number =
    std::is_integral_v<T> && sizeof(T) <= 8 && !std::is_same_v<T, bool> && !std::is_same_v<T, wchar_t> &&
    !std::is_same_v<T, char16_t> && !std::is_same_v<T, char32_t>;

// `long` and `long long` are both 64 bits wide on some systems: what counts is the width.
constexpr anyccl_datatype_t integer(std::size_t bytes, bool is_signed)
{
    switch (bytes) {
    case 1:
        return is_signed ? ANYCCL_INT8 : ANYCCL_UINT8;
    case 2:
        return is_signed ? ANYCCL_INT16 : ANYCCL_UINT16;
    case 4:
        return is_signed ? ANYCCL_INT32 : ANYCCL_UINT32;
    default:
        return is_signed ? ANYCCL_INT64 : ANYCCL_UINT64;
    }
}

constexpr std::size_t bytes_of(anyccl_datatype_t datatype)
{
    switch (datatype) {
    case ANYCCL_INT16:
    case ANYCCL_UINT16:
    case ANYCCL_FLOAT16:
    case ANYCCL_BFLOAT16:
        return 2;
    case ANYCCL_INT32:
    case ANYCCL_UINT32:
    case ANYCCL_FLOAT32:
        return 4;
    case ANYCCL_INT64:
    case ANYCCL_UINT64:
    case ANYCCL_FLOAT64:
    case ANYCCL_COMPLEX64:
        return 8;
    case ANYCCL_COMPLEX128:
        return 16;
    default:
        return 1;
    }
}

template <class T, class = void>
inline constexpr bool has_datatype = false;
template <class T>
inline constexpr bool has_datatype<T, std::void_t<decltype(datatype_of<T>::value)>> = true;

}  // namespace detail

template <class T>
struct datatype_of<T, std::enable_if_t<detail::is_number<T>>>
    : is_datatype<detail::integer(sizeof(T), std::is_signed_v<T>)> {};
template <>
struct datatype_of<bool> : is_datatype<ANYCCL_BOOL> {};
template <>
struct datatype_of<std::byte> : is_datatype<ANYCCL_BYTE> {};
template <>
struct datatype_of<float> : is_datatype<ANYCCL_FLOAT32> {};
template <>
struct datatype_of<double> : is_datatype<ANYCCL_FLOAT64> {};
template <>
struct datatype_of<std::complex<float>> : is_datatype<ANYCCL_COMPLEX64> {};
template <>
struct datatype_of<std::complex<double>> : is_datatype<ANYCCL_COMPLEX128> {};

// Builtin operators; enum anyccl_reduce_op says which datatypes each accepts. made_op is an operator of the
// program.
enum class op : int {
    sum = ANYCCL_SUM,
    product = ANYCCL_PRODUCT,
    min = ANYCCL_MIN,
    max = ANYCCL_MAX,
    avg = ANYCCL_AVG,
    band = ANYCCL_BAND,
    bor = ANYCCL_BOR,
    bxor = ANYCCL_BXOR,
    land = ANYCCL_LAND,
    lor = ANYCCL_LOR,
    lxor = ANYCCL_LXOR,
};

namespace detail {

constexpr anyccl_reduce_op_t to_c(op op) noexcept
{
    return static_cast<anyccl_reduce_op_t>(op);
}

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
