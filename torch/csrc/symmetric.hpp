// Symmetric memory of torch (torch.distributed._symmetric_memory) on the CPU.
//
// An allocation is a block of shared memory: first the signal pad, then the tensor. A rendezvous gives each rank of
// a group the blocks of all (peer_memory.hpp). The group must be one of this backend.
//
// The signal pad is laid out as on GPUs: the word at channel * ranks + r is changed from 0 to 1 by rank r, and back
// by the owner. So a second signal of the same rank and channel waits until the first one has been taken.
#pragma once

#include "backend.hpp"

// Before 2.15 the interface was another one.
#if ANYCCL_TORCH_FROM(15)
#define ANYCCL_HAS_SYMMETRIC_MEMORY 1
#endif

#ifdef ANYCCL_HAS_SYMMETRIC_MEMORY

#include <map>
#include <memory>
#include <mutex>

#include <torch/csrc/distributed/c10d/symm_mem/SymmetricMemory.hpp>

#include "peer_memory.hpp"
#include "signal.hpp"

namespace anyccl_torch {

// The blocks of all ranks of a group, and what a handle needs to know of the group.
struct Rendezvous {
  Rendezvous(AnycclBackend& group, const std::shared_ptr<SharedBlock>& own, size_t pad_bytes, size_t bytes);

  // The words of a rank's signal pad.
  SharedCount* pad_of(int rank) const;

  PeerMemory blocks;
  const std::weak_ptr<Communicator> comm;
  const int attempts;
  // Number of bytes of a tensor, and offset in the payload of its block.
  const size_t bytes;
  const size_t begin;
  const size_t pad_bytes;
  std::vector<int> global_ranks;
  std::vector<void*> buffers;
  std::vector<void*> pads;
};

class AnycclSymmetricMemory final : public c10d::symmetric_memory::SymmetricMemory {
 public:
  // `offset` is that of the tensor in its allocation, in bytes.
  AnycclSymmetricMemory(std::shared_ptr<Rendezvous> peers, size_t offset);

  std::vector<void*> get_buffer_ptrs() override { return here().buffers; }
  std::vector<void*> get_signal_pad_ptrs() override { return here().pads; }
  void** get_buffer_ptrs_dev() override { return here().buffers.data(); }
  void** get_signal_pad_ptrs_dev() override { return here().pads.data(); }
  size_t get_buffer_size() override { return peers_->bytes; }
  size_t get_offset() override { return offset_; }
  bool has_multicast_support() override { return false; }
  void* get_multicast_ptr() override { return nullptr; }

  // A time-out of 0 is that of the group.
  void barrier(int channel, size_t timeout_ms) override;
  void put_signal(int target, int channel, size_t timeout_ms) override;
  void wait_signal(int source, int channel, size_t timeout_ms) override;

  int get_rank() override { return peers_->blocks.rank(); }
  int get_world_size() override { return static_cast<int>(peers_->blocks.size()); }
  c10::Device get_device() override { return c10::Device(c10::kCPU); }
  const std::vector<int>& get_rank_to_global_rank() override { return peers_->global_ranks; }
  int* get_rank_to_global_rank_dev() override { return peers_->global_ranks.data(); }
  bool world_within_direct_access() override { return true; }

 private:
  // The memory of the ranks. Throws in a child of fork(), which has no mapping of it.
  Rendezvous& here() const;
  // The word in the pad of `owner` for signals of `sender`.
  Word word(int owner, int sender, int channel) const;
  void check_channel(int channel, int peer);
  // Changes a word when it has the value `from`. `verb` and `peer` name the call.
  void change(const Word& word, uint32_t from, uint32_t to, const char* verb, int peer, size_t timeout_ms);

  const std::shared_ptr<Rendezvous> peers_;
  const size_t offset_;
  const Birthplace birthplace_;
};

class AnycclSymmetricAllocator final : public c10d::symmetric_memory::SymmetricMemoryAllocator {
 public:
  void* alloc(size_t bytes, int device, const std::optional<std::string>& group) override;
  void free(void* start) override;
  size_t get_alloc_size(void* start) override;
  c10::intrusive_ptr<c10d::symmetric_memory::SymmetricMemory> rendezvous(
      void* place, const std::optional<std::string>& group) override;
  bool has_multicast_support(int) override { return false; }
  c10::DeviceType supported_device_type() override { return c10::kCPU; }
  std::string name() override { return "ANYCCL"; }
  bool has_allocation(void* place) override;

 private:
  struct Allocation {
    std::shared_ptr<SharedBlock> block;
    size_t bytes;
    size_t pad_bytes;
    std::optional<std::string> group;
    // By name of the group.
    std::map<std::string, std::shared_ptr<Rendezvous>> rendezvous{};
  };

  struct Allocations {
    std::mutex mutex;
    // By address of the tensor.
    std::map<char*, std::shared_ptr<Allocation>> all;
  };

  // The allocation that contains a byte, and where it begins.
  std::pair<char*, std::shared_ptr<Allocation>> find(void* place);

  PerProcess<Allocations> allocations_;
};

}  // namespace anyccl_torch

#endif

namespace anyccl_torch {

// Makes torch take symmetric memory on the CPU from here, unless it has an allocator for it already.
void offer_symmetric_memory();

}  // namespace anyccl_torch
