/* What nccl.h needs of CUDA's headers, for programs on host memory where there is no CUDA: the names of
 * two handles. */
#ifndef ANYCCL_STAND_IN_CUDA_RUNTIME_H
#define ANYCCL_STAND_IN_CUDA_RUNTIME_H

#include <stddef.h>

typedef struct CUstream_st *cudaStream_t;
typedef struct CUevent_st *cudaEvent_t;

#endif
