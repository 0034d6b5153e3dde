// Handle, rank and size of a communicator. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_HANDLE_HPP
#define ANYCCL_CPP_HANDLE_HPP

#include <cstddef>
#include <cstdint>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// ANYCCL_COMM_NONE, with a cast that compilers accept when they warn about C-style casts.
inline anyccl_comm_t no_communicator() noexcept
{
    return reinterpret_cast<anyccl_comm_t>(std::uintptr_t{1});
}

// Base of all communicators. Rank and size never change, so they are asked for once.
class handle_base {
public:
    // No communicator: its calls are refused.
    handle_base() = default;
    handle_base(anyccl_comm_t handle, int rank, int size) noexcept : handle_(handle), rank_(rank), size_(size) {}

    // Rank of the caller, 0 to size - 1. -1 without a communicator.
    int rank() const noexcept { return rank_; }
    // Number of ranks. 0 without a communicator.
    int size() const noexcept { return size_; }
    // Whether there is a communicator. There is none on a rank that a split has left out, nor after a move.
    explicit operator bool() const noexcept { return handle_ != no_communicator(); }
    // The handle for calls of the C API.
    anyccl_comm_t handle() const noexcept { return handle_; }

protected:
    std::size_t ranks() const noexcept { return static_cast<std::size_t>(size_); }

    void forget() noexcept { *this = handle_base(); }

private:
    anyccl_comm_t handle_ = no_communicator();
    int rank_ = -1;
    int size_ = 0;
};

// Asks for rank and size of a communicator that a call has just given. It fails only for an invalid handle.
inline anyccl_status_t describe(anyccl_comm_t comm, handle_base& found) noexcept
{
    if (comm == no_communicator())
        return ANYCCL_SUCCESS;
    int rank = 0, size = 0;
    if (const anyccl_status_t status = anyccl_comm_rank(comm, &rank); status != ANYCCL_SUCCESS)
        return status;
    if (const anyccl_status_t status = anyccl_comm_size(comm, &size); status != ANYCCL_SUCCESS)
        return status;
    found = handle_base(comm, rank, size);
    return ANYCCL_SUCCESS;
}

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
