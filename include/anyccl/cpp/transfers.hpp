// Messages from one rank to another, as members of a communicator. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_TRANSFERS_HPP
#define ANYCCL_CPP_TRANSFERS_HPP

#include <optional>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/handle.hpp"
#include "anyccl/cpp/message.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// Source or tag of a receive or probe that accepts any rank or any tag.
inline constexpr int any_source = ANYCCL_ANY_SOURCE;
inline constexpr int any_tag = ANYCCL_ANY_TAG;

namespace detail {

// Messages from one rank to another. Both sides have the same element type, and the receive buffer has room
// for at least what is sent. A tag is 0 or more. Messages of one rank with one tag are received in the order
// in which they were sent.
class transfers : public handle_base {
public:
    using handle_base::handle_base;

    // Sends elements. Returns when `buffer` may be changed, which may be before or after the receive is
    // posted.
    template <class Buffer>
    outcome<void> send(const Buffer& buffer, int peer, int tag = 0) const
    {
        const auto send = elements(buffer);
        return call("send").run(
            [&] { return anyccl_send(send.data(), send.size(), datatype<decltype(send)>, peer, tag, handle()); });
    }

    // Sends elements. Returns when a receive has matched the message and `buffer` may be changed.
    template <class Buffer>
    outcome<void> ssend(const Buffer& buffer, int peer, int tag = 0) const
    {
        const auto send = elements(buffer);
        return call("ssend").run(
            [&] { return anyccl_ssend(send.data(), send.size(), datatype<decltype(send)>, peer, tag, handle()); });
    }

    template <class Buffer>
    outcome<request> isend(Buffer&& buffer, int peer, int tag = 0) const
    {
        outlives_the_call<Buffer>();
        const auto send = elements(buffer);
        call checked("isend");
        return started(checked, [&](anyccl_request_t* request) {
            return anyccl_isend(send.data(), send.size(), datatype<decltype(send)>, peer, tag, handle(), request);
        });
    }

    template <class Buffer>
    outcome<request> issend(Buffer&& buffer, int peer, int tag = 0) const
    {
        outlives_the_call<Buffer>();
        const auto send = elements(buffer);
        call checked("issend");
        return started(checked, [&](anyccl_request_t* request) {
            return anyccl_issend(send.data(), send.size(), datatype<decltype(send)>, peer, tag, handle(), request);
        });
    }

    // Receives elements. Returns when they have arrived.
    template <class Buffer>
    outcome<void> recv(Buffer&& buffer, int source, int tag = 0) const
    {
        return receive(buffer, source, tag, nullptr);
    }

    // Receives elements, and tells about the message. In a batch, `told` is written at its end.
    template <class Buffer>
    outcome<void> recv(Buffer&& buffer, int source, int tag, message_status& told) const
    {
        return receive(buffer, source, tag, &told);
    }

    template <class Buffer>
    outcome<request> irecv(Buffer&& buffer, int source, int tag = 0) const
    {
        outlives_the_call<Buffer>();
        const auto recv = written(buffer);
        call checked("irecv");
        return started(checked, [&](anyccl_request_t* request) {
            return anyccl_irecv(recv.data(), recv.size(), datatype<decltype(recv)>, source, tag, handle(), request);
        });
    }

    // Sends to one rank and receives from one, at the same time. All ranks of a ring may call it.
    template <class Send, class Recv>
    outcome<void> sendrecv(const Send& send, int peer, Recv&& recv, int source, int tag = 0) const
    {
        return exchange(send, peer, recv, source, tag, nullptr);
    }

    // Sends to one rank and receives from one, and tells about the message received. In a batch, `told` is
    // written at its end.
    template <class Send, class Recv>
    outcome<void> sendrecv(const Send& send, int peer, Recv&& recv, int source, int tag, message_status& told) const
    {
        return exchange(send, peer, recv, source, tag, &told);
    }

    // Waits for a message and tells about it, but does not receive it. Its count tells how much room it
    // needs.
    outcome<message_status> probe(int source, int tag = 0) const
    {
        message_status found{};
        return call("probe").get([&] { return anyccl_probe(source, tag, handle(), &found); }, [&] { return found; });
    }

    // Tells about a message, if there is one.
    outcome<std::optional<message_status>> iprobe(int source, int tag = 0) const
    {
        message_status found{};
        int is_found = 0;
        return call("iprobe").get([&] { return anyccl_iprobe(source, tag, handle(), &is_found, &found); },
                                  [&] { return is_found != 0 ? std::optional<message_status>(found) : std::nullopt; });
    }

    // Waits for a message and takes it out. The program can make room before it receives the message, and no
    // other thread receives it meanwhile.
    outcome<matched_message> mprobe(int source, int tag = 0) const
    {
        anyccl_message_t message = nullptr;
        message_status found{};
        return call("mprobe").get([&] { return anyccl_mprobe(source, tag, handle(), &message, &found); },
                                  [&] { return matched_message(message, found); });
    }

    // Takes out a message, if there is one; otherwise the result is no message.
    outcome<matched_message> improbe(int source, int tag = 0) const
    {
        anyccl_message_t message = nullptr;
        message_status found{};
        return call("improbe").get([&] { return anyccl_improbe(source, tag, handle(), &message, &found); },
                                   [&] { return matched_message(message, found); });
    }

    // Prepares a send or a receive that is started often.
    template <class Buffer>
    outcome<persistent> send_init(Buffer&& buffer, int peer, int tag = 0) const
    {
        outlives_the_call<Buffer>();
        const auto send = elements(buffer);
        call checked("send_init");
        return prepared(checked, [&](anyccl_request_t* request) {
            return anyccl_send_init(send.data(), send.size(), datatype<decltype(send)>, peer, tag, handle(), request);
        });
    }

    template <class Buffer>
    outcome<persistent> recv_init(Buffer&& buffer, int source, int tag = 0) const
    {
        outlives_the_call<Buffer>();
        const auto recv = written(buffer);
        call checked("recv_init");
        return prepared(checked, [&](anyccl_request_t* request) {
            return anyccl_recv_init(recv.data(), recv.size(), datatype<decltype(recv)>, source, tag, handle(), request);
        });
    }

private:
    template <class Buffer>
    outcome<void> receive(Buffer& buffer, int source, int tag, message_status* told) const
    {
        const auto recv = written(buffer);
        return call("recv").run([&] {
            return anyccl_recv(recv.data(), recv.size(), datatype<decltype(recv)>, source, tag, handle(), told);
        });
    }

    template <class Send, class Recv>
    outcome<void> exchange(Send& send, int peer, Recv& recv, int source, int tag, message_status* told) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        return call("sendrecv").run([&] {
            return anyccl_sendrecv(from.data(), from.size(), datatype<decltype(from)>, peer, tag, to.data(), to.size(),
                                   datatype<decltype(to)>, source, tag, handle(), told);
        });
    }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
