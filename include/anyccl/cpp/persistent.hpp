// Operations that are prepared once and started often. Part of anyccl.hpp.
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

// A prepared operation: its arguments are checked, nothing is sent. Each start is a call of its own, in the
// order of calls on the communicator; its buffers belong to the library from there until `wait` or `test`
// have seen the end. An object that goes out of scope waits for a run under way, and must do so before its
// communicator: declare it after that, and after its buffers.
class [[nodiscard]] persistent {
public:
    // None.
    persistent() = default;
    // Takes over a persistent request of the C API.
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

    // Starts it, and returns at once. Refused while it is under way.
    outcome<void> start()
    {
        return detail::call("start").run([this] { return anyccl_start(handle_); });
    }

    // Waits for the end of the run, and tells what became of it.
    outcome<void> wait()
    {
        return detail::call("wait").run([this] { return anyccl_wait(&handle_); });
    }

    // As wait, of a send or receive: what is known of its message.
    outcome<message_status> wait_message()
    {
        message_status found{};
        return detail::call("wait_message")
            .get([&] { return anyccl_wait_message(&handle_, &found); }, [&] { return found; });
    }

    // Whether the run has ended; moves the operations of its communicator on.
    outcome<bool> test()
    {
        int done = 0;
        return detail::call("test").get([&] { return anyccl_test(&handle_, &done); }, [&] { return done != 0; });
    }

    // Whether there is an operation.
    explicit operator bool() const noexcept { return handle_ != nullptr; }
    // For calls of the C API.
    anyccl_request_t handle() const noexcept { return handle_; }
    // Gives it away, to be freed by the C API.
    anyccl_request_t release() noexcept { return std::exchange(handle_, nullptr); }

private:
    anyccl_request_t handle_ = nullptr;
};

// Starts all of them, in their order. `operations` is any range of persistent with a size.
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

// The end of every form that prepares: `prepare` is given where to put the request.
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
