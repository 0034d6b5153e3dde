#include "meeting.hpp"

#ifdef C10D_BACKEND_HAS_RECONFIGURE

#include <charconv>

#include <c10/util/ConstexprCrc.h>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "store.hpp"

namespace anyccl_torch {
namespace {

// First character of the note of a member that has given up; the reason follows it.
constexpr char kGivenUp = '!';
// Time until the first look at who has come. Each later interval is twice as long. Short intervals at first
// find a disagreement early, and long ones later keep a large group from loading the store.
constexpr std::chrono::milliseconds kFirstLook{500};

c10::intrusive_ptr<c10d::Store> without_prefixes(const c10::intrusive_ptr<c10d::Store>& store) {
  const auto prefixed = c10::dynamic_intrusive_pointer_cast<c10d::PrefixStore>(store);
  return prefixed ? prefixed->getUnderlyingNonPrefixStore() : store;
}

// The store that all members find: the one of the first member.
c10::intrusive_ptr<c10d::Store> store_of(
    const Member& first, const c10::intrusive_ptr<c10d::Store>& own, Meeting::Clock::time_point end) {
  const std::string here = address_of(own);
  if (first.store == here) {
    return without_prefixes(own);
  }
  const size_t colon = first.store.rfind(':');
  c10d::TCPStoreOptions options;
  const char* const last = first.store.data() + first.store.size();
  const bool has_address =
      colon != std::string::npos && std::from_chars(first.store.data() + colon + 1, last, options.port).ptr == last;
  TORCH_CHECK(
      has_address, "anyccl: the members of reconfigure() meet in the store of ", first.name(),
      ", which has no address, and this process has another one, ", here);
  options.waitWorkers = false;
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Meeting::Clock::now());
  // A time-out of 0 would mean no limit.
  options.timeout = std::max(left, std::chrono::milliseconds(1));
  return c10::make_intrusive<c10d::TCPStore>(first.store.substr(0, colon), options);
}

std::string checksum_of(const std::vector<Member>& members) {
  std::string all;
  for (const auto& member : members) {
    all += member.handle() + '\n';
  }
  return std::to_string(c10::util::crc64(all.data(), all.size()).checksum());
}

}  // namespace

std::string address_of(const c10::intrusive_ptr<c10d::Store>& store) {
  const auto served = c10::dynamic_intrusive_pointer_cast<c10d::TCPStore>(without_prefixes(store));
  return served ? served->getHost() + ":" + std::to_string(served->getPort()) : "";
}

Meeting::Meeting(const StorePtr& own, int64_t uuid, std::vector<Member> members, size_t self, Clock::time_point end)
    : uuid_(uuid),
      members_(std::move(members)),
      self_(self),
      checksum_(checksum_of(members_)),
      store_(
          c10::make_intrusive<c10d::PrefixStore>(
              "anyccl/reconfigure/" + std::to_string(uuid), store_of(members_.front(), own, end))) {}

std::string Meeting::key_of(const Member& member) const { return "note/" + member.instance; }

Meeting::StorePtr Meeting::shared_part() const { return c10::make_intrusive<c10d::PrefixStore>(checksum_, store_); }

void Meeting::gather(Clock::time_point end) {
  const auto begin = Clock::now();
  store_->set(key_of(members_[self_]), checksum_);
  for (auto look = kFirstLook;; look *= 2) {
    const bool all_here = wait_for_all(std::min(end, Clock::now() + look));
    std::string missing;
    for (size_t rank = 0; rank < members_.size(); ++rank) {
      if (all_here || store_->check({key_of(members_[rank])})) {
        read(rank);
      } else {
        missing += (missing.empty() ? "" : ", ") + std::to_string(rank) + ", " + members_[rank].name();
      }
    }
    if (missing.empty()) {
      return;
    }
    if (Clock::now() >= end) {
      const auto waited = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
      fail("not there after " + std::to_string(waited.count()) + " ms: rank " + missing);
    }
  }
}

bool Meeting::wait_for_all(Clock::time_point end) {
  std::vector<std::string> keys;
  for (const auto& member : members_) {
    keys.push_back(key_of(member));
  }
  return wait_for_keys(*store_, keys, end, keys.size());
}

void Meeting::read(size_t rank) {
  const auto bytes = store_->get(key_of(members_[rank]));
  const std::string note(bytes.begin(), bytes.end());
  const std::string who = "rank " + std::to_string(rank) + ", " + members_[rank].name() + ", ";
  if (!note.empty() && note.front() == kGivenUp) {
    fail(who + "has given up: " + note.substr(1));
  }
  if (note != checksum_) {
    fail(who + "was given other handles than this process");
  }
}

void Meeting::fail(const std::string& why) {
  give_up(why);
  C10_THROW_ERROR(DistBackendError, "anyccl, reconfigure " + std::to_string(uuid_) + ": " + why);
}

void Meeting::give_up(const std::string& why) noexcept {
  try {
    store_->set(key_of(members_[self_]), kGivenUp + why);
  } catch (const std::exception&) {
    // The others then wait until their time is over.
  }
}

}  // namespace anyccl_torch

#endif
