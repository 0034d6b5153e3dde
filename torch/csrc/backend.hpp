// The backend: a group of torch over a communicator of anyccl.
//
// A call that its caller waits for at once (asyncOp false) runs in the caller's thread, from beginning to
// end. Any other call is started here and becomes a work. The thread that waits for the work, or the progress
// thread, brings it to its end. Any thread may call. The ranks of a group make the same collectives in the
// same order, as torch demands.
//
// Where torch has two names for a method, the older one is overridden. All releases have it, and the newer
// one forwards to it.
#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <set>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/Store.hpp>

#include "device.hpp"
#include "estimate.hpp"
#include "member.hpp"
#include "options.hpp"
#include "releases.hpp"
#include "work.hpp"

namespace anyccl_torch {

// The tag of the messages of monitored barriers. A group has either these or other messages with it.
constexpr int32_t kMonitoredBarrierTag = std::numeric_limits<int32_t>::max();

class AnycclBackend final : public c10d::Backend {
 public:
  using Tensors = std::vector<at::Tensor>;
  using TensorLists = std::vector<Tensors>;
  using WorkPtr = c10::intrusive_ptr<c10d::Work>;
  using BackendPtr = c10::intrusive_ptr<c10d::Backend>;
  using BaseOptionsPtr = c10::intrusive_ptr<c10d::Backend::Options>;
  using StorePtr = c10::intrusive_ptr<c10d::Store>;

  AnycclBackend(const StorePtr& store, int rank, int size, c10::intrusive_ptr<AnycclOptions> options);
  ~AnycclBackend() override;

  // The group (backend.cpp).
  const std::string getBackendName() const override { return kBackendName; }
  BaseOptionsPtr getBackendOptions() OVERRIDE_FROM_2_9 { return options_; }
  void setTimeout(std::chrono::milliseconds timeout) OVERRIDE_FROM_2_9;
  uint64_t getSequenceNumberForGroup() override { return collectives_; }
  // Does nothing: the numbers begin with 0. Before 2.14 torch calls it for groups of gloo.
  void setSequenceNumberForGroup() override {}
#if ANYCCL_TORCH_FROM(7)
  c10d::ErrorType getError() override;
#endif
  void abort() OVERRIDE_FROM_2_7;
  void shutdown() OVERRIDE_FROM_2_7;
  // Does nothing: every work measures its time.
  void enableCollectivesTiming() override {}
  void addEphemeralTimeout(const std::chrono::milliseconds& timeout) OVERRIDE_FROM_2_15 { longer_.add(timeout); }
  // Before 2.15 torch has other names for these, which only its backend for NCCL has.
  bool supportsTimeEstimation() const OVERRIDE_FROM_2_15 { return true; }
  void startTimeEstimate() OVERRIDE_FROM_2_15;
  float endTimeEstimate() OVERRIDE_FROM_2_15;
  // The group's anyccl_comm_t as a number, for calls of the library that torch does not have. Borrowed: valid
  // until the group is destroyed.
  uintptr_t handle() const;
  // Writes what torch's debug server shows (debug_handler.cpp).
  // Returns the communicator that it has asked.
  std::shared_ptr<Communicator> tell(std::ostream& text) const;
  // Throws if there is none.
  std::shared_ptr<Communicator> comm() const;

  // Groups made from this one (groups.cpp).
  bool supportsSplitting() const override { return true; }
  bool supportsShrinking() const OVERRIDE_FROM_2_10 { return true; }
  BackendPtr split(const StorePtr& store, const std::vector<int>& ranks, const BaseOptionsPtr& options)
      OVERRIDE_FROM_2_9;
  BackendPtr merge(const StorePtr& store, const BaseOptionsPtr& options, const int& rank, const int& size)
      OVERRIDE_FROM_2_9;
  BackendPtr shrink(const std::vector<int64_t>& excluded, int flags, const BaseOptionsPtr& options) OVERRIDE_FROM_2_10;

#ifdef C10D_BACKEND_HAS_RECONFIGURE
  // Other ranks for this group (reconfigure.cpp).
  bool supportsReconfigure() const override { return true; }
  c10d::ReconfigureHandle get_reconfigure_handle() const override { return member().handle(); }
  WorkPtr reconfigure(const c10d::ReconfigureOptions& options) override;
#endif

#ifdef C10D_BACKEND_HAS_WINDOW
  // Memory that ranks write into without each other's help (window.cpp). Between hosts there is none.
  bool supportsWindow() const override;
  c10::intrusive_ptr<c10d::Window> new_window(const std::optional<at::Tensor>& tensor) override;
#endif

