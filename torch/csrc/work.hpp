// AnycclWork: torch's Work, a call that was made and may not have ended.
//
// While a work is under way, it belongs to one thread, its owner, which has taken it by take(). The owner
// brings it to its end. A thread that waits for the work at once becomes the owner, else the progress thread
// does (progress.hpp). Other threads wait for the end.
//
// A work on a GPU is enqueued on a stream. Its wait() makes the current stream wait, and returns; its future is
// complete from the beginning, for callbacks that use streams. The progress thread notes when it has passed.
//
// At the end, first the results are put where they belong. Then the work says that it is complete, and then
// the future is completed. No lock is held during this last step: callbacks may be Python, and may wait for
// other works. A future that is asked for after the end is complete at once, as with gloo.
#pragma once

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <vector>

#include <ATen/core/ivalue.h>
#include <anyccl/anyccl.h>
#include <c10/core/Event.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "buffers.hpp"
#include "communicator.hpp"
#include "hooks.hpp"
#include "longer_timeouts.hpp"
#include "releases.hpp"

namespace anyccl_torch {

// Description of the call that a work stands for.
struct Description {
  c10d::OpType type;
  // Title for the profiler, for example "anyccl:all_reduce". A literal.
  const char* title;
  // Number of the call among the collectives of the group, or among its messages.
  uint64_t sequence = 0;
  std::vector<at::Tensor> inputs{};
  std::vector<at::Tensor> outputs{};
};

// Lets the titles in the profiler begin with "gloo:", for programs that look for those of gloo.
void use_titles_of_gloo();

class AnycclWork final : public c10d::Work {
 public:
  using Future = c10::intrusive_ptr<c10::ivalue::Future>;

  AnycclWork(std::shared_ptr<Communicator> comm, std::shared_ptr<Hooks> hooks, int rank, Description description);
  // The work is unfinished only in a child of fork(), at the end of the process, or if the library has
  // refused the call.
  ~AnycclWork() override;

  // "all_reduce"
  const char* name() const { return description_.title + sizeof("anyccl:") - 1; }

  // These set up a work, before any thread waits for it.
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  // While the work collects calls, it cannot be waited for.
  void set_collecting(bool is_collecting) { is_collecting_ = is_collecting; }
  void add(anyccl_request_t request);
  // Adds a call that was enqueued on a stream, after which nothing else has been enqueued.
  void add_enqueued(anyccl_request_t request, const c10::Stream& stream);
  void keep(Buffers&& buffers) { buffers_.merge(std::move(buffers)); }
  // Extensions of the time-out that end with this work.
  void keep(std::vector<LongerTimeouts::Token>&& extensions) {
    std::move(extensions.begin(), extensions.end(), std::back_inserter(extensions_));
  }

  // Makes wait() wait for the end of calls on a GPU, too.
  void set_waited_for_by_host() { is_waited_for_by_host_ = true; }
  // Whether calls of the work are on the stream of a GPU.
  bool is_enqueued() const { return !ends_.empty(); }

  // Makes this thread the owner. At most one thread gets true.
  bool take();
  // Owner only: lets another thread take the work.
  void give_back() { taken_.store(false, std::memory_order_release); }
  // Owner only: appends the requests that have not ended to a list.
  void append_requests(std::vector<anyccl_request_t>& all) const;
  // Owner only: whether the work has ended, after a wait of at most `patience`. If true, the work is complete
  // and is to be announced.
  bool poll(std::chrono::milliseconds patience = std::chrono::milliseconds::zero());
  // Owner only: completes the work with the status of a call that has already ended. The work is then to be
  // announced.
  void end(anyccl_status_t status);
  // Whether somebody had a future of the work at its end, so that it is to be announced.
  bool has_open_futures() const { return open_future_ || open_result_; }
  // Completes these futures. To be called once, after the end. Callbacks run in this thread and may take long.
  void announce();
  // Owner only: waits for the end in this thread, and announces it. An exception of a signal handler ends the
  // wait. The work then goes on as if nobody had waited.
  void run_to_end();

  bool wait(std::chrono::milliseconds timeout = kNoTimeout) override;
  void abort() override;
  // Makes the current stream wait for the calls on a GPU.
  void synchronize() override;
  std::vector<at::Tensor> result() override;
  int sourceRank() const override;
  Future getFuture() override;
  Future getFutureResult() override;
  float getDuration() const override;
  uint64_t getSequencenumber() const override { return description_.sequence; }
  std::chrono::milliseconds getTimeout() const OVERRIDE_FROM_2_14 { return timeout_; }
  uint64_t getCompletionKey() const OVERRIDE_FROM_2_15 { return key_; }

 private:
  using Clock = std::chrono::steady_clock;

  // Beginning of a message about the work. For a time-out it names the limit.
  std::string action(anyccl_status_t status = ANYCCL_SUCCESS) const;
  void end_with(anyccl_status_t status, std::exception_ptr exception);
  Future future(Future& place, c10::TypePtr type);
  void wait_for_others(std::chrono::milliseconds timeout);
  void settle(const Future& future, bool is_result);
  Future future_on_gpu();

  // Released at the end, so that a program that keeps works does not keep the communicator.
  std::shared_ptr<Communicator> comm_;
  const std::weak_ptr<Communicator> comm_if_there_;
  const std::shared_ptr<Hooks> hooks_;
  const Description description_;
  const std::string group_;
  std::chrono::milliseconds timeout_;
  const uint64_t key_;
  const Clock::time_point begin_;
  Clock::time_point end_;
  std::atomic<bool> taken_{false};
  std::atomic<bool> is_collecting_{false};

  // Set up before a thread may wait for the work.
  std::vector<c10::Event> ends_;
  bool is_waited_for_by_host_ = false;

  // Used by the owner only.
  // Whether it counts as under way.
  bool is_counted_ = true;
  std::vector<LongerTimeouts::Token> extensions_;
  std::vector<anyccl_request_t> requests_;
  Buffers buffers_;
  anyccl_status_t first_failure_ = ANYCCL_SUCCESS;
  std::string first_sentence_;
  int source_ = -1;
  // Futures that are still to be completed, of those that somebody had at the end.
  Future open_future_;
  Future open_result_;

  std::mutex futures_mutex_;
  bool futures_may_complete_ = false;
  c10d::WorkResult outcome_ = c10d::WorkResult::UNKNOWN;
  Future future_;
  Future future_result_;
};

}  // namespace anyccl_torch
