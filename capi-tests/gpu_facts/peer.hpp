// The other process of a measurement, and the page that both share.
#pragma once

#include <atomic>
#include <cstdint>
#include <sys/types.h>

#include "driver.hpp"

// Words that streams of both processes write and wait for, each in a cache line of its own.
struct SharedPage {
    alignas(64) std::atomic<std::uint32_t> ping;
    alignas(64) std::atomic<std::uint32_t> pong;
    // Steps that the peer has reached.
    alignas(64) std::atomic<std::uint32_t> step;
    alignas(64) IpcHandle handle;
};

// A process that runs this program in the role of a peer, until it is killed. It shares the page as descriptor 3.
class Peer {
public:
    Peer(const char *role, int rounds);
    ~Peer();
    Peer(const Peer &) = delete;
    Peer &operator=(const Peer &) = delete;

    SharedPage &page() { return *shared; }
    // Waits until the peer has reached a step. Ends the program if it does not within 30 seconds.
    void reaches(std::uint32_t step);
    void kill();

private:
    pid_t process;
    SharedPage *shared;
};

// The page in the process of the peer.
SharedPage &page_of_peer();

// Where the device sees a word of the page, once the page is registered with the driver.
Address register_page(const Driver &driver, SharedPage &page);
Address on_device(const Driver &driver, std::atomic<std::uint32_t> &word);

// Waits until the stream has nothing to do, for at most so many seconds.
bool ends_within(const Driver &driver, Stream stream, double seconds);
