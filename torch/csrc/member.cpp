#include "member.hpp"

#ifdef C10D_BACKEND_HAS_RECONFIGURE

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <climits>
#include <iomanip>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

namespace anyccl_torch {
namespace {

constexpr char kMark[] = "anyccl";
constexpr char kBetween = ';';
constexpr size_t kParts = 6;

// Cuts a handle into its parts. The last one may contain the separator.
std::vector<std::string> parts(const std::string& handle) {
  std::vector<std::string> all;
  size_t begin = 0;
  while (all.size() + 1 < kParts) {
    const size_t end = handle.find(kBetween, begin);
    if (end == std::string::npos) {
      break;
    }
    all.push_back(handle.substr(begin, end - begin));
    begin = end + 1;
  }
  all.push_back(handle.substr(begin));
  return all;
}

template <typename Number>
bool read(const std::string& text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

Member parse(const c10d::ReconfigureHandle& handle) {
  const auto all = parts(handle);
  Member member{};
  int64_t uuid = 0;
  const bool is_valid = all.size() == kParts && all[0] == kMark && !all[1].empty() && read(all[2], member.rank) &&
                        (all[3].empty() || read(all[3], uuid));
  TORCH_CHECK(
      is_valid, "anyccl: \"", handle,
      "\" is not a handle of this backend; get_reconfigure_handle() returns the handle of a process");
  member.instance = all[1];
  if (!all[3].empty()) {
    member.uuid = uuid;
  }
  member.process = all[4];
  member.store = all[5];
  return member;
}

}  // namespace

c10d::ReconfigureHandle Member::handle() const {
  std::string text = kMark;
  for (const auto& part : {instance, std::to_string(rank), uuid ? std::to_string(*uuid) : "", process, store}) {
    text += kBetween + part;
  }
  return text;
}

std::string Member::name() const {
  return std::string(uuid ? "the former rank " : "the rank made as ") + std::to_string(rank) + " (process " + process +
         ")";
}

std::string new_instance() {
  // No seeded generator: a child of fork() would draw the same numbers as its parent.
  std::random_device source;
  std::ostringstream text;
  for (int part = 0; part < 4; ++part) {
    text << std::hex << std::setw(8) << std::setfill('0') << source();
  }
  return text.str();
}

Member member_here(const std::string& instance, int rank, std::optional<int64_t> uuid, std::string store) {
  char host[HOST_NAME_MAX + 1] = {};
  if (gethostname(host, HOST_NAME_MAX) != 0) {
    host[0] = '?';
  }
  return {instance, rank, uuid, std::to_string(getpid()) + "@" + host, std::move(store)};
}

std::vector<Member> members_of(const c10d::ReconfigureOptions& options) {
  std::vector<Member> members;
  const auto add_all = [&members](const auto& handles) {
    for (const auto& handle : handles) {
      members.push_back(parse(handle));
    }
  };
  std::visit(add_all, options.handles);
  TORCH_CHECK(!members.empty(), "anyccl: reconfigure() without handles; a group has at least this process");
  std::set<std::string> instances;
  for (const auto& member : members) {
    TORCH_CHECK(
        instances.insert(member.instance).second, "anyccl: reconfigure() has two handles of ", member.name(),
        "; handles must be unique");
  }
  if (!std::holds_alternative<std::vector<c10d::ReconfigureHandle>>(options.handles)) {
    std::sort(members.begin(), members.end(), [](const Member& one, const Member& other) {
      return std::tie(one.rank, one.instance) < std::tie(other.rank, other.instance);
    });
  }
  return members;
}

}  // namespace anyccl_torch

#endif
