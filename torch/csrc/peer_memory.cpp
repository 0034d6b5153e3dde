#include "peer_memory.hpp"

#ifdef C10D_BACKEND_HAS_WINDOW

#include <cstring>
#include <type_traits>

#include <ATen/ops/empty.h>

#include "errors.hpp"

namespace anyccl_torch {
namespace {

constexpr size_t kMostDimensions = 8;

// All ranks' copies of a plain object.
template <typename Plain>
std::vector<Plain> gather(AnycclBackend& group, const Plain& own) {
  static_assert(std::is_trivially_copyable_v<Plain>);
  const auto each = static_cast<int64_t>(sizeof(Plain));
  auto input = at::empty({each}, at::kByte);
  auto output = at::empty({each * group.getSize()}, at::kByte);
  std::memcpy(input.data_ptr(), &own, sizeof(Plain));
  c10d::AllgatherOptions options;
  options.asyncOp = false;
  group._allgather_base(output, input, options)->wait();
  std::vector<Plain> all(static_cast<size_t>(group.getSize()));
  std::memcpy(all.data(), output.data_ptr(), all.size() * sizeof(Plain));
  return all;
}

std::string text_of(const std::exception& failure) {
  const auto* const with_trace = dynamic_cast<const c10::Error*>(&failure);
  return with_trace != nullptr ? with_trace->what_without_backtrace() : failure.what();
}

// Why a tensor cannot be used by other processes; empty if it can.
std::string fault_of(const at::Tensor& tensor) {
  if (tensor.layout() != at::kStrided || !tensor.device().is_cpu()) {
    return "has a tensor that is not a dense one on the CPU";
  }
  if (!tensor.is_contiguous() || tensor.is_neg() || tensor.is_conj()) {
    return "has a tensor that is not contiguous, or is a lazy view";
  }
  return "";
}

}  // namespace

// Why a rank cannot take part; nothing if it can.
struct PeerMemory::Refusal {
  int32_t status = ANYCCL_SUCCESS;
  char reason[252] = {};

  void set(anyccl_status_t why, const std::string& text) {
    status = why;
    std::strncpy(reason, text.c_str(), sizeof(reason) - 1);
  }
};

struct PeerMemory::Card {
  Refusal refusal;
  anyccl_mem_handle_t block;
  anyccl_mem_handle_t data;
  uint64_t payload_bytes;
  // Of the Call.
  uint64_t number;
  int32_t type;
  // 1 if there are more dimensions than fit.
  uint32_t dimensions;
  int64_t sizes[kMostDimensions];

  static Card of(const std::function<Block()>& make, Block& block, const at::Tensor& tensor) {
    Card card{};
    try {
      block = make();
      card.block = block->handle();
      card.payload_bytes = block->bytes();
    } catch (const std::exception& failure) {
      card.refusal.set(ANYCCL_ERR_SYSTEM, "has no memory for it: " + text_of(failure));
      return card;
    }
    card.type = static_cast<int32_t>(at::ScalarType::Undefined);
    if (!tensor.defined()) {
      return card;
    }
    if (const auto fault = fault_of(tensor); !fault.empty()) {
      card.refusal.set(ANYCCL_ERR_INVALID_ARGUMENT, fault);
      return card;
    }
    if (tensor.nbytes() > 0 && anyccl_mem_export(tensor.data_ptr(), tensor.nbytes(), &card.data) != ANYCCL_SUCCESS) {
      card.refusal.set(
          ANYCCL_ERR_INVALID_ARGUMENT,
          "has a tensor in memory that other processes cannot map. Make it by allocate_tensor() of the backend, or by "
          "torch.distributed._symmetric_memory.empty(..., device=\"cpu\")");
      return card;
    }
    card.type = static_cast<int32_t>(tensor.scalar_type());
    const auto sizes = tensor.sizes();
    if (sizes.size() <= kMostDimensions) {
      card.dimensions = static_cast<uint32_t>(sizes.size());
      std::copy(sizes.begin(), sizes.end(), card.sizes);
    } else {
      card.dimensions = 1;
      card.sizes[0] = tensor.numel();
    }
    return card;
  }

