// What the collectives with blocks of different lengths, and scans, require of their buffers. Part of
// anyccl.hpp.
#ifndef ANYCCL_CPP_UNEQUAL_RULES_HPP
#define ANYCCL_CPP_UNEQUAL_RULES_HPP

#include <cstddef>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/collectives.hpp"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/parts.hpp"
#include "anyccl/cpp/view.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// One function for each collective, for all its forms. Counts and displacements are checked here, because the
// C call does not know their number.
class unequal_rules : public collectives {
public:
    using collectives::collectives;

protected:
    template <class Way, class Send, class Recv>
    auto do_all_gather_v(Way way, Send& send, Recv& recv, const parts& parts) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        check(way.checked(), "recv", to.size(), parts);
        if (is_of_all(parts))
            way.checked().holds("send", from.size(), parts.counts()[own()], "what counts has for this rank");
        return way(forms(anyccl_all_gather_v, anyccl_iall_gather_v, anyccl_all_gather_v_init), from.data(), to.data(),
                   parts.counts().data(), parts.displs(), datatype<decltype(from)>, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_gather_v(Way way, Send& send, Recv& recv, const parts& parts, int root) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        if (rank() == root)
            check(way.checked(), "recv", to.size(), parts);
        return way(forms(anyccl_gather_v, anyccl_igather_v, anyccl_gather_v_init), from.data(), to.data(), from.size(),
                   parts.counts().data(), parts.displs(), datatype<decltype(from)>, root, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_scatter_v(Way way, Send& send, const parts& parts, Recv& recv, int root) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        if (rank() == root)
            check(way.checked(), "send", from.size(), parts);
        return way(forms(anyccl_scatter_v, anyccl_iscatter_v, anyccl_scatter_v_init), from.data(), to.data(),
                   parts.counts().data(), parts.displs(), to.size(), datatype<decltype(to)>, root, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_reduce_scatter_v(Way way, Send& send, Recv& recv, view<const std::size_t> counts, op op) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        const parts parts(counts);
        check(way.checked(), "send", from.size(), parts);
        if (is_of_all(parts))
            way.checked().holds("recv", to.size(), parts.counts()[own()], "what counts has for this rank");
        return way(forms(anyccl_reduce_scatter_v, anyccl_ireduce_scatter_v, anyccl_reduce_scatter_v_init), from.data(),
                   to.data(), parts.counts().data(), datatype<decltype(to)>, to_c(op), handle());
    }

    template <class Way, class Send, class Recv>
    auto do_all_to_all_v(Way way, Send& send, const parts& sent, Recv& recv, const parts& received) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        check(way.checked(), "send", from.size(), sent);
        check(way.checked(), "recv", to.size(), received);
        return way(forms(anyccl_all_to_all_v, anyccl_iall_to_all_v, anyccl_all_to_all_v_init), from.data(), to.data(),
                   sent.counts().data(), sent.displs(), received.counts().data(), received.displs(),
                   datatype<decltype(from)>, handle());
    }

    template <class Way, class Send, class Recv>
    auto do_scan(Way way, Send& send, Recv& recv, op op) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        way.checked().holds("recv", to.size(), from.size(), "as many as send");
        return way(forms(anyccl_scan, anyccl_iscan, anyccl_scan_init), from.data(), to.data(), from.size(),
                   datatype<decltype(from)>, to_c(op), handle());
    }

    template <class Way, class Send, class Recv>
    auto do_exscan(Way way, Send& send, Recv& recv, op op) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        way.checked().holds("recv", to.size(), from.size(), "as many as send");
        return way(forms(anyccl_exscan, anyccl_iexscan, anyccl_exscan_init), from.data(), to.data(), from.size(),
                   datatype<decltype(from)>, to_c(op), handle());
    }

    // Refuses the call unless there is a number for each rank, and room for all blocks.
    static void check_parts(call& checked, const char* buffer, std::size_t has, const parts& parts, std::size_t number,
                            const char* rule)
    {
        checked.holds("counts", parts.counts().size(), number, rule);
        if (parts.has_displs())
            checked.holds("displs", parts.displs_size(), number, rule);
        if (parts.counts().size() == number && (!parts.has_displs() || parts.displs_size() == number))
            checked.has_room(buffer, has, parts.extent());
    }

private:
    void check(call& checked, const char* buffer, std::size_t has, const parts& parts) const
    {
        check_parts(checked, buffer, has, parts, ranks(), "one number per rank");
    }

    bool is_of_all(const parts& parts) const noexcept { return ranks() != 0 && parts.counts().size() == ranks(); }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
