// Tests of anyccl.hpp: persistent operations, which are prepared once and started often.
#include <anyccl/anyccl.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using anyccl::op;
using row = std::vector<int>;

constexpr int runs = 3;

// Starts all collectives at once, several times. Each has a receive buffer of its own.
void collectives(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size());
    const int root = comm.size() - 1, sum = comm.size() * (comm.size() - 1) / 2;
    row one(1), total(1), in_place(1), reduced(1), reduced_in_place(1), told(1), told_apart(1), all(size),
        all_in_place(size), gathered(size), dealt(1), parts(size), scattered(1), exchanged(size),
        exchanged_in_place(size);
    std::vector<anyccl::persistent> prepared;
    prepared.push_back(comm.all_reduce_init(one, total, op::sum));
    prepared.push_back(comm.all_reduce_init(in_place, op::sum));
    prepared.push_back(comm.reduce_init(one, reduced, op::sum, root));
    prepared.push_back(comm.reduce_init(reduced_in_place, op::sum, root));
    prepared.push_back(comm.broadcast_init(told, root));
    prepared.push_back(comm.broadcast_init(one, told_apart, root));
    prepared.push_back(comm.all_gather_init(one, all));
    prepared.push_back(comm.all_gather_init(all_in_place));
    prepared.push_back(comm.gather_init(one, gathered, root));
    prepared.push_back(comm.scatter_init(parts, dealt, root));
    prepared.push_back(comm.reduce_scatter_init(parts, scattered, op::sum));
    prepared.push_back(comm.all_to_all_init(parts, exchanged));
    prepared.push_back(comm.all_to_all_init(exchanged_in_place));
    prepared.push_back(comm.barrier_init());
    for (int run = 0; run < runs; run++) {
        const int mine = run * 100 + comm.rank();
        one[0] = in_place[0] = reduced_in_place[0] = told[0] = mine;
        all_in_place[static_cast<std::size_t>(comm.rank())] = mine;
        for (std::size_t r = 0; r < size; r++)
            parts[r] = exchanged_in_place[r] = mine;
        anyccl::start_all(prepared);
        for (anyccl::persistent& each : prepared)
            each.wait();
        const int expected = sum + run * 100 * comm.size(), of_root = run * 100 + root;
        CHECK(total[0] == expected && in_place[0] == expected && scattered[0] == expected);
        CHECK(comm.rank() != root || (reduced[0] == expected && reduced_in_place[0] == expected));
        CHECK(told[0] == of_root && told_apart[0] == of_root && dealt[0] == of_root);
        for (std::size_t r = 0; r < size; r++) {
            const int of_r = run * 100 + static_cast<int>(r);
            CHECK(all[r] == of_r && all_in_place[r] == of_r && exchanged[r] == of_r && exchanged_in_place[r] == of_r);
            CHECK(comm.rank() != root || gathered[r] == of_r);
        }
    }
}

