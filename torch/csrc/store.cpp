#include "store.hpp"

#include <cstring>
#include <string_view>
#include <vector>

#include "errors.hpp"
#include "process.hpp"

namespace anyccl_torch {
namespace {

void tell(std::string_view text, char* message) {
  const size_t length = std::min(text.size(), size_t{ANYCCL_STORE_MESSAGE_BYTES - 1});
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

constexpr int kFailed = ANYCCL_STORE_TIMEOUT + 1;

int set(void* context, const char* key, const void* value, size_t bytes, char* message) {
  try {
    const auto* from = static_cast<const uint8_t*>(value);
    static_cast<c10d::Store*>(context)->set(key, std::vector<uint8_t>(from, from + bytes));
    return ANYCCL_STORE_OK;
  } catch (const std::exception& failure) {
    tell(failure.what(), message);
    return kFailed;
  }
}

int get(void* context, const char* key, int64_t timeout_ms, void* value, size_t capacity, size_t* bytes, char* message) {
  using Clock = std::chrono::steady_clock;
  auto& store = *static_cast<c10d::Store*>(context);
  const auto timeout = std::chrono::milliseconds(std::max<int64_t>(timeout_ms, 1));
  const auto begin = Clock::now();
  try {
    store.wait({key}, timeout);
    const std::vector<uint8_t> got = store.get(key);
    if (got.size() > capacity) {
      tell("the value of a key is longer than any of ours", message);
      return kFailed;
    }
    std::memcpy(value, got.data(), got.size());
    *bytes = got.size();
    return ANYCCL_STORE_OK;
  } catch (const std::exception& failure) {
    tell(failure.what(), message);
    // Stores tell a time-out by different exceptions; the clock tells it of all.
    return Clock::now() - begin >= timeout ? ANYCCL_STORE_TIMEOUT : kFailed;
  }
}

// Releases of torch without Store::clone() are built against, too.
template <typename Store>
c10::intrusive_ptr<Store> clone_if_possible(const c10::intrusive_ptr<Store>& store) {
  if constexpr (requires { store->clone(); }) {
    return store->clone();
  } else {
    return store;
  }
}

}  // namespace

c10::intrusive_ptr<c10d::Store> clone_of(const c10::intrusive_ptr<c10d::Store>& store) {
  return clone_if_possible(store);
}

anyccl_comm_t join(
    c10d::Store& store, int rank, int size, const anyccl_config_t& config, const std::string& name) {
  anyccl_store_t place = ANYCCL_STORE_INIT;
  place.context = &store;
  place.set = set;
  place.get = get;
  anyccl_comm_t comm = ANYCCL_COMM_NONE;
  const WithoutInterpreter unlocked;
  check(anyccl_comm_create_with_store(&place, size, rank, &config, &comm), "making the group \"" + name + "\"");
  return comm;
}

}  // namespace anyccl_torch
