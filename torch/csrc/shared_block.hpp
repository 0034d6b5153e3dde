// A block of memory of this process that the other ranks of the host map, read and write.
//
// A block begins with a header, in which each process that has mapped the block counts itself. The owner may be
// done with a block while others still write to it: ranks drop windows in any order. So the memory of such a
// block, and what it keeps alive, stays until nobody uses it. That is asked when the next block is made. If a user
// was killed, it stays until the process ends: another rank may still be writing.
//
// Other processes can write anything into a block at any time. So nothing in it is believed: a wrong count frees
// the memory early, or never, and the rest is data of the program.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <anyccl/anyccl.h>

#include "process.hpp"

namespace anyccl_torch {

using SharedCount = std::atomic<uint32_t>;
static_assert(SharedCount::is_always_lock_free);

// Beginning of a block: a cache line of its own.
struct alignas(64) BlockHeader {
  // Number of other processes that have mapped the block.
  SharedCount users;
  // Number of threads, of any process, that sleep until a word of the block changes.
  SharedCount sleepers;
};

class SharedBlock {
 public:
  // Allocates a header and `bytes` bytes behind it. All are 0.
  explicit SharedBlock(size_t bytes);
  ~SharedBlock();
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  BlockHeader* header() const { return header_; }
  char* payload() const { return reinterpret_cast<char*>(header_ + 1); }
  // Number of bytes of the payload.
  size_t bytes() const { return bytes_; }
  // Names the block for other processes.
  anyccl_mem_handle_t handle() const;
  // Keeps the memory of a tensor until nobody uses the block.
  void keep(at::Tensor tensor) { kept_ = std::move(tensor); }
  // Lets the block, and what it keeps, stay until the process ends.
  void abandon() { header_->users.fetch_add(1, std::memory_order_relaxed); }

 private:
  // Memory of which a child of fork() gets a copy (memory.hpp).
  c10::DataPtr memory_;
  BlockHeader* header_ = nullptr;
  const size_t bytes_;
  at::Tensor kept_;
  const Birthplace birthplace_;
};

}  // namespace anyccl_torch
