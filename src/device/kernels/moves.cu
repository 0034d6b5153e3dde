// Kernels that compute nothing: copies, and a counter.
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
