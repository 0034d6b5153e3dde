// Buffers whose element type is known at run time only. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_ANY_BUFFER_HPP
#define ANYCCL_CPP_ANY_BUFFER_HPP

#include <cstddef>
#include <type_traits>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// A receive buffer with elements of any type, for lists that mix types. It refers to the elements and does
// not own them.
class any_buffer {
public:
    template <class Buffer, class = std::enable_if_t<!std::is_same_v<std::decay_t<Buffer>, any_buffer>>>
    any_buffer(Buffer&& buffer)
    {
        detail::outlives_the_call<Buffer>();
        const auto found = detail::written(buffer);
        data_ = found.data();
        size_ = found.size();
        datatype_ = detail::datatype<decltype(found)>;
    }
    // A buffer with elements of a datatype of the C API.
    any_buffer(void* data, std::size_t size, anyccl_datatype_t datatype) noexcept
        : data_(data), size_(size), datatype_(datatype)
    {
    }

    // An entry of a list for which no rank has a buffer. The list still says what would be there.
    template <class T>
    static any_buffer missing(std::size_t size) noexcept
    {
        return any_buffer(nullptr, size, datatype_of<T>::value);
    }

    void* data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    anyccl_datatype_t datatype() const noexcept { return datatype_; }

private:
    void* data_ = nullptr;
    std::size_t size_ = 0;
    anyccl_datatype_t datatype_ = ANYCCL_INT8;
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
