// The `library` of bench.c for oneCCL, on the MPI that it comes with. MPI starts the ranks and passes the address of the
// key-value store.
#include <mpi.h>

#include <memory>
#include <oneapi/ccl.hpp>
#include <vector>

#include "bench.h"

namespace {

std::unique_ptr<ccl::communicator> comm;
ccl::shared_ptr_class<ccl::kvs> store;
int ranks;

void start(int *argc, char ***argv, int *rank, int *size)
{
    MPI_Init(argc, argv);
    MPI_Comm_rank(MPI_COMM_WORLD, rank);
    MPI_Comm_size(MPI_COMM_WORLD, size);
    ranks = *size;
    ccl::init();
    ccl::kvs::address_type address;
    if (*rank == 0) {
        store = ccl::create_main_kvs();
        address = store->get_address();
    }
    MPI_Bcast(address.data(), static_cast<int>(address.size()), MPI_BYTE, 0, MPI_COMM_WORLD);
    if (*rank != 0)
        store = ccl::create_kvs(address);
    comm = std::make_unique<ccl::communicator>(ccl::create_communicator(*size, *rank, store));
}

void end()
{
    comm.reset();
    store.reset();
    MPI_Finalize();
}

void all_reduce(const float *send, float *recv, size_t count)
{
    ccl::allreduce(send, recv, count, ccl::reduction::sum, *comm).wait();
}

void all_to_all(const float *send, float *recv, size_t block)
{
    ccl::alltoall(send, recv, block, *comm).wait();
}

// The only all_gather of oneCCL takes a count for each rank.
void all_gather(const float *send, float *recv, size_t block)
{
    static std::vector<size_t> counts;
    counts.assign(static_cast<size_t>(ranks), block);
    ccl::allgatherv(send, block, recv, counts, *comm).wait();
}

void reduce_scatter(const float *send, float *recv, size_t block)
{
    ccl::reduce_scatter(send, recv, block, ccl::reduction::sum, *comm).wait();
}

void broadcast(float *buffer, size_t count, int root)
{
    ccl::broadcast(buffer, count, root, *comm).wait();
}

void barrier()
{
    ccl::barrier(*comm).wait();
}

void send_to(const float *buffer, size_t count, int peer)
{
    ccl::send(const_cast<float *>(buffer), count, peer, *comm).wait();
}

void recv_from(float *buffer, size_t count, int peer)
{
    ccl::recv(buffer, count, peer, *comm).wait();
}

void maximum(double *values, int count)
{
    MPI_Allreduce(MPI_IN_PLACE, values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

}  // namespace

extern "C" const struct library library = {
    start,          end,       nullptr, all_reduce, all_to_all, all_gather,
    reduce_scatter, broadcast, barrier, send_to,    recv_from,  maximum,
};
