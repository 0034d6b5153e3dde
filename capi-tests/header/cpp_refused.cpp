// Mistakes that the C++ header refuses at compile time. CMakeLists.txt compiles this file once per MISTAKE, and
// looks for the sentence that explains it.
#include <anyccl/anyccl.hpp>

#include <list>
#include <vector>

struct point {
    float x, y;
};

void mistake(const anyccl::world& world);

void mistake(const anyccl::world& world)
{
    std::vector<int> ints(2);
    std::vector<float> floats(2);
    const std::vector<int> constant(2);
    std::vector<bool> bits(2);
    std::list<int> scattered(2);
    std::vector<point> points(2);
    (void)world, (void)ints, (void)floats, (void)constant, (void)bits, (void)scattered, (void)points;
#if MISTAKE == 1
    world.all_reduce(ints, floats, anyccl::op::sum);
#elif MISTAKE == 2
    world.broadcast(constant, 0);
#elif MISTAKE == 3
    world.all_reduce(bits, anyccl::op::sum);
#elif MISTAKE == 4
    world.broadcast(scattered, 0);
#elif MISTAKE == 5
    world.broadcast(points, 0);
#elif MISTAKE == 6
    (void)world.isend(std::vector<int>(3), 0);
#elif MISTAKE == 7
    world.ibarrier();
#elif MISTAKE == 8
    anyccl::communicator copy = world.dup();
    anyccl::communicator other = copy;
#elif MISTAKE == 9
    world.barrier();
#elif MISTAKE == 10
    (void)world.all_reduce_init(std::vector<int>(3), anyccl::op::sum);
#elif MISTAKE == 11
    world.all_reduce_coalesced(std::vector{ints}, std::vector{floats}, anyccl::op::sum);
#elif MISTAKE == 12
    const std::vector<std::vector<int>> constants(1, ints);
    world.broadcast_coalesced(constants, 0);
#elif MISTAKE == 13
    world.mprobe(0);
#endif
}
