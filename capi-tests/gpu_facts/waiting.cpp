// What a stream that waits for a value holds up: work on other streams, and calls of other threads.

#include "facts.hpp"
#include "peer.hpp"

#include <atomic>
#include <functional>
#include <new>
#include <string>
#include <sys/mman.h>
#include <thread>
#include <time.h>
#include <vector>

#include "../../src/device/kernels/arguments.h"

static const std::size_t BYTES = 1 << 20;
static const double LIMIT_S = 0.2;

namespace {

// Everything that the cases use: memory of each kind, streams, and kernels that do nothing.
struct Bench {
    const Driver &driver;
    Context context = nullptr;
    Module module = nullptr;
    Function kernel = nullptr;
    Address table = 0, memory = 0, other = 0;
    Address first_word = 0, spare_word = 0;
    char *pinned = nullptr, *second_pinned = nullptr;
    std::vector<char> pageable = std::vector<char>(BYTES), second_pageable = std::vector<char>(BYTES);
    std::vector<Stream> streams = std::vector<Stream>(64);
    Event event = nullptr, spare = nullptr;
    Stream spare_stream = nullptr;
    SharedPage *page = nullptr;
    std::uint32_t value = 0;

    Bench(const Driver &driver, const char *ptx);
    void hold(Stream stream);
    void run(Function function, Stream stream);
    bool drains(Stream stream, const std::atomic<bool> &is_over);
};

// Work on a stream, or a call.
struct Piece {
    const char *name;
    std::function<void(Stream)> enqueue;
};

}  // namespace

