#include "store.hpp"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <thread>

#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>

#include "errors.hpp"
#include "process.hpp"

namespace anyccl_torch {
namespace {

void write_message(std::string_view text, char* message) {
  const size_t length = std::min(text.size(), size_t{ANYCCL_STORE_MESSAGE_BYTES - 1});
  std::memcpy(message, text.data(), length);
  message[length] = '\0';
}

constexpr int kFailed = ANYCCL_STORE_TIMEOUT + 1;
// Pauses between two polls. Each is twice as long as the one before, up to a limit that grows with the number
// of ranks that poll.
constexpr std::chrono::microseconds kFirstNap{100};
constexpr std::chrono::microseconds kLongestNap{20'000};
constexpr std::chrono::microseconds kLongestNapPerRank{500};

// Context of the callbacks below.
struct CallbackState {
  c10d::Store& store;
  size_t ranks;
  // The exception that a signal handler has raised.
  std::exception_ptr interrupt{};
};

// Asks until the answer is yes. False: `end` has come first. Throws what a signal handler raises meanwhile.
template <typename Question>
bool ask_until(std::chrono::steady_clock::time_point end, size_t ranks, Question question) {
  const auto longest = kLongestNap + kLongestNapPerRank * static_cast<int>(ranks);
  auto signals = std::chrono::steady_clock::now() + kBetweenSignals;
  for (auto nap = kFirstNap;; nap = std::min(2 * nap, longest)) {
    if (question()) {
      return true;
    }
    const auto now = std::chrono::steady_clock::now();
    if (now >= end) {
      return false;
    }
    if (now >= signals && handles_signals()) {
      handle_signals();
      signals = now + kBetweenSignals;
    }
    std::this_thread::sleep_until(std::min(end, now + nap));
  }
}

// Reads a key of a TCPStore by one request; false if it is not set. compareSet() would replace a value that
// no key of the library ever has by the same value, so it changes nothing. It returns the value of the key,
// or that placeholder if the key is not set. check() and then get() would make three requests.
bool get_if_set(c10d::Store& store, const std::string& key, std::vector<uint8_t>& value) {
  static const std::vector<uint8_t> kNotSet{'?'};
  value = store.compareSet(key, kNotSet, kNotSet);
  return value != kNotSet;
}

bool is_tcp(c10d::Store& store) {
  if (auto* const prefixed = dynamic_cast<c10d::PrefixStore*>(&store)) {
    return is_tcp(*prefixed->getUnderlyingNonPrefixStore());
  }
  return dynamic_cast<c10d::TCPStore*>(&store) != nullptr;
}

int set(void* context, const char* key, const void* value, size_t bytes, char* message) {
  try {
    const auto* from = static_cast<const uint8_t*>(value);
    static_cast<CallbackState*>(context)->store.set(key, std::vector<uint8_t>(from, from + bytes));
    return ANYCCL_STORE_OK;
  } catch (const std::exception& failure) {
    write_message(failure.what(), message);
    return kFailed;
  }
}

int get(
    void* context, const char* key, int64_t timeout_ms, void* value, size_t capacity, size_t* bytes, char* message) {
  using Clock = std::chrono::steady_clock;
  auto& state = *static_cast<CallbackState*>(context);
  const auto timeout = std::chrono::milliseconds(std::max<int64_t>(timeout_ms, 1));
  const auto begin = Clock::now();
  try {
    std::vector<uint8_t> got;
    if (!is_tcp(state.store)) {
      state.store.wait({key}, timeout);
      got = state.store.get(key);
    } else if (!ask_until(begin + timeout, state.ranks, [&] { return get_if_set(state.store, key, got); })) {
      write_message("the key is not set", message);
      return ANYCCL_STORE_TIMEOUT;
    }
    if (got.size() > capacity) {
      write_message("the value of a key is longer than any that anyccl sets", message);
      return kFailed;
    }
    std::memcpy(value, got.data(), got.size());
    *bytes = got.size();
    return ANYCCL_STORE_OK;
  } catch (const pybind11::error_already_set&) {
    state.interrupt = std::current_exception();
    write_message("interrupted by an exception of Python", message);
    return kFailed;
  } catch (const std::exception& failure) {
    write_message(failure.what(), message);
    // Each kind of store reports a time-out by another exception, so the clock decides.
    return Clock::now() - begin >= timeout ? ANYCCL_STORE_TIMEOUT : kFailed;
  }
}

}  // namespace

bool wait_for_keys(
    c10d::Store& store, const std::vector<std::string>& keys, std::chrono::steady_clock::time_point end, size_t ranks) {
  return ask_until(end, ranks, [&] { return store.check(keys); });
}

anyccl_comm_t join(c10d::Store& store, int rank, int size, const anyccl_config_t& config, const std::string& name) {
  CallbackState state{store, static_cast<size_t>(size)};
  anyccl_store_t callbacks = ANYCCL_STORE_INIT;
  callbacks.context = &state;
  callbacks.set = set;
  callbacks.get = get;
  anyccl_comm_t comm = ANYCCL_COMM_NONE;
  const WithoutInterpreter unlocked;
  const anyccl_status_t status = anyccl_comm_create_with_store(&callbacks, size, rank, &config, &comm);
  if (state.interrupt) {
    std::rethrow_exception(state.interrupt);
  }
  check(status, "making the group \"" + name + "\"");
  return comm;
}

}  // namespace anyccl_torch
