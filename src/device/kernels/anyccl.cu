// All kernels, as one translation unit: the source of anyccl.ptx.
#include "floats.cu"
#include "integers.cu"
#include "moves.cu"
