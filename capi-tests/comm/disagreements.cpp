// Tests of ranks that disagree in one argument. For every call, and for every rank as the odd one, each rank
// gets an error that names both sides. Ranks are threads. The calls are those of anyccl.hpp.
#include <anyccl/anyccl.hpp>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "check.h"

namespace {

using anyccl::communicator_ref;
using anyccl::op;
using ints = std::vector<int>;
using floats = std::vector<float>;
using counts = std::vector<std::size_t>;
using call = std::function<void(const communicator_ref&)>;

constexpr int ranks = 3;

// The call of most ranks, and the call of the odd rank. The error on every rank must have the words of both.
struct disagreement {
    const char* what;
    call common;
    const char* common_words;
    call odd;
    const char* odd_words;
};

// Makes a list of buffers with these lengths.
template <class T>
std::vector<std::vector<T>> list(std::initializer_list<std::size_t> lengths)
{
    std::vector<std::vector<T>> made;
    for (const std::size_t length : lengths)
        made.push_back(std::vector<T>(length));
    return made;
}

std::size_t total(const counts& lengths)
{
    std::size_t sum = 0;
    for (const std::size_t length : lengths)
        sum += length;
    return sum;
}

std::size_t own(const communicator_ref& comm)
{
    return static_cast<std::size_t>(comm.rank());
}

template <class T>
call all_gather_v(const counts& lengths)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(total(lengths));
        comm.all_gather_v(std::vector<T>(lengths[own(comm)]), recv, lengths);
    };
}

template <class T>
call gather_v(int root)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(12);
        comm.gather_v(std::vector<T>(4), recv, counts(3, 4), root);
    };
}

template <class T>
call scatter_v(int root)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(4);
        comm.scatter_v(std::vector<T>(12), counts(3, 4), recv, root);
    };
}

template <class T>
call reduce_scatter_v(const counts& lengths, op how)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(lengths[own(comm)]);
        comm.reduce_scatter_v(std::vector<T>(total(lengths)), recv, lengths, how);
    };
}

template <class T>
call all_to_all_v(std::size_t each)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(3 * each);
        comm.all_to_all_v(std::vector<T>(3 * each), counts(3, each), recv, counts(3, each));
    };
}

template <class T>
call all_to_all_list(std::size_t each)
{
    return [=](const communicator_ref& comm) {
        auto recvs = list<T>({each, each, each});
        comm.all_to_all_list(list<T>({each, each, each}), recvs);
    };
}

template <class T>
call all_gather_list(std::size_t each)
{
    return [=](const communicator_ref& comm) {
        auto recvs = list<T>({each, each, each});
        comm.all_gather_list(std::vector<T>(each), recvs);
    };
}

template <class T>
call scan(std::size_t count, op how)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(count);
        comm.scan(std::vector<T>(count), recv, how);
    };
}

template <class T>
call exscan(std::size_t count, op how)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(count);
        comm.exscan(std::vector<T>(count), recv, how);
    };
}

template <class T>
call all_reduce_coalesced(std::initializer_list<std::size_t> lengths, op how)
{
    auto buffers = list<T>(lengths);
    return [=](const communicator_ref& comm) {
        auto own = buffers;
        comm.all_reduce_coalesced(own, how);
    };
}

template <class T>
call broadcast_coalesced(std::initializer_list<std::size_t> lengths, int root)
{
    auto buffers = list<T>(lengths);
    return [=](const communicator_ref& comm) {
        auto own = buffers;
        comm.broadcast_coalesced(own, root);
    };
}

// Along a ring: each rank sends to the next.
template <class T>
call neighbor_all_gather_v(std::size_t each)
{
    return [=](const communicator_ref& comm) {
        const auto ring = comm.create_graph(std::array{(comm.rank() + 2) % 3}, std::array{(comm.rank() + 1) % 3});
        std::vector<T> recv(each);
        comm.neighbor_all_gather_v(std::vector<T>(each), recv, counts{each}, ring);
    };
}

template <class T>
call neighbor_all_to_all_v(std::size_t each)
{
    return [=](const communicator_ref& comm) {
        const auto ring = comm.create_graph(std::array{(comm.rank() + 2) % 3}, std::array{(comm.rank() + 1) % 3});
        std::vector<T> recv(each);
        comm.neighbor_all_to_all_v(std::vector<T>(each), counts{each}, recv, counts{each}, ring);
    };
}

