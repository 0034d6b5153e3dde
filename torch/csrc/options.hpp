// Settings of a group: what init_process_group(pg_options=...) takes.
#pragma once

#include <torch/csrc/distributed/c10d/Backend.hpp>

namespace anyccl_torch {

constexpr const char* kBackendName = "anyccl";

struct AnycclOptions final : c10d::Backend::Options {
  explicit AnycclOptions(std::chrono::milliseconds timeout = kBackendDefaultTimeout)
      : c10d::Backend::Options(kBackendName, timeout) {}

  // A copy that is one of these, not only of their base. Overrides where torch has it.
  virtual c10::intrusive_ptr<c10d::Backend::Options> clone() const {
    return c10::make_intrusive<AnycclOptions>(*this);
  }

  // Interfaces for TCP, as ANYCCL_SOCKET_IFNAME says them. Empty: what that variable says.
  std::string interface;
};

}  // namespace anyccl_torch
