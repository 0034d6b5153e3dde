#include "window.hpp"

#ifdef C10D_BACKEND_HAS_WINDOW

#include <cstring>

#include <ATen/ops/from_blob.h>

#include "finished_work.hpp"

namespace anyccl_torch {
namespace {

// A counter, alone in its cache line: different ranks write different counters.
struct alignas(64) Line {
  SharedCount count;
  SharedCount sleepers;
};

// The work of a wait that its caller has not finished. The signal is taken by the call that finds it.
class WaitWork final : public c10d::Work {
 public:
  WaitWork(c10::intrusive_ptr<AnycclWindow> window, int rank, int64_t peer, std::chrono::milliseconds limit)
      : Work(rank, c10d::OpType::UNKNOWN), window_(std::move(window)), peer_(peer), limit_(limit) {}

  bool isCompleted() override {
    // A thread that waits completes the work itself.
    const std::unique_lock<std::timed_mutex> lock(waiting_, std::try_to_lock);
    if (lock && !Work::isCompleted()) {
      if (window_->take_signal(peer_)) {
        finish();
      } else if (auto failure = failure_of(window_->patience(peer_, limit_), begin_)) {
        finish(std::move(failure));
      }
    }
    return Work::isCompleted();
  }

  bool wait(std::chrono::milliseconds timeout) override {
    const WithoutInterpreter unlocked;
    // Another thread may wait for the same signal, with another limit.
    std::unique_lock<std::timed_mutex> lock(waiting_, std::defer_lock);
    const auto limit = timeout.count() > 0 ? timeout : limit_;
    if (limit.count() <= 0) {
      lock.lock();
    } else if (!lock.try_lock_for(limit)) {
      std::rethrow_exception(to_exception(
          ANYCCL_ERR_TIMEOUT, "anyccl, wait of a window: Timed out after " + std::to_string(limit.count()) + " ms"));
    }
    if (!Work::isCompleted()) {
      // An exception leaves the work as it is: the signal may still come.
      window_->wait_for_signal(peer_, limit);
      finish();
    }
    if (auto failure = exception()) {
      std::rethrow_exception(failure);
    }
    return true;
  }

  void synchronize() override { wait(kNoTimeout); }

