#include "communicator.hpp"

#include <system_error>

#include "background.hpp"
#include "errors.hpp"

namespace anyccl_torch {

int64_t timeout_ms(std::chrono::milliseconds timeout) {
  return timeout.count() > 0 ? timeout.count() : ANYCCL_TIMEOUT_NEVER;
}

Communicator::Communicator(anyccl_comm_t comm, std::string name, std::chrono::milliseconds timeout)
    : comm_(comm), name_(std::move(name)), timeout_(timeout) {}

Communicator::~Communicator() {
  if (!birthplace_.is_here()) {
    return;
  }
  try {
    if (failure() == ANYCCL_SUCCESS) {
      // A failure is in the log; no caller is left to be told.
      run_in_background([comm = comm_] { (void)anyccl_comm_destroy(comm); });
      return;
    }
  } catch (const std::system_error&) {
    // No thread could be made: destroy it here.
  }
  (void)anyccl_comm_destroy(comm_);
}

anyccl_comm_t Communicator::get() const {
  TORCH_CHECK(
      birthplace_.is_here(), "anyccl: the group \"", name_,
      "\" was made before fork(), and only its own process can use it; make a new one in the child");
  return comm_;
}

void Communicator::apply(std::chrono::milliseconds timeout) {
  check(anyccl_comm_set_timeout(get(), timeout_ms(timeout)), "setting a timeout");
}

void Communicator::set_stream(void* stream) { check(anyccl_comm_set_stream(get(), stream), "setting a stream"); }

void Communicator::set_timeout(std::chrono::milliseconds timeout) {
  const std::lock_guard<std::mutex> lock(timeout_mutex_);
  apply(timeout);
  timeout_ = timeout;
}

void Communicator::abort() noexcept {
  if (birthplace_.is_here()) {
    (void)anyccl_comm_abort(comm_);
  }
}

anyccl_status_t Communicator::failure() const noexcept {
  return birthplace_.is_here() ? anyccl_comm_failure(comm_) : ANYCCL_ERR_INVALID_USAGE;
}

}  // namespace anyccl_torch
