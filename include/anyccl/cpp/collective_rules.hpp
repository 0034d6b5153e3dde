// What each collective requires of its buffers, and the C call behind it. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_COLLECTIVE_RULES_HPP
#define ANYCCL_CPP_COLLECTIVE_RULES_HPP

#include <cstddef>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/transfers.hpp"
#include "anyccl/cpp/view.hpp"
#include "anyccl/cpp/ways.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// One function for each collective, for all its forms. A buffer that a rank does not use is not checked.
class collective_rules : public transfers {
public:
    using transfers::transfers;

protected:
    template <class Way, class Send, class Recv>
    auto do_all_reduce(Way way, Send& send, Recv& recv, op op) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        way.checked().holds("recv", to.size(), from.size(), "as many as send");
        return way(forms(anyccl_all_reduce, anyccl_iall_reduce, anyccl_all_reduce_init), from.data(), to.data(),
                   from.size(), datatype<decltype(from)>, to_c(op), handle());
    }

    template <class Way, class Send, class Recv>
    auto do_reduce(Way way, Send& send, Recv& recv, op op, int root) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        if (rank() == root)
            way.checked().holds("recv", to.size(), from.size(), "as many as send");
        return way(forms(anyccl_reduce, anyccl_ireduce, anyccl_reduce_init), from.data(), to.data(), from.size(),
                   datatype<decltype(from)>, to_c(op), root, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_broadcast(Way way, Send& send, Recv& recv, int root) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        if (rank() == root)
            way.checked().holds("send", from.size(), to.size(), "as many as recv");
        return way(forms(anyccl_broadcast, anyccl_ibroadcast, anyccl_broadcast_init), from.data(), to.data(), to.size(),
                   datatype<decltype(to)>, root, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_all_gather(Way way, Send& send, Recv& recv) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        way.checked().holds("recv", to.size(), ranks() * from.size(), "size times those of send");
        return way(forms(anyccl_all_gather, anyccl_iall_gather, anyccl_all_gather_init), from.data(), to.data(),
                   from.size(), datatype<decltype(from)>, handle());
    }

    template <class Way, class Buffer>
    auto do_all_gather_in_place(Way way, Buffer& buffer) const
    {
        const auto all = written(buffer);
        way.checked().divides("buffer", all.size(), ranks());
        const std::size_t each = one_of(all.size());
        return way(forms(anyccl_all_gather, anyccl_iall_gather, anyccl_all_gather_init), all.data() + own() * each,
                   all.data(), each, datatype<decltype(all)>, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_gather(Way way, Send& send, Recv& recv, int root) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        if (rank() == root)
            way.checked().holds("recv", to.size(), ranks() * from.size(), "size times those of send");
        return way(forms(anyccl_gather, anyccl_igather, anyccl_gather_init), from.data(), to.data(), from.size(),
                   datatype<decltype(from)>, root, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_scatter(Way way, Send& send, Recv& recv, int root) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        if (rank() == root)
            way.checked().holds("send", from.size(), ranks() * to.size(), "size times those of recv");
        return way(forms(anyccl_scatter, anyccl_iscatter, anyccl_scatter_init), from.data(), to.data(), to.size(),
                   datatype<decltype(to)>, root, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_reduce_scatter(Way way, Send& send, Recv& recv, op op) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        way.checked().holds("send", from.size(), ranks() * to.size(), "size times those of recv");
        return way(forms(anyccl_reduce_scatter, anyccl_ireduce_scatter, anyccl_reduce_scatter_init), from.data(),
                   to.data(), to.size(), datatype<decltype(to)>, to_c(op), handle());
    }

    template <class Way, class Send, class Recv>
    auto do_all_to_all(Way way, Send& send, Recv& recv) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        way.checked().divides("send", from.size(), ranks()).holds("recv", to.size(), from.size(), "as many as send");
        return way(forms(anyccl_all_to_all, anyccl_iall_to_all, anyccl_all_to_all_init), from.data(), to.data(),
                   one_of(from.size()), datatype<decltype(from)>, handle());
    }

    template <class Way>
    auto do_barrier(Way way) const
    {
        return way(forms(anyccl_barrier, anyccl_ibarrier, anyccl_barrier_init), handle());
    }

    // Rank of the caller as an index. 0 without a communicator, whose calls the library refuses.
    std::size_t own() const noexcept { return static_cast<std::size_t>(rank() < 0 ? 0 : rank()); }

private:
    // Number of elements of one rank, of `all`, which the number of ranks divides. 0 without ranks: the
    // library refuses the call.
    std::size_t one_of(std::size_t all) const noexcept { return ranks() == 0 ? 0 : all / ranks(); }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
