/* Nothing that nccl.h uses by name; see cuda_runtime.h. */
