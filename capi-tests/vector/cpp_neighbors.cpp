// Tests of anyccl.hpp: exchange along a graph, and user-defined operators.
#include <anyccl/anyccl.hpp>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "check.hpp"

namespace {

using anyccl::op;
using row = std::vector<int>;
using counts = std::vector<std::size_t>;

// A ring in one direction: rank r sends r + 1 elements to the next rank.
void ring(const anyccl::communicator_ref& comm)
{
    const int next = (comm.rank() + 1) % comm.size(), before = (comm.rank() + comm.size() - 1) % comm.size();
    const anyccl::graph along = comm.create_graph(std::array{before}, std::array{next});
    CHECK(along.sources() == 1 && along.destinations() == 1);
    const row send(static_cast<std::size_t>(comm.rank() + 1), comm.rank());
    const row expected(static_cast<std::size_t>(before + 1), before);
    row recv(expected.size(), -1);
    comm.neighbor_all_gather_v(send, recv, counts{recv.size()}, along);
    CHECK(recv == expected);
    recv.assign(recv.size(), -1);
    comm.ineighbor_all_gather_v(send, recv, counts{recv.size()}, along).wait();
    CHECK(recv == expected);
    recv.assign(recv.size(), -1);
    comm.neighbor_all_to_all_v(send, counts{send.size()}, recv, counts{recv.size()}, along);
    CHECK(recv == expected);
    // The received block stands behind a gap of two elements.
    row apart(recv.size() + 2, -1);
    const counts length{recv.size()}, place{2};
    comm.ineighbor_all_to_all_v(send, counts{send.size()}, apart, anyccl::parts(length, place), along).wait();
    CHECK(apart[1] == -1 && row(apart.begin() + 2, apart.end()) == expected);

    CHECK_THROWS(comm.neighbor_all_gather_v(send, recv, counts{1, 1}, along), ANYCCL_ERR_INVALID_ARGUMENT,
                 "one number per source");
    CHECK_THROWS(comm.neighbor_all_to_all_v(send, counts(), recv, counts{recv.size()}, along),
                 ANYCCL_ERR_INVALID_ARGUMENT, "one number per destination");
    CHECK_THROWS(comm.neighbor_all_gather_v(send, row(), counts{1}, along), ANYCCL_ERR_INVALID_ARGUMENT, "at least 1");
}

void objects(const anyccl::communicator_ref& comm)
{
    anyccl::graph none, some = comm.create_graph(row(), row());
    none = std::move(some);
    comm.neighbor_all_gather_v(row{1}, row(), counts(), none);
    CHECK_THROWS(comm.neighbor_all_gather_v(row(), row(), counts(), some), ANYCCL_ERR_INVALID_ARGUMENT, "graph");
    if (comm.size() == 1)
        return;
    // Rank 0 sends to a rank that does not receive from it. Every rank gets the error, and the communicator
    // stays usable.
    const row to = comm.rank() == 0 ? row{1} : row();
    CHECK_THROWS(comm.create_graph(row(), to), ANYCCL_ERR_INVALID_ARGUMENT, "rank 0");
    comm.barrier();
}

// Appends the digit of the right operand to the left operand. Does not commute.
void append(const void* in, void* inout, std::size_t count, anyccl_datatype_t, void* context)
{
    for (std::size_t i = 0; i < count; i++) {
        const long left = static_cast<const long*>(in)[i];
        long& right = static_cast<long*>(inout)[i];
        right += left * *static_cast<const long*>(context);
    }
}

void operators(const anyccl::communicator_ref& comm)
{
    long ten = 10, digit = comm.rank() + 1, number = 0;
    // Pairs of ranks: the operator moves the left operand by one digit, so the right one must be the digit of a
    // single rank.
    const auto appended = anyccl::made_op::of(append, &ten, false);
    const auto pair = comm.split(comm.rank() / 2);
    pair.all_reduce(digit, number, appended);
    const long first = comm.rank() / 2 * 2 + 1;
    CHECK(number == (pair.size() == 2 ? first * 10 + first + 1 : first));

    float factor = 2, total = 0;
    const auto doubled = anyccl::made_op::premul_sum(factor);
    auto by_pointer = anyccl::made_op::premul_sum_of(&factor);
    const float one = 1;
    comm.all_reduce(one, total, doubled);
    CHECK(total == 2 * static_cast<float>(comm.size()));
    factor = 3;
    comm.all_reduce(one, total, doubled);
    CHECK(total == 2 * static_cast<float>(comm.size()));
    comm.all_reduce(one, total, by_pointer);
    CHECK(total == 3 * static_cast<float>(comm.size()));
    const anyccl::made_op moved = std::move(by_pointer);
    CHECK(anyccl::is_supported<float>(moved) && !anyccl::is_supported<double>(moved));
    CHECK(anyccl::is_supported<float>(op::sum) && !anyccl::is_supported<float>(op::bxor));
}

}  // namespace

int main()
{
    const auto world = anyccl::world::join();
    ring(world);
    objects(world);
    operators(world);
}
