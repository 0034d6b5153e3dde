// Tests of anyccl.hpp without exceptions: every failure is a returned result. Built with -fno-exceptions, and
// with exceptions in the compiler but ANYCCL_NO_EXCEPTIONS defined.
#include <anyccl/anyccl.hpp>

#include <chrono>
#include <cstddef>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "check.h"

namespace {

// A store that holds nothing and stores nothing.
class broken_store : public anyccl::store {
public:
    anyccl::outcome<void> set(const std::string&, anyccl::view<const unsigned char>) override
    {
        return anyccl::error(ANYCCL_ERR_SYSTEM, "out of paper");
    }
    anyccl::outcome<std::optional<bytes>> get(const std::string&, std::chrono::milliseconds) override
    {
        return std::optional<bytes>();
    }
};

// Calls that return objects. Each result holds the object or the error.
void objects(const anyccl::communicator_ref& comm)
{
    int number = 1, received = 0;
    auto prepared = comm.all_reduce_init(number, anyccl::op::sum);
    CHECK(prepared && prepared->start() && prepared->wait() && number == comm.size());
    CHECK(prepared->wait() && comm.barrier_init() && !anyccl::persistent().start());

    std::vector<anyccl::request> sends;
    sends.push_back(comm.isend(number, comm.rank()).value());
    auto message = comm.mprobe(comm.rank());
    CHECK(message && message->recv(received) && received == number);
    auto some = anyccl::wait_some(sends);
    CHECK(some && some->size() == 1 && anyccl::test_all(sends) && anyccl::start_all(std::vector<anyccl::persistent>()));

    auto alone = comm.create_graph(std::vector<int>(), std::vector<int>());
    CHECK(alone && comm.neighbor_all_gather_v(number, std::vector<int>(), std::vector<std::size_t>(), *alone));
    CHECK(comm.sync_params({number, received}, 0) && comm.sum_grads({number}));
    auto doubled = anyccl::made_op::premul_sum(2.0F);
    CHECK(doubled && anyccl::is_supported<float>(*doubled));

    broken_store broken;
    const auto refused = anyccl::communicator::create(broken, 2, 0);
    CHECK(!refused && std::strstr(refused.message(), "out of paper") != nullptr);
    anyccl::config hasty;
    hasty.timeout = std::chrono::milliseconds(20);
    CHECK(anyccl::communicator::create(broken, 2, 1, hasty).status() == ANYCCL_ERR_TIMEOUT);
}

}  // namespace

int main()
{
    anyccl::result<anyccl::world> joined = anyccl::world::join();
    CHECK(joined && joined.status() == ANYCCL_SUCCESS && std::strcmp(joined.message(), "") == 0);
    anyccl::world world = std::move(joined).value();
    const int size = world.size();

    double sum = 1;
    CHECK(world.all_reduce(sum, anyccl::op::sum));
    CHECK(static_cast<int>(sum) == size);

    std::vector<int> two(2), three(3);
    const anyccl::result<void> refused = world.all_reduce(two, three, anyccl::op::sum);
    CHECK(!refused && refused.status() == ANYCCL_ERR_INVALID_ARGUMENT);
    CHECK(std::strcmp(refused.message(), "all_reduce: recv has 3 elements, must have 2: as many as send") == 0);

    auto request = world.ibroadcast(three, 0);
    CHECK(request && request->wait());
    auto started = world.ibarrier();
    CHECK(started);
    for (bool done = false; !done;) {
        auto tested = started->test();
        CHECK(tested);
        done = *tested;
    }

    auto wrong = world.ibroadcast(three, size);
    CHECK(!wrong && std::strstr(wrong.message(), "root") != nullptr);

    anyccl::result<anyccl::communicator> copy = world.dup();
    CHECK(copy && copy->size() == size && copy->barrier());
    // All ranks must have left the barrier of `copy` before one of them aborts it.
    CHECK(world.barrier());
    CHECK(copy->abort() && copy->barrier().status() == ANYCCL_ERR_ABORTED);
    CHECK(copy->failure().status() == ANYCCL_ERR_ABORTED);
    auto next = copy->shrink();
    CHECK(next && next->size() == size && next->barrier());
    anyccl::vector<float> shared(100, 1.0F);
    CHECK(next->all_reduce(shared, anyccl::op::sum) && static_cast<int>(shared[99]) == size);
    objects(world);
    CHECK(world.finalize());
    return 0;
}