 private:
  const c10::intrusive_ptr<AnycclWindow> window_;
  const int64_t peer_;
  const std::chrono::milliseconds limit_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::timed_mutex waiting_;
};

std::shared_ptr<PeerMemory> share_tensor(AnycclBackend& group, const char* name, const at::Tensor& tensor) {
  const PeerMemory::Call call{name, 1, "tensors"};
  return std::make_shared<PeerMemory>(group, call, [] { return std::make_shared<SharedBlock>(0); }, tensor);
}

std::shared_ptr<PeerMemory> share_counters(AnycclBackend& group, bool has_tensor) {
  const PeerMemory::Call call{"new_window", has_tensor ? 1U : 0U, "tensors"};
  return std::make_shared<PeerMemory>(group, call, [&group] {
    return std::make_shared<SharedBlock>(sizeof(Line) * static_cast<size_t>(group.getSize()));
  });
}

}  // namespace

AnycclWindow::AnycclWindow(c10::intrusive_ptr<AnycclBackend> group, const at::Tensor& tensor)
    : group_(std::move(group)),
      comm_(group_->comm()),
      attempts_(attempts_for(group_->getSize())),
      signals_(share_counters(*group_, tensor.defined())),
      taken_(static_cast<size_t>(group_->getSize())) {
  if (tensor.defined()) {
    memory_ = share_tensor(*group_, "new_window", tensor);
  }
}

void AnycclWindow::check_rank(int64_t rank) const {
  TORCH_CHECK_VALUE(
      rank >= 0 && rank < signals_->size(), "anyccl: rank ", rank, " does not exist in a window of ", signals_->size());
}

void AnycclWindow::check_usable() const {
  TORCH_CHECK(birthplace_.is_here(), "anyccl: this window was made before fork(), and only its own process can use it");
  TORCH_CHECK(!comm_.expired(), "anyccl: the group of this window was destroyed or has other ranks now");
}

const PeerMemory::Part& AnycclWindow::part_of(int64_t rank) const {
  check_usable();
  check_rank(rank);
  TORCH_CHECK(memory_ != nullptr, "anyccl: this window has no tensor; call tensor_register() on all ranks first");
  return memory_->of(rank);
}

void AnycclWindow::check_same_ranks() const {
  check_usable();
  TORCH_CHECK(comm_.lock() == group_->comm(), "anyccl: the group of this window has other ranks now");
}

void AnycclWindow::tensor_register(const at::Tensor& tensor, bool /*owning*/) {
  check_same_ranks();
  TORCH_CHECK(memory_ == nullptr, "anyccl: this window has a tensor; call tensor_deregister() on all ranks first");
  // The tensor is kept alive in any case. Else a rank that is late would write into memory of other tensors.
  memory_ = share_tensor(*group_, "tensor_register", tensor);
}

void AnycclWindow::tensor_deregister() {
  check_same_ranks();
  check_not_estimating("tensor_deregister");
  TORCH_CHECK(memory_ != nullptr, "anyccl: this window has no tensor to deregister");
  // Nobody writes any more when this returns.
  group_->barrier(c10d::BarrierOptions())->wait();
  memory_.reset();
}

AnycclWindow::WorkPtr AnycclWindow::put(
    const at::Tensor& tensor, int64_t target, int64_t offset, bool /*is_async*/, const c10d::PutOptions&) {
  const auto& part = part_of(target);
  TORCH_CHECK_VALUE(
      tensor.device().is_cpu() && tensor.layout() == at::kStrided,
      "anyccl, put: the tensor is not a dense one on the CPU");
  TORCH_CHECK_VALUE(
      tensor.scalar_type() == part.type, "anyccl, put: elements of ", tensor.scalar_type(), " into the window of rank ",
      target, ", which has ", part.type);
  const int64_t count = tensor.numel();
  TORCH_CHECK_VALUE(
      offset >= 0 && offset <= part.elements && count <= part.elements - offset, "anyccl, put: ", count,
      " elements from element ", offset, " on into the window of rank ", target, ", which has ", part.elements);
  if (count > 0) {
    char* const to = part.data + static_cast<size_t>(offset) * tensor.element_size();
    if (tensor.is_contiguous() && !tensor.is_conj() && !tensor.is_neg()) {
      std::memmove(to, tensor.const_data_ptr(), tensor.nbytes());
    } else {
      at::from_blob(to, tensor.sizes(), tensor.options()).copy_(tensor);
    }
  }
  return finished_work();
}

at::Tensor AnycclWindow::map_remote_tensor(int64_t rank) {
  const auto& part = part_of(rank);
  // The tensor keeps the mapping.
  return at::from_blob(part.data, part.sizes, [memory = memory_](void*) {}, at::TensorOptions(part.type));
}

Word AnycclWindow::word(int64_t from, int64_t to) const {
  auto& line = reinterpret_cast<Line*>(signals_->of(to).payload)[from];
  return {&line.count, &line.sleepers};
}

AnycclWindow::WorkPtr AnycclWindow::signal(int64_t peer, bool /*is_async*/, const c10d::SignalOptions&) {
  check_usable();
  check_rank(peer);
  const Word target = word(signals_->rank(), peer);
  target.value->fetch_add(1, std::memory_order_seq_cst);
  wake(target);
  return finished_work();
}

bool AnycclWindow::take_signal(int64_t peer) {
  auto& taken = taken_[static_cast<size_t>(peer)];
  const auto& sent = *word(peer, signals_->rank()).value;
  uint32_t before = taken.load(std::memory_order_relaxed);
  while (sent.load(std::memory_order_acquire) != before) {
    if (taken.compare_exchange_weak(before, before + 1, std::memory_order_relaxed)) {
      return true;
    }
  }
  return false;
}

Patience AnycclWindow::patience(int64_t peer, std::chrono::milliseconds limit) const {
  return {comm_, static_cast<int>(peer), limit, "wait_signal from rank " + std::to_string(peer)};
}

void AnycclWindow::wait_for_signal(int64_t peer, std::chrono::milliseconds limit) {
  const auto attempt = [&] { return take_signal(peer); };
  if (!spin(attempts_, attempt)) {
    sleep_until(word(peer, signals_->rank()), attempt, patience(peer, limit));
  }
}

AnycclWindow::WorkPtr AnycclWindow::wait_signal(int64_t peer, bool is_async, const c10d::WaitSignalOptions& options) {
  check_usable();
  check_rank(peer);
  if (is_async && !take_signal(peer)) {
    auto self = c10::intrusive_ptr<AnycclWindow>::reclaim_copy(this);
    return c10::make_intrusive<WaitWork>(std::move(self), signals_->rank(), peer, options.timeout);
  }
  if (!is_async) {
    wait_for_signal(peer, options.timeout);
  }
  return finished_work();
}

c10d::WindowAttr AnycclWindow::get_attr(int64_t peer) {
  check_rank(peer);
  return {c10d::WindowAccessType::UNIFIED};
}

bool AnycclBackend::supportsWindow() const {
  const char* const transport = std::getenv("ANYCCL_TRANSPORT");
  if (transport != nullptr && std::strcmp(transport, "tcp") == 0) {
    return false;
  }
  const auto comm = comm_if_there();
  int ranks_here = size_;
  if (comm) {
    check(anyccl_comm_local_size(comm->get(), &ranks_here), "supports_window");
  }
  return ranks_here == size_;
}

c10::intrusive_ptr<c10d::Window> AnycclBackend::new_window(const std::optional<at::Tensor>& tensor) {
  auto self = c10::intrusive_ptr<AnycclBackend>::reclaim_copy(this);
  return c10::make_intrusive<AnycclWindow>(std::move(self), tensor.value_or(at::Tensor()));
}

}  // namespace anyccl_torch

#endif
