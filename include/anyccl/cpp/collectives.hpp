// The collectives, as members of a communicator. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_COLLECTIVES_HPP
#define ANYCCL_CPP_COLLECTIVES_HPP

#include "anyccl/anyccl.h"
#include "anyccl/cpp/collective_rules.hpp"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/view.hpp"
#include "anyccl/cpp/ways.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// The collectives of a communicator. All ranks make the same calls in the same order.
//
// Each call has a nonblocking form whose name begins with `i`, and a persistent form whose name ends with
// `_init`. A call with one buffer works in place. Sizes are checked before anything is sent: a call that is
// refused leaves the communicator usable, but the other ranks wait for this one.
//
// `send` and `recv` are any contiguous elements, or one element. collectives.h has a picture of each call.
class collectives : public collective_rules {
public:
    using collective_rules::collective_rules;

    // Combines the elements of all ranks; every rank gets the result.
    template <class Send, class Recv>
    outcome<void> all_reduce(const Send& send, Recv&& recv, op op) const
    {
        return do_all_reduce(blocking("all_reduce"), send, recv, op);
    }
    template <class Buffer>
    outcome<void> all_reduce(Buffer&& buffer, op op) const
    {
        return do_all_reduce(blocking("all_reduce"), buffer, buffer, op);
    }
    template <class Send, class Recv>
    outcome<request> iall_reduce(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_reduce(starting("iall_reduce"), send, recv, op);
    }
    template <class Buffer>
    outcome<request> iall_reduce(Buffer&& buffer, op op) const
    {
        outlives_the_call<Buffer>();
        return do_all_reduce(starting("iall_reduce"), buffer, buffer, op);
    }
    template <class Send, class Recv>
    outcome<persistent> all_reduce_init(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_reduce(preparing("all_reduce_init"), send, recv, op);
    }
    template <class Buffer>
    outcome<persistent> all_reduce_init(Buffer&& buffer, op op) const
    {
        outlives_the_call<Buffer>();
        return do_all_reduce(preparing("all_reduce_init"), buffer, buffer, op);
    }

    // Combines the elements of all ranks; the root gets the result. The other ranks do not use `recv`.
    template <class Send, class Recv>
    outcome<void> reduce(const Send& send, Recv&& recv, op op, int root) const
    {
        return do_reduce(blocking("reduce"), send, recv, op, root);
    }
    template <class Buffer>
    outcome<void> reduce(Buffer&& buffer, op op, int root) const
    {
        return do_reduce(blocking("reduce"), buffer, buffer, op, root);
    }
    template <class Send, class Recv>
    outcome<request> ireduce(Send&& send, Recv&& recv, op op, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_reduce(starting("ireduce"), send, recv, op, root);
    }
    template <class Buffer>
    outcome<request> ireduce(Buffer&& buffer, op op, int root) const
    {
        outlives_the_call<Buffer>();
        return do_reduce(starting("ireduce"), buffer, buffer, op, root);
    }
    template <class Send, class Recv>
    outcome<persistent> reduce_init(Send&& send, Recv&& recv, op op, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_reduce(preparing("reduce_init"), send, recv, op, root);
    }
    template <class Buffer>
    outcome<persistent> reduce_init(Buffer&& buffer, op op, int root) const
    {
        outlives_the_call<Buffer>();
        return do_reduce(preparing("reduce_init"), buffer, buffer, op, root);
    }

    // Copies the elements of the root to every rank. The other ranks do not use `send`.
    template <class Send, class Recv>
    outcome<void> broadcast(const Send& send, Recv&& recv, int root) const
    {
        return do_broadcast(blocking("broadcast"), send, recv, root);
    }
    template <class Buffer>
    outcome<void> broadcast(Buffer&& buffer, int root) const
    {
        return do_broadcast(blocking("broadcast"), buffer, buffer, root);
    }
    template <class Send, class Recv>
    outcome<request> ibroadcast(Send&& send, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_broadcast(starting("ibroadcast"), send, recv, root);
    }
    template <class Buffer>
    outcome<request> ibroadcast(Buffer&& buffer, int root) const
    {
        outlives_the_call<Buffer>();
        return do_broadcast(starting("ibroadcast"), buffer, buffer, root);
    }
    template <class Send, class Recv>
    outcome<persistent> broadcast_init(Send&& send, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_broadcast(preparing("broadcast_init"), send, recv, root);
    }
    template <class Buffer>
    outcome<persistent> broadcast_init(Buffer&& buffer, int root) const
    {
        outlives_the_call<Buffer>();
        return do_broadcast(preparing("broadcast_init"), buffer, buffer, root);
    }

