// Kernels that compute nothing: copies, a counter, and a wait.
#include "copy.h"

using namespace anyccl;

// A table of CopyArguments.
ANYCCL_KERNEL(anyccl_copy, TableArgument)
{
    copy_segments(arguments.table);
}

// One thread adds to a counter in device memory: a graph that is launched again counts its launches so.
ANYCCL_KERNEL(anyccl_counter_add, CounterArguments)
{
    if (blockIdx.x == 0 && threadIdx.x == 0)
        add_to_counter(arguments.counter, arguments.amount);
}

// One thread waits until a word is not 0, and sets another one. A value wait of the stream would hold the hardware queue
// meanwhile.
ANYCCL_KERNEL(anyccl_wait, WaitArguments)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        while (load<u32>(arguments.word) == 0)
            rest();
        store<u32>(arguments.passed, 1);
    }
}
