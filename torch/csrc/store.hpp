// torch's store as the place where the ranks of a communicator meet.
#pragma once

#include <chrono>
#include <string>

#include <anyccl/anyccl.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace anyccl_torch {

// A connection of its own to the same store, where the store can give one: a connection serves one call at a time, and
// whoever waits for a key would hold up the others.
c10::intrusive_ptr<c10d::Store> clone_of(const c10::intrusive_ptr<c10d::Store>& store);

// Makes a communicator of the ranks that share the store.
anyccl_comm_t join(
    c10d::Store& store,
    int rank,
    int size,
    const anyccl_config_t& config,
    const std::string& name);

}  // namespace anyccl_torch
