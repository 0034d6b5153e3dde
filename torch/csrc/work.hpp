// A call that was made and may not have ended: torch's Work.
//
// A work belongs to one thread at a time while it is under way. Whoever takes it, by take(), brings it to its end: the
// thread that waits for it, if that comes at once; else the progress thread (progress.hpp). The others wait for its end. The
// end comes in this order: results are where they belong, the work says that it is complete, the future is completed. No
// lock is held then: callbacks may be Python, and may wait for other works.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <ATen/core/ivalue.h>
#include <anyccl/anyccl.h>
#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "buffers.hpp"
#include "communicator.hpp"
#include "hooks.hpp"
#include "releases.hpp"

namespace anyccl_torch {

// What a work is about.
struct Description {
  c10d::OpType type;
  // "anyccl:all_reduce", for the profiler. A literal.
  const char* title;
  // Number of the call among the collectives of the group, or among its messages.
  uint64_t sequence = 0;
  std::vector<at::Tensor> inputs{};
  std::vector<at::Tensor> outputs{};
};

class AnycclWork final : public c10d::Work {
 public:
  using Future = c10::intrusive_ptr<c10::ivalue::Future>;

  AnycclWork(std::shared_ptr<Communicator> comm, std::shared_ptr<Hooks> hooks, int rank, Description description);
  // The work is unfinished only in a child of fork, at the end of the process, or when the library has refused the call.
  ~AnycclWork() override = default;

  // "all_reduce"
  const char* name() const { return description_.title + sizeof("anyccl:") - 1; }

  // To be set up before anybody else sees it.
  void set_timeout(std::chrono::milliseconds timeout) { timeout_ = timeout; }
  // While it collects calls it cannot be waited for.
  void set_collecting(bool is_collecting) { is_collecting_ = is_collecting; }
  void add(anyccl_request_t request) { requests_.push_back(request); }
  void keep(Buffers&& buffers) { buffers_.merge(std::move(buffers)); }

  // Makes this thread the one that brings it to its end. At most one thread gets true.
  bool take();
  // By who has taken it: somebody else may take it.
  void give_back() { taken_.store(false, std::memory_order_release); }
  // By who has taken it: its requests that have not ended are added to a list.
  void append_requests(std::vector<anyccl_request_t>& all) const;
  // By who has taken it: asks whether it has ended, after it has waited for that as long as it may. If so the work is
  // complete, and is to be announced.
  bool poll(std::chrono::milliseconds patience = std::chrono::milliseconds::zero());
  // By who has taken it: the work is complete, with what became of a call that has ended already, and is to be announced.
  void end(anyccl_status_t status);
  // After the end, once: completes its futures, whose callbacks run in this thread and may take their time.
  void announce();
  // The same if nobody has a future of it. False: somebody has.
  bool announce_to_nobody();
  // By who has taken it: waits for the end in this thread. A signal whose handler raises an exception ends the wait; the work goes
  // on then, as if nobody had waited.
  void run_to_end();

  bool wait(std::chrono::milliseconds timeout = kNoTimeout) override;
  void abort() override;
  void synchronize() override {}
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

  // What a message about it begins with. A time-out names the limit.
  std::string action(anyccl_status_t status = ANYCCL_SUCCESS) const;
  void end_with(anyccl_status_t status, std::exception_ptr exception);
  Future future(Future& place, c10::TypePtr type);
  void wait_for_others(std::chrono::milliseconds timeout);
  void settle(const Future& future, bool is_result);

  // Given up at the end, so that works that are kept do not keep the group.
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

  // Of the thread that has taken it.
  std::vector<anyccl_request_t> requests_;
  Buffers buffers_;
  anyccl_status_t first_failure_ = ANYCCL_SUCCESS;
  std::string first_sentence_;
  int source_ = -1;

  std::mutex futures_mutex_;
  bool futures_may_complete_ = false;
  c10d::WorkResult outcome_ = c10d::WorkResult::UNKNOWN;
  Future future_;
  Future future_result_;
};

}  // namespace anyccl_torch
