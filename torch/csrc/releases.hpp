// Differences between the releases of torch that this extension is built for: 2.6 and later.
//
// In a release that lacks a virtual method, the backend's method of that name is an ordinary one, which torch
// never calls. The macros below say from which release on a method overrides one of torch's. So a signature
// that torch changes does not compile.
#pragma once

#include <chrono>
#include <memory>

#include <torch/csrc/distributed/c10d/Types.hpp>
#include <torch/csrc/distributed/c10d/Work.hpp>
#include <torch/version.h>

#define ANYCCL_TORCH_FROM(minor) (TORCH_VERSION_MAJOR > 2 || TORCH_VERSION_MINOR >= (minor))

#if ANYCCL_TORCH_FROM(7)
#define OVERRIDE_FROM_2_7 override
#else
#define OVERRIDE_FROM_2_7
#endif
#if ANYCCL_TORCH_FROM(9)
#define OVERRIDE_FROM_2_9 override
#else
#define OVERRIDE_FROM_2_9
#endif
#if ANYCCL_TORCH_FROM(10)
#define OVERRIDE_FROM_2_10 override
#else
#define OVERRIDE_FROM_2_10
#endif
#if ANYCCL_TORCH_FROM(14)
#define OVERRIDE_FROM_2_14 override
#else
#define OVERRIDE_FROM_2_14
#endif
#if ANYCCL_TORCH_FROM(15)
#define OVERRIDE_FROM_2_15 override
#else
#define OVERRIDE_FROM_2_15
#endif

namespace anyccl_torch {

#if ANYCCL_TORCH_FROM(13)
using PremulSumFactor = c10d::PreMulSumSupplement;
#else
using PremulSumFactor = c10d::NCCLPreMulSumSupplement;
#endif

#if ANYCCL_TORCH_FROM(14)
constexpr auto kAllGatherOfTensors = c10d::OpType::ALLGATHER_INTO_TENSOR_COALESCED;
#else
constexpr auto kAllGatherOfTensors = c10d::OpType::COALESCED;
#endif
#if ANYCCL_TORCH_FROM(12)
constexpr auto kReduceScatterOfTensors = c10d::OpType::REDUCE_SCATTER_TENSOR_COALESCED;
#else
constexpr auto kReduceScatterOfTensors = c10d::OpType::COALESCED;
#endif

// Has the size of what c10d::ProcessGroupGloo has before its options, a pointer to a store.
#if ANYCCL_TORCH_FROM(8)
using PlaceOfGloosStore = std::shared_ptr<void>;
#else
using PlaceOfGloosStore = std::unique_ptr<int>;
#endif

// Whether the caller goes on before the call has ended. Before 2.8 some options do not tell; the answer is
// then yes.
template <typename Options>
bool is_async(const Options& options) {
  if constexpr (requires { options.asyncOp; }) {
    return options.asyncOp;
  } else {
    return true;
  }
}

}  // namespace anyccl_torch
