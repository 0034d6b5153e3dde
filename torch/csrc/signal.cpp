#include "signal.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

#include "errors.hpp"
#include "process.hpp"

namespace anyccl_torch {
namespace {

using Clock = std::chrono::steady_clock;

// Attempts before a thread sleeps, each some tens of nanoseconds.
constexpr int kAttempts = 1000;
constexpr int kAttemptsOversubscribed = 20;
// Longest time between two looks at the group.
constexpr std::chrono::milliseconds kBetweenLooks{10};

// Sleeps until the word may have changed from `seen`, at most for kBetweenLooks.
void sleep_on(SharedCount& word, uint32_t seen) {
  timespec limit{0, std::chrono::nanoseconds(kBetweenLooks).count()};
  // It returns at once if the word has another value. The other ranks are in other processes, so it is not private.
  (void)syscall(SYS_futex, reinterpret_cast<uint32_t*>(&word), FUTEX_WAIT, seen, &limit, nullptr, 0);
}

class Sleeper {
 public:
  explicit Sleeper(SharedCount& count) : count_(count) { count_.fetch_add(1, std::memory_order_seq_cst); }
  ~Sleeper() { count_.fetch_sub(1, std::memory_order_seq_cst); }
  Sleeper(const Sleeper&) = delete;
  Sleeper& operator=(const Sleeper&) = delete;

 private:
  SharedCount& count_;
};

}  // namespace

std::exception_ptr failure_of(const Patience& patience, Clock::time_point begin) {
  const auto comm = patience.comm.lock();
  if (!comm) {
    return to_exception(ANYCCL_ERR_INVALID_USAGE, "anyccl, " + patience.purpose + ": the group was destroyed");
  }
  const std::string action = patience.purpose + " of the group \"" + comm->name() + "\"";
  int found = 0;
  const anyccl_status_t status = anyccl_iprobe(patience.peer, ANYCCL_ANY_TAG, comm->get(), &found, nullptr);
  if (status != ANYCCL_SUCCESS) {
    return to_exception(status, sentence(action));
  }
  const auto limit = patience.limit.count() < 0 ? comm->timeout() : patience.limit;
  if (limit.count() > 0 && Clock::now() - begin >= limit) {
    return to_exception(
        ANYCCL_ERR_TIMEOUT, "anyccl, " + action + ": Timed out after " + std::to_string(limit.count()) + " ms");
  }
  return nullptr;
}

void wake(const Word& word) {
  if (word.sleepers->load(std::memory_order_seq_cst) != 0) {
    (void)syscall(SYS_futex, reinterpret_cast<uint32_t*>(word.value), FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
  }
}

int attempts_for(int ranks) {
  cpu_set_t set;
  CPU_ZERO(&set);
  const bool is_oversubscribed = sched_getaffinity(0, sizeof(set), &set) == 0 && ranks > CPU_COUNT(&set);
  return is_oversubscribed ? kAttemptsOversubscribed : kAttempts;
}

void sleep_until(const Word& word, c10::function_ref<bool()> attempt, const Patience& patience) {
  const WithoutInterpreter unlocked;
  const Sleeper counted(*word.sleepers);
  const auto begin = Clock::now();
  for (auto look = begin;;) {
    const uint32_t seen = word.value->load(std::memory_order_seq_cst);
    if (attempt()) {
      return;
    }
    if (Clock::now() >= look) {
      if (auto failure = failure_of(patience, begin)) {
        if (attempt()) {
          return;
        }
        std::rethrow_exception(failure);
      }
      if (handles_signals()) {
        handle_signals();
      }
      look = Clock::now() + kBetweenLooks;
    }
    sleep_on(*word.value, seen);
  }
}

}  // namespace anyccl_torch
