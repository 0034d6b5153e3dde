// A process that takes part in reconfigure(), as its handle describes it.
//
// A handle is a text that torch lets the application carry from process to process. It identifies the
// process, to the others and in messages. It also names the store of its group, in which the members can
// meet:
//
//     anyccl;5f0c…;2;7;4711@node3;10.0.0.1:29500
//            |     | | |          store, if it has an address
//            |     | | process
//            |     | uuid of its last reconfigure(); empty before the first one
//            |     rank in its group, or the rank that it was made with
//            group object, a random number
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <torch/csrc/distributed/c10d/Backend.hpp>

#ifdef C10D_BACKEND_HAS_RECONFIGURE

namespace anyccl_torch {

struct Member {
  std::string instance;
  int rank;
  std::optional<int64_t> uuid;
  std::string process;
  std::string store;

  c10d::ReconfigureHandle handle() const;
  // "the former rank 2 (process 4711@node3)", or "the rank made as 2 (...)" before the first reconfigure().
  std::string name() const;
};

// Returns a random number that identifies a group object, in this process and all others.
std::string new_instance();

// Describes this process; fills in its process id and host name.
Member member_here(const std::string& instance, int rank, std::optional<int64_t> uuid, std::string store);

// Returns the members that the application has named, in the order of their new ranks. In a list of handles,
// the position is the new rank. A set is sorted by the old ranks, in the same way in all processes.
std::vector<Member> members_of(const c10d::ReconfigureOptions& options);

}  // namespace anyccl_torch

#endif
