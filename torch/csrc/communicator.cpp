#include "communicator.hpp"

#include <exception>

#include "background.hpp"
#include "ends.hpp"
#include "errors.hpp"

namespace anyccl_torch {
namespace {

// Ends a communicator whose program is told of different calls. The library returns them only if no call has.
void destroy_and_note(anyccl_comm_t comm, const std::string& name) {
  const anyccl_status_t status = anyccl_comm_destroy(comm);
  // Any other failure is in the log.
  note_end_over(
      status == ANYCCL_ERR_MISMATCH ? to_exception(status, sentence("the end of the group \"" + name + "\""))
                                    : nullptr);
}

}  // namespace

int64_t timeout_ms(std::chrono::milliseconds timeout) {
  return timeout.count() > 0 ? timeout.count() : ANYCCL_TIMEOUT_NEVER;
}

Communicator::Communicator(anyccl_comm_t comm, std::string name, std::chrono::milliseconds timeout)
    : comm_(comm), name_(std::move(name)), timeout_(timeout) {
  note_group();
}

Communicator::~Communicator() {
  if (!birthplace_.is_here()) {
    return;
  }
  if (is_left_) {
    note_end_begun();
    try {
      run_in_background([comm = comm_, name = name_] { destroy_and_note(comm, name); });
    } catch (const std::exception&) {
      // No thread could be made, or there is no memory for one.
      destroy_and_note(comm_, name_);
    }
    return;
  }
  note_group_left();
  try {
    if (failure() == ANYCCL_SUCCESS) {
      // A failure is in the log; no caller is left to be told.
      run_in_background([comm = comm_] { (void)anyccl_comm_destroy(comm); });
      return;
    }
  } catch (const std::exception&) {
    // The same: destroy it here.
  }
  (void)anyccl_comm_destroy(comm_);
}

bool Communicator::leave() {
  if (!birthplace_.is_here()) {
    return false;
  }
  is_left_ = true;
  return note_group_left();
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
