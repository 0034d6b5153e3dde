#include "shared_block.hpp"

#include <cstring>
#include <mutex>
#include <vector>

#include "errors.hpp"

namespace anyccl_torch {
namespace {

// A block whose owner is done with it.
struct Left {
  BlockHeader* header;
  at::Tensor kept;
  Birthplace birthplace;
};

struct LeftBlocks {
  std::mutex mutex;
  std::vector<Left> all;
};

// Never freed: blocks may be dropped at the end of the process.
LeftBlocks& left_blocks() {
  static auto* const blocks = new LeftBlocks;
  return *blocks;
}

bool is_unused(const BlockHeader& header) { return header.users.load(std::memory_order_acquire) == 0; }

void free_unused_blocks() {
  // Tensors are dropped when the lock has been released.
  std::vector<at::Tensor> kept;
  auto& left = left_blocks();
  const std::lock_guard<std::mutex> lock(left.mutex);
  std::erase_if(left.all, [&](Left& one) {
    if (!one.birthplace.is_here() || !is_unused(*one.header)) {
      return false;
    }
    (void)anyccl_mem_free(one.header);
    kept.push_back(std::move(one.kept));
    return true;
  });
}

}  // namespace

SharedBlock::SharedBlock(size_t bytes) : bytes_(bytes) {
  free_unused_blocks();
  void* start = nullptr;
  TORCH_CHECK_VALUE(bytes < SIZE_MAX - sizeof(BlockHeader), "anyccl: a block of ", bytes, " bytes");
  check(anyccl_mem_alloc(sizeof(BlockHeader) + bytes, &start), "allocating shared memory");
  std::memset(start, 0, sizeof(BlockHeader) + bytes);
  header_ = static_cast<BlockHeader*>(start);
}

SharedBlock::~SharedBlock() {
  if (!birthplace_.is_here()) {
    // The memory belongs to the parent of this process.
    return;
  }
  if (is_unused(*header_)) {
    (void)anyccl_mem_free(header_);
    return;
  }
  auto& left = left_blocks();
  const std::lock_guard<std::mutex> lock(left.mutex);
  left.all.push_back({header_, std::move(kept_), birthplace_});
}

anyccl_mem_handle_t SharedBlock::handle() const {
  anyccl_mem_handle_t handle;
  check(anyccl_mem_export(header_, sizeof(BlockHeader) + bytes_, &handle), "sharing memory");
  return handle;
}

}  // namespace anyccl_torch
