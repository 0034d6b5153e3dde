// Collectives with blocks of different lengths, and scans, as members of a communicator. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_UNEQUAL_HPP
#define ANYCCL_CPP_UNEQUAL_HPP

#include <cstddef>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/parts.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/unequal_rules.hpp"
#include "anyccl/cpp/view.hpp"
#include "anyccl/cpp/ways.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// Collectives with blocks of different lengths, and scans. Where blocks have no displacements, a range of
// counts is enough: `comm.all_gather_v(send, recv, counts)`.
class unequal : public unequal_rules {
public:
    using unequal_rules::unequal_rules;

    // Collects the elements of all ranks on every rank. Counts are the same on every rank; displacements may
    // differ.
    template <class Send, class Recv>
    outcome<void> all_gather_v(const Send& send, Recv&& recv, const parts& parts) const
    {
        return do_all_gather_v(blocking("all_gather_v"), send, recv, parts);
    }
    template <class Send, class Recv>
    outcome<request> iall_gather_v(Send&& send, Recv&& recv, const parts& parts) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_gather_v(starting("iall_gather_v"), send, recv, parts);
    }
    template <class Send, class Recv>
    outcome<persistent> all_gather_v_init(Send&& send, Recv&& recv, const parts& parts) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_gather_v(preparing("all_gather_v_init"), send, recv, parts);
    }

    // Collects the elements of all ranks at the root. The other ranks do not use `recv` and `parts`.
    template <class Send, class Recv>
    outcome<void> gather_v(const Send& send, Recv&& recv, const parts& parts, int root) const
    {
        return do_gather_v(blocking("gather_v"), send, recv, parts, root);
    }
    template <class Send, class Recv>
    outcome<request> igather_v(Send&& send, Recv&& recv, const parts& parts, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_gather_v(starting("igather_v"), send, recv, parts, root);
    }
    template <class Send, class Recv>
    outcome<persistent> gather_v_init(Send&& send, Recv&& recv, const parts& parts, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_gather_v(preparing("gather_v_init"), send, recv, parts, root);
    }

    // Distributes the elements of the root. The other ranks do not use `send` and `parts`.
    template <class Send, class Recv>
    outcome<void> scatter_v(const Send& send, const parts& parts, Recv&& recv, int root) const
    {
        return do_scatter_v(blocking("scatter_v"), send, parts, recv, root);
    }
    template <class Send, class Recv>
    outcome<request> iscatter_v(Send&& send, const parts& parts, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_scatter_v(starting("iscatter_v"), send, parts, recv, root);
    }
    template <class Send, class Recv>
    outcome<persistent> scatter_v_init(Send&& send, const parts& parts, Recv&& recv, int root) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_scatter_v(preparing("scatter_v_init"), send, parts, recv, root);
    }

    // Combines the elements of all ranks; every rank gets its block of `counts[rank]` elements.
    template <class Send, class Recv>
    outcome<void> reduce_scatter_v(const Send& send, Recv&& recv, view<const std::size_t> counts, op op) const
    {
        return do_reduce_scatter_v(blocking("reduce_scatter_v"), send, recv, counts, op);
    }
    template <class Send, class Recv>
    outcome<request> ireduce_scatter_v(Send&& send, Recv&& recv, view<const std::size_t> counts, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_reduce_scatter_v(starting("ireduce_scatter_v"), send, recv, counts, op);
    }
    template <class Send, class Recv>
    outcome<persistent> reduce_scatter_v_init(Send&& send, Recv&& recv, view<const std::size_t> counts, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_reduce_scatter_v(preparing("reduce_scatter_v_init"), send, recv, counts, op);
    }

    // Sends a block of any length from every rank to every rank.
    template <class Send, class Recv>
    outcome<void> all_to_all_v(const Send& send, const parts& sent, Recv&& recv, const parts& received) const
    {
        return do_all_to_all_v(blocking("all_to_all_v"), send, sent, recv, received);
    }
    template <class Send, class Recv>
    outcome<request> iall_to_all_v(Send&& send, const parts& sent, Recv&& recv, const parts& received) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_to_all_v(starting("iall_to_all_v"), send, sent, recv, received);
    }
    template <class Send, class Recv>
    outcome<persistent> all_to_all_v_init(Send&& send, const parts& sent, Recv&& recv, const parts& received) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_all_to_all_v(preparing("all_to_all_v_init"), send, sent, recv, received);
    }

    // Combines the elements of ranks 0 to r on every rank r.
    template <class Send, class Recv>
    outcome<void> scan(const Send& send, Recv&& recv, op op) const
    {
        return do_scan(blocking("scan"), send, recv, op);
    }
    template <class Send, class Recv>
    outcome<request> iscan(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_scan(starting("iscan"), send, recv, op);
    }
    template <class Send, class Recv>
    outcome<persistent> scan_init(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_scan(preparing("scan_init"), send, recv, op);
    }

    // Combines the elements of ranks 0 to r-1 on every rank r. `recv` of rank 0 does not change.
    template <class Send, class Recv>
    outcome<void> exscan(const Send& send, Recv&& recv, op op) const
    {
        return do_exscan(blocking("exscan"), send, recv, op);
    }
    template <class Send, class Recv>
    outcome<request> iexscan(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_exscan(starting("iexscan"), send, recv, op);
    }
    template <class Send, class Recv>
    outcome<persistent> exscan_init(Send&& send, Recv&& recv, op op) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_exscan(preparing("exscan_init"), send, recv, op);
    }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
