#include "device.hpp"

#include <dlfcn.h>

#include <c10/util/Exception.h>

namespace anyccl_torch {
namespace {

constexpr const char* kDriver = "libcuda.so.1";

using Guard = c10::impl::VirtualGuardImpl;

// c10::cuda::CUDAStream::stream(), for releases of torch whose guards do not give the handle of a stream. A
// CUDAStream consists of a c10::Stream.
void* handle_from_cuda(const c10::Stream& stream) {
  using Function = void* (*)(const c10::Stream*);
  static const auto function = [] {
    void* const library = dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_NOLOAD);
    return reinterpret_cast<Function>(library ? dlsym(library, "_ZNK3c104cuda10CUDAStream6streamEv") : nullptr);
  }();
  TORCH_CHECK_NOT_IMPLEMENTED(
      function != nullptr, "anyccl: this release of torch does not tell the CUDA stream of ", stream.device());
  return function(&stream);
}

template <typename AnyGuard>
void* handle_of(const AnyGuard& guard, const c10::Stream& stream) {
  if constexpr (requires { guard.getStreamNativeHandle(stream); }) {
    return guard.getStreamNativeHandle(stream);
  } else {
    return handle_from_cuda(stream);
  }
}

}  // namespace

void load_driver() {
  static const bool once = [] {
    if (dlopen("libc10_cuda.so", RTLD_LAZY | RTLD_NOLOAD) != nullptr) {
      // Stays open, as torch keeps it open, too.
      (void)dlopen(kDriver, RTLD_LAZY);
    }
    return true;
  }();
  (void)once;
}

void check_driver() {
  static const bool is_there = dlopen(kDriver, RTLD_LAZY | RTLD_NOLOAD) != nullptr;
  TORCH_CHECK_NOT_IMPLEMENTED(
      is_there, "anyccl: tensors on a GPU need the CUDA driver (", kDriver, "), which this process has not loaded");
}

void* native_handle(const c10::Stream& stream) { return handle_of(Guard(stream.device_type()), stream); }

void order(const c10::Stream& earlier, const c10::Stream& later) {
  if (earlier != later) {
    c10::Event passed(earlier.device_type());
    passed.record(earlier);
    passed.block(later);
  }
}

c10::Stream DeviceStreams::of(const c10::Device& device, const Lane& lane) {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto key = std::make_tuple(device.index(), lane.kind, lane.peer);
  auto found = streams_.find(key);
  if (found == streams_.end()) {
    found = streams_.emplace(key, Guard(device.type()).getStreamFromGlobalPool(device, /*isHighPriority=*/true)).first;
  }
  return found->second;
}

}  // namespace anyccl_torch
