// One collective on many buffers, as members of a communicator. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_COALESCED_HPP
#define ANYCCL_CPP_COALESCED_HPP

#include <cstddef>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/pointers.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/unequal.hpp"
#include "anyccl/cpp/view.hpp"
#include "anyccl/cpp/ways.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// Each call does the collective of its name on every buffer of a list. A list is a range of buffers with
// elements of one type: vectors, spans, views. The range itself is read during the call only. Its buffers
// must live until the request has ended, or as long as the persistent operation.
class coalesced : public unequal {
public:
    using unequal::unequal;

    // Combines the elements of all ranks; every rank gets the results.
    template <class Sends, class Recvs>
    outcome<void> all_reduce_coalesced(const Sends& sends, Recvs&& recvs, op op) const
    {
        return do_all_reduce(blocking("all_reduce_coalesced"), sends, recvs, op);
    }
    template <class Buffers>
    outcome<void> all_reduce_coalesced(Buffers&& buffers, op op) const
    {
        return do_all_reduce(blocking("all_reduce_coalesced"), buffers, buffers, op);
    }
    template <class Sends, class Recvs>
    outcome<request> iall_reduce_coalesced(Sends& sends, Recvs& recvs, op op) const
    {
        return do_all_reduce(starting("iall_reduce_coalesced"), sends, recvs, op);
    }
    template <class Sends, class Recvs>
    outcome<persistent> all_reduce_coalesced_init(Sends& sends, Recvs& recvs, op op) const
    {
        return do_all_reduce(preparing("all_reduce_coalesced_init"), sends, recvs, op);
    }
    template <class Buffers>
    outcome<request> iall_reduce_coalesced(Buffers& buffers, op op) const
    {
        return do_all_reduce(starting("iall_reduce_coalesced"), buffers, buffers, op);
    }
    template <class Buffers>
    outcome<persistent> all_reduce_coalesced_init(Buffers& buffers, op op) const
    {
        return do_all_reduce(preparing("all_reduce_coalesced_init"), buffers, buffers, op);
    }

    // Copies the buffers of the root to every rank. On the other ranks `sends` is not read, but must have the
    // same lengths.
    template <class Sends, class Recvs>
    outcome<void> broadcast_coalesced(const Sends& sends, Recvs&& recvs, int root) const
    {
        return do_broadcast(blocking("broadcast_coalesced"), sends, recvs, root);
    }
    template <class Buffers>
    outcome<void> broadcast_coalesced(Buffers&& buffers, int root) const
    {
        return do_broadcast(blocking("broadcast_coalesced"), buffers, buffers, root);
    }
    template <class Sends, class Recvs>
    outcome<request> ibroadcast_coalesced(Sends& sends, Recvs& recvs, int root) const
    {
        return do_broadcast(starting("ibroadcast_coalesced"), sends, recvs, root);
    }
    template <class Sends, class Recvs>
    outcome<persistent> broadcast_coalesced_init(Sends& sends, Recvs& recvs, int root) const
    {
        return do_broadcast(preparing("broadcast_coalesced_init"), sends, recvs, root);
    }
    template <class Buffers>
    outcome<request> ibroadcast_coalesced(Buffers& buffers, int root) const
    {
        return do_broadcast(starting("ibroadcast_coalesced"), buffers, buffers, root);
    }
    template <class Buffers>
    outcome<persistent> broadcast_coalesced_init(Buffers& buffers, int root) const
    {
        return do_broadcast(preparing("broadcast_coalesced_init"), buffers, buffers, root);
    }

    // Collects the elements of all ranks on every rank, in the order of the ranks.
    template <class Sends, class Recvs>
    outcome<void> all_gather_coalesced(const Sends& sends, Recvs&& recvs) const
    {
        return do_all_gather(blocking("all_gather_coalesced"), sends, recvs);
    }
    template <class Sends, class Recvs>
    outcome<request> iall_gather_coalesced(Sends& sends, Recvs& recvs) const
    {
        return do_all_gather(starting("iall_gather_coalesced"), sends, recvs);
    }
    template <class Sends, class Recvs>
    outcome<persistent> all_gather_coalesced_init(Sends& sends, Recvs& recvs) const
    {
        return do_all_gather(preparing("all_gather_coalesced_init"), sends, recvs);
    }