template <class T>
call persistent_all_reduce(std::size_t count, op how)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> buffer(count);
        anyccl::persistent prepared = comm.all_reduce_init(buffer, how);
        prepared.start();
        prepared.wait();
    };
}

template <class T>
call all_reduce(std::size_t count, op how)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> buffer(count);
        comm.all_reduce(buffer, how);
    };
}

// Every rank sends to the next and receives from the one before.
template <class T>
call around(std::size_t sent, std::size_t room)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> recv(room);
        comm.sendrecv(std::vector<T>(sent), (comm.rank() + 1) % 3, recv, (comm.rank() + 2) % 3, 6);
    };
}

template <class T>
call prepared_around(std::size_t count)
{
    return [=](const communicator_ref& comm) {
        std::vector<T> send(count), recv(count);
        std::vector<anyccl::persistent> both;
        both.push_back(comm.send_init(send, (comm.rank() + 1) % 3, 6));
        both.push_back(comm.recv_init(recv, (comm.rank() + 2) % 3, 6));
        anyccl::start_all(both);
        both[1].wait();
        both[0].wait();
    };
}

template <class T>
call sync_params(std::initializer_list<std::size_t> lengths, int root)
{
    auto buffers = list<T>(lengths);
    return [=](const communicator_ref& comm) {
        auto own = buffers;
        comm.sync_params(std::vector<anyccl::any_buffer>(own.begin(), own.end()), root);
    };
}

template <class T>
call sum_grads(std::initializer_list<std::size_t> lengths)
{
    auto buffers = list<T>(lengths);
    return [=](const communicator_ref& comm) {
        auto own = buffers;
        comm.sum_grads(std::vector<anyccl::any_buffer>(own.begin(), own.end()));
    };
}

call create_from_ranks(const ints& list)
{
    return [=](const communicator_ref& comm) { (void)comm.create_from_ranks(list); };
}

const call dup = [](const communicator_ref& comm) { (void)comm.dup(); };
const call split = [](const communicator_ref& comm) { (void)comm.split(0); };
const call barrier = [](const communicator_ref& comm) { comm.barrier(); };

