// Tests of anyccl.hpp with exceptions: every call in every form, on any number of ranks.
#include <anyccl/anyccl.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "check.h"

namespace {

using anyccl::op;

// Element `i` of the data of `rank`.
int element(int rank, int i)
{
    return 100 * rank + i;
}

std::vector<int> elements(int rank, int count)
{
    std::vector<int> made;
    for (int i = 0; i < count; i++)
        made.push_back(element(rank, i));
    return made;
}

std::vector<int> none(int count)
{
    return std::vector<int>(static_cast<std::size_t>(count), -1);
}

std::vector<int> sums(int size, int count)
{
    std::vector<int> made = none(count);
    for (int i = 0; i < count; i++) {
        made[static_cast<std::size_t>(i)] = 0;
        for (int rank = 0; rank < size; rank++)
            made[static_cast<std::size_t>(i)] += element(rank, i);
    }
    return made;
}

// The first `count` elements of all ranks, one rank after the other.
std::vector<int> gathered(int size, int count)
{
    std::vector<int> made;
    for (int rank = 0; rank < size; rank++)
        for (int i = 0; i < count; i++)
            made.push_back(element(rank, i));
    return made;
}

std::vector<int> part(const std::vector<int>& all, int first, int count)
{
    return std::vector<int>(all.begin() + first, all.begin() + first + count);
}

void reductions(const anyccl::communicator_ref& comm)
{
    const int rank = comm.rank(), size = comm.size(), root = size - 1;
    const std::vector<int> send = elements(rank, 3), sum = sums(size, 3);

    std::vector<int> recv = none(3);
    comm.all_reduce(send, recv, op::sum);
    CHECK(recv == sum);
    std::vector<int> both = send;
    comm.all_reduce(both, op::sum);
    CHECK(both == sum);
    std::vector<int> later = none(3);
    both = send;
    anyccl::request one = comm.iall_reduce(send, later, op::sum), two = comm.iall_reduce(both, op::sum);
    one.wait();
    two.wait();
    CHECK(later == sum && both == sum && one.has_ended() && two.has_ended());

    recv = none(3);
    comm.reduce(send, recv, op::sum, root);
    CHECK(recv == (rank == root ? sum : none(3)));
    both = send;
    comm.reduce(both, op::sum, root);
    CHECK(both == (rank == root ? sum : send));
    // Only the root needs a receive buffer.
    later = rank == root ? none(3) : none(0);
    comm.ireduce(send, later, op::sum, root).wait();
    CHECK(later == (rank == root ? sum : none(0)));
    both = send;
    comm.ireduce(both, op::max, 0).wait();
    CHECK(both == (rank == 0 ? elements(root, 3) : send));

    const std::vector<int> wide = elements(rank, 2 * size);
    std::array<int, 2> mine{};
    comm.reduce_scatter(wide, mine, op::sum);
    CHECK(std::vector<int>(mine.begin(), mine.end()) == part(sums(size, 2 * size), 2 * rank, 2));
    mine.fill(-1);
    comm.ireduce_scatter(wide, mine, op::sum).wait();
    CHECK(std::vector<int>(mine.begin(), mine.end()) == part(sums(size, 2 * size), 2 * rank, 2));
}

void copies(const anyccl::communicator_ref& comm)
{
    const int rank = comm.rank(), size = comm.size(), root = size / 2;
    const std::vector<int> send = elements(rank, 3), of_root = elements(root, 3);

    std::vector<int> recv = none(3);
    comm.broadcast(rank == root ? send : none(0), recv, root);
    CHECK(recv == of_root);
    std::vector<int> both = send;
    comm.broadcast(both, root);
    CHECK(both == of_root);
    recv = none(3);
    both = send;
    anyccl::request requests[] = {comm.ibroadcast(send, recv, root), comm.ibroadcast(both, root)};
    anyccl::wait_all(requests);
    CHECK(recv == of_root && both == of_root && requests[0].has_ended() && requests[1].has_ended());

    const std::vector<int> all = gathered(size, 3);
    recv = none(3 * size);
    comm.gather(send, recv, root);
    CHECK(recv == (rank == root ? all : none(3 * size)));
    recv = rank == root ? none(3 * size) : none(0);
    comm.igather(send, recv, root).wait();
    CHECK(recv == (rank == root ? all : none(0)));

    recv = none(3);
    comm.scatter(rank == root ? all : none(0), recv, root);
    CHECK(recv == send);
    recv = none(3);
    comm.iscatter(all, recv, root).wait();
    CHECK(recv == send);
}

void exchanges(const anyccl::communicator_ref& comm)
{
    const int rank = comm.rank(), size = comm.size();
    const std::vector<int> send = elements(rank, 2), all = gathered(size, 2);

    std::vector<int> recv = none(2 * size);
    comm.all_gather(send, recv);
    CHECK(recv == all);
    std::vector<int> both = none(2 * size);
    std::copy(send.begin(), send.end(), both.begin() + 2 * rank);
    std::vector<int> later = both;
    comm.all_gather(both);
    CHECK(both == all);
    recv = none(2 * size);
    anyccl::request apart = comm.iall_gather(send, recv);
    comm.iall_gather(later).wait();
    apart.wait();
    CHECK(recv == all && later == all);

    const std::vector<int> dealt = elements(rank, size);
    std::vector<int> expected;
    for (int from = 0; from < size; from++)
        expected.push_back(element(from, rank));
    recv = none(size);
    comm.all_to_all(dealt, recv);
    CHECK(recv == expected);
    both = dealt;
    comm.all_to_all(both);
    CHECK(both == expected);
    recv = none(size);
    comm.iall_to_all(dealt, recv).wait();
    CHECK(recv == expected);
    both = dealt;
    comm.iall_to_all(both).wait();
    CHECK(both == expected);

    comm.barrier();
    anyccl::request barrier = comm.ibarrier();
    while (!barrier.test()) {
    }
    CHECK(barrier.has_ended());
}

void transfers(const anyccl::communicator_ref& comm)
{
    const int rank = comm.rank(), size = comm.size(), right = (rank + 1) % size, left = (rank + size - 1) % size;
    const std::vector<int> send = elements(rank, 5);
    std::vector<int> recv = none(5);
    std::vector<anyccl::request> requests;
    requests.push_back(comm.irecv(recv, left));
    requests.push_back(comm.isend(send, right));
    anyccl::wait_all(requests);
    CHECK(recv == elements(left, 5));
    if (size > 1 && rank == 0)
        comm.send(send, size - 1);
    if (size > 1 && rank == size - 1) {
        recv = none(5);
        comm.recv(recv, 0);
        CHECK(recv == elements(0, 5));
    }
    // More requests than wait_all keeps on its stack.
    std::vector<double> in(40, -1.0);
    requests.clear();
    for (double& slot : in)
        requests.push_back(comm.irecv(slot, left));
    const double own = rank;
    for (std::size_t i = 0; i < in.size(); i++)
        requests.push_back(comm.isend(own, right));
    anyccl::wait_all(requests);
    CHECK(in == std::vector<double>(40, left));
}

// Tags, receive buffers larger than the message, and the status of a message.
void messages(const anyccl::communicator_ref& comm)
{
    const int rank = comm.rank(), size = comm.size(), right = (rank + 1) % size, left = (rank + size - 1) % size;
    const std::vector<int> send = elements(rank, 3);
    std::vector<int> recv = none(5);
    anyccl::message_status told{};
    comm.sendrecv(send, right, recv, left, 7, told);
    CHECK(told.source == left && told.tag == 7 && told.count == 3 && told.datatype == ANYCCL_INT32);
    CHECK(part(recv, 0, 3) == elements(left, 3) && recv[3] == -1);

    // Messages are received by tag, not in the order in which they were sent.
    const int first = 1, second = 2;
    int one = 0, two = 0;
    anyccl::request sends[] = {comm.isend(first, right, 1), comm.issend(second, right, 2)};
    CHECK(comm.probe(left, 2).count == 1);
    comm.recv(two, left, 2, told);
    CHECK(told.tag == 2 && two == second);
    while (!comm.iprobe(anyccl::any_source, 1)) {
    }
    anyccl::request late = comm.irecv(one, anyccl::any_source, anyccl::any_tag);
    CHECK(late.wait_message().source == left && one == first);
    anyccl::wait_all(sends);
    CHECK(!comm.iprobe(left, 1));

    anyccl::request unmet = comm.irecv(one, left, 99);
    unmet.cancel();
    CHECK(unmet.wait_message().cancelled == 1);

    if (size > 1 && rank == 0)
        comm.ssend(send, 1, 3);
    if (size > 1 && rank == 1) {
        comm.recv(recv, 0, 3, told);
        CHECK(told.count == 3);
    }

    anyccl::batch batch;
    recv = none(3);
    comm.recv(recv, left, 0, told);
    comm.send(send, right);
    batch.end();
    CHECK(recv == elements(left, 3) && told.source == left);
}

// The destructor of a request waits for its end.
void forgotten(const anyccl::communicator_ref& comm)
{
    std::vector<int> both = elements(comm.rank(), 4);
    {
        const anyccl::request dropped = comm.iall_reduce(both, op::sum);
    }
    CHECK(both == sums(comm.size(), 4));
    both = elements(comm.rank(), 4);
    anyccl::request kept = comm.iall_reduce(both, op::sum);
    kept = anyccl::request();
    CHECK(both == sums(comm.size(), 4));
}

// Buffers of every form (one element, arrays, views, containers) with several element types.
void buffers(const anyccl::communicator_ref& comm)
{
    const int size = comm.size();
    double number = comm.rank();
    comm.all_reduce(number, op::sum);
    CHECK(static_cast<int>(number) == size * (size - 1) / 2);
    std::int64_t array[2] = {1, 2};
    comm.all_reduce(array, op::sum);
    CHECK(array[0] == size && array[1] == 2 * size);
    std::complex<float> z(1, 2);
    comm.all_reduce(z, op::sum);
    CHECK(static_cast<int>(z.imag()) == 2 * size);
    bool any = comm.rank() == size - 1;
    comm.all_reduce(any, op::lor);
    CHECK(any);
    std::vector<unsigned short> shorts(6, 1);
    comm.all_reduce(anyccl::view(shorts).part(2, 3), op::sum);
    CHECK(shorts[1] == 1 && shorts[2] == size && shorts[4] == size && shorts[5] == 1);
    comm.all_reduce(anyccl::view(shorts.data(), 1), op::max);
    std::string text(3, static_cast<char>('a' + comm.rank()));
    comm.broadcast(text, size - 1);
    CHECK(text == std::string(3, static_cast<char>('a' + size - 1)));
    anyccl::vector<float> shared(5000, 1.0F);
    comm.all_reduce(shared, op::sum);
    CHECK(static_cast<int>(shared[4999]) == size);
    std::vector<int> empty;
    comm.all_reduce(empty, op::sum);
#ifdef __cpp_lib_span
    std::vector<float> floats(4, 1.0F);
    comm.iall_reduce(std::span(floats).first(2), op::sum).wait();
    CHECK(static_cast<int>(floats[1]) == size && static_cast<int>(floats[2]) == 1);
#endif
}

void formation(const anyccl::world& world)
{
    const int rank = world.rank(), size = world.size();
    anyccl::communicator half = world.split(rank % 2, -rank);
    CHECK(half.size() == (size + 1 - rank % 2) / 2);
    int first = rank;
    half.broadcast(first, 0);
    CHECK(first == ((size - 1) % 2 == rank % 2 ? size - 1 : size - 2));

    const anyccl::communicator some = world.split(rank == 0 ? ANYCCL_COLOR_NONE : 7);
    CHECK(static_cast<bool>(some) == (rank != 0) && some.rank() == rank - 1);
    const anyccl::communicator host = world.split_by_host();
    CHECK(host.size() == world.local_size() && host.rank() == world.local_rank());
    const anyccl::communicator ends = world.create_from_ranks(std::vector<int>{size - 1});
    CHECK(static_cast<bool>(ends) == (rank == size - 1));
    anyccl::config config;
    config.name = "the copy";
    config.timeout = anyccl::never;
    anyccl::communicator copy = world.dup(config);
    reductions(copy);
    anyccl::communicator moved = std::move(copy);
    exchanges(moved);
    half = std::move(moved);
    CHECK(half.size() == size);
    half.destroy();
    CHECK(!half);
    half = world.shrink();
    half.set_timeout(anyccl::never);
    CHECK(half.size() == size);
    const anyccl_comm_t raw = half.release();
    CHECK(anyccl::communicator_ref::of(raw).size() == size);
    const anyccl::communicator adopted = anyccl::communicator::adopt(raw);
    adopted.barrier();
    CHECK(anyccl::communicator_ref::of(nullptr).rank() == rank);

    anyccl::unique_id id;
    if (rank == 0)
        id = anyccl::unique_id::make();
    world.broadcast(id.bytes(), 0);
    const anyccl::communicator created = anyccl::communicator::create(id, size, rank);
    transfers(created);
}

// Refused calls say what is wrong, and leave the communicator as it was.
void refusals(const anyccl::communicator_ref& comm)
{
    const auto refused = [](auto call) {
        try {
            call();
        } catch (const anyccl::error& error) {
            CHECK(error.was_refused() && error.status() == ANYCCL_ERR_INVALID_ARGUMENT);
            return std::string(error.what());
        }
        return std::string("not refused");
    };
    const int size = comm.size();
    const std::string n = std::to_string(size), two_n = std::to_string(2 * size), more = std::to_string(4 * size + 1);
    const std::vector<int> two(2);
    std::vector<int> three(3), wide(static_cast<std::size_t>(4 * size + 1));
    CHECK(refused([&] { comm.all_reduce(two, three, op::sum); }) ==
          "all_reduce: recv has 3 elements, must have 2: as many as send");
    CHECK(refused([&] { comm.all_gather(two, wide); }) ==
          "all_gather: recv has " + more + " elements, must have " + two_n + ": size times those of send");
    CHECK(refused([&] { (void)comm.ireduce_scatter(wide, three, op::sum); }) ==
          "ireduce_scatter: send has " + more + " elements, must have " + std::to_string(3 * size) +
              ": size times those of recv");
    if (size > 1) {
        CHECK(refused([&] { comm.all_to_all(wide); }) ==
              "all_to_all: send has " + more + " elements, must have the same number for each of " + n + " ranks");
    }
    // The library finds this error, not the header.
    CHECK(refused([&] { comm.broadcast(wide, size); }).find("root") != std::string::npos);
    // The handle of an empty communicator is ANYCCL_COMM_NONE.
    const anyccl::communicator none;
    CHECK(refused([&] { none.all_reduce(three, op::sum); }).find("ANYCCL_COMM_NONE") != std::string::npos);
    CHECK_OK(anyccl_comm_destroy(none.handle()));
    comm.barrier();
}

// An exception on one rank fails the communicators it destroys: no rank waits for the others.
void unwinding(const anyccl::world& world)
{
    if (world.size() == 1)
        return;
    try {
        const anyccl::communicator copy = world.dup();
        if (world.rank() == 0)
            throw std::string("rank 0 has had enough");
        copy.barrier();
        CHECK(false && "the barrier must fail");
    } catch (const std::string&) {
        CHECK(world.rank() == 0);
    } catch (const anyccl::error& error) {
        CHECK(error.status() == ANYCCL_ERR_ABORTED && !error.was_refused());
    }
    world.barrier();
}

}  // namespace

int main()
{
    auto world = anyccl::world::join();
    reductions(world);
    copies(world);
    exchanges(world);
    transfers(world);
    messages(world);
    forgotten(world);
    buffers(world);
    formation(world);
    refusals(world);
    unwinding(world);
    world.finalize();
    return 0;
}
