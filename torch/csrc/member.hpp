// One process of a group that is to be formed anew, as its handle names it.
//
// A handle is what torch lets the application carry from process to process. It says who the process is, to the others and in
// messages, and where those that are given the same handles can meet:
//
//     anyccl;5f0c…;2;7;4711@node3;10.0.0.1:29500
//            |     | | |          store, if it has an address
//            |     | | process
//            |     | uuid that its group was formed with; empty before the first time
//            |     rank in that group, or the one that it was made with
//            group object, a number drawn at random
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

// What tells a group object from all others, of this process or another.
std::string new_instance();

// This process, with its id and the name of its host filled in.
Member member_here(const std::string& instance, int rank, std::optional<int64_t> uuid, std::string store);

// Those that the application has named, in the order of the ranks that they get. Handles in a list give it by their
// position; those in a set are put into the order of the ranks that they had, which all processes do alike.
std::vector<Member> members_of(const c10d::ReconfigureOptions& options);

}  // namespace anyccl_torch

#endif
