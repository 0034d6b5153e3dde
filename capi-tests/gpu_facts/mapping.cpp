// (e): what it costs to map memory of another process, and which calls wait for a stream that waits for a value.

#include "facts.hpp"
#include "peer.hpp"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <string>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <vector>

static const std::size_t BYTES = 64 << 20;

int peer_of_mapping()
{
    const Driver &driver = open_driver();
    SharedPage &page = page_of_peer();
    Address memory;
    CUDA(alloc(&memory, BYTES));
    CUDA(ipcHandle(&page.handle, memory));
    page.step.store(1, std::memory_order_release);
    pause();
    return 0;
}

// Tells whether a call returns while a stream waits for a value, and how long it takes.
template <class Call>
static void beside_a_wait(const Driver &driver, Context context, Stream stream, SharedPage &page, const char *what,
                          Call call)
{
    static std::uint32_t value = 0;
    value++;
    CUDA(waitValue(stream, on_device(driver, page.ping), value, 0));
    std::atomic<bool> has_returned{false};
    const double start = now();
    double end = start;
    std::thread caller([&] {
        CUDA(setCurrent(context));
        call();
        end = now();
        has_returned.store(true);
    });
    const timespec brief = {0, 1000000};
    while (!has_returned.load() && now() - start < 2)
        nanosleep(&brief, nullptr);
    const bool stalled = !has_returned.load();
    page.ping.store(value);
    caller.join();
    CUDA(streamSynchronize(stream));
    const std::string fact = std::string(what) + " beside a stream that waits";
    if (stalled)
        report(fact.c_str(), "returns only when the wait has ended");
    else
        report(fact.c_str(), (end - start) * 1e6, "us");
}

void mapping(const Driver &driver)
{
    Peer peer("peer-of-mapping", 0);
    SharedPage &page = peer.page();
    register_page(driver, page);
    peer.reaches(1);
    const unsigned lazy_peer_access = 1;
    std::vector<double> opened, closed;
    Address mapped = 0;
    for (int round = 0; round < 9; round++) {
        const double start = now();
        CUDA(ipcOpen(&mapped, page.handle, lazy_peer_access));
        const double middle = now();
        CUDA(ipcClose(mapped));
        opened.push_back(middle - start);
        closed.push_back(now() - middle);
    }
    report("map memory of another process, first time", opened[0] * 1e6, "us");
    std::sort(opened.begin(), opened.end());
    std::sort(closed.begin(), closed.end());
    report("map memory of another process, median", opened[4] * 1e6, "us");
    report("unmap it, median", closed[4] * 1e6, "us");

    Stream stream;
    Context context;
    CUDA(streamCreate(&stream, 1));
    CUDA(retainPrimary(&context, 0));
    auto beside = [&](const char *what, auto call) { beside_a_wait(driver, context, stream, page, what, call); };
    Address memory = 0;
    std::vector<char> host(1 << 20);
    beside("map memory of another process", [&] { CUDA(ipcOpen(&mapped, page.handle, lazy_peer_access)); });
    beside("unmap it", [&] { CUDA(ipcClose(mapped)); });
    beside("allocate", [&] { CUDA(alloc(&memory, BYTES)); });
    beside("free", [&] { CUDA(free(memory)); });
    beside("register host memory", [&] { CUDA(hostRegister(host.data(), host.size(), 2)); });
    beside("unregister it", [&] { CUDA(hostUnregister(host.data())); });
    CUDA(hostUnregister(&page));
}
