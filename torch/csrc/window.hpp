// A window: memory of all ranks of a group that each of them writes into, without the help of the others.
//
// All ranks are on one host, and have each other's memory mapped (peer_memory.hpp). A put is a copy. A signal adds
// one to a counter of the target, of which there is one for each rank; a wait takes one from it. So a signal that
// comes early is not lost, and what was put before a signal is there when the signal has been waited for.
//
// Calls are complete when they return, except for a wait with asyncOp, whose work tells. Any thread may call.
// Registering and deregistering are collective, and nothing else may be done with the window meanwhile.
#pragma once

#include "backend.hpp"

#ifdef C10D_BACKEND_HAS_WINDOW

#include <atomic>
#include <memory>

#include "peer_memory.hpp"
#include "signal.hpp"

namespace anyccl_torch {

class AnycclWindow final : public c10d::Window {
 public:
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;

  // Collective. The tensor may be undefined.
  AnycclWindow(c10::intrusive_ptr<AnycclBackend> group, const at::Tensor& tensor);

  void tensor_register(const at::Tensor& tensor, bool owning) override;
  void tensor_deregister() override;
  WorkPtr put(const at::Tensor& tensor, int64_t target, int64_t offset, bool is_async, const c10d::PutOptions& options)
      override;
  // The peer's shape, over its memory.
  at::Tensor map_remote_tensor(int64_t rank) override;
  WorkPtr signal(int64_t peer, bool is_async, const c10d::SignalOptions& options) override;
  WorkPtr wait_signal(int64_t peer, bool is_async, const c10d::WaitSignalOptions& options) override;
  c10d::WindowAttr get_attr(int64_t peer) override;

  // Takes a signal of a rank, if there is one.
  bool take_signal(int64_t peer);
  // How to wait for a signal of a rank.
  Patience patience(int64_t peer, std::chrono::milliseconds limit) const;
  // Waits for a signal of a rank, and takes it. See Patience for the limit.
  void wait_for_signal(int64_t peer, std::chrono::milliseconds limit);

 private:
  void check_rank(int64_t rank) const;
  void check_usable() const;
  // For what all ranks of the group do together.
  void check_same_ranks() const;
  const PeerMemory::Part& part_of(int64_t rank) const;
  // The word that `from` changes to signal `to`.
  Word word(int64_t from, int64_t to) const;

  const c10::intrusive_ptr<AnycclBackend> group_;
  // The communicator of the group when the window was made; reconfigure() gives the group another one.
  const std::weak_ptr<Communicator> comm_;
  const int attempts_;
  const std::shared_ptr<PeerMemory> signals_;
  std::shared_ptr<PeerMemory> memory_;
  // Number of signals of each rank that have been waited for.
  std::vector<SharedCount> taken_;
  const Birthplace birthplace_;
};

}  // namespace anyccl_torch

#endif
