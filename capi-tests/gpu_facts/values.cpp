// (b) and (c): value waits and writes in one process and between two, and after the other one has died.

#include "facts.hpp"
#include "peer.hpp"

#include <cstdlib>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

static const unsigned AT_LEAST = 0;
static const double LIMIT_S = 20;

// One side of a ping-pong of values: waits for `wait` and answers in `write`, or the other way round.
static void enqueue(const Driver &driver, Stream stream, Address write, Address wait, int rounds, bool begins)
{
    for (int round = 1; round <= rounds; round++) {
        const auto value = static_cast<std::uint32_t>(round);
        if (begins)
            CUDA(writeValue(stream, write, value, 0));
        CUDA(waitValue(stream, wait, value, AT_LEAST));
        if (!begins)
            CUDA(writeValue(stream, write, value, 0));
    }
}

// Lets all streams go that wait for one of the words.
static void release(SharedPage &page)
{
    page.ping.store(UINT32_MAX / 4);
    page.pong.store(UINT32_MAX / 4);
}

void values_between_streams(const Driver &driver, int rounds)
{
    void *memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    auto &page = *new (memory) SharedPage();
    const Address ping = register_page(driver, page);
    const Address pong = on_device(driver, page.pong);
    Stream first, second;
    CUDA(streamCreate(&first, 1));
    CUDA(streamCreate(&second, 1));
    const double start = now();
    enqueue(driver, second, pong, ping, rounds, false);
    enqueue(driver, first, ping, pong, rounds, true);
    if (ends_within(driver, first, LIMIT_S))
        report("value to a stream of the same process and back", (now() - start) / rounds * 1e6, "us");
    else
        report("value to a stream of the same process and back", "did not end: the streams share a queue");
    release(page);
    CUDA(streamSynchronize(first));
    CUDA(streamSynchronize(second));
    CUDA(hostUnregister(&page));
    munmap(memory, 4096);
}

int peer_of_values(int rounds)
{
    const Driver &driver = open_driver();
    SharedPage &page = page_of_peer();
    const Address ping = register_page(driver, page);
    Stream stream;
    CUDA(streamCreate(&stream, 1));
    enqueue(driver, stream, on_device(driver, page.pong), ping, rounds, false);
    page.step.store(1, std::memory_order_release);
    const bool has_ended = ends_within(driver, stream, 2 * LIMIT_S);
    // The process waits to be killed, with the page registered.
    page.step.store(has_ended ? 2 : 3, std::memory_order_release);
    pause();
    return 0;
}

void values_between_processes(const Driver &driver, int rounds)
{
    Peer peer("peer-of-values", rounds);
    SharedPage &page = peer.page();
    const Address ping = register_page(driver, page);
    Stream stream;
    CUDA(streamCreate(&stream, 1));
    peer.reaches(1);
    const double start = now();
    enqueue(driver, stream, ping, on_device(driver, page.pong), rounds, true);
    if (ends_within(driver, stream, LIMIT_S))
        report("value to a stream of another process and back", (now() - start) / rounds * 1e6, "us");
    else
        report("value to a stream of another process and back", "did not end");
    release(page);
    peer.reaches(2);
    // The wait is for a word that the dead process had registered as well. The host lets the stream go.
    page.pong.store(0);
    CUDA(waitValue(stream, on_device(driver, page.pong), 1, AT_LEAST));
    peer.kill();
    const bool waits = !ends_within(driver, stream, 0.2);
    page.pong.store(1);
    const bool ends = ends_within(driver, stream, LIMIT_S);
    report("a wait for a word that a killed process had registered, too", waits && ends
                                                                              ? "goes on, and ends by the host's write"
                                                                          : waits ? "does not end"
                                                                                  : "ended by the kill");
    CUDA(hostUnregister(&page));
}
