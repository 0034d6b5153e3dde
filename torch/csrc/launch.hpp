// Turns a call of torch into a call of the library: run to its end here, or started and looked after.
//
// A call becomes one blocking call of the library if its caller waits for it, it has no time-out of its own,
// and no bracket is open. Calls without a blocking form, such as messages, are started. In the thread that
// handles signals a call is started too, and waited for in slices, so that Ctrl-C ends the wait.
#pragma once

#include <type_traits>

#include "backend.hpp"
#include "errors.hpp"
#include "process.hpp"

namespace anyccl_torch {

template <auto Blocking, auto Starting, typename... Args>
AnycclBackend::WorkPtr AnycclBackend::launch(Call&& call, Args... args) {
  const auto comm = this->comm();
  const anyccl_comm_t handle = comm->get();
  const bool has_own_timeout = call.timeout.count() >= 0 && call.timeout != comm->timeout();
  const bool is_waited_for = !call.is_async && !has_own_timeout;
  const auto bracket = coalesced();
  // The work is made before the call, because the profiler measures from its construction.
  const auto work = bracket ? bracket : new_work(comm, std::move(call.description));
  work->keep(std::move(call.buffers));
  if constexpr (!std::is_null_pointer_v<decltype(Blocking)>) {
    if (is_waited_for && !bracket && !handles_signals()) {
      work->take();
      const WithoutInterpreter unlocked;
      return finished(work, Blocking(args..., handle));
    }
  }
  anyccl_request_t request = ANYCCL_REQUEST_NULL;
  const auto start = [&] { return Starting(args..., handle, &request); };
  // The library reads the time-out of the communicator when the call starts.
  const anyccl_status_t status = has_own_timeout ? comm->start_with(call.timeout, start) : start();
  if (bracket) {
    // A work of several calls cannot report that one of them did not start, so that is thrown.
    check(status, work->name());
    work->add(request);
    return work;
  }
  if (status != ANYCCL_SUCCESS) {
    work->take();
    return finished(work, status);
  }
  work->add(request);
  if (has_own_timeout) {
    work->set_timeout(call.timeout);
  }
  if (call.is_async) {
    look_after(work);
  } else {
    work->wait();
  }
  return work;
}

}  // namespace anyccl_torch
