#include "symmetric.hpp"

#ifdef ANYCCL_HAS_SYMMETRIC_MEMORY

#include <numeric>

#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

namespace anyccl_torch {
namespace {

namespace symmetric = c10d::symmetric_memory;

// A tensor begins at a multiple of this, as one of another allocator does.
constexpr size_t kAlignment = 64;

size_t rounded(size_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

c10::intrusive_ptr<AnycclBackend> group_named(const std::string& name) {
  const auto group = c10d::resolve_process_group(name);
  const c10::intrusive_ptr<c10d::Backend> backend = group->getBackend(c10::kCPU);
  auto ours = c10::dynamic_intrusive_pointer_cast<AnycclBackend>(backend);
  TORCH_CHECK(
      ours != nullptr,
      "anyccl: symmetric memory on the CPU needs a group whose backend for the CPU is anyccl; that of \"", name,
      "\" is ", backend->getBackendName());
  return ours;
}

std::vector<int> global_ranks_of(AnycclBackend& group) {
  std::vector<int> ranks(static_cast<size_t>(group.getSize()));
  const auto& named = group.getBackendOptions()->global_ranks_in_group;
  if (named.size() == ranks.size()) {
    std::copy(named.begin(), named.end(), ranks.begin());
  } else {
    std::iota(ranks.begin(), ranks.end(), 0);
  }
  return ranks;
}

}  // namespace

Rendezvous::Rendezvous(AnycclBackend& group, const std::shared_ptr<SharedBlock>& own, size_t pad_bytes, size_t bytes)
    : blocks(group, {"rendezvous", bytes, "bytes"}, [&own] { return own; }),
      comm(group.comm()),
      attempts(attempts_for(group.getSize())),
      bytes(bytes),
      begin(rounded(pad_bytes)),
      pad_bytes(pad_bytes),
      global_ranks(global_ranks_of(group)) {
  for (int rank = 0; rank < group.getSize(); ++rank) {
    const auto& part = blocks.of(rank);
    pads.push_back(part.payload);
    buffers.push_back(part.payload + begin);
  }
}

SharedCount* Rendezvous::pad_of(int rank) const { return reinterpret_cast<SharedCount*>(blocks.of(rank).payload); }

AnycclSymmetricMemory::AnycclSymmetricMemory(std::shared_ptr<Rendezvous> peers, size_t offset)
    : peers_(std::move(peers)), offset_(offset) {}

Word AnycclSymmetricMemory::word(int owner, int sender, int channel) const {
  const auto place = static_cast<size_t>(channel) * static_cast<size_t>(peers_->blocks.size()) + sender;
  return {peers_->pad_of(owner) + place, &peers_->blocks.of(owner).header->sleepers};
}

Rendezvous& AnycclSymmetricMemory::here() const {
  TORCH_CHECK(birthplace_.is_here(), "anyccl: symmetric memory of the process that this one was forked from");
  return *peers_;
}

void AnycclSymmetricMemory::check_channel(int channel, int peer) {
  (void)here();
  symmetric::check_rank(peer, get_world_size());
  const size_t channels = peers_->pad_bytes / sizeof(SharedCount) / static_cast<size_t>(get_world_size());
  TORCH_CHECK_VALUE(
      channel >= 0 && static_cast<size_t>(channel) < channels, "anyccl: channel ", channel, " of a signal pad with ",
      channels, " channels for ", get_world_size(), " ranks");
}

void AnycclSymmetricMemory::change(
    const Word& word, uint32_t from, uint32_t to, const char* verb, int peer, size_t timeout_ms) {
  const auto attempt = [&] {
    uint32_t found = from;
    return word.value->load(std::memory_order_relaxed) == from &&
           word.value->compare_exchange_strong(found, to, std::memory_order_seq_cst);
  };
  if (!spin(peers_->attempts, attempt)) {
    const auto limit = timeout_ms == 0 ? std::chrono::milliseconds(-1) : std::chrono::milliseconds(timeout_ms);
    sleep_until(word, attempt, {peers_->comm, peer, limit, verb + std::to_string(peer)});
  }
  wake(word);
}

void AnycclSymmetricMemory::put_signal(int target, int channel, size_t timeout_ms) {
  check_channel(channel, target);
  change(word(target, get_rank(), channel), 0, 1, "put_signal to rank ", target, timeout_ms);
}

void AnycclSymmetricMemory::wait_signal(int source, int channel, size_t timeout_ms) {
  check_channel(channel, source);
  change(word(get_rank(), source, channel), 1, 0, "wait_signal from rank ", source, timeout_ms);
}

void AnycclSymmetricMemory::barrier(int channel, size_t timeout_ms) {
  check_channel(channel, get_rank());
  for (int peer = 0; peer < get_world_size(); ++peer) {
    if (peer != get_rank()) {
      change(word(peer, get_rank(), channel), 0, 1, "barrier, signal to rank ", peer, timeout_ms);
    }
  }
  for (int peer = 0; peer < get_world_size(); ++peer) {
    if (peer != get_rank()) {
      change(word(get_rank(), peer, channel), 1, 0, "barrier, signal from rank ", peer, timeout_ms);
    }
  }
}

void* AnycclSymmetricAllocator::alloc(size_t bytes, int /*device*/, const std::optional<std::string>& group) {
  const size_t pad_bytes = symmetric::get_signal_pad_size();
  const size_t begin = rounded(pad_bytes);
  TORCH_CHECK_VALUE(bytes < SIZE_MAX - begin, "anyccl: symmetric memory of ", bytes, " bytes");
  // No two allocations may begin at the same address.
  auto block = std::make_shared<SharedBlock>(begin + std::max<size_t>(bytes, 1));
  char* const start = block->payload() + begin;
  auto& here = allocations_.here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  here.all[start] = std::make_shared<Allocation>(Allocation{std::move(block), bytes, pad_bytes, group});
  return start;
}

void AnycclSymmetricAllocator::free(void* start) {
  // Dropped when the lock has been released. Handles may use the block further.
  std::shared_ptr<Allocation> allocation;
  auto& here = allocations_.here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  const auto place = here.all.find(static_cast<char*>(start));
  if (place != here.all.end()) {
    allocation = std::move(place->second);
    here.all.erase(place);
  }
}

std::pair<char*, std::shared_ptr<AnycclSymmetricAllocator::Allocation>> AnycclSymmetricAllocator::find(void* place) {
  auto& here = allocations_.here();
  const std::lock_guard<std::mutex> lock(here.mutex);
  auto after = here.all.upper_bound(static_cast<char*>(place));
  if (after == here.all.begin()) {
    return {nullptr, nullptr};
  }
  const auto& [start, allocation] = *--after;
  const auto offset = static_cast<size_t>(static_cast<char*>(place) - start);
  return offset < std::max<size_t>(allocation->bytes, 1) ? std::pair(start, allocation)
                                                         : std::pair<char*, std::shared_ptr<Allocation>>();
}

size_t AnycclSymmetricAllocator::get_alloc_size(void* start) {
  const auto allocation = find(start).second;
  TORCH_CHECK(allocation != nullptr, "anyccl: this memory is not symmetric memory on the CPU");
  return allocation->bytes;
}

bool AnycclSymmetricAllocator::has_allocation(void* place) { return find(place).second != nullptr; }

c10::intrusive_ptr<symmetric::SymmetricMemory> AnycclSymmetricAllocator::rendezvous(
    void* place, const std::optional<std::string>& group) {
  const auto [start, allocation] = find(place);
  TORCH_CHECK_VALUE(
      allocation != nullptr,
      "anyccl, rendezvous: the tensor is not symmetric memory; make it by "
      "torch.distributed._symmetric_memory.empty(..., device=\"cpu\")");
  const auto& name = group ? group : allocation->group;
  TORCH_CHECK(name.has_value(), "anyccl, rendezvous: there is no name of a group");
  const auto found = group_named(*name);
  auto& mutex = allocations_.here().mutex;
  std::shared_ptr<Rendezvous> peers;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    peers = allocation->rendezvous[*name];
  }
  // A group that was destroyed may have had this name, and the group may have other ranks now.
  if (!peers || peers->comm.lock() != found->comm()) {
    peers = std::make_shared<Rendezvous>(*found, allocation->block, allocation->pad_bytes, allocation->bytes);
    const std::lock_guard<std::mutex> lock(mutex);
    allocation->rendezvous[*name] = peers;
  }
  return c10::make_intrusive<AnycclSymmetricMemory>(peers, static_cast<size_t>(static_cast<char*>(place) - start));
}

void offer_symmetric_memory() {
  if (!symmetric::has_allocator(c10::kCPU)) {
    symmetric::register_allocator(c10::kCPU, c10::make_intrusive<AnycclSymmetricAllocator>());
  }
}

}  // namespace anyccl_torch

#else

namespace anyccl_torch {

void offer_symmetric_memory() {}

}  // namespace anyccl_torch

#endif
