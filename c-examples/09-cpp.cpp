// The largest eigenvalue of a matrix by power iteration, in C++: the ranks share the rows.
//
//     c++ -std=c++17 09-cpp.cpp -o power -lanyccl
//     anyccl run -n 4 ./power
//
// In each iteration a rank multiplies its rows by the vector. all_gather puts the new vector together, and an
// all_reduce computes its length at the same time. Failures are exceptions. An exception that leaves the
// scope of the world fails the world, so the other ranks fail, too, and do not wait.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <anyccl/anyccl.hpp>

namespace {

// Rows of the matrix. With a number of ranks that does not divide it, the rows beyond the matrix are 0.
constexpr std::size_t order = 60;
constexpr int iterations = 20;

double element(std::size_t row, std::size_t column)
{
    return row < order && column < order ? 1.0 / static_cast<double>(row + column + 1) : 0.0;
}

double largest_eigenvalue(const anyccl::communicator_ref& comm)
{
    const auto size = static_cast<std::size_t>(comm.size()), rank = static_cast<std::size_t>(comm.rank());
    const std::size_t mine = (order + size - 1) / size;
    std::vector<double> vector(mine * size, 1.0), part(mine);
    double length = 0;
    for (int done = 0; done < iterations; done++) {
        double squares = 0;
        for (std::size_t i = 0; i < mine; i++) {
            part[i] = 0;
            for (std::size_t j = 0; j < vector.size(); j++)
                part[i] += element(rank * mine + i, j) * vector[j];
            squares += part[i] * part[i];
        }
        // Both calls run at the same time. A buffer belongs to its request until the wait.
        anyccl::request together = comm.iall_gather(part, vector);
        anyccl::request added = comm.iall_reduce(squares, anyccl::op::sum);
        together.wait();
        added.wait();
        length = std::sqrt(squares);
        for (double& x : vector)
            x /= length;
    }
    return length;
}

}  // namespace

int main()
{
    try {
        const anyccl::world world = anyccl::world::join();
        const double found = largest_eigenvalue(world);
        if (world.rank() == 0)
            std::printf("largest eigenvalue %.9f\n", found);
        return EXIT_SUCCESS;
    } catch (const anyccl::error& error) {
        std::fprintf(stderr, "%s: %s\n", anyccl_status_string(error.status()), error.what());
        return EXIT_FAILURE;
    }
}
