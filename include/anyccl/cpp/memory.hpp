// Memory that the other ranks of this host can read, and memory of theirs. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_MEMORY_HPP
#define ANYCCL_CPP_MEMORY_HPP

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// An allocator for standard containers whose memory the other ranks of the host can read; see
// anyccl_mem_alloc(). When there is no memory it throws std::bad_alloc. Without exceptions it ends the
// process, because a container has no other way to fail.
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

// A vector in memory that the other ranks of the host can read.
template <class T>
using vector = std::vector<T, allocator<T>>;

namespace detail {

// Memory that `Free` gives back when the object ends.
template <anyccl_status_t (*Free)(void*)>
class [[nodiscard]] owned_memory {
public:
    // No memory.
    owned_memory() = default;
    owned_memory(void* start, std::size_t bytes) noexcept : start_(start), bytes_(bytes) {}
    owned_memory(owned_memory&& other) noexcept
        : start_(std::exchange(other.start_, nullptr)), bytes_(std::exchange(other.bytes_, 0))
    {
    }
    owned_memory& operator=(owned_memory&& other) noexcept
    {
        owned_memory taken(std::move(other));
        std::swap(start_, taken.start_);
        std::swap(bytes_, taken.bytes_);
        return *this;
    }
    owned_memory(const owned_memory&) = delete;
    owned_memory& operator=(const owned_memory&) = delete;
    ~owned_memory()
    {
        if (start_ != nullptr)
            (void)Free(start_);
    }

    // The first byte, which the processor can access only if the kind says so. NULL if there are no bytes.
    void* data() const noexcept { return start_; }
    // The number of bytes.
    std::size_t size() const noexcept { return bytes_; }

private:
    void* start_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace detail

// Memory of a kind, such as ANYCCL_MEM_DEVICE; see anyccl_mem_alloc_kind(). It is freed with this object.
using memory = detail::owned_memory<anyccl_mem_free>;

// Memory of another rank of this host, mapped for reading and writing; see anyccl_mem_import(). It is unmapped with
// this object.
using imported_memory = detail::owned_memory<anyccl_mem_release>;

// Names a buffer in an anyccl::vector, or in other memory of anyccl_mem_alloc(), for the other ranks of this host.
template <class Buffer>
outcome<anyccl_mem_handle_t> export_memory(const Buffer& buffer)
{
    const void* start = std::data(buffer);
    const std::size_t bytes = std::size(buffer) * sizeof(*std::data(buffer));
    anyccl_mem_handle_t handle{};
    return detail::call("export_memory")
        .get([&] { return anyccl_mem_export(start, bytes, &handle); }, [&] { return handle; });
}

// Maps the memory that another rank of this host has named.
inline outcome<imported_memory> import_memory(const anyccl_mem_handle_t& handle)
{
    void* start = nullptr;
    std::size_t bytes = 0;
    return detail::call("import_memory")
        .get([&] { return anyccl_mem_import(&handle, &start, &bytes); }, [&] { return imported_memory(start, bytes); });
}

// Allocates memory of a kind.
inline outcome<memory> allocate_memory(std::size_t bytes, anyccl_mem_kind_t kind)
{
    void* start = nullptr;
    return detail::call("allocate_memory")
        .get([&] { return anyccl_mem_alloc_kind(bytes, kind, &start); }, [&] { return memory(start, bytes); });
}

// Registers elements that calls are going to use; see anyccl_mem_register(). The elements must live as long
// as this object.
class [[nodiscard]] registration {
public:
    // No registration.
    registration() = default;
    registration(const void* start, std::size_t bytes, bool is_shared) noexcept
        : start_(start), bytes_(bytes), is_shared_(is_shared)
    {
    }
    registration(registration&& other) noexcept
        : start_(std::exchange(other.start_, nullptr)), bytes_(other.bytes_), is_shared_(other.is_shared_)
    {
    }
    registration& operator=(registration&& other) noexcept
    {
        registration taken(std::move(other));
        std::swap(start_, taken.start_);
        std::swap(bytes_, taken.bytes_);
        std::swap(is_shared_, taken.is_shared_);
        return *this;
    }
    registration(const registration&) = delete;
    registration& operator=(const registration&) = delete;
    ~registration()
    {
        if (start_ != nullptr)
            (void)anyccl_mem_deregister(start_, bytes_);
    }

    // Whether the other ranks of this host read the elements where they are.
    bool is_shared() const noexcept { return is_shared_; }

private:
    const void* start_ = nullptr;
    std::size_t bytes_ = 0;
    bool is_shared_ = false;
};

// Registers a buffer of contiguous elements: a vector, an array, a span.
template <class Buffer>
outcome<registration> register_memory(const Buffer& buffer)
{
    const void* start = std::data(buffer);
    const std::size_t bytes = std::size(buffer) * sizeof(*std::data(buffer));
    int is_shared = 0;
    return detail::call("register_memory")
        .get([&] { return anyccl_mem_register(start, bytes, &is_shared); },
             [&] { return registration(bytes == 0 ? nullptr : start, bytes, is_shared != 0); });
}

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
