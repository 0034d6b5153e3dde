// A communicator of the library, shared by a backend and the works that use it.
//
// The communicator is destroyed when the last of these has gone. An orderly end needs all ranks, and may have
// to wait for them. It runs on a thread of its own, so a program may destroy groups in any order without
// blocking (ends.hpp).
#pragma once

#include <atomic>
#include <chrono>
#include <mutex>
#include <optional>
#include <string>

#include <anyccl/anyccl.h>

#include "process.hpp"

namespace anyccl_torch {

class Communicator {
 public:
  // Takes ownership of the handle.
  Communicator(anyccl_comm_t comm, std::string name, std::chrono::milliseconds timeout);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  // Returns the handle. Throws in a child of fork(), where it must not be used.
  anyccl_comm_t get() const;
  const std::string& name() const { return name_; }

  std::chrono::milliseconds timeout() const { return timeout_.load(std::memory_order_relaxed); }
  void set_timeout(std::chrono::milliseconds timeout);
  // Runs `start` while the communicator has another time-out.
  template <typename Start>
  anyccl_status_t start_with(std::chrono::milliseconds timeout, Start start) {
    const std::lock_guard<std::mutex> lock(timeout_mutex_);
    apply(timeout);
    const anyccl_status_t status = start();
    apply(timeout_);
    return status;
  }

  // Runs `start` while calls with buffers on a GPU are enqueued on `stream`, a CUstream, and while the
  // communicator has another time-out, if one is given.
  template <typename Start>
  anyccl_status_t start_on(void* stream, std::optional<std::chrono::milliseconds> timeout, Start start) {
    const std::lock_guard<std::mutex> lock(stream_mutex_);
    set_stream(stream);
    const anyccl_status_t status = timeout ? start_with(*timeout, start) : start();
    unset_stream();
    return status;
  }

  // The program destroys the group: what the end finds is to be told (ends.hpp). Returns whether it was the last group
  // of the process.
  bool leave();

  // Fails all calls that are under way, on all ranks.
  void abort() noexcept;
  // Why the communicator can no longer be used; ANYCCL_SUCCESS if it can.
  anyccl_status_t failure() const noexcept;

 private:
  void apply(std::chrono::milliseconds timeout);
  void set_stream(void* stream);
  void unset_stream() noexcept { (void)anyccl_comm_unset_stream(comm_); }

  const anyccl_comm_t comm_;
  const std::string name_;
  const Birthplace birthplace_;
  bool is_left_ = false;
  std::mutex stream_mutex_;
  std::mutex timeout_mutex_;
  std::atomic<std::chrono::milliseconds> timeout_;
};

// Converts a time-out of torch to milliseconds of the library. 0 or less becomes ANYCCL_TIMEOUT_NEVER.
int64_t timeout_ms(std::chrono::milliseconds timeout);

}  // namespace anyccl_torch
