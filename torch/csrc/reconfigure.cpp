// reconfigure(): gives a group other ranks, after a failure or because ranks come or go.
//
//     check what was given -> all members meet -> abort the old communicator -> make the new one
//
// Nothing is touched until all members have met. If one of them does not come, the group stays as it was.
// After the meeting the old communicator is aborted, and with it all calls that are under way. If the new one
// then cannot be made, the group has none until another reconfigure(). The call blocks, and the work that it
// returns has ended.

#include "errors.hpp"
#include "launch.hpp"
#include "meeting.hpp"

#ifdef C10D_BACKEND_HAS_RECONFIGURE

namespace anyccl_torch {
namespace {

// Limit of the call for a group without a time-out.
constexpr std::chrono::hours kNever{24 * 365};
// Least time for making the new communicator. All members have met by then, but the last may have come late,
// and the first must not give up meanwhile.
constexpr std::chrono::milliseconds kShortestJoin{2000};

// Index of this process among the members, which is its new rank.
size_t place_among(const std::vector<Member>& members, const Member& self) {
  const auto place = std::find_if(
      members.begin(), members.end(), [&](const Member& member) { return member.instance == self.instance; });
  TORCH_CHECK(
      place != members.end(), "anyccl: the handle of this process is not among the ", members.size(),
      " that were given to reconfigure()");
  TORCH_CHECK(
      place->handle() == self.handle(), "anyccl: reconfigure() was given an old handle of this process, ",
      place->handle(), "; each reconfigure() changes it, now it is ", self.handle());
  return static_cast<size_t>(place - members.begin());
}

}  // namespace

Member AnycclBackend::member() const {
  const std::lock_guard<std::mutex> lock(comm_mutex_);
  return member_here(instance_, rank_, uuid_, address_of(store_));
}

void AnycclBackend::end_generation(const std::string& absence) {
  std::shared_ptr<Communicator> old;
  {
    const std::lock_guard<std::mutex> lock(comm_mutex_);
    old.swap(comm_);
    if (!is_destroyed_) {
      absence_ = absence;
    }
  }
  if (old) {
    old->abort();
  }
}

void AnycclBackend::begin_generation(
    std::shared_ptr<Communicator> comm, const StorePtr& store, int rank, int size, int64_t uuid) {
  const std::lock_guard<std::mutex> lock(comm_mutex_);
  TORCH_CHECK(!is_destroyed_, "anyccl: the group \"", options_->group_name, "\" ", absence_);
  rank_ = rank;
  size_ = size;
  uuid_ = uuid;
  comm_ = std::move(comm);
  common_store_ = store;
  // New members begin with these numbers.
  collectives_ = 0;
  messages_ = 0;
  monitored_barriers_ = 0;
  has_used_last_tag_ = false;
#if ANYCCL_TORCH_FROM(15)
  hooks_->abort_hooks_called = false;
#endif
}

AnycclBackend::WorkPtr AnycclBackend::reconfigure(const c10d::ReconfigureOptions& options) {
  const WithoutInterpreter unlocked;
  const std::lock_guard<std::mutex> one_at_a_time(reconfigure_mutex_);
  TORCH_CHECK(!coalesced(), "anyccl: reconfigure() while calls are being coalesced");
  TORCH_CHECK(birthplace_.is_here(), "anyccl: the group \"", options_->group_name, "\" was made before fork()");
  const auto members = members_of(options);
  const size_t rank = place_among(members, member());
  const auto patience = options.timeout.value_or(options_->timeout);
  const auto end = Meeting::Clock::now() + (patience.count() > 0 ? patience : kNever);

  Meeting meeting(store_, options.uuid, members, rank, end);
  if (uuids_.count(options.uuid) != 0) {
    const std::string why = "uuid " + std::to_string(options.uuid) + " was already used by this group";
    meeting.give_up(why);
    TORCH_CHECK(false, "anyccl: reconfigure(): ", why, "; pass a new uuid in each call");
  }
  meeting.gather(end);
  uuids_.insert(options.uuid);

  const std::string title = "reconfigure " + std::to_string(options.uuid);
  end_generation("is without ranks during " + title);
  std::shared_ptr<Communicator> comm;
  try {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Meeting::Clock::now());
    comm = connect(
        *meeting.shared_part(), static_cast<int>(rank), static_cast<int>(members.size()),
        std::max(left, kShortestJoin));
  } catch (const std::exception& failure) {
    end_generation("is without ranks, as " + title + " failed: call it again, with another uuid");
    meeting.give_up(failure.what());
    throw;
  }
  begin_generation(comm, meeting.shared_part(), static_cast<int>(rank), static_cast<int>(members.size()), options.uuid);
  // This is no call of the group, so hooks that count the group's calls are not told of it.
  const auto work = c10::make_intrusive<AnycclWork>(
      comm, std::make_shared<Hooks>(), rank_, Description{c10d::OpType::UNKNOWN, "anyccl:reconfigure"});
  work->take();
  work->end(ANYCCL_SUCCESS);
  work->announce();
  return work;
}

}  // namespace anyccl_torch

#endif
