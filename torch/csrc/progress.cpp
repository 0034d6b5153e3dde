#include "progress.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <system_error>
#include <thread>

#include "errors.hpp"

namespace anyccl_torch {
namespace {

// Time in which a thread that waits for its own work at once takes that work.
constexpr std::chrono::microseconds kGrace{50};
// Number of naps of kGrace after the leader last received a work. A work that arrives during a nap needs no
// wake-up, which can cost the caller more than the work itself.
constexpr int kNaps = 20;
// Time for works that are under way when the process ends.
constexpr std::chrono::milliseconds kTimeAtExit{500};

// Callbacks of a store whose only rank has nobody to exchange anything with.
int set_nothing(void*, const char*, const void*, size_t, char*) { return ANYCCL_STORE_OK; }
int get_nothing(void*, const char*, int64_t, void*, size_t, size_t*, char*) { return ANYCCL_STORE_TIMEOUT; }

}  // namespace

Progress& Progress::here() {
  // Never freed: the threads may outlive static objects, and a child of fork() leaves the instance of its
  // parent alone.
  static std::mutex* mutex = new std::mutex;
  static Progress* progress = nullptr;
  static uint64_t process = 0;
  if (process != forks()) {
    // No other thread runs in a new child, but one may have held the lock at the fork.
    mutex = new std::mutex;
    progress = nullptr;
    process = forks();
  }
  const std::lock_guard<std::mutex> lock(*mutex);
  if (progress == nullptr) {
    progress = new Progress;
  }
  return *progress;
}

void Progress::look_after(c10::intrusive_ptr<AnycclWork> work) {
  bool must_ring = false;
  bool must_wake = false;
  std::string no_thread;
  {
    const Lock lock(mutex_);
    if (stopping_) {
      // A thread that waits for the work advances it.
      return;
    }
    if (doorbell_comm_ == ANYCCL_COMM_NONE) {
      open_doorbell();
    }
    arrivals_.push_back(std::move(work));
    if (!has_leader_) {
      try {
        wake_or_start_thread();
      } catch (const std::system_error& failure) {
        // The work has started. A thread that waits for it advances it, and the next work tries again.
        no_thread = failure.what();
      }
    }
    must_ring = std::exchange(in_library_, false);
    must_wake = is_asleep_;
  }
  if (must_ring) {
    ring();
  } else if (must_wake) {
    arrived_.notify_one();
  }
  if (!no_thread.empty()) {
    TORCH_WARN(
        "anyccl: works make progress only while a thread waits for them, as no thread could be made: ", no_thread);
  }
}

void Progress::wake_or_start_thread() {
  if (idle_ > 0) {
    help_.notify_one();
    return;
  }
  std::thread([this] { run(); }).detach();
  ++threads_;
}

void Progress::stop(std::chrono::milliseconds at_most) {
  Lock lock(mutex_);
  stopping_ = true;
  if (std::exchange(in_library_, false)) {
    // Rung under the lock: the leader leaves the library before it asks for the lock.
    ring();
  }
  arrived_.notify_one();
  help_.notify_all();
  thread_ended_.wait_for(lock, at_most, [this] { return threads_ == 0; });
}

void Progress::open_doorbell() {
  anyccl_store_t store = ANYCCL_STORE_INIT;
  store.set = set_nothing;
  store.get = get_nothing;
  anyccl_config_t config = ANYCCL_CONFIG_INIT;
  config.name = "torch's progress thread";
  config.timeout_ms = ANYCCL_TIMEOUT_NEVER;
  check(anyccl_comm_create_with_store(&store, 1, 0, &config, &doorbell_comm_), "starting the progress thread");
}

void Progress::ring() {
  const char any = 1;
  (void)anyccl_send(&any, 1, ANYCCL_BYTE, 0, 0, doorbell_comm_);
}

void Progress::run() {
  Lock lock(mutex_);
  while (true) {
    if (!ended_.empty()) {
      auto work = std::move(ended_.front());
      ended_.pop_front();
      try {
        if (has_work()) {
          wake_or_start_thread();
        }
      } catch (const std::system_error& failure) {
        TORCH_WARN(
            "anyccl: works make no progress while a callback of a future runs, as no other thread could be made: ",
            failure.what());
      }
      lock.unlock();
      work->announce();
      // Freed here, without the lock: its tensors may belong to Python, whose own lock is then needed.
      work.reset();
      lock.lock();
    } else if (stopping_ && (has_leader_ || (works_.empty() && arrivals_.empty()))) {
      break;
    } else if (!has_leader_) {
      has_leader_ = true;
      lock.unlock();
      Works ended = lead();
      lock.lock();
      has_leader_ = false;
      std::move(ended.begin(), ended.end(), std::back_inserter(ended_));
    } else {
      ++idle_;
      help_.wait(lock, [this] { return stopping_ || has_work(); });
      --idle_;
    }
  }
  --threads_;
  thread_ended_.notify_all();
}

Progress::Works Progress::lead() {
  Works ended;
  while (ended.empty() && receive()) {
    ended = advance();
  }
  if (ended.empty()) {
    advance_at_exit();
  }
  return ended;
}

void Progress::advance_at_exit() {
  // A work that ends releases its communicator, which can then be destroyed in good order.
  const auto end = std::chrono::steady_clock::now() + kTimeAtExit;
  const auto has_ended = [](const auto& work) {
    if (!work->poll()) {
      return false;
    }
    work->announce();
    return true;
  };
  while (true) {
    works_.erase(std::remove_if(works_.begin(), works_.end(), has_ended), works_.end());
    if (works_.empty() || std::chrono::steady_clock::now() >= end) {
      break;
    }
    std::this_thread::sleep_for(kGrace);
  }
  // Leaked: works that have not ended may refer to Python objects. These cannot be freed safely any more,
  // because the process ends.
  new Works(std::exchange(works_, {}));
}

bool Progress::receive() {
  Lock lock(mutex_);
  if (works_.empty()) {
    if (naps_ == 0) {
      is_asleep_ = true;
      arrived_.wait(lock, [this] { return stopping_ || !arrivals_.empty(); });
      is_asleep_ = false;
    }
    if (!stopping_) {
      lock.unlock();
      std::this_thread::sleep_for(kGrace);
      lock.lock();
      naps_ = arrivals_.empty() ? std::max(naps_ - 1, 0) : kNaps;
    }
  }
  for (auto& work : arrivals_) {
    if (work->take()) {
      works_.push_back(std::move(work));
    }
  }
  Works taken_by_others;
  taken_by_others.swap(arrivals_);
  in_library_ = !works_.empty() && !stopping_;
  const bool goes_on = !stopping_;
  lock.unlock();
  return goes_on;
}

Progress::Works Progress::advance() {
  if (works_.empty()) {
    return {};
  }
  if (doorbell_ == ANYCCL_REQUEST_NULL) {
    (void)anyccl_irecv(&rung_, 1, ANYCCL_BYTE, 0, 0, doorbell_comm_, &doorbell_);
  }
  std::vector<anyccl_request_t> requests{doorbell_};
  for (const auto& work : works_) {
    work->append_requests(requests);
  }
  (void)anyccl_wait_ready(requests.size(), requests.data());
  int was_rung = 0;
  (void)anyccl_test(&doorbell_, &was_rung);
  {
    const Lock lock(mutex_);
    in_library_ = false;
  }
  Works open;
  Works ended;
  for (auto& work : works_) {
    if (!work->poll()) {
      open.push_back(std::move(work));
    } else if (work->has_open_futures()) {
      ended.push_back(std::move(work));
    }
  }
  // Ended works whose futures nobody has are freed here, without the lock: their tensors may belong to
  // Python.
  works_ = std::move(open);
  return ended;
}

}  // namespace anyccl_torch
