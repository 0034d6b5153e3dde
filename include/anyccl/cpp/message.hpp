// Messages that were taken out and are received later. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_MESSAGE_HPP
#define ANYCCL_CPP_MESSAGE_HPP

#include <utility>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// A message that mprobe has taken out. Only this object can receive it, once. A message that is never
// received stays with its communicator.
class [[nodiscard]] matched_message {
public:
    // No message: to receive it is refused.
    matched_message() = default;
    // Takes ownership of a message of the C API.
    matched_message(anyccl_message_t handle, const message_status& status) noexcept : handle_(handle), status_(status)
    {
    }

    matched_message(matched_message&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), status_(other.status_)
    {
    }
    matched_message& operator=(matched_message&& other) noexcept
    {
        handle_ = std::exchange(other.handle_, nullptr);
        status_ = other.status_;
        return *this;
    }
    matched_message(const matched_message&) = delete;
    matched_message& operator=(const matched_message&) = delete;

    // Sender, tag and length of the message.
    const message_status& status() const noexcept { return status_; }
    // Whether the message is still to be received.
    explicit operator bool() const noexcept { return handle_ != nullptr; }

    // Receives the message. Returns when the elements have arrived.
    template <class Buffer>
    outcome<void> recv(Buffer&& buffer)
    {
        const auto recv = detail::written(buffer);
        return detail::call("recv").run([&] {
            return anyccl_mrecv(recv.data(), recv.size(), detail::datatype<decltype(recv)>, &handle_, nullptr);
        });
    }

    template <class Buffer>
    outcome<request> irecv(Buffer&& buffer)
    {
        detail::outlives_the_call<Buffer>();
        const auto recv = detail::written(buffer);
        detail::call checked("irecv");
        return detail::started(checked, [&](anyccl_request_t* request) {
            return anyccl_imrecv(recv.data(), recv.size(), detail::datatype<decltype(recv)>, &handle_, request);
        });
    }

    // Gives up ownership: the C API must receive the message.
    anyccl_message_t release() noexcept { return std::exchange(handle_, nullptr); }

private:
    anyccl_message_t handle_ = nullptr;
    message_status status_{};
};

}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
