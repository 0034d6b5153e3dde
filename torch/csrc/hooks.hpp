// Functions that torch registers for the end of a work and for the first failure of a group: those of the
// flight recorder, and of users.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "releases.hpp"

namespace anyccl_torch {

// Hooks by the number that torch gives each of them. They are called without the lock, so a hook may take
// long, or unregister itself.
template <typename Hook>
class HookTable {
 public:
  void add(int64_t id, Hook hook) {
    const std::lock_guard<std::mutex> lock(mutex_);
    hooks_[id] = std::move(hook);
  }
  void remove(int64_t id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    hooks_.erase(id);
  }
  template <typename... Args>
  void call(const Args&... args) {
    std::vector<Hook> now;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      for (const auto& [id, hook] : hooks_) {
        now.push_back(hook);
      }
    }
    for (const auto& hook : now) {
      hook(args...);
    }
  }

 private:
  std::mutex mutex_;
  std::map<int64_t, Hook> hooks_;
};

#if ANYCCL_TORCH_FROM(15)
struct Hooks {
  // Works of the group that have not ended.
  std::atomic<int64_t> under_way{0};
  HookTable<c10d::AbortHook> abort;
  HookTable<c10d::CompletionHook> completion;
  std::atomic<bool> abort_hooks_called{false};
};
#else
// This release of torch has no hooks.
struct Hooks {
  std::atomic<int64_t> under_way{0};
};
#endif

}  // namespace anyccl_torch
