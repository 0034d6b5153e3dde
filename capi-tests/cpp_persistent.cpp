// The C++ header: operations that are prepared once and started often.
#include <anyccl/anyccl.hpp>

#include <cstddef>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using anyccl::op;
using row = std::vector<int>;

constexpr int runs = 3;

// Everything at once, several times: each has buffers of its own.
void collectives(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size());
    const int root = comm.size() - 1, sum = comm.size() * (comm.size() - 1) / 2;
    row one(1), total(1), in_place(1), reduced(1), reduced_in_place(1), told(1), told_apart(1), all(size),
        all_in_place(size), gathered(size), dealt(1), parts(size), scattered(1), exchanged(size), exchanged_in_place(size);
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
        // Whose receive belongs to which send is settled by order: no run overtakes the one before.
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
    CHECK_THROWS(none.start(), ANYCCL_ERR_INVALID_USAGE, "under way");
    none.wait();
    CHECK(buffer == comm.size());
    // One that goes out of scope while it runs waits for its end.
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
    messages(world);
    objects(world);
}
