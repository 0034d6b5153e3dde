// What concerns the whole process: fork, the interpreter's lock, and signals.
//
// A child of fork() has none of its parent's threads, and the library refuses what the parent made. So the
// state of this extension begins anew in a child. Each object remembers in which process it was made, and
// does not work elsewhere.
//
// Python runs the handlers of signals in its main thread, between two of its instructions. A call of this
// extension that blocks there returns to Python now and then, so that Ctrl-C ends it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

#include <torch/csrc/utils/pybind.h>

namespace anyccl_torch {

// Number of forks between the process that loaded the extension and this one.
uint64_t forks();

// The process in which an object was made.
class Birthplace {
 public:
  Birthplace() : forks_(forks()) {}
  bool is_here() const { return forks_ == forks(); }

 private:
  uint64_t forks_;
};

// A value of each process. A child of fork() begins with a new one: another thread of its parent may have held a lock
// of the old one, or changed it. Never freed, as other threads may use it while the process ends.
template <typename Value>
class PerProcess {
 public:
  Value& here() {
    Entry* entry = entry_.load(std::memory_order_acquire);
    if (entry == nullptr || entry->process != forks()) {
      auto* const made = new Entry{forks(), {}};
      if (entry_.compare_exchange_strong(entry, made, std::memory_order_acq_rel)) {
        entry = made;
      } else {
        delete made;
      }
    }
    return entry->value;
  }

 private:
  struct Entry {
    uint64_t process;
    Value value;
  };
  std::atomic<Entry*> entry_{nullptr};
};

// Releases the interpreter's lock, if this thread holds it, until this object is destroyed.
class WithoutInterpreter {
 public:
  WithoutInterpreter() {
    if (Py_IsInitialized() && PyGILState_Check()) {
      released_.emplace();
    }
  }

 private:
  std::optional<pybind11::gil_scoped_release> released_;
};

// Longest time that the thread which handles signals blocks without handling them.
constexpr std::chrono::milliseconds kBetweenSignals{100};

// Whether Python handles signals in this thread.
bool handles_signals();

// Runs Python's handlers of the signals that have arrived. Throws the exception that a handler raises, such
// as KeyboardInterrupt for Ctrl-C. To be called only in the thread that handles signals.
void handle_signals();

}  // namespace anyccl_torch
