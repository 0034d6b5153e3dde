#include "peer.hpp"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const std::size_t PAGE = 4096;
static const int DESCRIPTOR = 3;

static SharedPage *map(int descriptor)
{
    void *at = mmap(nullptr, PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
    if (at == MAP_FAILED) {
        std::perror("mmap");
        std::exit(1);
    }
    return static_cast<SharedPage *>(at);
}

static void pause_briefly()
{
    const timespec brief = {0, 100000};
    nanosleep(&brief, nullptr);
}

Peer::Peer(const char *role, int rounds)
{
    const int descriptor = memfd_create("gpu_facts", 0);
    if (descriptor < 0 || ftruncate(descriptor, PAGE) != 0) {
        std::perror("memfd_create");
        std::exit(1);
    }
    shared = map(descriptor);
    const std::string count = std::to_string(rounds);
    process = fork();
    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (descriptor != DESCRIPTOR)
            dup2(descriptor, DESCRIPTOR);
        execl("/proc/self/exe", "gpu_facts", role, count.c_str(), static_cast<char *>(nullptr));
        std::perror("execl");
        _exit(1);
    }
    close(descriptor);
}

Peer::~Peer()
{
    kill();
    munmap(shared, PAGE);
}

void Peer::kill()
{
    if (process <= 0)
        return;
    ::kill(process, SIGKILL);
    waitpid(process, nullptr, 0);
    process = 0;
}

void Peer::reaches(std::uint32_t step)
{
    for (const double start = now(); shared->step.load(std::memory_order_acquire) < step; pause_briefly()) {
        if (now() - start > 30 || waitpid(process, nullptr, WNOHANG) != 0) {
            std::fprintf(stderr, "the peer did not reach step %u\n", step);
            std::exit(1);
        }
    }
}

SharedPage &page_of_peer()
{
    return *map(DESCRIPTOR);
}

Address register_page(const Driver &driver, SharedPage &page)
{
    const unsigned mapped = 2;
    CUDA(hostRegister(&page, PAGE, mapped));
    return on_device(driver, page.ping);
}

Address on_device(const Driver &driver, std::atomic<std::uint32_t> &word)
{
    Address address;
    CUDA(hostDevicePointer(&address, &word, 0));
    return address;
}

bool ends_within(const Driver &driver, Stream stream, double seconds)
{
    for (const double start = now(); driver.streamQuery(stream) != 0; pause_briefly())
        if (now() - start > seconds)
            return false;
    return true;
}
