#include "progress.hpp"

#include <algorithm>

#include "errors.hpp"

namespace anyccl_torch {
namespace {

// Time in which a thread that waits for its own work at once takes it.
constexpr std::chrono::microseconds kGrace{50};
// Naps of that length after the last work was there: while works come one after the other nobody has to wake the thread,
// which costs the caller more than the work may do.
constexpr int kNaps = 20;
// Time for what is under way when the process ends.
constexpr std::chrono::milliseconds kLastMoves{500};

// A store for the only rank of a communicator.
int set_nothing(void*, const char*, const void*, size_t, char*) { return ANYCCL_STORE_OK; }
int get_nothing(void*, const char*, int64_t, void*, size_t, size_t*, char*) { return ANYCCL_STORE_TIMEOUT; }

}  // namespace

Progress& Progress::here() {
  // Never freed: the thread may outlive static objects, and the parent's must be left alone in a child.
  static std::mutex* mutex = new std::mutex;
  static Progress* progress = nullptr;
  static uint64_t process = 0;
  if (process != forks()) {
    // Nobody else runs in a new child yet, but somebody may have held the lock when it was made.
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
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) {
      // Whoever waits for it moves it on.
      return;
    }
    if (!thread_.joinable()) {
      open_bell();
      thread_ = std::thread([this] { run(); });
    }
    arrivals_.push_back(std::move(work));
    must_ring = std::exchange(in_library_, false);
    must_wake = is_asleep_;
  }
  if (must_ring) {
    ring();
  } else if (must_wake) {
    news_.notify_one();
  }
}

void Progress::stop() {
  bool must_ring = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_ || !thread_.joinable()) {
      stopping_ = true;
      return;
    }
    stopping_ = true;
    must_ring = std::exchange(in_library_, false);
  }
  if (must_ring) {
    ring();
  }
  news_.notify_one();
  thread_.join();
}

void Progress::open_bell() {
  anyccl_store_t store = ANYCCL_STORE_INIT;
  store.set = set_nothing;
  store.get = get_nothing;
  anyccl_config_t config = ANYCCL_CONFIG_INIT;
  config.name = "torch's progress thread";
  config.timeout_ms = ANYCCL_TIMEOUT_NEVER;
  check(anyccl_comm_create_with_store(&store, 1, 0, &config, &bell_comm_), "starting the progress thread");
}

void Progress::ring() {
  const char any = 1;
  (void)anyccl_send(&any, 1, ANYCCL_BYTE, 0, 0, bell_comm_);
}

void Progress::run() {
  Works works;
  while (receive(works)) {
    move_on(works);
  }
  // What ends soon gives its communicator free, so that the ranks can part.
  const auto end = std::chrono::steady_clock::now() + kLastMoves;
  const auto has_ended = [](const auto& work) { return work->poll(); };
  while (true) {
    works.erase(std::remove_if(works.begin(), works.end(), has_ended), works.end());
    if (works.empty() || std::chrono::steady_clock::now() >= end) {
      break;
    }
    std::this_thread::sleep_for(kGrace);
  }
  // The process ends: what has not ended may refer to Python objects, which cannot be given up safely any more.
  new Works(std::move(works));
}

bool Progress::receive(Works& works) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (works.empty()) {
    if (naps_ == 0) {
      is_asleep_ = true;
      news_.wait(lock, [this] { return stopping_ || !arrivals_.empty(); });
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
      works.push_back(std::move(work));
    }
  }
  Works taken_by_others;
  taken_by_others.swap(arrivals_);
  in_library_ = !works.empty() && !stopping_;
  const bool goes_on = !stopping_;
  lock.unlock();
  return goes_on;
}

void Progress::move_on(Works& works) {
  if (works.empty()) {
    return;
  }
  if (bell_ == ANYCCL_REQUEST_NULL) {
    (void)anyccl_irecv(&rung_, 1, ANYCCL_BYTE, 0, 0, bell_comm_, &bell_);
  }
  std::vector<anyccl_request_t> requests{bell_};
  for (const auto& work : works) {
    work->append_requests(requests);
  }
  (void)anyccl_wait_ready(requests.size(), requests.data());
  int was_rung = 0;
  (void)anyccl_test(&bell_, &was_rung);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    in_library_ = false;
  }
  Works open;
  for (auto& work : works) {
    if (!work->poll()) {
      open.push_back(std::move(work));
    }
  }
  // Those that have ended go here, without a lock: their tensors may be Python's.
  works = std::move(open);
}

}  // namespace anyccl_torch
