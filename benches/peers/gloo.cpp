// The `library` of bench.c for gloo, over TCP, as PyTorch uses it. `anyccl run` starts the ranks. They meet in the folder
// that GLOO_STORE names.
#include <gloo/allgather.h>
#include <gloo/allreduce.h>
#include <gloo/alltoall.h>
#include <gloo/barrier.h>
#include <gloo/broadcast.h>
#include <gloo/math.h>
#include <gloo/rendezvous/context.h>
#include <gloo/rendezvous/file_store.h>
#include <gloo/transport/tcp/device.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

#include "bench.h"

namespace {

std::shared_ptr<gloo::rendezvous::Context> context;
int own_rank;

const char *variable(const char *name)
{
    const char *value = std::getenv(name);
    if (value == nullptr) {
        std::fprintf(stderr, "gloo: %s is not set\n", name);
        std::exit(2);
    }
    return value;
}

// Newer versions take the store by pointer, older ones by reference.
template <class Context, class Store, class Device>
auto connect(Context &c, Store store, Device device, int) -> decltype(c.connectFullMesh(store, device), void())
{
    c.connectFullMesh(store, device);
}

template <class Context, class Store, class Device>
auto connect(Context &c, Store store, Device device, long) -> decltype(c.connectFullMesh(*store, device), void())
{
    c.connectFullMesh(*store, device);
}

void start(int *, char ***, int *rank, int *size)
{
    *rank = own_rank = std::atoi(variable("ANYCCL_RANK"));
    *size = std::atoi(variable("ANYCCL_WORLD_SIZE"));
    gloo::transport::tcp::attr where;
    where.iface = "lo";
    std::shared_ptr<gloo::transport::Device> device = gloo::transport::tcp::CreateDevice(where);
    auto store = std::make_shared<gloo::rendezvous::FileStore>(variable("GLOO_STORE"));
    context = std::make_shared<gloo::rendezvous::Context>(*rank, *size);
    connect(*context, store, device, 0);
}

// Calls that may overlap need different tags.
uint32_t next_tag()
{
    static uint32_t tag;
    return tag++ & 0xffff;
}

template <class T>
void all_reduce_with(void (*combine)(void *, const void *, const void *, size_t), const T *send, T *recv, size_t count)
{
    gloo::AllreduceOptions options(context);
    options.setInput(const_cast<T *>(send), count);
    options.setOutput(recv, count);
    options.setTag(next_tag());
    options.setReduceFunction(combine);
    gloo::allreduce(options);
}

void all_reduce(const float *send, float *recv, size_t count)
{
    all_reduce_with<float>(gloo::sum<float>, send, recv, count);
}

void all_to_all(const float *send, float *recv, size_t block)
{
    const size_t count = block * static_cast<size_t>(context->size);
    gloo::AlltoallOptions options(context);
    options.setInput(const_cast<float *>(send), count);
    options.setOutput(recv, count);
    options.setTag(next_tag());
    gloo::alltoall(options);
}

void all_gather(const float *send, float *recv, size_t block)
{
    gloo::AllgatherOptions options(context);
    options.setInput(const_cast<float *>(send), block);
    options.setOutput(recv, block * static_cast<size_t>(context->size));
    options.setTag(next_tag());
    gloo::allgather(options);
}

// gloo has no reduce_scatter with this interface. Like PyTorch, this one reduces everything and keeps a block.
void reduce_scatter(const float *send, float *recv, size_t block)
{
    static std::vector<float> everything;
    everything.resize(block * static_cast<size_t>(context->size));
    all_reduce(send, everything.data(), everything.size());
    std::memcpy(recv, everything.data() + block * static_cast<size_t>(own_rank), block * sizeof(float));
}

void broadcast(float *buffer, size_t count, int root)
{
    gloo::BroadcastOptions options(context);
    options.setOutput(buffer, count);
    options.setRoot(root);
    options.setTag(next_tag());
    gloo::broadcast(options);
}

void barrier()
{
    gloo::BarrierOptions options(context);
    options.setTag(next_tag());
    gloo::barrier(options);
}

// The tag of messages between two ranks, which arrive in order. It is larger than the tags of collectives.
constexpr uint64_t TRANSFERS = uint64_t{1} << 40;

void send_to(const float *buffer, size_t count, int peer)
{
    auto memory = context->createUnboundBuffer(const_cast<float *>(buffer), count * sizeof(float));
    memory->send(peer, TRANSFERS);
    memory->waitSend();
}

void recv_from(float *buffer, size_t count, int peer)
{
    auto memory = context->createUnboundBuffer(buffer, count * sizeof(float));
    memory->recv(peer, TRANSFERS);
    memory->waitRecv();
}

void maximum(double *values, int count)
{
    all_reduce_with<double>(gloo::max<double>, values, values, static_cast<size_t>(count));
}

// Waits for all ranks, so that no rank closes its connections while another still uses them.
void end()
{
    barrier();
    context.reset();
}

}  // namespace

extern "C" const struct library library = {
    start,          end,       nullptr, all_reduce, all_to_all, all_gather,
    reduce_scatter, broadcast, barrier, send_to,    recv_from,  maximum,
};
