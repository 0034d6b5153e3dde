// Contiguous elements, and the types that are accepted as such. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_VIEW_HPP
#define ANYCCL_CPP_VIEW_HPP

#include <cstddef>
#include <iterator>
#include <type_traits>
#include <utility>
#if defined(__has_include)
#if __has_include(<version>)
#include <version>
#endif
#endif
#ifdef __cpp_lib_span
#include <span>
#endif

#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// Elements that another object owns: a pointer and a count, like std::span but in every standard. Made from
// any type that has std::data and std::size: array, vector, std::span.
template <class T>
class view {
public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;

    constexpr view() noexcept = default;
    constexpr view(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class Range, class Data = decltype(std::data(std::declval<Range&>())),
              class = std::enable_if_t<!std::is_same_v<std::decay_t<Range>, view> &&
                                       std::is_convertible_v<std::remove_pointer_t<Data> (*)[], T (*)[]>>>
    constexpr view(Range&& range) noexcept : view(std::data(range), std::size(range))
    {
    }

    constexpr T* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T* begin() const noexcept { return data_; }
    constexpr T* end() const noexcept { return data_ + size_; }
    constexpr T& operator[](std::size_t index) const noexcept { return data_[index]; }

    // `count` elements from `first` on, which must exist.
    constexpr view part(std::size_t first, std::size_t count) const noexcept { return view(data_ + first, count); }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

template <class T>
view(T*, std::size_t) -> view<T>;
template <class Range>
view(Range&&) -> view<std::remove_pointer_t<decltype(std::data(std::declval<Range&>()))>>;

namespace detail {

template <class Range>
inline constexpr bool only_refers = false;
template <class T>
inline constexpr bool only_refers<view<T>> = true;
#ifdef __cpp_lib_span
template <class T, std::size_t extent>
inline constexpr bool only_refers<std::span<T, extent>> = true;
#endif

template <class Range, class = void>
inline constexpr bool is_contiguous = false;
template <class Range>
inline constexpr bool is_contiguous<
    Range, std::void_t<decltype(std::size(std::declval<Range&>())),
                       std::enable_if_t<std::is_pointer_v<decltype(std::data(std::declval<Range&>()))>>>> = true;

// An argument that is a buffer: contiguous elements, or one element.
template <class Buffer>
constexpr auto elements(Buffer& buffer) noexcept
{
    if constexpr (has_datatype<std::remove_cv_t<Buffer>>) {
        return view<Buffer>(&buffer, 1);
    } else {
        static_assert(is_contiguous<Buffer>, "a buffer is an element, or elements side by side: an array, a vector "
                                             "(not vector<bool>), a span, anyccl::view(pointer, count)");
        if constexpr (is_contiguous<Buffer>) {
            using element = std::remove_pointer_t<decltype(std::data(buffer))>;
            using value = std::remove_cv_t<element>;
            static_assert(has_datatype<value>, "no datatype for this element type: see anyccl::datatype_of");
            if constexpr (has_datatype<value>) {
                static_assert(sizeof(value) == bytes_of(datatype_of<value>::value) &&
                                  std::is_trivially_copyable_v<value>,
                              "the element type does not have the layout of its datatype");
            }
            return view<element>(std::data(buffer), std::size(buffer));
        }
    }
}

template <class Elements>
inline constexpr anyccl_datatype_t datatype = datatype_of<typename Elements::value_type>::value;

// A receive buffer.
template <class Buffer>
constexpr auto written(Buffer& buffer) noexcept
{
    const auto found = elements(buffer);
    static_assert(!std::is_const_v<typename decltype(found)::element_type>, "this buffer is written, but is const");
    return found;
}

// A send buffer beside its receive buffer.
template <class Send, class Recv>
constexpr void go_together(const Send&, const Recv&) noexcept
{
    static_assert(std::is_same_v<typename Send::value_type, typename Recv::value_type>,
                  "the send and the receive buffer have different elements");
}

// A buffer of a call that returns before it is complete. `Buffer` is the deduced type of a forwarding
// reference.
template <class Buffer>
constexpr void outlives_the_call() noexcept
{
    static_assert(std::is_lvalue_reference_v<Buffer> || only_refers<std::remove_cv_t<Buffer>>,
                  "the buffer would be gone before the request has ended: give it a name");
}

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
