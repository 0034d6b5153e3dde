// Memory that the other ranks of this host read where it is. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_MEMORY_HPP
#define ANYCCL_CPP_MEMORY_HPP

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <new>
#include <vector>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// An allocator of such memory, for standard containers; see anyccl_mem_alloc for when it pays. Where there is no memory
// it throws std::bad_alloc; without exceptions it ends the process, as a container has no other way to fail.
template <class T>
struct allocator {
    static_assert(alignof(T) <= 64, "anyccl_mem_alloc aligns to 64 bytes");

    using value_type = T;

    allocator() = default;
    template <class Other>
    allocator(const allocator<Other>&) noexcept
    {
    }

    T* allocate(std::size_t count)
    {
        void* memory = nullptr;
        if (count > std::numeric_limits<std::size_t>::max() / sizeof(T) ||
            anyccl_mem_alloc(count * sizeof(T), &memory) != ANYCCL_SUCCESS) {
#if ANYCCL_CPP_THROWS
            throw std::bad_alloc();
#else
            std::fprintf(stderr, "anyccl: no memory for %zu elements of %zu bytes\n", count, sizeof(T));
            std::abort();
#endif
        }
        return static_cast<T*>(memory);
    }

    void deallocate(T* memory, std::size_t) noexcept { (void)anyccl_mem_free(memory); }

    template <class Other>
    bool operator==(const allocator<Other>&) const noexcept
    {
        return true;
    }
    template <class Other>
    bool operator!=(const allocator<Other>&) const noexcept
    {
        return false;
    }
};

// A vector in such memory.
template <class T>
using vector = std::vector<T, allocator<T>>;

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
