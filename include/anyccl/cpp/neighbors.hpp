// Exchange along a graph, as members of a communicator. Part of anyccl.hpp.
#ifndef ANYCCL_CPP_NEIGHBORS_HPP
#define ANYCCL_CPP_NEIGHBORS_HPP

#include <cstddef>
#include <utility>

#include "anyccl/anyccl.h"
#include "anyccl/cpp/datatype.hpp"
#include "anyccl/cpp/lists.hpp"
#include "anyccl/cpp/mode.hpp"
#include "anyccl/cpp/outcome.hpp"
#include "anyccl/cpp/parts.hpp"
#include "anyccl/cpp/persistent.hpp"
#include "anyccl/cpp/request.hpp"
#include "anyccl/cpp/view.hpp"
#include "anyccl/cpp/ways.hpp"

namespace anyccl {
inline namespace ANYCCL_CPP_MODE {

// The neighbors of this rank in a communicator; made by `create_graph`. It may be destroyed before or after
// its communicator.
class graph {
public:
    // No graph: calls with it are refused.
    graph() = default;
    // Takes ownership of a graph of the C API.
    graph(anyccl_graph_t handle, std::size_t sources, std::size_t destinations) noexcept
        : handle_(handle), sources_(sources), destinations_(destinations)
    {
    }

    graph(graph&& other) noexcept
        : handle_(std::exchange(other.handle_, nullptr)), sources_(other.sources_), destinations_(other.destinations_)
    {
    }
    graph& operator=(graph&& other) noexcept
    {
        graph taken(std::move(other));
        std::swap(handle_, taken.handle_);
        sources_ = taken.sources_;
        destinations_ = taken.destinations_;
        return *this;
    }
    graph(const graph&) = delete;
    graph& operator=(const graph&) = delete;
    ~graph() { (void)anyccl_graph_destroy(handle_); }

    // Number of ranks that send to this one, and number of ranks that it sends to.
    std::size_t sources() const noexcept { return sources_; }
    std::size_t destinations() const noexcept { return destinations_; }
    // The handle for calls of the C API.
    anyccl_graph_t handle() const noexcept { return handle_; }

private:
    anyccl_graph_t handle_ = nullptr;
    std::size_t sources_ = 0;
    std::size_t destinations_ = 0;
};

namespace detail {

// Exchange with the neighbors in a graph. Blocks are in the order of the sources and of the destinations.
class neighbors : public lists {
public:
    using lists::lists;

    // Makes a graph from the ranks that send to this one and the ranks that it sends to. Collective. Refused
    // on every rank when two ranks contradict each other.
    template <class Sources, class Destinations>
    outcome<graph> create_graph(const Sources& sources, const Destinations& destinations) const
    {
        const view<const int> in = sources, out = destinations;
        anyccl_graph_t made = nullptr;
        return call("create_graph")
            .get([&] { return anyccl_graph_create(in.data(), in.size(), out.data(), out.size(), handle(), &made); },
                 [&] { return graph(made, in.size(), out.size()); });
    }

    // Sends the same elements to every destination, and receives a block from every source.
    template <class Send, class Recv>
    outcome<void> neighbor_all_gather_v(const Send& send, Recv&& recv, const parts& received, const graph& along) const
    {
        return do_neighbor_all_gather_v(blocking("neighbor_all_gather_v"), send, recv, received, along);
    }
    template <class Send, class Recv>
    outcome<request> ineighbor_all_gather_v(Send&& send, Recv&& recv, const parts& received, const graph& along) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_neighbor_all_gather_v(starting("ineighbor_all_gather_v"), send, recv, received, along);
    }
    template <class Send, class Recv>
    outcome<persistent> neighbor_all_gather_v_init(Send&& send, Recv&& recv, const parts& received,
                                                   const graph& along) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_neighbor_all_gather_v(preparing("neighbor_all_gather_v_init"), send, recv, received, along);
    }

    // Sends a block of its own to every destination, and receives a block from every source.
    template <class Send, class Recv>
    outcome<void> neighbor_all_to_all_v(const Send& send, const parts& sent, Recv&& recv, const parts& received,
                                        const graph& along) const
    {
        return do_neighbor_all_to_all_v(blocking("neighbor_all_to_all_v"), send, sent, recv, received, along);
    }
    template <class Send, class Recv>
    outcome<request> ineighbor_all_to_all_v(Send&& send, const parts& sent, Recv&& recv, const parts& received,
                                            const graph& along) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_neighbor_all_to_all_v(starting("ineighbor_all_to_all_v"), send, sent, recv, received, along);
    }
    template <class Send, class Recv>
    outcome<persistent> neighbor_all_to_all_v_init(Send&& send, const parts& sent, Recv&& recv, const parts& received,
                                                   const graph& along) const
    {
        outlives_the_call<Send>();
        outlives_the_call<Recv>();
        return do_neighbor_all_to_all_v(preparing("neighbor_all_to_all_v_init"), send, sent, recv, received, along);
    }

private:
    template <class Way, class Send, class Recv>
    auto do_neighbor_all_gather_v(Way way, Send& send, Recv& recv, const parts& received, const graph& along) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        check_parts(way.checked(), "recv", to.size(), received, along.sources(), "one number per source");
        return way(
            forms(anyccl_neighbor_all_gather_v, anyccl_ineighbor_all_gather_v, anyccl_neighbor_all_gather_v_init),
            from.data(), to.data(), from.size(), received.counts().data(), received.displs(), datatype<decltype(from)>,
            along.handle(), handle());
    }

    template <class Way, class Send, class Recv>
    auto do_neighbor_all_to_all_v(Way way, Send& send, const parts& sent, Recv& recv, const parts& received,
                                  const graph& along) const
    {
        const auto from = elements(send);
        const auto to = written(recv);
        go_together(from, to);
        check_parts(way.checked(), "send", from.size(), sent, along.destinations(), "one number per destination");
        check_parts(way.checked(), "recv", to.size(), received, along.sources(), "one number per source");
        return way(
            forms(anyccl_neighbor_all_to_all_v, anyccl_ineighbor_all_to_all_v, anyccl_neighbor_all_to_all_v_init),
            from.data(), to.data(), sent.counts().data(), sent.displs(), received.counts().data(), received.displs(),
            datatype<decltype(from)>, along.handle(), handle());
    }
};

}  // namespace detail
}  // namespace ANYCCL_CPP_MODE
}  // namespace anyccl

#endif
