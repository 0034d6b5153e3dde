// torch's store as the place where the ranks of a communicator meet.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <anyccl/anyccl.h>
#include <torch/csrc/distributed/c10d/Store.hpp>

namespace anyccl_torch {

// Polls the store until all keys are set. False: `end` has come first. Throws what a signal handler raises
// meanwhile. `ranks` is the number of ranks that poll. TCPStore::wait() is not used: it would block all other
// users of its connection, and it logs warnings when its time is over.
bool wait_for_keys(
    c10d::Store& store, const std::vector<std::string>& keys, std::chrono::steady_clock::time_point end, size_t ranks);

// Makes a communicator of the ranks that share the store. The store is used as it is. Store::clone() would
// open a connection of its own, which takes longer than the rest of the call. It takes seconds where no name
// server knows the name of the peer.
anyccl_comm_t join(c10d::Store& store, int rank, int size, const anyccl_config_t& config, const std::string& name);

}  // namespace anyccl_torch
