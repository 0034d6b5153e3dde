#include "shared_block.hpp"

#include <cstring>
#include <mutex>
#include <vector>

#include "errors.hpp"
#include "memory.hpp"

namespace anyccl_torch {
namespace {

// A block whose owner is done with it.
struct Left {
  c10::DataPtr memory;
  at::Tensor kept;
};

struct LeftBlocks {
  std::mutex mutex;
  std::vector<Left> all;
};

LeftBlocks& left_blocks() {
  static PerProcess<LeftBlocks> blocks;
  return blocks.here();
}

bool is_unused(const c10::DataPtr& memory) {
  return static_cast<const BlockHeader*>(memory.get())->users.load(std::memory_order_acquire) == 0;
}

void free_unused_blocks() {
  // Dropped when the lock has been released.
  std::vector<Left> unused;
  auto& left = left_blocks();
  const std::lock_guard<std::mutex> lock(left.mutex);
  std::erase_if(left.all, [&](Left& one) {
    const bool is_over = is_unused(one.memory);
    if (is_over) {
      unused.push_back(std::move(one));
    }
    return is_over;
  });
}

}  // namespace

SharedBlock::SharedBlock(size_t bytes) : bytes_(bytes) {
  free_unused_blocks();
  TORCH_CHECK_VALUE(bytes < SIZE_MAX - sizeof(BlockHeader), "anyccl: a block of ", bytes, " bytes");
  memory_ = shared_memory()->allocate(sizeof(BlockHeader) + bytes);
  std::memset(memory_.get(), 0, sizeof(BlockHeader) + bytes);
  header_ = static_cast<BlockHeader*>(memory_.get());
}

SharedBlock::~SharedBlock() {
  // A child of fork() has a copy, which nobody else uses.
  if (!birthplace_.is_here() || is_unused(memory_)) {
    return;
  }
  auto& left = left_blocks();
  const std::lock_guard<std::mutex> lock(left.mutex);
  left.all.push_back({std::move(memory_), std::move(kept_)});
}

anyccl_mem_handle_t SharedBlock::handle() const {
  anyccl_mem_handle_t handle;
  check(anyccl_mem_export(header_, sizeof(BlockHeader) + bytes_, &handle), "sharing memory");
  return handle;
}

}  // namespace anyccl_torch