    // Combines the elements of all ranks; every rank gets its block of each result.
    template <class Sends, class Recvs>
    outcome<void> reduce_scatter_coalesced(const Sends& sends, Recvs&& recvs, op op) const
    {
        return do_reduce_scatter(blocking("reduce_scatter_coalesced"), sends, recvs, op);
    }
    template <class Sends, class Recvs>
    outcome<request> ireduce_scatter_coalesced(Sends& sends, Recvs& recvs, op op) const
    {
        return do_reduce_scatter(starting("ireduce_scatter_coalesced"), sends, recvs, op);
    }
    template <class Sends, class Recvs>
    outcome<persistent> reduce_scatter_coalesced_init(Sends& sends, Recvs& recvs, op op) const
    {
        return do_reduce_scatter(preparing("reduce_scatter_coalesced_init"), sends, recvs, op);
    }

private:
    template <class Way, class Sends, class Recvs>
    auto do_all_reduce(Way way, Sends& sends, Recvs& recvs, op op) const
    {
        go_together(elements_of_each<const Sends>(), elements_of_each<Recvs>());
        const auto from = pointers<const void*>::read(sends);
        const auto to = pointers<void*>::written_to(recvs);
        if (has_length(way.checked(), "recvs", to.size(), from.size(), "as many as sends")) {
            for (std::size_t i = 0; i < to.size(); i++)
                each_holds(way.checked(), "recvs", i, to.count(i), from.count(i), "as many as in sends");
        }
        return way(forms(anyccl_all_reduce_coalesced, anyccl_iall_reduce_coalesced, anyccl_all_reduce_coalesced_init),
                   from.data(), to.data(), to.counts(), to.size(), datatype<elements_of_each<Recvs>>, to_c(op),
                   handle());
    }

    template <class Way, class Sends, class Recvs>
    auto do_broadcast(Way way, Sends& sends, Recvs& recvs, int root) const
    {
        go_together(elements_of_each<const Sends>(), elements_of_each<Recvs>());
        const auto from = pointers<const void*>::read(sends);
        const auto to = pointers<void*>::written_to(recvs);
        if (has_length(way.checked(), "recvs", to.size(), from.size(), "as many as sends")) {
            for (std::size_t i = 0; i < to.size(); i++)
                each_holds(way.checked(), "sends", i, from.count(i), to.count(i), "as many as in recvs");
        }
        return way(forms(anyccl_broadcast_coalesced, anyccl_ibroadcast_coalesced, anyccl_broadcast_coalesced_init),
                   from.data(), to.data(), to.counts(), to.size(), datatype<elements_of_each<Recvs>>, root, handle());
    }

    template <class Way, class Sends, class Recvs>
    auto do_all_gather(Way way, Sends& sends, Recvs& recvs) const
    {
        go_together(elements_of_each<const Sends>(), elements_of_each<Recvs>());
        const auto from = pointers<const void*>::read(sends);
        const auto to = pointers<void*>::written_to(recvs);
        if (has_length(way.checked(), "recvs", to.size(), from.size(), "as many as sends")) {
            for (std::size_t i = 0; i < to.size(); i++)
                each_holds(way.checked(), "recvs", i, to.count(i), ranks() * from.count(i),
                           "size times those in sends");
        }
        return way(forms(anyccl_all_gather_coalesced, anyccl_iall_gather_coalesced, anyccl_all_gather_coalesced_init),
                   from.data(), to.data(), from.counts(), from.size(), datatype<elements_of_each<Recvs>>, handle());
    }

    template <class Way, class Sends, class Recvs>
    auto do_reduce_scatter(Way way, Sends& sends, Recvs& recvs, op op) const
    {
        go_together(elements_of_each<const Sends>(), elements_of_each<Recvs>());
        const auto from = pointers<const void*>::read(sends);
        const auto to = pointers<void*>::written_to(recvs);
        if (has_length(way.checked(), "recvs", to.size(), from.size(), "as many as sends")) {
            for (std::size_t i = 0; i < to.size(); i++)
                each_holds(way.checked(), "sends", i, from.count(i), ranks() * to.count(i),
                           "size times those in recvs");
        }
        return way(forms(anyccl_reduce_scatter_coalesced, anyccl_ireduce_scatter_coalesced,
                         anyccl_reduce_scatter_coalesced_init),
                   from.data(), to.data(), to.counts(), to.size(), datatype<elements_of_each<Recvs>>, to_c(op),
                   handle());
    }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
