// Started operations. Part of anyccl.hpp.
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

// What is known of a message: who sent it, with which tag, how many elements.
using message_status = anyccl_message_status_t;

// A started operation. Its buffers belong to the library until it has ended: they must live so long, and a
// receive buffer is neither read nor written. A request that goes out of scope before its end waits for it,
// and its failure is lost: wait where the failure matters. So declare buffers before requests: they are
// destroyed after them.
class [[nodiscard]] request {
public:
    // One that has ended.
    request() = default;
    // Takes over a request of the C API; a persistent one is for anyccl::persistent.
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

    // Waits for the end, and tells what became of the operation.
    outcome<void> wait()
    {
        return detail::call("wait").run([this] { return anyccl_wait(&handle_); });
    }

    // As wait, of a send or receive: what is known of its message. All zero where the request has ended
    // already.
    outcome<message_status> wait_message()
    {
        message_status found{};
        return detail::call("wait_message")
            .get([&] { return anyccl_wait_message(&handle_, &found); }, [&] { return found; });
    }

    // Whether it has ended; waits for that no longer than so many milliseconds. `never`: until it has.
    outcome<bool> wait_for(std::chrono::milliseconds time)
    {
        int done = 0;
        return detail::call("wait_for")
            .get([&] { return anyccl_wait_for(&handle_, time.count(), &done, nullptr); }, [&] { return done != 0; });
    }

    // Asks a receive that has met no message yet to end without one; it is still to be waited for.
    outcome<void> cancel()
    {
        return detail::call("cancel").run([this] { return anyccl_cancel(handle_); });
    }

    // Whether it has ended; moves the operations of its communicator on.
    outcome<bool> test()
    {
        int done = 0;
        return detail::call("test").get([&] { return anyccl_test(&handle_, &done); }, [&] { return done != 0; });
    }

    // As test, of a send or receive: what is known of its message, once it has ended.
    outcome<std::optional<message_status>> test_message()
    {
        int done = 0;
        message_status found{};
        return detail::call("test_message")
            .get([&] { return anyccl_test_message(&handle_, &done, &found); },
                 [&] { return done != 0 ? std::optional<message_status>(found) : std::nullopt; });
    }

    // Whether wait or test have said that it has ended.
    bool has_ended() const noexcept { return handle_ == nullptr; }

    // For calls of the C API.
    anyccl_request_t handle() const noexcept { return handle_; }
    // Gives the request away, to be ended by the C API.
    anyccl_request_t release() noexcept { return std::exchange(handle_, nullptr); }

    void swap(request& other) noexcept { std::swap(handle_, other.handle_); }

private:
    anyccl_request_t handle_ = nullptr;
};

namespace detail {

// The handles of many requests side by side, as the C API wants them; they go back when this ends.
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

// The end of every i-form: `start` is given where to put the request.
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