static char *pinned_memory(const Driver &driver)
{
    void *memory = mmap(nullptr, BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CUDA(hostRegister(memory, BYTES, 2));
    return static_cast<char *>(memory);
}

Bench::Bench(const Driver &driver, const char *ptx) : driver(driver)
{
    CUDA(retainPrimary(&context, 0));
    CUDA(moduleLoad(&module, ptx));
    CUDA(moduleFunction(&kernel, module, "anyccl_reduce_sum_float32"));
    CUDA(alloc(&memory, BYTES));
    CUDA(alloc(&other, BYTES));
    CUDA(alloc(&table, sizeof(anyccl::ReduceArguments)));
    pinned = pinned_memory(driver);
    second_pinned = pinned_memory(driver);
    for (Stream &stream : streams)
        CUDA(streamCreate(&stream, 1));
    anyccl::ReduceArguments arguments = {};
    arguments.form = anyccl::FORM_ALL;
    arguments.divisor = 1;
    CUDA(copyToDevice(table, &arguments, sizeof arguments, streams[0]));
    run(kernel, streams[0]);
    CUDA(eventCreate(&event, 2));
    CUDA(eventRecord(event, streams[0]));
    CUDA(streamSynchronize(streams[0]));
    void *words = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    page = new (words) SharedPage();
    first_word = register_page(driver, *page);
    spare_word = on_device(driver, page->pong);
}

// Makes a stream wait until `page->ping` is raised to `value`.
void Bench::hold(Stream stream)
{
    CUDA(waitValue(stream, first_word, value, 0));
}

void Bench::run(Function function, Stream stream)
{
    anyccl::TableArgument argument = {table};
    void *parameters[] = {&argument};
    CUDA(launch(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, nullptr));
}

// Waits until a stream has ended, or the case is over. Asks without waiting, so that the driver is not held up.
bool Bench::drains(Stream stream, const std::atomic<bool> &is_over)
{
    while (!is_over.load())
        if (driver.streamQuery(stream) == 0)
            return true;
    return false;
}

// Enqueues a wait and `behind` on one stream. Tells whether `beside` on another stream ends meanwhile.
static const char *outcome(Bench &bench, const Piece &behind, const Piece &beside)
{
    const Driver &driver = bench.driver;
    Stream waiting = bench.streams[1], free = bench.streams[2];
    bench.value++;
    bench.hold(waiting);
    std::atomic<bool> is_over{false}, has_returned{false}, has_ended{false};
    std::thread follower([&] {
        CUDA(setCurrent(bench.context));
        behind.enqueue(waiting);
    });
    // `behind` may be a call that returns only when the wait has ended, so nothing tells when it has begun.
    const timespec while_it_enqueues = {0, 20000000}, brief = {0, 500000};
    nanosleep(&while_it_enqueues, nullptr);
    std::thread caller([&] {
        CUDA(setCurrent(bench.context));
        beside.enqueue(free);
        has_returned.store(true);
        has_ended.store(bench.drains(free, is_over));
    });
    const double start = now();
    while (!has_ended.load() && now() - start < LIMIT_S)
        nanosleep(&brief, nullptr);
    const char *said = has_ended.load() ? "goes on" : has_returned.load() ? "waits" : "the call waits";
    is_over.store(true);
    bench.page->ping.store(bench.value);
    follower.join();
    caller.join();
    CUDA(streamSynchronize(waiting));
    CUDA(streamSynchronize(free));
    return said;
}

// Prints with how many waiting streams, each with `piece` behind its wait, the same on another stream is held up.
static void streams_until_held_up(Bench &bench, const Piece &piece)
{
    const Driver &driver = bench.driver;
    const std::size_t most = bench.streams.size() - 1;
    for (std::size_t count = 1; count <= most; count++) {
        bench.value++;
        for (std::size_t at = 0; at < count; at++) {
            bench.hold(bench.streams[at]);
            piece.enqueue(bench.streams[at]);
        }
        piece.enqueue(bench.streams[count]);
        const bool goes_on = ends_within(driver, bench.streams[count], LIMIT_S);
        bench.page->ping.store(bench.value);
        for (std::size_t at = 0; at <= count; at++)
            CUDA(streamSynchronize(bench.streams[at]));
        const std::string fact = std::string("streams that wait when a stream is held up, each with: ") + piece.name;
        if (!goes_on)
            return report(fact.c_str(), static_cast<double>(count), "streams");
        if (count == most)
            report(fact.c_str(), "more than 62");
    }
}

// Work that may follow a wait on every stream, without holding up the thread.
static std::vector<Piece> short_work(Bench &bench)
{
    const Driver &driver = bench.driver;
    return {
        {"nothing", [](Stream) {}},
        {"copy to the device", [&](Stream s) { CUDA(copyToDevice(bench.memory, bench.pinned, BYTES, s)); }},
        {"copy to the host", [&](Stream s) { CUDA(copyToHost(bench.pinned, bench.memory, BYTES, s)); }},
        {"kernel", [&](Stream s) { bench.run(bench.kernel, s); }},
    };
}

void hardware_queues(const Driver &driver, const char *ptx)
{
    Bench bench(driver, ptx);
    for (const Piece &piece : short_work(bench))
        streams_until_held_up(bench, piece);
    CUDA(hostUnregister(bench.page));
    CUDA(moduleUnload(bench.module));
}

void beside_waiting_streams(const Driver &driver, const char *ptx)
{
    Bench bench(driver, ptx);
    std::vector<Piece> behind = short_work(bench);
    const std::vector<Piece> more = {
        {"copy to pageable memory", [&](Stream s) { CUDA(copyToHost(bench.pageable.data(), bench.memory, BYTES, s)); }},
        {"copy from pageable memory",
         [&](Stream s) { CUDA(copyToDevice(bench.memory, bench.pageable.data(), BYTES, s)); }},
        {"fill", [&](Stream s) { CUDA(fill(bench.memory, 1, BYTES, s)); }},
        {"synchronising thread", [&](Stream s) { CUDA(streamSynchronize(s)); }},
    };
    behind.insert(behind.end(), more.begin(), more.end());
    Function unused;
    CUDA(moduleFunction(&unused, bench.module, "anyccl_reduce_sum_bfloat16"));
    const std::vector<Piece> beside = {
        {"copy to the device", [&](Stream s) { CUDA(copyToDevice(bench.other, bench.second_pinned, BYTES, s)); }},
        {"short copy to the device", [&](Stream s) { CUDA(copyToDevice(bench.other, bench.second_pinned, 8, s)); }},
        {"copy to the host", [&](Stream s) { CUDA(copyToHost(bench.second_pinned, bench.other, BYTES, s)); }},
        {"copy to pageable memory",
         [&](Stream s) { CUDA(copyToHost(bench.second_pageable.data(), bench.other, BYTES, s)); }},
        {"copy from pageable memory",
         [&](Stream s) { CUDA(copyToDevice(bench.other, bench.second_pageable.data(), BYTES, s)); }},
        {"copy on the device", [&](Stream s) { CUDA(copy(bench.other, bench.other + BYTES / 2, BYTES / 2, s)); }},
        {"fill", [&](Stream s) { CUDA(fill(bench.other, 1, BYTES, s)); }},
        {"write of a value", [&](Stream s) { CUDA(writeValue(s, bench.spare_word, 1, 0)); }},
        {"kernel", [&](Stream s) { bench.run(bench.kernel, s); }},
        {"first launch of a kernel", [&](Stream s) { bench.run(unused, s); }},
        {"record of an event", [&](Stream s) { CUDA(eventRecord(bench.event, s)); }},
        {"query of an event", [&](Stream) { CUDA(eventQuery(bench.event)); }},
        {"making of an event", [&](Stream) { CUDA(eventCreate(&bench.spare, 2)); }},
        {"end of an event", [&](Stream) { CUDA(eventDestroy(bench.spare)); }},
        {"making of a stream", [&](Stream) { CUDA(streamCreate(&bench.spare_stream, 1)); }},
        {"synchronising of another stream", [&](Stream s) { CUDA(streamSynchronize(s)); }},
        {"nothing", [](Stream) {}},
    };
    for (const Piece &first : behind)
        for (const Piece &second : beside) {
            const std::string fact =
                std::string(second.name) + ", beside a stream that waits and then has: " + first.name;
            report(fact.c_str(), outcome(bench, first, second));
        }
    CUDA(hostUnregister(bench.page));
    CUDA(moduleUnload(bench.module));
}
