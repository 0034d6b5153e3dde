// Measures what the design of the direct path depends on: the facts of a GPU and its driver that NVIDIA does not
// promise. Prints a line of JSON for each. `make test-gpu` runs it; docs/gpu.md says what the figures decide.
//
//     gpu_facts anyccl.ptx [bytes of a buffer] [rounds]
//     gpu_facts anyccl.ptx queues

#include "facts.hpp"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

// The text of a file. Ends the program if there is none.
static std::string contents(const char *path)
{
    std::FILE *file = std::fopen(path, "rb");
    if (file == nullptr) {
        std::perror(path);
        std::exit(1);
    }
    std::string text;
    char part[1 << 16];
    for (std::size_t got; (got = std::fread(part, 1, sizeof part, file)) > 0;)
        text.append(part, got);
    std::fclose(file);
    return text;
}

int main(int count, char **arguments)
{
    if (count == 3 && std::strcmp(arguments[1], "peer-of-values") == 0)
        return peer_of_values(std::atoi(arguments[2]));
    if (count == 3 && std::strcmp(arguments[1], "peer-of-mapping") == 0)
        return peer_of_mapping();
    if (count < 2) {
        std::fprintf(stderr, "usage: %s anyccl.ptx [bytes of a buffer] [rounds]\n", arguments[0]);
        return 2;
    }
    if (count == 3 && std::strcmp(arguments[2], "queues") == 0) {
        const Driver &driver = open_driver();
        hardware_queues(driver, contents(arguments[1]).c_str());
        return 0;
    }
    const std::size_t bytes = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 256 << 20;
    const int rounds = count > 3 ? std::atoi(arguments[3]) : 200;
    const Driver &driver = open_driver();
    const std::string ptx = contents(arguments[1]);
    kernels_load(driver, ptx.c_str());
    kernels_run(driver, ptx.c_str(), bytes);
    values_between_streams(driver, rounds);
    values_between_processes(driver, rounds);
    mapping(driver);
    beside_waiting_streams(driver, ptx.c_str());
    hardware_queues(driver, ptx.c_str());
    return 0;
}
