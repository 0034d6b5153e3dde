#include "background.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "process.hpp"

namespace anyccl_torch {
namespace {

struct Tasks {
  std::mutex mutex;
  std::condition_variable ended;
  size_t under_way = 0;
  const Birthplace birthplace{};
};

// Never freed: threads may outlive static objects. A child of fork() makes a new one and leaves that of its
// parent alone.
Tasks& tasks() {
  static Tasks* all = new Tasks;
  if (!all->birthplace.is_here()) {
    all = new Tasks;
  }
  return *all;
}

}  // namespace

void run_in_background(std::function<void()> task) {
  auto& all = tasks();
  {
    const std::lock_guard<std::mutex> lock(all.mutex);
    ++all.under_way;
  }
  const auto end = [&all] {
    const std::lock_guard<std::mutex> lock(all.mutex);
    --all.under_way;
    all.ended.notify_all();
  };
  try {
    std::thread([task = std::move(task), end] {
      try {
        task();
      } catch (const std::exception& failure) {
        TORCH_WARN("anyccl: ", failure.what());
      }
      end();
    }).detach();
  } catch (...) {
    end();
    throw;
  }
}

void wait_for_background(std::chrono::milliseconds at_most) {
  auto& all = tasks();
  std::unique_lock<std::mutex> lock(all.mutex);
  all.ended.wait_for(lock, at_most, [&all] { return all.under_way == 0; });
}

}  // namespace anyccl_torch
