#include "ends.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "process.hpp"

namespace anyccl_torch {
namespace {

// How long the last group waits for the other ranks. One that goes on without its groups holds nobody up.
constexpr std::chrono::seconds kPatience{5};

struct Ends {
  std::mutex mutex;
  std::condition_variable over;
  size_t groups = 0;
  size_t under_way = 0;
  std::exception_ptr found;
  const Birthplace birthplace{};
};

// Never freed: threads may outlive static objects. A child of fork() makes a new one and leaves that of its
// parent alone.
Ends& ends() {
  static Ends* all = new Ends;
  if (!all->birthplace.is_here()) {
    all = new Ends;
  }
  return *all;
}

}  // namespace

void note_group() {
  auto& all = ends();
  const std::lock_guard<std::mutex> lock(all.mutex);
  ++all.groups;
}

bool note_group_left() {
  auto& all = ends();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return --all.groups == 0;
}

void note_end_begun() {
  auto& all = ends();
  const std::lock_guard<std::mutex> lock(all.mutex);
  ++all.under_way;
}

void note_end_over(std::exception_ptr found) {
  auto& all = ends();
  const std::lock_guard<std::mutex> lock(all.mutex);
  --all.under_way;
  if (!all.found) {
    all.found = std::move(found);
  }
  all.over.notify_all();
}

void wait_for_ends() {
  const WithoutInterpreter unlocked;
  const bool handles = handles_signals();
  auto& all = ends();
  std::unique_lock<std::mutex> lock(all.mutex);
  const auto are_over = [&all] { return all.under_way == 0; };
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!all.over.wait_for(lock, kBetweenSignals, are_over) && std::chrono::steady_clock::now() < end) {
    if (handles) {
      lock.unlock();
      handle_signals();
      lock.lock();
    }
  }
  if (const auto found = std::exchange(all.found, nullptr)) {
    lock.unlock();
    std::rethrow_exception(found);
  }
}

}  // namespace anyccl_torch
