// Runs a kernel grid by grid, thread by thread; and tells how the structures of the parameters are laid out.
#include "host.h"

#include <cstddef>

__thread Dimensions threadIdx, blockIdx, blockDim, gridDim;

namespace anyccl {
__thread Memory *running;
}

using namespace anyccl;

// Returns a Fault; then `fault_address` is the address that the kernel touched.
extern "C" int anyccl_host_run(void (*kernel)(const void *), const void *parameters, const Dimensions *grid,
                               const Dimensions *block, FindRange find, void *memory, u64 *fault_address)
{
    Memory seen = {find, memory, {}, 0};
    running = &seen;
    gridDim = *grid;
    blockDim = *block;
    int fault = FAULT_NONE;
    try {
        for (blockIdx.z = 0; blockIdx.z < gridDim.z; blockIdx.z++)
            for (blockIdx.y = 0; blockIdx.y < gridDim.y; blockIdx.y++)
                for (blockIdx.x = 0; blockIdx.x < gridDim.x; blockIdx.x++)
                    for (threadIdx.z = 0; threadIdx.z < blockDim.z; threadIdx.z++)
                        for (threadIdx.y = 0; threadIdx.y < blockDim.y; threadIdx.y++)
                            for (threadIdx.x = 0; threadIdx.x < blockDim.x; threadIdx.x++)
                                kernel(parameters);
    } catch (const Stopped &stopped) {
        fault = stopped.fault;
        *fault_address = stopped.address;
    }
    running = nullptr;
    return fault;
}

// Sizes and offsets, in the order in which tests/layout.rs names them.
extern "C" const u64 anyccl_host_layout[] = {
    sizeof(TableArgument),
    offsetof(TableArgument, table),
    sizeof(ReduceArguments),
    offsetof(ReduceArguments, input),
    offsetof(ReduceArguments, output),
    offsetof(ReduceArguments, part),
    offsetof(ReduceArguments, count),
    offsetof(ReduceArguments, inputs),
    offsetof(ReduceArguments, outputs),
    offsetof(ReduceArguments, form),
    offsetof(ReduceArguments, divisor),
    offsetof(ReduceArguments, saturates),
    sizeof(PremulSumArguments),
    offsetof(PremulSumArguments, reduce),
    offsetof(PremulSumArguments, scalar_address),
    offsetof(PremulSumArguments, scalar),
    sizeof(CopySegment),
    offsetof(CopySegment, source),
    offsetof(CopySegment, bytes),
    offsetof(CopySegment, first_tile),
    offsetof(CopySegment, first_destination),
    offsetof(CopySegment, destinations),
    sizeof(CopyArguments),
    offsetof(CopyArguments, segment),
    offsetof(CopyArguments, destination),
    offsetof(CopyArguments, tiles),
    offsetof(CopyArguments, segments),
    offsetof(CopyArguments, tile_bytes),
    sizeof(CounterArguments),
    offsetof(CounterArguments, counter),
    offsetof(CounterArguments, amount),
    sizeof(WaitArguments),
    offsetof(WaitArguments, word),
    offsetof(WaitArguments, passed),
};
extern "C" const u64 anyccl_host_layout_length = sizeof(anyccl_host_layout) / sizeof(u64);