const std::vector<disagreement> all = {
    {"all_gather_v: counts", all_gather_v<int>({4, 4, 4}), "all_gather_v", all_gather_v<int>({4, 5, 4}),
     "all_gather_v"},
    {"all_gather_v: type", all_gather_v<int>({4, 4, 4}), "int32", all_gather_v<float>({4, 4, 4}), "float32"},
    {"gather_v: root", gather_v<int>(0), "root 0", gather_v<int>(1), "root 1"},
    {"gather_v: type", gather_v<int>(2), "int32", gather_v<float>(2), "float32"},
    {"scatter_v: root", scatter_v<int>(0), "root 0", scatter_v<int>(1), "root 1"},
    {"scatter_v: type", scatter_v<int>(2), "int32", scatter_v<float>(2), "float32"},
    {"reduce_scatter_v: counts", reduce_scatter_v<int>({4, 4, 4}, op::sum), "reduce_scatter_v",
     reduce_scatter_v<int>({4, 5, 4}, op::sum), "reduce_scatter_v"},
    {"reduce_scatter_v: operator", reduce_scatter_v<int>({4, 4, 4}, op::sum), "sum",
     reduce_scatter_v<int>({4, 4, 4}, op::max), "max"},
    {"reduce_scatter_v: type", reduce_scatter_v<int>({4, 4, 4}, op::sum), "int32",
     reduce_scatter_v<float>({4, 4, 4}, op::sum), "float32"},
    {"all_to_all_v: lengths", all_to_all_v<int>(4), "a block of 4", all_to_all_v<int>(5), "a block of 5"},
    {"all_to_all_v: type", all_to_all_v<int>(4), "int32", all_to_all_v<float>(4), "float32"},
    {"all_to_all_v: call", all_to_all_v<int>(4), "all_to_all_v", all_gather_v<int>({4, 4, 4}), "all_gather_v"},
    {"all_to_all_list: lengths", all_to_all_list<int>(4), "a block of 4", all_to_all_list<int>(0), "a block of 0"},
    {"all_to_all_list: type", all_to_all_list<int>(4), "int32", all_to_all_list<float>(4), "float32"},
    {"all_gather_list: lengths", all_gather_list<int>(4), "counts #", all_gather_list<int>(5), "counts #"},
    {"all_gather_list: type", all_gather_list<int>(4), "int32", all_gather_list<float>(4), "float32"},
    {"scan: count", scan<int>(4, op::sum), "count 4", scan<int>(5, op::sum), "count 5"},
    {"scan: operator", scan<int>(4, op::sum), "sum", scan<int>(4, op::max), "max"},
    {"scan: type", scan<int>(4, op::sum), "int32", scan<float>(4, op::sum), "float32"},
    {"exscan: count", exscan<int>(4, op::sum), "count 4", exscan<int>(5, op::sum), "count 5"},
    {"exscan: operator", exscan<int>(4, op::sum), "sum", exscan<int>(4, op::max), "max"},
    {"exscan: type", exscan<int>(4, op::sum), "int32", exscan<float>(4, op::sum), "float32"},
    {"exscan: call", exscan<int>(4, op::sum), "exscan(", scan<int>(4, op::sum), " scan("},
    {"coalesced: number", all_reduce_coalesced<int>({4, 4}, op::sum), "2 buffers",
     all_reduce_coalesced<int>({4, 4, 4}, op::sum), "3 buffers"},
    {"coalesced: lengths", all_reduce_coalesced<int>({4, 4}, op::sum), "2 buffers",
     all_reduce_coalesced<int>({4, 5}, op::sum), "2 buffers"},
    {"coalesced: operator", all_reduce_coalesced<int>({4, 4}, op::sum), "sum",
     all_reduce_coalesced<int>({4, 4}, op::max), "max"},
    {"coalesced: type", all_reduce_coalesced<int>({4, 4}, op::sum), "int32",
     all_reduce_coalesced<float>({4, 4}, op::sum), "float32"},
    {"coalesced: root", broadcast_coalesced<int>({4, 4}, 0), "root 0", broadcast_coalesced<int>({4, 4}, 1), "root 1"},
    {"coalesced: call", all_reduce_coalesced<int>({4, 4}, op::sum), "all_reduce", broadcast_coalesced<int>({4, 4}, 0),
     "broadcast"},
    {"neighbor_all_gather_v: lengths", neighbor_all_gather_v<int>(4), "a block of 4", neighbor_all_gather_v<int>(5),
     "a block of 5"},
    {"neighbor_all_gather_v: type", neighbor_all_gather_v<int>(4), "int32", neighbor_all_gather_v<float>(4), "float32"},
    {"neighbor_all_to_all_v: lengths", neighbor_all_to_all_v<int>(4), "a block of 4", neighbor_all_to_all_v<int>(5),
     "a block of 5"},
    {"neighbor_all_to_all_v: type", neighbor_all_to_all_v<int>(4), "int32", neighbor_all_to_all_v<float>(4), "float32"},
    {"neighbor_all_to_all_v: call", neighbor_all_to_all_v<int>(4), "neighbor_all_to_all_v",
     neighbor_all_gather_v<int>(4), "neighbor_all_gather_v"},
    {"persistent: count", persistent_all_reduce<int>(4, op::sum), "count 4", persistent_all_reduce<int>(5, op::sum),
     "count 5"},
    {"persistent: operator", persistent_all_reduce<int>(4, op::sum), "sum", all_reduce<int>(4, op::max), "max"},
    {"persistent: type", all_reduce<int>(4, op::sum), "int32", persistent_all_reduce<float>(4, op::sum), "float32"},
    {"message: length", around<int>(4, 4), "4 of int32", around<int>(5, 5), "5 elements"},
    {"message: type", around<int>(4, 4), "int32", around<float>(4, 4), "float32"},
    {"prepared message: type", prepared_around<int>(4), "int32", prepared_around<float>(4), "float32"},
    {"sync_params: number", sync_params<int>({4, 4}, 0), "2 buffers", sync_params<int>({4}, 0), "1 buffer"},
    {"sync_params: lengths", sync_params<int>({4, 4}, 0), "2 buffers", sync_params<int>({4, 5}, 0), "2 buffers"},
    {"sync_params: type", sync_params<int>({4}, 0), "1 buffer", sync_params<float>({4}, 0), "1 buffer"},
    {"sync_params: root", sync_params<int>({4, 4}, 0), "root 0", sync_params<int>({4, 4}, 1), "root 1"},
    {"sum_grads: number", sum_grads<int>({4, 4}), "2 buffers", sum_grads<int>({4}), "1 buffer"},
    {"sum_grads: lengths", sum_grads<int>({4, 4}), "2 buffers", sum_grads<int>({4, 5}), "2 buffers"},
    {"sum_grads: type", sum_grads<int>({4}), "1 buffer", sum_grads<float>({4}), "1 buffer"},
    {"sum_grads: call", sum_grads<int>({4}), "all_gather", sync_params<int>({4}, 0), "broadcast"},
    {"dup: call", dup, "dup", split, "split"},
    {"dup: other call", dup, "dup", barrier, "barrier"},
    {"create_from_ranks: call", create_from_ranks({0, 1}), "create_from_ranks", dup, "dup"},
};

