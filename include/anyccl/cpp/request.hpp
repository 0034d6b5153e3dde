// Requests: operations that were started. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_REQUEST_HPP
#define ANYCCL_CPP_REQUEST_HPP

#include <array>
#include <chrono>
#include <cstddef>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// What is known about a message: sender, tag, number of elements.
using message_status = anyccl_message_status_t;

// An operation that was started. Its buffers belong to the library until it has ended: they must live that
// long, and a receive buffer is neither read nor written. Declare buffers before requests, because they are
// then destroyed after them.
//
// A request that goes out of scope before its end waits for it, and its failure is lost. Call wait where the
// failure matters.
class [[nodiscard]] request {
public:
    // A request that has ended.
    request() = default;
    // Takes ownership of a request of the C API. anyccl::persistent is the type for a persistent one.
    explicit request(anyccl_request_t handle) noexcept : handle_(handle) {}

    request(request&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
    request& operator=(request&& other) noexcept
    {
        request(std::move(other)).swap(*this);
        return *this;
    }
    request(const request&) = delete;
    request& operator=(const request&) = delete;

    ~request()
    {
        if (handle_ != nullptr)
            (void)anyccl_wait(&handle_);
    }

    // Waits for the end and reports the result of the operation.
    outcome<void> wait()
    {
        return detail::call("wait").run([this] { return anyccl_wait(&handle_); });
    }

    // Like wait, for a send or receive; tells about its message. All members are zero if the request had
    // already ended.
    outcome<message_status> wait_message()
    {
        message_status found{};
        return detail::call("wait_message")
            .get([&] { return anyccl_wait_message(&handle_, &found); }, [&] { return found; });
    }

    // Waits for the end, but not longer than a given time, and tells whether it has ended. With `never` there
    // is no limit.
    outcome<bool> wait_for(std::chrono::milliseconds time)
    {
        int done = 0;
        return detail::call("wait_for")
            .get([&] { return anyccl_wait_for(&handle_, time.count(), &done, nullptr); }, [&] { return done != 0; });
    }

    // Asks for the end of a receive that no message has matched yet. The request must still be waited for.
    outcome<void> cancel()
    {
        return detail::call("cancel").run([this] { return anyccl_cancel(handle_); });
    }

    // Whether the operation has ended. It lets the operations of the communicator progress.
    outcome<bool> test()
    {
        int done = 0;
        return detail::call("test").get([&] { return anyccl_test(&handle_, &done); }, [&] { return done != 0; });
    }

    // Like test, for a send or receive; tells about its message when it has ended.
    outcome<std::optional<message_status>> test_message()
    {
        int done = 0;
        message_status found{};
        return detail::call("test_message")
            .get([&] { return anyccl_test_message(&handle_, &done, &found); },
                 [&] { return done != 0 ? std::optional<message_status>(found) : std::nullopt; });
    }

    // Whether wait or test has seen the end.
    bool has_ended() const noexcept { return handle_ == nullptr; }

    // The handle for calls of the C API.
    anyccl_request_t handle() const noexcept { return handle_; }
    // Gives up ownership: the C API must end the request.
    anyccl_request_t release() noexcept { return std::exchange(handle_, nullptr); }

    void swap(request& other) noexcept { std::swap(handle_, other.handle_); }

private:
    anyccl_request_t handle_ = nullptr;
};

namespace detail {

// The handles of many requests in one array, as the C API takes them. They are written back at the end.
template <class Requests>
class handles {
public:
    explicit handles(Requests& requests) : requests_(requests), count_(std::size(requests))
    {
        if (count_ > few_.size())
            many_.resize(count_);
        anyccl_request_t* next = data();
        for (request& one : requests_)
            *next++ = one.release();
    }
    handles(const handles&) = delete;
    handles& operator=(const handles&) = delete;
    ~handles()
    {
        anyccl_request_t* next = data();
        for (request& one : requests_)
            one = request(*next++);
    }

    anyccl_request_t* data() noexcept { return many_.empty() ? few_.data() : many_.data(); }
    std::size_t count() const noexcept { return count_; }

private:
    Requests& requests_;
    std::size_t count_;
    std::array<anyccl_request_t, 16> few_{};
    std::vector<anyccl_request_t> many_;
};

// Common end of the nonblocking forms: `start` gets the place for the request.
template <class Start>
outcome<request> started(call& checked, Start start)
{
    anyccl_request_t handle = nullptr;
    return checked.get([&] { return start(&handle); }, [&] { return request(handle); });
}

}  // namespace detail

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