  // Reads the description of the tensor. False: it is none.
  bool describe(Part& part) const {
    const auto wanted = static_cast<at::ScalarType>(type);
    if (type < 0 || type > static_cast<int32_t>(at::ScalarType::Undefined) || dimensions > kMostDimensions) {
      return false;
    }
    part.type = wanted;
    if (wanted == at::ScalarType::Undefined) {
      return true;
    }
    part.sizes.assign(sizes, sizes + dimensions);
    part.elements = 1;
    for (const int64_t size : part.sizes) {
      if (size < 0 || __builtin_mul_overflow(part.elements, size, &part.elements)) {
        return false;
      }
    }
    int64_t bytes = 0;
    return !__builtin_mul_overflow(part.elements, static_cast<int64_t>(c10::elementSize(wanted)), &bytes);
  }
};

void PeerMemory::check_refusals(const std::vector<Refusal>& refusals, const Call& call) {
  for (size_t rank = 0; rank < refusals.size(); ++rank) {
    const auto& refusal = refusals[rank];
    if (refusal.status != ANYCCL_SUCCESS) {
      const auto end = strnlen(refusal.reason, sizeof(refusal.reason));
      std::rethrow_exception(to_exception(
          static_cast<anyccl_status_t>(refusal.status), std::string("anyccl, ") + call.name + ": rank " +
                                                            std::to_string(rank) + " " +
                                                            std::string(refusal.reason, end)));
    }
  }
}

void PeerMemory::check_alike(const std::vector<Card>& cards, const Call& call) {
  const auto& first = cards.front();
  for (size_t rank = 1; rank < cards.size(); ++rank) {
    const auto& other = cards[rank];
    TORCH_CHECK_VALUE(
        other.number == first.number, "anyccl, ", call.name, ": rank 0 has ", first.number, " ", call.unit,
        ", and rank ", rank, " has ", other.number);
    TORCH_CHECK_VALUE(
        other.payload_bytes == first.payload_bytes, "anyccl, ", call.name,
        ": rank 0 has a signal pad of another size than rank ", rank);
  }
}

PeerMemory::PeerMemory(
    AnycclBackend& group, const Call& call, const std::function<Block()>& make, const at::Tensor& tensor)
    : rank_(group.getRank()), parts_(static_cast<size_t>(group.getSize())) {
  check_not_estimating(call.name);
  auto own = Card::of(make, own_, tensor);
  own.number = call.number;
  if (own_) {
    own_->keep(tensor);
  }
  const auto cards = gather_or_abandon(group, own);
  std::vector<Refusal> refusals;
  for (const auto& card : cards) {
    refusals.push_back(card.refusal);
  }
  check_refusals(refusals, call);
  check_alike(cards, call);
  auto& here = parts_[static_cast<size_t>(rank_)];
  here.header = own_->header();
  here.payload = own_->payload();
  here.payload_bytes = own_->bytes();
  (void)cards[static_cast<size_t>(rank_)].describe(here);
  here.data = here.elements > 0 ? static_cast<char*>(tensor.data_ptr()) : nullptr;
  Refusal refusal;
  for (int rank = 0; rank < group.getSize() && refusal.status == ANYCCL_SUCCESS; ++rank) {
    try {
      import(rank, cards[static_cast<size_t>(rank)]);
    } catch (const std::exception& failure) {
      refusal.set(
          ANYCCL_ERR_UNSUPPORTED, "cannot use memory of rank " + std::to_string(rank) + ": " + text_of(failure));
    }
  }
  try {
    check_refusals(gather_or_abandon(group, refusal), call);
  } catch (...) {
    release();
    throw;
  }
}

template <typename Plain>
std::vector<Plain> PeerMemory::gather_or_abandon(AnycclBackend& group, const Plain& own) {
  try {
    return gather(group, own);
  } catch (...) {
    if (own_) {
      own_->abandon();
    }
    throw;
  }
}

void PeerMemory::import(int rank, const Card& card) {
  if (rank == rank_) {
    return;
  }
  auto& part = parts_[static_cast<size_t>(rank)];
  TORCH_CHECK(card.describe(part), "it has sent something else than the description of a tensor");
  const auto map = [&](const anyccl_mem_handle_t& handle, size_t bytes) {
    size_t mapped = 0;
    void* start = nullptr;
    if (anyccl_mem_import(&handle, &start, &mapped) != ANYCCL_SUCCESS) {
      throw std::runtime_error(reason());
    }
    imported_.push_back(start);
    TORCH_CHECK(mapped >= bytes, "it has sent the name of ", mapped, " bytes for ", bytes);
    return static_cast<char*>(start);
  };
  TORCH_CHECK(card.payload_bytes <= SIZE_MAX / 2, "it has sent an impossible size");
  auto* const block = map(card.block, sizeof(BlockHeader) + card.payload_bytes);
  TORCH_CHECK(reinterpret_cast<uintptr_t>(block) % alignof(BlockHeader) == 0, "its block is not aligned");
  if (part.elements > 0) {
    part.data = map(card.data, static_cast<size_t>(part.elements) * c10::elementSize(part.type));
  }
  part.header = reinterpret_cast<BlockHeader*>(block);
  part.payload = block + sizeof(BlockHeader);
  part.payload_bytes = card.payload_bytes;
  part.header->users.fetch_add(1, std::memory_order_relaxed);
}

PeerMemory::~PeerMemory() { release(); }

void PeerMemory::release() {
  // A child of fork() has none of the mappings.
  if (!birthplace_.is_here()) {
    return;
  }
  for (size_t rank = 0; rank < parts_.size(); ++rank) {
    if (parts_[rank].header != nullptr && rank != static_cast<size_t>(rank_)) {
      parts_[rank].header->users.fetch_sub(1, std::memory_order_release);
    }
  }
  for (void* const start : imported_) {
    (void)anyccl_mem_release(start);
  }
  parts_.clear();
  imported_.clear();
}

}  // namespace anyccl_torch

#endif
