// Collectives on lists of buffers, and the calls for training, as members of a communicator. Part of
// anyccl.hpp.
#ifndef ANYCCL_CPP_LISTS_HPP
#define ANYCCL_CPP_LISTS_HPP

#include <cstddef>
#include <initializer_list>
#include <vector>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/any_buffer.hpp"
#include "anyccl/cpp/coalesced.hpp"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/pointers.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/view.hpp"
#include "anyccl/cpp/ways.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {
namespace detail {

// Calls whose blocks lie in separate buffers. A list is a range of buffers, as in detail::coalesced.
class lists : public coalesced {
public:
    using coalesced::coalesced;

    // Sends buffer k of every rank to rank k; `recvs[r]` receives the buffer of rank r. A buffer may be
    // empty.
    template <class Sends, class Recvs>
    outcome<void> all_to_all_list(const Sends& sends, Recvs&& recvs) const
    {
        return do_all_to_all_list(blocking("all_to_all_list"), sends, recvs);
    }
    template <class Sends, class Recvs>
    outcome<request> iall_to_all_list(Sends& sends, Recvs& recvs) const
    {
        return do_all_to_all_list(starting("iall_to_all_list"), sends, recvs);
    }
    template <class Sends, class Recvs>
    outcome<persistent> all_to_all_list_init(Sends& sends, Recvs& recvs) const
    {
        return do_all_to_all_list(preparing("all_to_all_list_init"), sends, recvs);
    }

    // Collects the elements of all ranks on every rank; `recvs[r]` receives those of rank r.
    template <class Send, class Recvs>
    outcome<void> all_gather_list(const Send& send, Recvs&& recvs) const
    {
        return do_all_gather_list(blocking("all_gather_list"), send, recvs);
    }
    template <class Send, class Recvs>
    outcome<request> iall_gather_list(Send&& send, Recvs& recvs) const
    {
        outlives_the_call<Send>();
        return do_all_gather_list(starting("iall_gather_list"), send, recvs);
    }
    template <class Send, class Recvs>
    outcome<persistent> all_gather_list_init(Send&& send, Recvs& recvs) const
    {
        outlives_the_call<Send>();
        return do_all_gather_list(preparing("all_gather_list_init"), send, recvs);
    }

    // Copies the buffers of the root to all ranks. Their elements may be of different types:
    // `comm.sync_params({weights, bias}, 0)`.
    template <class Buffers>
    outcome<void> sync_params(const Buffers& buffers, int root) const
    {
        const mixed all(buffers);
        return call("sync_params").run([&] {
            return anyccl_sync_params(all.starts.data(), all.counts.data(), all.datatypes.data(), all.starts.size(),
                                      root, handle());
        });
    }
    outcome<void> sync_params(std::initializer_list<any_buffer> buffers, int root) const
    {
        return sync_params(view<const any_buffer>(buffers.begin(), buffers.size()), root);
    }

    template <class Buffers>
    outcome<persistent> sync_params_init(const Buffers& buffers, int root) const
    {
        const mixed all(buffers);
        call checked("sync_params_init");
        return prepared(checked, [&](anyccl_request_t* request) {
            return anyccl_sync_params_init(all.starts.data(), all.counts.data(), all.datatypes.data(),
                                           all.starts.size(), root, handle(), request);
        });
    }

    // Sums the gradients of all ranks, in place. A gradient that no rank has is
    // any_buffer::missing<T>(count).
    template <class Buffers>
    outcome<void> sum_grads(const Buffers& buffers) const
    {
        const mixed all(buffers);
        return call("sum_grads").run([&] {
            return anyccl_sum_grads(all.starts.data(), all.counts.data(), all.datatypes.data(), all.starts.size(),
                                    handle());
        });
    }
    outcome<void> sum_grads(std::initializer_list<any_buffer> buffers) const
    {
        return sum_grads(view<const any_buffer>(buffers.begin(), buffers.size()));
    }
    // Persistent form of sum_grads(). No rank may be without a gradient.
    template <class Buffers>
    outcome<persistent> sum_grads_init(const Buffers& buffers) const
    {
        const mixed all(buffers);
        call checked("sum_grads_init");
        return prepared(checked, [&](anyccl_request_t* request) {
            return anyccl_sum_grads_init(all.starts.data(), all.counts.data(), all.datatypes.data(), all.starts.size(),
                                         handle(), request);
        });
    }

private:
    // Buffers of any type, as the three arrays of the C API.
    struct mixed {
        template <class Buffers>
        explicit mixed(const Buffers& buffers)
        {
            for (const any_buffer& buffer : buffers) {
                starts.push_back(buffer.data());
                counts.push_back(buffer.size());
                datatypes.push_back(buffer.datatype());
            }
        }
        std::vector<void*> starts;
        std::vector<std::size_t> counts;
        std::vector<anyccl_datatype_t> datatypes;
    };

    template <class Way, class Sends, class Recvs>
    auto do_all_to_all_list(Way way, Sends& sends, Recvs& recvs) const
    {
        go_together(elements_of_each<const Sends>(), elements_of_each<Recvs>());
        const auto from = pointers<const void*>::read(sends);
        const auto to = pointers<void*>::written_to(recvs);
        has_length(way.checked(), "sends", from.size(), ranks(), "one buffer per rank");
        has_length(way.checked(), "recvs", to.size(), ranks(), "one buffer per rank");
        return way(forms(anyccl_all_to_all_list, anyccl_iall_to_all_list, anyccl_all_to_all_list_init), from.data(),
                   to.data(), from.counts(), to.counts(), datatype<elements_of_each<Recvs>>, handle());
    }

    template <class Way, class Send, class Recvs>
    auto do_all_gather_list(Way way, Send& send, Recvs& recvs) const
    {
        const auto from = elements(send);
        go_together(from, elements_of_each<Recvs>());
        const auto to = pointers<void*>::written_to(recvs);
        if (has_length(way.checked(), "recvs", to.size(), ranks(), "one buffer per rank") && ranks() != 0)
            way.checked().holds("send", from.size(), to.count(own()), "what recvs has for this rank");
        return way(forms(anyccl_all_gather_list, anyccl_iall_gather_list, anyccl_all_gather_list_init), from.data(),
                   to.data(), to.counts(), datatype<decltype(from)>, handle());
    }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
