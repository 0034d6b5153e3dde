#include "work.hpp"

#include <map>
#include <system_error>
#include <utility>

#include <c10/core/StreamGuard.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include "background.hpp"
#include "errors.hpp"
#include "progress.hpp"
#include "quick_record.hpp"

namespace anyccl_torch {
namespace {

// A wait without a limit, as a time that a condition variable accepts.
constexpr std::chrono::hours kForever{24 * 365 * 10};

std::atomic<uint64_t> next_key{1};

c10d::WorkResult to_result(anyccl_status_t status) {
  switch (status) {
    case ANYCCL_SUCCESS: return c10d::WorkResult::SUCCESS;
    case ANYCCL_ERR_TIMEOUT: return c10d::WorkResult::TIMEOUT;
    default: return c10d::WorkResult::COMM_ERROR;
  }
}

#if ANYCCL_TORCH_FROM(15)
// Calls the abort hooks, once per group, after its first failure. They run on another thread, so that the
// caller gets its exception at once.
void call_abort_hooks(const std::shared_ptr<Hooks>& hooks) {
  if (!hooks->abort_hooks_called.exchange(true)) {
    const auto call = [hooks] {
      const QuickRecord quick;
      hooks->abort.call();
    };
    try {
      run_in_background(call);
    } catch (const std::system_error&) {
      // No thread could be made.
      call();
    }
  }
}
#endif

// One unused stream for each of the devices.
std::vector<c10::Stream> streams_for(const std::vector<c10::Device>& devices) {
  std::map<c10::DeviceIndex, c10::Stream> streams;
  for (const auto& device : devices) {
    if (streams.count(device.index()) == 0) {
      streams.emplace(device.index(), c10::impl::VirtualGuardImpl(device.type()).getStreamFromGlobalPool(device));
    }
  }
  std::vector<c10::Stream> all;
  for (const auto& [index, stream] : streams) {
    all.push_back(stream);
  }
  return all;
}

std::atomic<bool> has_titles_of_gloo{false};

// The title that the profiler shows. It may keep the pointer for ever.
const char* shown_title(const char* title) {
  if (!has_titles_of_gloo) {
    return title;
  }
  static std::mutex mutex;
  // Never destroyed: threads may make calls while the process ends.
  static auto& titles = *new std::map<const char*, std::string>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto [place, is_new] = titles.try_emplace(title);
  if (is_new) {
    place->second = std::string("gloo:") + (title + sizeof("anyccl:") - 1);
  }
  return place->second.c_str();
}

std::optional<std::vector<at::Tensor>> for_profiler(const Description& description) {
  return description.inputs.empty() ? std::nullopt : std::make_optional(description.inputs);
}

}  // namespace

void use_titles_of_gloo() { has_titles_of_gloo = true; }

AnycclWork::AnycclWork(
    std::shared_ptr<Communicator> comm, std::shared_ptr<Hooks> hooks, int rank, Description description)
    : Work(rank, description.type, shown_title(description.title), for_profiler(description)),
      comm_(comm),
      comm_if_there_(comm),
      hooks_(std::move(hooks)),
      description_(std::move(description)),
      group_(comm_->name()),
      timeout_(comm_->timeout()),
      key_(next_key.fetch_add(1, std::memory_order_relaxed)),
      begin_(Clock::now()) {
  hooks_->under_way.fetch_add(1, std::memory_order_relaxed);
}

AnycclWork::~AnycclWork() {
  if (is_counted_) {
    hooks_->under_way.fetch_sub(1, std::memory_order_relaxed);
  }
}

void AnycclWork::add(anyccl_request_t request) {
  is_waited_for_by_host_ = true;
  requests_.push_back(request);
}

void AnycclWork::add_enqueued(anyccl_request_t request, const c10::Stream& stream) {
  requests_.push_back(request);
  ends_.emplace_back(stream.device_type());
  ends_.back().record(stream);
}

void AnycclWork::synchronize() {
  for (const auto& end : ends_) {
    end.block(c10::impl::VirtualGuardImpl(end.device_type()).getStream(end.device()));
  }
}

bool AnycclWork::take() { return !taken_.exchange(true, std::memory_order_acq_rel); }

void AnycclWork::append_requests(std::vector<anyccl_request_t>& all) const {
  for (const auto request : requests_) {
    if (request != ANYCCL_REQUEST_NULL) {
      all.push_back(request);
    }
  }
}

std::string AnycclWork::action(anyccl_status_t status) const {
  const std::string limit =
      status == ANYCCL_ERR_TIMEOUT ? " (timeout " + std::to_string(timeout_.count()) + " ms)" : std::string();
  return std::string(name()) + " number " + std::to_string(description_.sequence) + " of the group \"" + group_ + "\"" +
         limit;
}

bool AnycclWork::poll(std::chrono::milliseconds patience) {
  bool all_ended = true;
  for (auto& request : requests_) {
    if (request == ANYCCL_REQUEST_NULL) {
      continue;
    }
    int done = 0;
    anyccl_message_status_t message{};
    message.source = -1;
    const bool may_wait = all_ended && patience.count() > 0;
    const anyccl_status_t status = may_wait ? anyccl_wait_for(&request, patience.count(), &done, &message)
                                            : anyccl_test_message(&request, &done, &message);
    if (status != ANYCCL_SUCCESS && first_failure_ == ANYCCL_SUCCESS) {
      first_failure_ = status;
      first_sentence_ = sentence(action(status));
    }
    if (message.source >= 0) {
      source_ = message.source;
    }
    all_ended &= request == ANYCCL_REQUEST_NULL;
  }
  if (all_ended) {
    end(first_failure_);
  }
  return all_ended;
}

void AnycclWork::run_to_end() {
  if (handles_signals()) {
    while (!poll(kBetweenSignals)) {
      try {
        handle_signals();
      } catch (...) {
        give_back();
        Progress::here().look_after(c10::intrusive_ptr<AnycclWork>::reclaim_copy(this));
        throw;
      }
    }
  } else {
    std::vector<anyccl_request_t> open;
    do {
      open.clear();
      append_requests(open);
      if (!open.empty()) {
        check(anyccl_wait_ready(open.size(), open.data()), action());
      }
    } while (!poll());
  }
  announce();
}

void AnycclWork::end(anyccl_status_t status) {
  if (status != ANYCCL_SUCCESS) {
    const std::string what = first_failure_ == ANYCCL_SUCCESS ? sentence(action(status)) : first_sentence_;
    buffers_ = Buffers();
    end_with(status, to_exception(status, what));
    return;
  }
  std::exception_ptr failure;
  try {
    buffers_.copy_back();
    buffers_ = Buffers();
  } catch (...) {
    failure = std::current_exception();
  }
  end_with(failure ? ANYCCL_ERR_INVALID_ARGUMENT : ANYCCL_SUCCESS, failure);
}

void AnycclWork::end_with(anyccl_status_t status, std::exception_ptr exception) {
  // This may be the last reference to the communicator, which is then destroyed.
  comm_.reset();
  extensions_.clear();
  end_ = Clock::now();
  outcome_ = to_result(status);
  hooks_->under_way.fetch_sub(1, std::memory_order_relaxed);
  is_counted_ = false;
  {
    // Under the lock, so that a future that is asked for after the end is complete at once.
    const std::lock_guard<std::mutex> lock(futures_mutex_);
    finish(std::move(exception));
    futures_may_complete_ = true;
    // A future on a GPU is complete already.
    open_future_ = is_enqueued() ? nullptr : future_;
    open_result_ = future_result_;
  }
#if ANYCCL_TORCH_FROM(15)
  if (status == ANYCCL_SUCCESS) {
    c10d::CompletionHookArgs args;
    args.completionKey = key_;
    args.duration_ms = getDuration();
    hooks_->completion.call(args);
  } else if (status != ANYCCL_ERR_INVALID_ARGUMENT) {
    call_abort_hooks(hooks_);
  }
#endif
}

void AnycclWork::announce() {
  if (const Future future = std::exchange(open_future_, nullptr)) {
    settle(future, false);
  }
  if (const Future result = std::exchange(open_result_, nullptr)) {
    settle(result, true);
  }
}

bool AnycclWork::wait(std::chrono::milliseconds timeout) {
  TORCH_CHECK(
      !is_collecting_,
      "anyccl: wait() while calls are being coalesced; wait for the work that the end of coalescing returns");
  const bool is_host_asked = !is_enqueued() || is_waited_for_by_host_ || timeout.count() > 0;
  synchronize();
  if (is_host_asked && !isCompleted()) {
    const WithoutInterpreter unlocked;
    if (timeout.count() <= 0 && take()) {
      run_to_end();
    } else {
      wait_for_others(timeout);
    }
  }
  if (auto failure = exception()) {
    std::rethrow_exception(failure);
  }
  return true;
}

void AnycclWork::wait_for_others(std::chrono::milliseconds timeout) {
  const auto end = Clock::now() + (timeout.count() > 0 ? timeout : kForever);
  const bool handles = handles_signals();
  std::unique_lock<std::mutex> lock(mutex_);
  for (auto now = Clock::now(); !completed_; now = Clock::now()) {
    if (now >= end) {
      lock.unlock();
      std::rethrow_exception(to_exception(
          ANYCCL_ERR_TIMEOUT, "anyccl, " + action() + ": Operation timed out! It has not ended in the " +
                                  std::to_string(timeout.count()) + " ms that wait() was given, and goes on"));
    }
    cv_.wait_until(lock, handles ? std::min<Clock::time_point>(end, now + kBetweenSignals) : end);
    if (handles && !completed_) {
      lock.unlock();
      handle_signals();
      lock.lock();
    }
  }
}

void AnycclWork::abort() {
  if (const auto comm = comm_if_there_.lock()) {
    comm->abort();
  }
}

std::vector<at::Tensor> AnycclWork::result() { return description_.outputs; }

int AnycclWork::sourceRank() const {
  const auto type = retrieveOpType();
  TORCH_CHECK(
      type == c10d::OpType::RECV || type == c10d::OpType::RECVANYSOURCE, "anyccl: only a receive has a source rank");
  return source_;
}

float AnycclWork::getDuration() const { return std::chrono::duration<float, std::milli>(end_ - begin_).count(); }

AnycclWork::Future AnycclWork::getFuture() {
  return is_enqueued() ? future_on_gpu() : future(future_, c10::ListType::create(c10::TensorType::get()));
}

AnycclWork::Future AnycclWork::getFutureResult() { return future(future_result_, c10::IntType::get()); }

AnycclWork::Future AnycclWork::future(Future& place, c10::TypePtr type) {
  bool is_over = false;
  {
    const std::lock_guard<std::mutex> lock(futures_mutex_);
    if (!place) {
      place = c10::make_intrusive<c10::ivalue::Future>(std::move(type));
      is_over = futures_may_complete_;
    }
  }
  if (is_over) {
    settle(place, &place == &future_result_);
  }
  return place;
}

AnycclWork::Future AnycclWork::future_on_gpu() {
  const std::lock_guard<std::mutex> lock(futures_mutex_);
  if (!future_) {
    std::vector<c10::Device> devices;
    for (const auto& end : ends_) {
      devices.push_back(end.device());
    }
    // The future records its own events on the current streams. They must come after the calls, and the
    // caller's streams must not wait.
    c10::MultiStreamGuard guard(streams_for(devices));
    synchronize();
    future_ = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::create(c10::TensorType::get()), devices);
    settle(future_, false);
  }
  return future_;
}

void AnycclWork::settle(const Future& future, bool is_result) {
  if (is_result) {
    future->markCompleted(c10::IValue(static_cast<int64_t>(outcome_)));
  } else if (auto failure = exception()) {
    future->setError(failure);
  } else {
    future->markCompleted(c10::IValue(description_.outputs));
  }
}

}  // namespace anyccl_torch
