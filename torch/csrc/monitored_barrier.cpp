// A barrier that names the ranks that have not come, and leaves the group in working order.
//
// Every other rank sends rank 0 the number of its barrier. Rank 0 sends its verdict to all of them, late ones
// included: the ranks that are missing, or none.
//
// Receives are tested again and again, and cancelled when the time of the barrier is over. So the time-out of
// the group, after which a wait fails the group, does not limit them. It limits the waits for sends. Notes
// are sent eagerly, so these waits are short, unless a peer has left so many messages unreceived that a send
// needs its permission.

#include <algorithm>
#include <memory>
#include <thread>

#include "backend.hpp"
#include "errors.hpp"
#include "process.hpp"

namespace anyccl_torch {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::microseconds kShortNap{20};
constexpr std::chrono::microseconds kLongNap{1000};

// A message of a barrier: its number, and in a verdict a 1 for each missing rank and a 0 for each other rank.
using Note = std::vector<int64_t>;

// Ends a receive. False: its message has come nevertheless.
bool cancel(anyccl_request_t& request) {
  check(anyccl_cancel(request), "monitored_barrier");
  anyccl_message_status_t told{};
  check(anyccl_wait_message(&request, &told), "monitored_barrier");
  return told.cancelled != 0;
}

// Waits for a message until `end`. False: it has not come, and its receive has been cancelled.
bool wait_until(anyccl_request_t& request, Clock::time_point end) {
  const auto begin = Clock::now();
  auto signals = begin + kBetweenSignals;
  while (true) {
    int done = 0;
    check(anyccl_test(&request, &done), "monitored_barrier");
    if (done != 0) {
      return true;
    }
    const auto now = Clock::now();
    if (now >= end) {
      break;
    }
    if (now >= signals && handles_signals()) {
      signals = now + kBetweenSignals;
      try {
        handle_signals();
      } catch (...) {
        cancel(request);
        throw;
      }
    }
    std::this_thread::sleep_for(now - begin < kLongNap ? kShortNap : kLongNap);
  }
  return !cancel(request);
}

// Receives the note of a rank about this barrier. Notes about earlier barriers are dropped. False: it has not
// come by `end`.
bool receive_note(Note& note, int64_t barrier, int source, anyccl_comm_t comm, Clock::time_point end) {
  do {
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    check(
        anyccl_irecv(note.data(), note.size(), ANYCCL_INT64, source, kMonitoredBarrierTag, comm, &request),
        "monitored_barrier");
    if (!wait_until(request, end)) {
      return false;
    }
  } while (note.front() != barrier);
  return true;
}

std::string missing_ranks(const Note& verdict) {
  std::string text;
  int number = 0;
  for (size_t rank = 0; rank + 1 < verdict.size(); ++rank) {
    if (verdict[rank + 1] != 0) {
      text += (number++ == 0 ? "" : ", ") + std::to_string(rank);
    }
  }
  return (number == 1 ? "Rank " : "Ranks ") + text;
}

}  // namespace

void AnycclBackend::monitoredBarrier(const c10d::BarrierOptions& options, bool wait_all_ranks) {
  check_not_estimating("monitored_barrier");
  TORCH_CHECK_VALUE(
      !has_used_last_tag_, "anyccl: monitored_barrier needs tag ", kMonitoredBarrierTag,
      ", with which this group has had messages; give them another tag");
  const auto group = comm();
  const anyccl_comm_t comm = group->get();
  // A time-out of 0 asks which ranks have come so far.
  const auto limit = options.timeout.count() >= 0 ? options.timeout : group->timeout();
  const int64_t barrier = ++monitored_barriers_;
  const auto end = Clock::now() + limit;
  const WithoutInterpreter unlocked;
  Note verdict(size_ + 1, 0);
  verdict.front() = barrier;
  if (rank_ == 0) {
    for (int rank = 1; rank < size_; ++rank) {
      Note arrival(1);
      verdict[rank + 1] = receive_note(arrival, barrier, rank, comm, end) ? 0 : 1;
      if (verdict[rank + 1] != 0 && !wait_all_ranks) {
        break;
      }
    }
    std::vector<anyccl_request_t> answers(size_ - 1, ANYCCL_REQUEST_NULL);
    for (int rank = 1; rank < size_; ++rank) {
      check(
          anyccl_isend(
              verdict.data(), verdict.size(), ANYCCL_INT64, rank, kMonitoredBarrierTag, comm, &answers[rank - 1]),
          "monitored_barrier");
    }
    // Ends at once, because the verdicts are eager. Fails if a rank is gone.
    check(anyccl_wait_all(answers.size(), answers.data()), "monitored_barrier");
  } else {
    auto number = std::make_unique<int64_t>(barrier);
    anyccl_request_t arrival = ANYCCL_REQUEST_NULL;
    check(anyccl_isend(number.get(), 1, ANYCCL_INT64, 0, kMonitoredBarrierTag, comm, &arrival), "monitored_barrier");
    bool is_answered = false;
    try {
      // Rank 0 answers when its own time is over, which may have begun later than the time of this rank.
      is_answered = receive_note(verdict, barrier, 0, comm, end + limit);
    } catch (...) {
      int has_left = 0;
      (void)anyccl_test(&arrival, &has_left);
      if (arrival != ANYCCL_REQUEST_NULL) {
        // The library may still read the number, so it is leaked.
        (void)number.release();
      }
      throw;
    }
    if (!is_answered) {
      check(anyccl_wait(&arrival), "monitored_barrier");
      C10_THROW_ERROR(
          DistBackendError, "anyccl, monitored_barrier of the group \"" + group->name() +
                                "\": Rank 0 failed to pass monitoredBarrier in " + std::to_string(limit.count()) +
                                " ms; rank " + std::to_string(rank_) + " has reached it");
    }
    check(anyccl_wait(&arrival), "monitored_barrier");
  }
  if (std::any_of(verdict.begin() + 1, verdict.end(), [](int64_t is_missing) { return is_missing != 0; })) {
    C10_THROW_ERROR(
        DistBackendError, "anyccl, monitored_barrier of the group \"" + group->name() +
                              "\": " + missing_ranks(verdict) + " failed to pass monitoredBarrier in " +
                              std::to_string(limit.count()) + " ms");
  }
}

}  // namespace anyccl_torch
