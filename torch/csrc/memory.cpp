#include "memory.hpp"

#include <map>
#include <mutex>
#include <vector>

#include <ATen/ATen.h>

#include "backend.hpp"
#include "errors.hpp"

namespace anyccl_torch {
namespace {

// Most bytes of unused memory that are kept.
constexpr size_t kMostIdle = size_t{1} << 30;

class SharedMemory final : public c10::Allocator {
 public:
  c10::DataPtr allocate(size_t bytes) override {
    if (bytes == 0) {
      return {nullptr, nullptr, &give_back, c10::Device(c10::kCPU)};
    }
    auto block = std::make_unique<Block>(Block{take(round(bytes)), round(bytes), Birthplace()});
    void* const data = block->data;
    return {data, block.release(), &give_back, c10::Device(c10::kCPU)};
  }

  c10::DeleterFnPtr raw_deleter() const override { return nullptr; }

  void copy_data(void* to, const void* from, size_t bytes) const override { default_copy_data(to, from, bytes); }

  static SharedMemory& instance() {
    // Never freed, because tensors may outlive static objects.
    static auto* const memory = new SharedMemory;
    return *memory;
  }

 private:
  struct Block {
    void* data;
    size_t bytes;
    Birthplace birthplace;
  };

  // Rounds a size up by less than an eighth, or to whole pages, so that similar sizes share blocks.
  static size_t round(size_t bytes) {
    size_t step = 4096;
    while (step * 16 < bytes) {
      step *= 2;
    }
    return (bytes + step - 1) / step * step;
  }

  void* take(size_t bytes) {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      auto& idle = idle_[bytes];
      if (birthplace_.is_here() && !idle.empty()) {
        void* const data = idle.back();
        idle.pop_back();
        idle_bytes_ -= bytes;
        return data;
      }
    }
    void* data = nullptr;
    check(anyccl_mem_alloc(bytes, &data), "allocating shared memory");
    return data;
  }

  static void give_back(void* context) {
    const std::unique_ptr<Block> block(static_cast<Block*>(context));
    if (!block || !block->birthplace.is_here()) {
      // The memory belongs to the parent of this process.
      return;
    }
    auto& memory = instance();
    {
      const std::lock_guard<std::mutex> lock(memory.mutex_);
      if (memory.birthplace_.is_here() && memory.idle_bytes_ + block->bytes <= kMostIdle) {
        memory.idle_[block->bytes].push_back(block->data);
        memory.idle_bytes_ += block->bytes;
        return;
      }
    }
    (void)anyccl_mem_free(block->data);
  }

  std::mutex mutex_;
  std::map<size_t, std::vector<void*>> idle_;
  size_t idle_bytes_ = 0;
  const Birthplace birthplace_;
};

}  // namespace

std::shared_ptr<c10::Allocator> shared_memory() {
  return {std::shared_ptr<c10::Allocator>(), &SharedMemory::instance()};
}

std::shared_ptr<c10::Allocator> AnycclBackend::getMemAllocator() { return shared_memory(); }

at::Tensor AnycclBackend::allocateTensor(long size, at::TensorOptions options) {
  TORCH_CHECK_VALUE(size >= 0, "anyccl: a tensor of ", size, " elements");
  TORCH_CHECK_VALUE(
      options.device().is_cpu(), "anyccl: shared memory is memory of the CPU, and a tensor on ", options.device(),
      " was requested");
  const auto type = c10::typeMetaToScalarType(options.dtype());
  const size_t bytes = static_cast<size_t>(size) * c10::elementSize(type);
  auto storage = c10::make_intrusive<c10::StorageImpl>(
      c10::StorageImpl::use_byte_size_t(), bytes, SharedMemory::instance().allocate(bytes), nullptr,
      /*resizable=*/false);
  return at::empty({0}, options).set_(at::Storage(std::move(storage)), 0, {size}, {1});
}

}  // namespace anyccl_torch
