// What concerns the whole process: fork, and the interpreter's lock.
//
// A child of fork() has none of its parent's threads, and the library refuses what the parent made. So the state of this
// extension begins anew there: each object remembers in which process it was made, and does nothing elsewhere.
#pragma once

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

}  // namespace anyccl_torch
