// What concerns the whole process: fork, the interpreter's lock, and signals.
//
// A child of fork() has none of its parent's threads, and the library refuses what the parent made. So the state of this
// extension begins anew there: each object remembers in which process it was made, and does nothing elsewhere.
//
// Python runs the handlers of signals in its main thread, between two of its instructions. A call of this extension that
// blocks there comes back to Python every now and then, so that Ctrl-C ends it.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include <torch/csrc/utils/pybind.h>

namespace anyccl_torch {

// How many forks lie between this process and the one that loaded the extension.
uint64_t forks();

// The process that something was made in.
class Birthplace {
 public:
  Birthplace() : forks_(forks()) {}
  bool is_here() const { return forks_ == forks(); }

 private:
  uint64_t forks_;
};

// Gives up the interpreter's lock, if this thread has it, for as long as it may block.
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

// The longest time that the thread which handles signals blocks without handling them.
constexpr std::chrono::milliseconds kBetweenSignals{100};

// Whether Python handles signals in this thread.
bool handles_signals();

// Runs Python's handlers of the signals that have come. Throws the exception that one of them raises: KeyboardInterrupt, for
// Ctrl-C. Only in the thread that handles signals.
void handle_signals();

}  // namespace anyccl_torch