  // Collectives of single tensors (collectives.cpp).
  WorkPtr broadcast(Tensors& tensors, const c10d::BroadcastOptions& options) override;
  WorkPtr allreduce(Tensors& tensors, const c10d::AllreduceOptions& options) override;
  WorkPtr reduce(Tensors& tensors, const c10d::ReduceOptions& options) override;
  WorkPtr _allgather_base(at::Tensor& output, at::Tensor& input, const c10d::AllgatherOptions& options) override;
  WorkPtr _reduce_scatter_base(
      at::Tensor& output, at::Tensor& input, const c10d::ReduceScatterOptions& options) override;
  WorkPtr gather_into_tensor(at::Tensor& output, at::Tensor& input, const c10d::GatherOptions& options)
      OVERRIDE_FROM_2_14;
  WorkPtr alltoall_base(
      at::Tensor& output, at::Tensor& input, std::vector<int64_t>& output_splits, std::vector<int64_t>& input_splits,
      const c10d::AllToAllOptions& options) override;
  WorkPtr barrier(const c10d::BarrierOptions& options) override;

  // Collectives of lists, a tensor per rank (lists.cpp).
  WorkPtr allgather(TensorLists& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
  WorkPtr gather(TensorLists& outputs, Tensors& inputs, const c10d::GatherOptions& options) override;
  WorkPtr scatter(Tensors& outputs, TensorLists& inputs, const c10d::ScatterOptions& options) override;
  WorkPtr reduce_scatter(Tensors& outputs, TensorLists& inputs, const c10d::ReduceScatterOptions& options) override;
  WorkPtr alltoall(Tensors& outputs, Tensors& inputs, const c10d::AllToAllOptions& options) override;

  // Several collectives in one call (coalesced.cpp).
  WorkPtr allreduce_coalesced(Tensors& tensors, const c10d::AllreduceCoalescedOptions& options) override;
  WorkPtr allgather_coalesced(TensorLists& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
  WorkPtr allgather_into_tensor_coalesced(
      Tensors& outputs, Tensors& inputs, const c10d::AllgatherOptions& options) override;
  WorkPtr reduce_scatter_tensor_coalesced(
      Tensors& outputs, Tensors& inputs, const c10d::ReduceScatterOptions& options) override;
  bool supportsCoalescing() const OVERRIDE_FROM_2_7 { return true; }
  void startCoalescing() override;
  WorkPtr endCoalescing() override;

  // Messages (messages.cpp).
  WorkPtr send(Tensors& tensors, int destination, int tag) override;
  WorkPtr recv(Tensors& tensors, int source, int tag) override;
  WorkPtr recvAnysource(Tensors& tensors, int tag) override;

  // Sparse tensors (sparse.cpp).
  WorkPtr allreduce_sparse(Tensors& tensors, const c10d::AllreduceOptions& options) override;

  // A barrier that names missing ranks (monitored_barrier.cpp).
  void monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all_ranks) override;

  // Memory that ranks of a host read in place (memory.cpp).
  std::shared_ptr<c10::Allocator> getMemAllocator() OVERRIDE_FROM_2_7;
  at::Tensor allocateTensor(long size, at::TensorOptions options) OVERRIDE_FROM_2_7;
  bool supportsTensorAlloc(c10::DeviceIndex) OVERRIDE_FROM_2_7 { return true; }

#if ANYCCL_TORCH_FROM(15)
  bool supportsAbortHooks() const override { return true; }
  void registerAbortHook(int64_t id, c10d::AbortHook hook) override { hooks_->abort.add(id, std::move(hook)); }
  void unregisterAbortHook(int64_t id) override { hooks_->abort.remove(id); }
  bool supportsCompletionHooks() const override { return true; }
  void registerCompletionHook(int64_t id, c10d::CompletionHook hook) override {
    hooks_->completion.add(id, std::move(hook));
  }
  void unregisterCompletionHook(int64_t id) override { hooks_->completion.remove(id); }
#endif

 private:
  // What all calls have in common.
  struct Call {
    Description description;
    Buffers buffers;
    bool is_async;
    std::chrono::milliseconds timeout;
    // Used on a GPU.
    Lane lane{};
  };

  uint64_t next_message() { return is_estimating() ? messages_.load() : ++messages_; }
  uint64_t next_collective() { return is_estimating() ? collectives_.load() : ++collectives_; }
  void check_root(int64_t root) const;
  void check_peer(int peer) const;
  void check_tag(int tag);

  // Runs or starts a call (launch.hpp). `Blocking` and `Starting` are the two forms of a function of the
  // library. `Blocking` is nullptr where torch does not tell whether the caller waits.
  template <auto Blocking, auto Starting, typename... Args>
  WorkPtr launch(Call&& call, Args... args);
  // Enqueues a call with tensors on a GPU. `work` is that of the open bracket, if `is_bracket`.
  template <auto Starting, typename... Args>
  WorkPtr enqueue(const c10::intrusive_ptr<AnycclWork>& work, Call&& call, bool is_bracket, Args... args);
  // Adds the time of a call to the open estimate of this thread. The call is not made.
  template <auto Starting, typename... Args>
  WorkPtr estimate(Call&& call, Args... args);
  static WorkPtr finished(const c10::intrusive_ptr<AnycclWork>& work, anyccl_status_t status);
  // The work that collects this thread's calls while a bracket is open; null otherwise.
  c10::intrusive_ptr<AnycclWork> coalesced() const;
  void open_bracket(Description&& description);
  c10::intrusive_ptr<AnycclWork> close_bracket();
  WorkPtr as_one_work(Description&& description, bool is_async, const std::function<void()>& calls);
  static void look_after(const c10::intrusive_ptr<AnycclWork>& work);
  c10::intrusive_ptr<AnycclWork> new_work(const std::shared_ptr<Communicator>& comm, Description&& description);
  WorkPtr receive(Tensors& tensors, int source, int tag, c10d::OpType type, const char* title);

  BackendPtr make_group(const StorePtr& store, int rank, int size, const BaseOptionsPtr& options) const;
  std::shared_ptr<Communicator> connect(
      c10d::Store& store, int rank, int size, std::chrono::milliseconds patience) const;
  std::shared_ptr<Communicator> comm_if_there() const;

  // The first two members are laid out as those of c10d::ProcessGroupGloo. Under the name gloo, the logger of DDP
  // takes any backend for one, unasked, and reads the number of threads from its options. No header of torch's can
  // check this, as it needs those of gloo; _torch_gloo.py has the releases that were compared.
  const PlaceOfGloosStore place_of_gloos_store_{};
  const c10::intrusive_ptr<AnycclOptions> options_;
  // Store that the group was made with.
  const StorePtr store_;
  const std::shared_ptr<Hooks> hooks_ = std::make_shared<Hooks>();
  mutable std::mutex comm_mutex_;
  std::shared_ptr<Communicator> comm_;
  // Why there is no communicator, as the end of a sentence that begins with the name of the group.
  std::string absence_;
  bool is_destroyed_ = false;
  // Store that all ranks of the group share. Each reconfigure() replaces it.
  StorePtr common_store_;
  DeviceStreams streams_;
  LongerTimeouts longer_;
  std::atomic<uint64_t> collectives_{0};
  std::atomic<uint64_t> messages_{0};
  // Title of the last call, and when it was made.
  std::atomic<const char*> last_call_{nullptr};
  std::atomic<std::chrono::steady_clock::rep> last_begin_{0};
  std::atomic<int64_t> monitored_barriers_{0};
  // Whether messages have had the tag of monitored barriers.
  std::atomic<bool> has_used_last_tag_{false};

#ifdef C10D_BACKEND_HAS_RECONFIGURE
  Member member() const;
  void end_generation(const std::string& absence);
  void begin_generation(std::shared_ptr<Communicator> comm, const StorePtr& store, int rank, int size, int64_t uuid);

  const std::string instance_ = new_instance();
  const Birthplace birthplace_;
  std::mutex reconfigure_mutex_;
  // uuid of the last reconfigure() that succeeded, if there was one.
  std::optional<int64_t> uuid_;
  // uuids of all reconfigure() calls whose members have met; each uuid is accepted once.
  std::set<int64_t> uuids_;
#endif
};

}  // namespace anyccl_torch
