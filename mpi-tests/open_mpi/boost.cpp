// Gathers strings, reduces with a function of the program, exchanges vectors, and splits, by Boost.MPI.
#include <boost/mpi.hpp>
#include <boost/serialization/string.hpp>
#include <boost/serialization/vector.hpp>
#include <iostream>
#include <string>
#include <vector>

int main()
{
    boost::mpi::environment environment;
    boost::mpi::communicator world;
    const int rank = world.rank(), size = world.size(), before = (rank + size - 1) % size;
    const std::string own = "r" + std::to_string(rank);
    std::vector<std::string> all;
    gather(world, own, all, 0);
    const int sum = all_reduce(world, rank + 1, std::plus<int>());
    const auto last = all_reduce(world, own, [](const auto &a, const auto &b) { return a > b ? a : b; });
    std::vector<double> got, given(1000, rank);
    boost::mpi::request requests[] = {world.isend((rank + 1) % size, 3, given), world.irecv(before, 3, got)};
    boost::mpi::wait_all(requests, requests + 2);
    const bool is_right = got == std::vector<double>(1000, before);
    const int right = all_reduce(world, int(is_right), boost::mpi::minimum<int>());
    const int half = world.split(rank % 2).size();
    if (rank == 0) {
        std::cout << size << " ranks, sum " << sum << ", last " << last << ", half " << half << ", exchange " << right
                  << ":";
        for (const auto &name : all) {
            std::cout << " " << name;
        }
        std::cout << std::endl;
    }
}
