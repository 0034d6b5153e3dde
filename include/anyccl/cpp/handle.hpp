// A communicator's handle and what is known of it without a call. Part of anyccl.hpp.
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

// ANYCCL_COMM_NONE, by a cast that programs warned of casts in the manner of C do not trip over.
inline anyccl_comm_t no_communicator() noexcept
{
    return reinterpret_cast<anyccl_comm_t>(std::uintptr_t{1});
}

// The base of all communicators. Rank and size never change, so they are asked for once.
class handle_base {
public:
    // One that is none: calls on it are refused.
    handle_base() = default;
    handle_base(anyccl_comm_t handle, int rank, int size) noexcept : handle_(handle), rank_(rank), size_(size) {}

    // This rank: 0 to size - 1; -1 where there is no communicator.
    int rank() const noexcept { return rank_; }
    // The number of ranks, 0 where there is no communicator.
    int size() const noexcept { return size_; }
    // Whether there is a communicator: not on a rank that a split has left out, nor after a move.
    explicit operator bool() const noexcept { return handle_ != no_communicator(); }
    // For calls of the C API.
    anyccl_comm_t handle() const noexcept { return handle_; }

protected:
    std::size_t ranks() const noexcept { return static_cast<std::size_t>(size_); }

    void forget() noexcept { *this = handle_base(); }

private:
    anyccl_comm_t handle_ = no_communicator();
    int rank_ = -1;
    int size_ = 0;
};

// What is known of a communicator that a call has just given; fails only for a handle that is none.
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
