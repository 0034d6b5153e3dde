// Persistent operations: prepared once, started often. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_PERSISTENT_HPP
#define ANYCCL_CPP_PERSISTENT_HPP

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/request.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// A persistent operation: its arguments are checked, and nothing is sent yet. Each start is a call of its own
// in the order of the communicator's calls. The buffers belong to the library from the start until `wait` or
// `test` has seen the end.
//
// An object that goes out of scope waits for a run in progress, and must do so before its communicator is
// destroyed. Declare it after the communicator and after its buffers.
class [[nodiscard]] persistent {
public:
    // No operation.
    persistent() = default;
    // Takes ownership of a persistent request of the C API.
    explicit persistent(anyccl_request_t handle) noexcept : handle_(handle) {}

    persistent(persistent&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    persistent& operator=(persistent&& other) noexcept
    {
        persistent taken(std::move(other));
        std::swap(handle_, taken.handle_);
        return *this;
    }
    persistent(const persistent&) = delete;
    persistent& operator=(const persistent&) = delete;

    ~persistent()
    {
        if (handle_ == nullptr)
            return;
        (void)anyccl_wait(&handle_);
        (void)anyccl_request_free(&handle_);
    }

    // Starts a run and returns at once. Refused while a run is in progress.
    outcome<void> start()
    {
        return detail::call("start").run([this] { return anyccl_start(handle_); });
    }

    // Waits for the end of the run and reports its result.
    outcome<void> wait()
    {
        return detail::call("wait").run([this] { return anyccl_wait(&handle_); });
    }

    // Like wait, for a send or receive; tells about its message.
    outcome<message_status> wait_message()
    {
        message_status found{};
        return detail::call("wait_message")
            .get([&] { return anyccl_wait_message(&handle_, &found); }, [&] { return found; });
    }

    // Whether the run has ended. It lets the operations of the communicator progress.
    outcome<bool> test()
    {
        int done = 0;
        return detail::call("test").get([&] { return anyccl_test(&handle_, &done); }, [&] { return done != 0; });
    }

    // Whether there is an operation.
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    // The handle for calls of the C API.
    anyccl_request_t handle() const noexcept { return handle_; }
    // Gives up ownership: the C API must free the request.
    anyccl_request_t release() noexcept { return std::exchange(handle_, nullptr); }

private:
    anyccl_request_t handle_ = nullptr;
};

// Starts all operations in their order. `operations` is any range of persistent with a size.
template <class Operations>
outcome<void> start_all(Operations&& operations)
{
    std::vector<anyccl_request_t> all;
    all.reserve(std::size(operations));
    for (const persistent& one : operations)
        all.push_back(one.handle());
    return detail::call("start_all").run([&] { return anyccl_start_all(all.size(), all.data()); });
}

namespace detail {

// Common end of the persistent forms: `prepare` gets the place for the request.
template <class Prepare>
outcome<persistent> prepared(call& checked, Prepare prepare)
{
    anyccl_request_t handle = nullptr;
    return checked.get([&] { return prepare(&handle); }, [&] { return persistent(handle); });
}

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
