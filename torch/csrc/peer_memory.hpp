// Memory of all ranks of a group, mapped by each of them.
//
// Making one is collective. Each rank gives a block, and may give a tensor as well, whose memory is then part of
// it. The ranks exchange handles, map each other's memory, and tell each other whether they could. Either all
// ranks have all memory, or all get the same exception, which names the rank and the reason.
//
// Addresses and sizes are kept here. What other processes write later cannot change them.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "backend.hpp"
#include "shared_block.hpp"

#ifdef C10D_BACKEND_HAS_WINDOW

namespace anyccl_torch {

class PeerMemory {
 public:
  // What one rank has given.
  struct Part {
    BlockHeader* header = nullptr;
    char* payload = nullptr;
    size_t payload_bytes = 0;
    // The tensor; nullptr if it is empty, or if there is none.
    char* data = nullptr;
    at::ScalarType type = at::ScalarType::Undefined;
    int64_t elements = 0;
    std::vector<int64_t> sizes;
  };

  using Block = std::shared_ptr<SharedBlock>;

  // What a rank is asked for. All ranks must have the same number, and blocks of the same size.
  struct Call {
    // Begins the message of an error: "new_window".
    const char* name;
    // "rank 0 has 16 bytes, and rank 1 has 8"
    uint64_t number;
    const char* unit;
  };

  // If `make` throws, all ranks get an exception.
  PeerMemory(AnycclBackend& group, const Call& call, const std::function<Block()>& make, const at::Tensor& tensor = {});
  ~PeerMemory();
  PeerMemory(const PeerMemory&) = delete;
  PeerMemory& operator=(const PeerMemory&) = delete;

  const Part& of(int64_t rank) const { return parts_[static_cast<size_t>(rank)]; }
  int64_t size() const { return static_cast<int64_t>(parts_.size()); }
  int rank() const { return rank_; }

 private:
  // Why a rank cannot take part; nothing if it can.
  struct Refusal;
  // What a rank tells the others.
  struct Card;

  // Throws on all ranks what the first of them that refuses has said.
  static void check_refusals(const std::vector<Refusal>& refusals, const Call& call);
  // Throws on all ranks if they were called differently.
  static void check_alike(const std::vector<Card>& cards, const Call& call);
  // Gathers what all ranks have. If that fails here, it may have succeeded elsewhere: then other ranks may write to
  // this rank's memory from now on, which therefore stays.
  template <typename Plain>
  std::vector<Plain> gather_or_abandon(AnycclBackend& group, const Plain& own);
  void import(int rank, const Card& card);
  void release();

  Block own_;
  const int rank_;
  std::vector<Part> parts_;
  // Everything that was imported.
  std::vector<void*> imported_;
  const Birthplace birthplace_;
};

}  // namespace anyccl_torch

#endif
