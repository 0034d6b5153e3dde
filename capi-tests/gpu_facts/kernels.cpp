// (d) and (f): how fast one kernel over all buffers is, and what loading the kernels costs.

#include "facts.hpp"

#include <string>
#include <vector>

#include "../../src/device/kernels/arguments.h"

using anyccl::ReduceArguments;
using anyccl::TableArgument;

void kernels_load(const Driver &driver, const char *ptx)
{
    char name[256] = "";
    int version = 0;
    CUDA(deviceName(name, sizeof name, 0));
    CUDA(version(&version));
    report("device", name);
    report("driver", version, "CUDA version, 1000 * major + 10 * minor");
    for (const char *fact : {"load the kernels, first time", "load the kernels again"}) {
        Module module;
        const double start = now();
        CUDA(moduleLoad(&module, ptx));
        report(fact, (now() - start) * 1e3, "ms");
        CUDA(moduleUnload(module));
    }
}

// Milliseconds of the device between two points of a stream, for each of `rounds`.
template <class Enqueue>
static double milliseconds(const Driver &driver, Stream stream, int rounds, Enqueue enqueue)
{
    Event start, end;
    CUDA(eventCreate(&start, 0));
    CUDA(eventCreate(&end, 0));
    enqueue();
    CUDA(eventRecord(start, stream));
    for (int round = 0; round < rounds; round++)
        enqueue();
    CUDA(eventRecord(end, stream));
    CUDA(streamSynchronize(stream));
    float elapsed = 0;
    CUDA(eventElapsed(&elapsed, start, end));
    return static_cast<double>(elapsed) / rounds;
}

void kernels_run(const Driver &driver, const char *ptx, std::size_t bytes)
{
    const int multiprocessor_count = 16, rounds = 20;
    const unsigned threads = 512;
    int multiprocessors = 0;
    CUDA(deviceAttribute(&multiprocessors, multiprocessor_count, 0));
    Module module;
    Function sum;
    Stream stream;
    CUDA(moduleLoad(&module, ptx));
    CUDA(moduleFunction(&sum, module, "anyccl_reduce_sum_float32"));
    CUDA(streamCreate(&stream, 1));
    Address table;
    CUDA(alloc(&table, sizeof(ReduceArguments)));
    for (unsigned ranks : {2u, 4u, 8u}) {
        ReduceArguments arguments = {};
        for (unsigned rank = 0; rank < ranks; rank++) {
            Address input, output;
            CUDA(alloc(&input, bytes));
            CUDA(alloc(&output, bytes));
            CUDA(fill(input, 0, bytes, stream));
            arguments.input[rank] = input;
            arguments.output[rank] = output;
        }
        arguments.count = bytes / sizeof(float);
        arguments.inputs = arguments.outputs = ranks;
        arguments.form = anyccl::FORM_ALL;
        arguments.divisor = ranks;
        CUDA(copyToDevice(table, &arguments, sizeof arguments, stream));
        CUDA(streamSynchronize(stream));
        TableArgument argument = {table};
        void *parameters[] = {&argument};
        const unsigned blocks = 2 * static_cast<unsigned>(multiprocessors);
        const double ms = milliseconds(driver, stream, rounds, [&] {
            CUDA(launch(sum, blocks, 1, 1, threads, 1, 1, 0, stream, parameters, nullptr));
        });
        const std::string fact = "sum of " + std::to_string(ranks) + " buffers into " + std::to_string(ranks);
        report(fact.c_str(), static_cast<double>(2 * ranks * bytes) / ms / 1e6, "GB/s read and written");
        const double copy_ms = milliseconds(
            driver, stream, rounds, [&] { CUDA(copy(arguments.output[0], arguments.input[0], bytes, stream)); });
        if (ranks == 2)
            report("copy on the device", static_cast<double>(2 * bytes) / copy_ms / 1e6, "GB/s read and written");
        for (unsigned rank = 0; rank < ranks; rank++) {
            CUDA(free(arguments.input[rank]));
            CUDA(free(arguments.output[rank]));
        }
    }
    CUDA(moduleUnload(module));
}