    // Collects the elements of all ranks on every rank, in the order of the ranks. In place, the elements of
    // this rank lie in its block of the buffer.
    template <class Send, class Recv>
    outcome<void> all_gather(const Send& send, Recv&& recv) const
    {
        return do_all_gather(blocking("all_gather"), send, recv);
    }
    template <class Buffer>
    outcome<void> all_gather(Buffer&& buffer) const
    {
        return do_all_gather_in_place(blocking("all_gather"), buffer);
    }
    template <class Send, class Recv>
    outcome<request> iall_gather(Send&& send, Recv&& recv) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_gather(starting("iall_gather"), send, recv);
    }
    template <class Buffer>
    outcome<request> iall_gather(Buffer&& buffer) const
    {
        outlives_the_call<Buffer>();
        return do_all_gather_in_place(starting("iall_gather"), buffer);
    }
    template <class Send, class Recv>
    outcome<persistent> all_gather_init(Send&& send, Recv&& recv) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_gather(preparing("all_gather_init"), send, recv);
    }
    template <class Buffer>
    outcome<persistent> all_gather_init(Buffer&& buffer) const
    {
        outlives_the_call<Buffer>();
        return do_all_gather_in_place(preparing("all_gather_init"), buffer);
    }

    // Collects the elements of all ranks at the root, in the order of the ranks. The other ranks do not use
    // `recv`.
    template <class Send, class Recv>
    outcome<void> gather(const Send& send, Recv&& recv, int root) const
    {
        return do_gather(blocking("gather"), send, recv, root);
    }
    template <class Send, class Recv>
    outcome<request> igather(Send&& send, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_gather(starting("igather"), send, recv, root);
    }
    template <class Send, class Recv>
    outcome<persistent> gather_init(Send&& send, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_gather(preparing("gather_init"), send, recv, root);
    }

    // Distributes the elements of the root to all ranks, in the order of the ranks. The other ranks do not
    // use `send`.
    template <class Send, class Recv>
    outcome<void> scatter(const Send& send, Recv&& recv, int root) const
    {
        return do_scatter(blocking("scatter"), send, recv, root);
    }
    template <class Send, class Recv>
    outcome<request> iscatter(Send&& send, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_scatter(starting("iscatter"), send, recv, root);
    }
    template <class Send, class Recv>
    outcome<persistent> scatter_init(Send&& send, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_scatter(preparing("scatter_init"), send, recv, root);
    }

    // Combines the elements of all ranks; every rank gets its block of the result.
    template <class Send, class Recv>
    outcome<void> reduce_scatter(const Send& send, Recv&& recv, op op) const
    {
        return do_reduce_scatter(blocking("reduce_scatter"), send, recv, op);
    }
    template <class Send, class Recv>
    outcome<request> ireduce_scatter(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_reduce_scatter(starting("ireduce_scatter"), send, recv, op);
    }
    template <class Send, class Recv>
    outcome<persistent> reduce_scatter_init(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_reduce_scatter(preparing("reduce_scatter_init"), send, recv, op);
    }

    // Sends block k of every rank to rank k, which gets the blocks in the order of their senders.
    template <class Send, class Recv>
    outcome<void> all_to_all(const Send& send, Recv&& recv) const
    {
        return do_all_to_all(blocking("all_to_all"), send, recv);
    }
    template <class Buffer>
    outcome<void> all_to_all(Buffer&& buffer) const
    {
        return do_all_to_all(blocking("all_to_all"), buffer, buffer);
    }
    template <class Send, class Recv>
    outcome<request> iall_to_all(Send&& send, Recv&& recv) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_to_all(starting("iall_to_all"), send, recv);
    }
    template <class Buffer>
    outcome<request> iall_to_all(Buffer&& buffer) const
    {
        outlives_the_call<Buffer>();
        return do_all_to_all(starting("iall_to_all"), buffer, buffer);
    }
    template <class Send, class Recv>
    outcome<persistent> all_to_all_init(Send&& send, Recv&& recv) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_to_all(preparing("all_to_all_init"), send, recv);
    }
    template <class Buffer>
    outcome<persistent> all_to_all_init(Buffer&& buffer) const
    {
        outlives_the_call<Buffer>();
        return do_all_to_all(preparing("all_to_all_init"), buffer, buffer);
    }

    // Waits until every rank has made the call.
    outcome<void> barrier() const { return do_barrier(blocking("barrier")); }
    outcome<request> ibarrier() const { return do_barrier(starting("ibarrier")); }
    outcome<persistent> barrier_init() const { return do_barrier(preparing("barrier_init")); }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
