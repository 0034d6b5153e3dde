/* A stand-in for CUDA's header, for programs on host memory on machines without CUDA. It declares the two handles
 * that nccl.h needs. */
#ifndef ANYCCL_STAND_IN_CUDA_RUNTIME_H
#define ANYCCL_STAND_IN_CUDA_RUNTIME_H

#include <stddef.h>

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#endif
