// send, recv and their started forms. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_TRANSFERS_HPP
#define ANYCCL_CPP_TRANSFERS_HPP

#include "anyccl/anyccl.h"
#include "anyccl/cpp/handle.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// Calls between two ranks. Both sides give the same number of elements, of the same type.
class transfers : public handle_base {
public:
    using handle_base::handle_base;

    // Returns when `buffer` may be changed, which may be before or after the receiver has come.
    template <class Buffer>
    outcome<void> send(const Buffer& buffer, int peer) const
    {
        const auto send = elements(buffer);
        return call("send").run(
            [&] { return anyccl_send(send.data(), send.size(), datatype<decltype(send)>, peer, handle()); });
    }

    template <class Buffer>
    outcome<request> isend(Buffer&& buffer, int peer) const
    {
        outlives_the_call<Buffer>();
        const auto send = elements(buffer);
        call checked("isend");
        return started(checked, [&](anyccl_request_t* request) {
            return anyccl_isend(send.data(), send.size(), datatype<decltype(send)>, peer, handle(), request);
        });
    }

    // Returns when the elements are there.
    template <class Buffer>
    outcome<void> recv(Buffer&& buffer, int peer) const
    {
        const auto recv = written(buffer);
        return call("recv").run(
            [&] { return anyccl_recv(recv.data(), recv.size(), datatype<decltype(recv)>, peer, handle()); });
    }

    template <class Buffer>
    outcome<request> irecv(Buffer&& buffer, int peer) const
    {
        outlives_the_call<Buffer>();
        const auto recv = written(buffer);
        call checked("irecv");
        return started(checked, [&](anyccl_request_t* request) {
            return anyccl_irecv(recv.data(), recv.size(), datatype<decltype(recv)>, peer, handle(), request);
        });
    }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
