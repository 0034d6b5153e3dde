// The C++ header without exceptions: every failure comes back as a result. Built with -fno-exceptions, and with
// exceptions in the compiler but ANYCCL_NO_EXCEPTIONS defined.
#include <anyccl/anyccl.hpp>

#include <cstring>
#include <utility>
#include <vector>

#include "check.h"

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
    // The abort of one rank would end the barrier of another.
    CHECK(world.barrier());
    CHECK(copy->abort() && copy->barrier().status() == ANYCCL_ERR_ABORTED);
    CHECK(copy->failure().status() == ANYCCL_ERR_ABORTED);
    auto next = copy->shrink();
    CHECK(next && next->size() == size && next->barrier());
    anyccl::vector<float> shared(100, 1.0F);
    CHECK(next->all_reduce(shared, anyccl::op::sum) && static_cast<int>(shared[99]) == size);
    CHECK(world.finalize());
    return 0;
}
