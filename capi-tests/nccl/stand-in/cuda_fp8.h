/* A stand-in without content: nccl.h includes this header and uses no name of it. See cuda_runtime.h. */
