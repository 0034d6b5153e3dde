#include "process.hpp"

#include <pthread.h>

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

}  // namespace anyccl_torch
