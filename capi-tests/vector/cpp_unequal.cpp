// Tests of anyccl.hpp: collectives with unequal blocks, and scans.
#include <anyccl/anyccl.hpp>

#include <cstddef>
#include <numeric>
#include <string>
#include <vector>

#include "check.h"

namespace {

using anyccl::op;
using counts = std::vector<std::size_t>;

std::vector<int> filled(std::size_t count, int value)
{
    return std::vector<int>(count, value);
}

// The block of rank r is r + 1 elements of value r.
void by_rank(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size()), rank = static_cast<std::size_t>(comm.rank());
    const int root = comm.size() - 1;
    counts lengths(size), places(size);
    std::vector<int> all;
    for (std::size_t r = 0; r < size; r++) {
        lengths[r] = r + 1;
        all.insert(all.end(), r + 1, static_cast<int>(r));
    }
    const std::vector<int> mine = filled(rank + 1, comm.rank());

    std::vector<int> recv = filled(all.size(), -1);
    comm.all_gather_v(mine, recv, lengths);
    CHECK(recv == all);
    recv = filled(all.size(), -1);
    comm.iall_gather_v(mine, recv, lengths).wait();
    CHECK(recv == all);

    // With a gap of one element before each part.
    std::vector<int> apart = filled(all.size() + size, -1), expected;
    for (std::size_t r = 0, next = 0; r < size; r++) {
        places[r] = next + 1;
        next += lengths[r] + 1;
        expected.push_back(-1);
        expected.insert(expected.end(), lengths[r], static_cast<int>(r));
    }
    comm.all_gather_v(mine, apart, anyccl::parts(lengths, places));
    CHECK(apart == expected);

    recv = comm.rank() == root ? filled(all.size(), -1) : filled(0, 0);
    comm.gather_v(mine, recv, lengths, root);
    CHECK(comm.rank() != root || recv == all);
    comm.igather_v(mine, recv, comm.rank() == root ? lengths : counts(), root).wait();

    std::vector<int> part = filled(rank + 1, -1);
    comm.scatter_v(all, lengths, part, root);
    CHECK(part == mine);
    part = filled(rank + 1, -1);
    comm.iscatter_v(recv, comm.rank() == root ? lengths : counts(), part, root).wait();
    CHECK(part == mine);

    comm.reduce_scatter_v(all, part, lengths, op::sum);
    CHECK(part == filled(rank + 1, comm.rank() * comm.size()));
    part = filled(rank + 1, -1);
    comm.ireduce_scatter_v(all, part, lengths, op::max).wait();
    CHECK(part == mine);
}

// Rank r sends r + 1 elements to every rank.
void from_all_to_all(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size()), rank = static_cast<std::size_t>(comm.rank());
    const counts sent(size, rank + 1);
    counts received(size);
    std::iota(received.begin(), received.end(), std::size_t{1});
    const std::vector<int> send = filled(size * (rank + 1), comm.rank());
    std::vector<int> expected;
    for (std::size_t r = 0; r < size; r++)
        expected.insert(expected.end(), r + 1, static_cast<int>(r));
    std::vector<int> recv = filled(expected.size(), -1);
    comm.all_to_all_v(send, sent, recv, received);
    CHECK(recv == expected);
    recv = filled(expected.size(), -1);
    comm.iall_to_all_v(send, sent, recv, received).wait();
    CHECK(recv == expected);
}

void scans(const anyccl::communicator_ref& comm)
{
    const int rank = comm.rank(), own = rank + 1;
    int up_to = -1, before = -1;
    comm.scan(own, up_to, op::sum);
    comm.exscan(own, before, op::sum);
    CHECK(up_to == (rank + 1) * (rank + 2) / 2 && before == (rank == 0 ? -1 : rank * (rank + 1) / 2));
    comm.iscan(own, up_to, op::max).wait();
    comm.iexscan(own, before, op::max).wait();
    CHECK(up_to == own && before == (rank == 0 ? -1 : rank));
}

void refusals(const anyccl::communicator_ref& comm)
{
    const auto refused = [](auto call) {
        try {
            call();
        } catch (const anyccl::error& error) {
            CHECK(error.was_refused());
            return std::string(error.what());
        }
        return std::string("not refused");
    };
    const auto size = static_cast<std::size_t>(comm.size());
    const std::string n = std::to_string(size);
    const std::vector<int> one(1);
    std::vector<int> room(size - 1);
    CHECK(refused([&] { comm.all_gather_v(one, room, counts(size + 1, 1)); }) ==
          "all_gather_v: counts has " + std::to_string(size + 1) + " elements, must have " + n +
              ": one number per rank");
    CHECK(refused([&] { comm.all_gather_v(one, room, counts(size, 1)); }) ==
          "all_gather_v: recv has " + std::to_string(size - 1) + " elements, must have at least " + n);
    CHECK(refused([&] { comm.all_gather_v(one, room, counts(size, 0)); }) ==
          "all_gather_v: send has 1 elements, must have 0: what counts has for this rank");
    comm.barrier();
}

}  // namespace

int main()
{
    const auto world = anyccl::world::join();
    by_rank(world);
    from_all_to_all(world);
    scans(world);
    refusals(world);
    return 0;
}
