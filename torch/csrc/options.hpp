// Settings of a group: what init_process_group(pg_options=...) takes.
#pragma once

#include <memory>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#include "releases.hpp"

namespace anyccl_torch {

constexpr const char* kBackendName = "anyccl";

struct AnycclOptions final : c10d::Backend::Options {
  explicit AnycclOptions(std::chrono::milliseconds timeout = kBackendDefaultTimeout)
      : c10d::Backend::Options(kBackendName, timeout) {}

  // Copies the whole AnycclOptions, not only its base.
  c10::intrusive_ptr<c10d::Backend::Options> clone() const OVERRIDE_FROM_2_14 {
    return c10::make_intrusive<AnycclOptions>(*this);
  }

  // Whether the group is to be formed later, by reconfigure().
  bool is_deferred() const {
#ifdef C10D_BACKEND_HAS_RECONFIGURE
    return enable_reconfigure;
#else
    return false;
#endif
  }
  void set_deferred([[maybe_unused]] bool deferred) {
#ifdef C10D_BACKEND_HAS_RECONFIGURE
    enable_reconfigure = deferred;
#endif
  }

#if ANYCCL_TORCH_FROM(8) && !ANYCCL_TORCH_FROM(9)
  // Members of the base class from torch 2.9 on. In 2.8 those of gloo have them here.
  std::vector<uint64_t> global_ranks_in_group;
  std::string group_name;
#endif

  // The two members that c10d::ProcessGroupGloo::Options has here (AnycclBackend says why).
  std::vector<std::shared_ptr<void>> devices_of_gloo;
  int threads_of_gloo = 2;

  // Network interfaces for TCP, written as in ANYCCL_SOCKET_IFNAME. Empty: the value of that variable.
  std::string interface;

  // Whether all tensors of the group are on GPUs, in each call on all ranks.
  bool for_devices = false;

#if !ANYCCL_TORCH_FROM(8)
  // Members of the base class from torch 2.9 on.
  std::string group_name;
  std::vector<uint64_t> global_ranks_in_group;
#endif
};

}  // namespace anyccl_torch
