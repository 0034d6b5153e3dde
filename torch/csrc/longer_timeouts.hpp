// Extensions of a group's time-out, for the works that are made until a first one has ended.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <vector>

namespace anyccl_torch {

class LongerTimeouts {
 public:
  // Shared by the table and the first work made after an extension. The extension ends with it.
  using Token = std::shared_ptr<const void>;

  // What a new work gets: a longer time-out, and the extensions that end with it.
  struct Share {
    std::chrono::milliseconds extra{0};
    std::vector<Token> tokens{};
  };

  void add(std::chrono::milliseconds extra) {
    const std::lock_guard<std::mutex> lock(mutex_);
    auto token = std::make_shared<const char>();
    extensions_.push_back({extra, token, token});
    has_some_.store(true, std::memory_order_relaxed);
  }

  Share for_new_work() {
    Share share;
    if (!has_some_.load(std::memory_order_relaxed)) {
      return share;
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    std::erase_if(extensions_, [](const Extension& one) { return one.observed.expired(); });
    for (auto& one : extensions_) {
      share.extra += one.extra;
      if (one.waiting) {
        share.tokens.push_back(std::move(one.waiting));
      }
    }
    has_some_.store(!extensions_.empty(), std::memory_order_relaxed);
    return share;
  }

 private:
  struct Extension {
    std::chrono::milliseconds extra;
    // Null once the first work has it.
    Token waiting;
    std::weak_ptr<const void> observed;
  };

  std::mutex mutex_;
  std::vector<Extension> extensions_;
  std::atomic<bool> has_some_{false};
};

}  // namespace anyccl_torch
