// The place where the members of a future group wait for each other, before any of them ends its old
// communicator.
//
// They meet in the store of the first member. All members know which one that is. Its group was made through
// that store, so the store can be reached. Each member leaves a note there, with a checksum of the handles
// that it was given, and waits for the notes of the others.
//
// A member with other handles makes all members fail at once. A member that gives up writes the reason into
// its note, for members that come later. A member that does not come is named when the time is over. Notes
// stay; they are small. So a process with other handles is told so even when the others have gone on.
//
// Cost: a request to the store for this process's note, and one to read each member's note. While members are
// missing, each look asks for all notes, and then for each of them.
#pragma once

#include "member.hpp"

#ifdef C10D_BACKEND_HAS_RECONFIGURE

#include <chrono>

#include <torch/csrc/distributed/c10d/Store.hpp>

namespace anyccl_torch {

class Meeting {
 public:
  using Clock = std::chrono::steady_clock;
  using StorePtr = c10::intrusive_ptr<c10d::Store>;

  // Connects to the first member's store, if that is another one, until `end` at most. `own` is the store of
  // this process's group, and `self` its index among the members.
  Meeting(const StorePtr& own, int64_t uuid, std::vector<Member> members, size_t self, Clock::time_point end);
  Meeting(const Meeting&) = delete;
  Meeting& operator=(const Meeting&) = delete;

  // Returns when all members have come. Throws if one has other handles, has given up, or has not come at
  // `end`.
  void gather(Clock::time_point end);
  // Tells the others that this process does not come, and why. Does not throw.
  void give_up(const std::string& why) noexcept;
  // The part of the store that is used by these members alone.
  StorePtr shared_part() const;

 private:
  std::string key_of(const Member& member) const;
  bool wait_for_all(Clock::time_point end);
  void read(size_t rank);
  [[noreturn]] void fail(const std::string& why);

  const int64_t uuid_;
  const std::vector<Member> members_;
  const size_t self_;
  const std::string checksum_;
  const StorePtr store_;
};

// The address of a store, "host:port"; empty when it has none.
std::string address_of(const c10::intrusive_ptr<c10d::Store>& store);

}  // namespace anyccl_torch

#endif