// The error of a call, or of the two barriers after it. A rank whose part of the call is complete learns of the
// disagreement only in a barrier.
std::optional<anyccl::error> error_of(const communicator_ref& comm, const call& first)
{
    try {
        first(comm);
        comm.barrier();
        comm.barrier();
    } catch (const anyccl::error& error) {
        return error;
    }
    return std::nullopt;
}

template <class Rank>
void on_threads(Rank rank)
{
    const anyccl::unique_id id = anyccl::unique_id::make();
    std::vector<std::thread> threads;
    for (int r = 0; r < ranks; r++)
        threads.emplace_back([&rank, &id, r] { rank(anyccl::communicator::create(id, ranks, r)); });
    for (std::thread& thread : threads)
        thread.join();
}

bool is_told_of(const disagreement& one, int odd_rank, int rank, const std::optional<anyccl::error>& error)
{
    const char* text = error ? error->what() : "nothing went wrong";
    const bool named = std::strstr(text, one.common_words) != nullptr && std::strstr(text, one.odd_words) != nullptr &&
                       std::strstr(text, ("rank " + std::to_string(odd_rank)).c_str()) != nullptr;
    if (error && error->status() == ANYCCL_ERR_MISMATCH && named)
        return true;
    std::fprintf(stderr, "%s, rank %d of them: rank %d was told: %s\n", one.what, odd_rank, rank, text);
    return false;
}

// Different lists of ranks are found before anything is made, so the old communicator stays usable.
void lists_of_ranks()
{
    on_threads([](const anyccl::communicator& comm) {
        for (const ints& odd : {ints{0, 2}, ints{1, 0}, ints{0}}) {
            try {
                (void)comm.create_from_ranks(comm.rank() == 2 ? odd : ints{0, 1});
                CHECK(!"the lists differ");
            } catch (const anyccl::error& error) {
                CHECK(error.status() == ANYCCL_ERR_MISMATCH);
                CHECK(std::strstr(error.what(), "rank 2 ") != nullptr &&
                      std::strstr(error.what(), "rank 0") != nullptr);
            }
            comm.barrier();
        }
    });
}

}  // namespace

int main()
{
    std::array<int, ranks> wrong{};
    for (const disagreement& one : all) {
        for (int odd = 0; odd < ranks; odd++) {
            on_threads([&](const anyccl::communicator& comm) {
                const auto error = error_of(comm, comm.rank() == odd ? one.odd : one.common);
                wrong[own(comm)] += is_told_of(one, odd, comm.rank(), error) ? 0 : 1;
            });
        }
        // Each call is valid when all ranks make it. Without this check, calls that always fail would pass.
        on_threads([&](const anyccl::communicator& comm) {
            CHECK(!error_of(comm, one.common));
            CHECK(!error_of(comm, one.odd));
        });
    }
    lists_of_ranks();
    CHECK(wrong == (std::array<int, ranks>{}));
    std::printf("%zu disagreements\n", all.size());
}
