#include "process.hpp"

#include <pthread.h>
#include <unistd.h>

namespace anyccl_torch {
namespace {

// Written by the only thread of a child, before fork() returns there.
uint64_t fork_count = 0;

const bool counting = pthread_atfork(nullptr, nullptr, [] { ++fork_count; }) == 0;

}  // namespace

uint64_t forks() {
  TORCH_CHECK(counting, "anyccl: there is no memory for a handler of fork()");
  return fork_count;
}

bool handles_signals() {
  // The main thread of a process. In a child of fork(), it is the thread that forked.
  thread_local uint64_t asked_in = 0;
  thread_local bool is_main = false;
  if (asked_in != forks() + 1) {
    is_main = gettid() == getpid();
    asked_in = forks() + 1;
  }
  return is_main && Py_IsInitialized();
}

void handle_signals() {
  const pybind11::gil_scoped_acquire locked;
  if (PyErr_CheckSignals() != 0) {
    throw pybind11::error_already_set();
  }
}

}  // namespace anyccl_torch
