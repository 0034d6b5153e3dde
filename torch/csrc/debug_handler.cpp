#include "debug_handler.hpp"

#include <mutex>
#include <set>
#include <sstream>
#include <vector>

#include "backend.hpp"
#include "process.hpp"

#if __has_include(<torch/csrc/distributed/c10d/control_plane/Handlers.hpp>)
#include <torch/csrc/distributed/c10d/control_plane/Handlers.hpp>
#define ANYCCL_TORCH_HAS_HANDLERS
#endif

namespace anyccl_torch {
namespace {

struct Listed {
  std::mutex mutex;
  std::set<const AnycclBackend*> backends;
};

Listed& listed() {
  static PerProcess<Listed> list;
  return list.here();
}

#ifdef ANYCCL_TORCH_HAS_HANDLERS
std::string groups_as_json() {
  // The last references to communicators are dropped when the lock has been released.
  std::vector<std::shared_ptr<Communicator>> used;
  auto& list = listed();
  const std::lock_guard<std::mutex> lock(list.mutex);
  std::ostringstream text;
  text << "{\"groups\": [";
  const char* between = "";
  for (const auto* backend : list.backends) {
    text << between;
    used.push_back(backend->tell(text));
    between = ", ";
  }
  text << "]}";
  return text.str();
}
#endif

}  // namespace

void list_for_debugging(const AnycclBackend* backend) {
  auto& list = listed();
  const std::lock_guard<std::mutex> lock(list.mutex);
  list.backends.insert(backend);
}

void unlist_for_debugging(const AnycclBackend* backend) {
  auto& list = listed();
  const std::lock_guard<std::mutex> lock(list.mutex);
  list.backends.erase(backend);
}

void register_debug_handler() {
#ifdef ANYCCL_TORCH_HAS_HANDLERS
  c10d::control_plane::registerHandler(
      "anyccl_groups", [](const c10d::control_plane::Request&, c10d::control_plane::Response& response) {
        response.setContent(groups_as_json(), "application/json");
      });
#endif
}

// JSON: the group, how many calls it has made, the last of them, and whether any is under way.
std::shared_ptr<Communicator> AnycclBackend::tell(std::ostream& text) const {
  const auto quoted = [](const std::string& words) {
    std::ostringstream text;
    text << '"';
    for (const char letter : words) {
      if (letter == '"' || letter == '\\') {
        text << '\\' << letter;
      } else {
        text << (static_cast<unsigned char>(letter) < ' ' ? ' ' : letter);
      }
    }
    text << '"';
    return text.str();
  };
  const std::lock_guard<std::mutex> lock(comm_mutex_);
  const auto comm = comm_;
  const char* last = last_call_.load(std::memory_order_relaxed);
  const auto begin = std::chrono::steady_clock::duration(last_begin_.load(std::memory_order_relaxed));
  const auto age = std::chrono::steady_clock::now().time_since_epoch() - begin;
  const anyccl_status_t failure = comm ? comm->failure() : ANYCCL_SUCCESS;
  text << "{\"group\": " << quoted(options_->group_name) << ", \"rank\": " << rank_ << ", \"size\": " << size_
       << ", \"collectives\": " << collectives_ << ", \"messages\": " << messages_
       << ", \"under_way\": " << hooks_->under_way << ", \"last_call\": ";
  if (last == nullptr) {
    text << "null, \"seconds_since_last_call\": null";
  } else {
    text << quoted(last) << ", \"seconds_since_last_call\": " << std::chrono::duration<double>(age).count();
  }
  text << ", \"timeout_ms\": " << options_->timeout.count() << ", \"failure\": ";
  if (comm == nullptr) {
    text << quoted(absence_);
  } else if (failure != ANYCCL_SUCCESS) {
    text << quoted(anyccl_status_string(failure));
  } else {
    text << "null";
  }
  text << '}';
  return comm;
}

}  // namespace anyccl_torch