// Unequal blocks, scans, lists, neighbours, and coalesced calls, one at a time. The counts are read when an
// operation is prepared: the arrays are gone when it runs.
void others(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size()), rank = static_cast<std::size_t>(comm.rank());
    const int sum = comm.size() * (comm.size() - 1) / 2, next = (comm.rank() + 1) % comm.size(),
              before = (comm.rank() + comm.size() - 1) % comm.size();
    row one(1), all(size), gathered(size), parts(size), dealt(1), scattered(1), exchanged(size), up_to(1), below(1),
        listed(1), from_before(1), to_next(1), model(1), gradient(1);
    std::vector<row> sends(size, row(1)), recvs(size, row(1)), collected(size, row(1));
    std::vector<row> few(2, row(1)), sums(2, row(1)), told(2, row(1)), each(2, row(size)), shares(2, row(1));
    const anyccl::graph ring = comm.create_graph(row{before}, row{next});
    std::vector<anyccl::persistent> prepared;
    {
        const std::vector<std::size_t> ones(size, 1), single(1, 1);
        prepared.push_back(comm.all_gather_v_init(one, all, ones));
        prepared.push_back(comm.gather_v_init(one, gathered, ones, 0));
        prepared.push_back(comm.scatter_v_init(parts, ones, dealt, 0));
        prepared.push_back(comm.reduce_scatter_v_init(parts, scattered, ones, op::sum));
        prepared.push_back(comm.all_to_all_v_init(parts, ones, exchanged, ones));
        prepared.push_back(comm.scan_init(one, up_to, op::sum));
        prepared.push_back(comm.exscan_init(one, below, op::sum));
        prepared.push_back(comm.all_to_all_list_init(sends, recvs));
        prepared.push_back(comm.all_gather_list_init(one, collected));
        prepared.push_back(comm.neighbor_all_gather_v_init(one, from_before, single, ring));
        prepared.push_back(comm.neighbor_all_to_all_v_init(to_next, single, listed, single, ring));
        prepared.push_back(comm.all_reduce_coalesced_init(few, sums, op::sum));
        prepared.push_back(comm.broadcast_coalesced_init(few, told, 0));
        prepared.push_back(comm.all_gather_coalesced_init(few, each));
        prepared.push_back(comm.reduce_scatter_coalesced_init(each, shares, op::max));
        prepared.push_back(comm.sync_params_init(std::vector<anyccl::any_buffer>{model}, 0));
        prepared.push_back(comm.sum_grads_init(std::vector<anyccl::any_buffer>{gradient}));
    }
    for (int run = 0; run < runs; run++) {
        const int mine = run * 100 + comm.rank(), expected = sum + run * 100 * comm.size();
        one[0] = to_next[0] = few[0][0] = few[1][0] = model[0] = gradient[0] = mine;
        for (std::size_t r = 0; r < size; r++)
            parts[r] = sends[r][0] = mine;
        for (std::size_t i = 0; i < prepared.size(); i++) {
            prepared[i].start();
            prepared[i].wait();
        }
        CHECK(comm.rank() != 0 || gathered[size - 1] == run * 100 + comm.size() - 1);
        CHECK(dealt[0] == run * 100 && scattered[0] == expected && model[0] == run * 100 && gradient[0] == expected);
        CHECK(up_to[0] == static_cast<int>(rank * (rank + 1) / 2) + run * 100 * (comm.rank() + 1));
        CHECK(rank == 0 || below[0] == up_to[0] - mine);
        CHECK(from_before[0] == run * 100 + before && listed[0] == run * 100 + before);
        for (std::size_t r = 0; r < size; r++) {
            const int of_r = run * 100 + static_cast<int>(r);
            CHECK(all[r] == of_r && exchanged[r] == of_r && recvs[r][0] == of_r && collected[r][0] == of_r);
        }
        for (std::size_t i = 0; i < 2; i++)
            CHECK(sums[i][0] == expected && told[i][0] == run * 100 && each[i][rank] == mine && shares[i][0] == mine);
    }
}

void registered(const anyccl::communicator_ref& comm)
{
    anyccl::vector<int> shared(2000, 1);
    row own(2000, 1);
    {
        const anyccl::registration one = anyccl::register_memory(shared), other = anyccl::register_memory(own);
        CHECK(one.is_shared() && !other.is_shared());
        comm.all_reduce(shared, op::sum);
        comm.all_reduce(own, op::sum);
    }
    CHECK(shared[1999] == comm.size() && own[0] == comm.size() && !anyccl::register_memory(row()).is_shared());
    anyccl::imported_memory same = anyccl::import_memory(anyccl::export_memory(shared));
    same = anyccl::imported_memory(std::move(same));
    CHECK(same.data() == shared.data() && same.size() == 2000 * sizeof(int));
}

void messages(const anyccl::communicator_ref& comm)
{
    const int next = (comm.rank() + 1) % comm.size(), before = (comm.rank() + comm.size() - 1) % comm.size();
    int sent = 0, received = 0;
    anyccl::persistent send = comm.send_init(sent, next, 5), recv = comm.recv_init(received, anyccl::any_source, 5);
    for (int run = 0; run < runs; run++) {
        sent = 10 * run + comm.rank();
        recv.start();
        send.start();
        const anyccl::message_status told = recv.wait_message();
        CHECK(told.source == before && told.count == 1 && received == 10 * run + before);
        while (!send.test()) {
        }
        // Messages match by order. The barrier keeps a run from overtaking the one before.
        comm.barrier();
    }
}

void objects(const anyccl::communicator_ref& comm)
{
    int buffer = 1;
    anyccl::persistent none, one = comm.all_reduce_init(buffer, op::sum);
    CHECK(!none && one);
    CHECK_THROWS(none.start(), ANYCCL_ERR_INVALID_ARGUMENT, "request");
    none = std::move(one);
    CHECK(none && !one);
    none.start();
    CHECK_THROWS(none.start(), ANYCCL_ERR_INVALID_USAGE, "still running");
    none.wait();
    CHECK(buffer == comm.size());
    // The destructor of a running operation waits for its end.
    none.start();
    {
        const anyccl::persistent ends = std::move(none);
    }
    CHECK(buffer == comm.size() * comm.size());
    anyccl_request_t handle = comm.barrier_init().release();
    CHECK_OK(anyccl_request_free(&handle));
}

}  // namespace

int main()
{
    const auto world = anyccl::world::join();
    collectives(world);
    others(world);
    registered(world);
    messages(world);
    objects(world);
}
