// Tests of anyccl.hpp: calls with many buffers.
#include <anyccl/anyccl.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include "check.hpp"

namespace {

using anyccl::op;
using row = std::vector<float>;

// A buffer per rank. In all_to_all_list, rank r sends r + s elements of value r to rank s.
void of_ranks(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size()), own = static_cast<std::size_t>(comm.rank());
    std::vector<row> sends, recvs, expected;
    for (std::size_t r = 0; r < size; r++) {
        sends.push_back(row(own + r, static_cast<float>(own)));
        recvs.push_back(row(r + own, -1));
        expected.push_back(row(r + own, static_cast<float>(r)));
    }
    comm.all_to_all_list(sends, recvs);
    CHECK(recvs == expected);
    for (row& recv : recvs)
        recv.assign(recv.size(), -1);
    comm.iall_to_all_list(sends, recvs).wait();
    CHECK(recvs == expected);

    for (std::size_t r = 0; r < size; r++)
        recvs[r] = row(r + 1, -1);
    const row mine(own + 1, static_cast<float>(own));
    comm.all_gather_list(mine, recvs);
    CHECK(recvs.back() == row(size, static_cast<float>(size - 1)));
    recvs.back().assign(size, -1);
    comm.iall_gather_list(mine, recvs).wait();
    CHECK(recvs.back() == row(size, static_cast<float>(size - 1)) && recvs.front() == row(1, 0));
}

// Three buffers of different lengths, one of them empty.
std::vector<row> filled(std::size_t times, float value)
{
    return {row(times, value), row(), row(1000 * times, value)};
}

void coalesced(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size());
    const auto own = static_cast<float>(comm.rank());
    const float sum = static_cast<float>(size * (size - 1)) / 2;

    const std::vector<row> sends = filled(1, own);
    std::vector<row> recvs = filled(1, -1);
    comm.all_reduce_coalesced(sends, recvs, op::sum);
    CHECK(recvs == filled(1, sum));
    recvs = filled(1, own);
    comm.all_reduce_coalesced(recvs, op::sum);
    CHECK(recvs == filled(1, sum));
    recvs = filled(1, own);
    comm.iall_reduce_coalesced(recvs, op::sum).wait();
    CHECK(recvs == filled(1, sum));
    recvs = filled(1, -1);
    comm.iall_reduce_coalesced(sends, recvs, op::sum).wait();
    CHECK(recvs == filled(1, sum));

    recvs = filled(1, own);
    comm.broadcast_coalesced(recvs, comm.size() - 1);
    CHECK(recvs == filled(1, static_cast<float>(size - 1)));
    comm.broadcast_coalesced(sends, recvs, 0);
    CHECK(recvs == filled(1, 0));
    comm.ibroadcast_coalesced(sends, recvs, comm.size() - 1).wait();
    CHECK(recvs == filled(1, static_cast<float>(size - 1)));
    recvs = filled(1, own);
    comm.ibroadcast_coalesced(recvs, 0).wait();
    CHECK(recvs == filled(1, 0));

    std::vector<row> all = filled(size, -1);
    comm.all_gather_coalesced(sends, all);
    CHECK(all[0].front() == 0 && all[2].back() == static_cast<float>(size - 1));
    all = filled(size, -1);
    comm.iall_gather_coalesced(sends, all).wait();
    CHECK(all[0].front() == 0 && all[2].back() == static_cast<float>(size - 1));

    all = filled(size, own);
    recvs = filled(1, -1);
    comm.reduce_scatter_coalesced(all, recvs, op::max);
    CHECK(recvs == filled(1, static_cast<float>(size - 1)));
    recvs = filled(1, -1);
    comm.ireduce_scatter_coalesced(all, recvs, op::max).wait();
    CHECK(recvs == filled(1, static_cast<float>(size - 1)));
}

// Views of memory that the list does not own. One view is a part of an array.
void views(const anyccl::communicator_ref& comm)
{
    std::array<double, 4> whole{1, 1, 1, 1};
    double one = 1;
    const std::array parts{anyccl::view(whole).part(1, 2), anyccl::view(&one, 1)};
    comm.all_reduce_coalesced(parts, op::sum);
    const double size = comm.size();
    CHECK(one == size && whole == (std::array<double, 4>{1, size, size, 1}));
}

void models(const anyccl::communicator_ref& comm)
{
    row weights(3, static_cast<float>(comm.rank() + 1));
    std::vector<double> bias(2, comm.rank() + 1);
    std::vector<long> steps(1, comm.rank());
    comm.sync_params({weights, bias, steps}, comm.size() - 1);
    CHECK(weights == row(3, static_cast<float>(comm.size())) && bias[1] == comm.size());
    CHECK(steps[0] == comm.size() - 1);

    comm.sum_grads({weights, anyccl::any_buffer::missing<float>(5), bias});
    CHECK(weights == row(3, static_cast<float>(comm.size() * comm.size())));
    std::vector<anyccl::any_buffer> all{weights, bias};
    comm.sum_grads(all);
    CHECK(bias[0] == comm.size() * comm.size() * comm.size());
    // A gradient is missing on one rank only: every rank gets the error, and the communicator stays usable.
    if (comm.size() > 1) {
        if (comm.rank() == 1)
            all[0] = anyccl::any_buffer::missing<float>(3);
        CHECK_THROWS(comm.sum_grads(all), ANYCCL_ERR_INVALID_ARGUMENT, "rank 1");
    }
}

void mistakes(const anyccl::communicator_ref& comm)
{
    std::vector<row> few(static_cast<std::size_t>(comm.size()) + 1), recvs(2, row(3)), sends(3, row(3)),
        other(2, row(2));
    CHECK_THROWS(comm.all_to_all_list(few, few), ANYCCL_ERR_INVALID_ARGUMENT, "one buffer per rank");
    CHECK_THROWS(comm.all_gather_list(few[0], few), ANYCCL_ERR_INVALID_ARGUMENT, "one buffer per rank");
    CHECK_THROWS(comm.all_reduce_coalesced(sends, recvs, op::sum), ANYCCL_ERR_INVALID_ARGUMENT, "the list recvs");
    CHECK_THROWS(comm.all_reduce_coalesced(other, recvs, op::sum), ANYCCL_ERR_INVALID_ARGUMENT, "recvs[0] has 3");
    CHECK_THROWS(comm.all_gather_coalesced(recvs, other), ANYCCL_ERR_INVALID_ARGUMENT, "size times");
    CHECK_THROWS(comm.reduce_scatter_coalesced(other, recvs, op::sum), ANYCCL_ERR_INVALID_ARGUMENT, "sends[0] has 2");
}

}  // namespace

int main()
{
    const auto world = anyccl::world::join();
    of_ranks(world);
    coalesced(world);
    views(world);
    models(world);
    mistakes(world);
}
