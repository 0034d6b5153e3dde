// How a call becomes a call of the library: run to its end here, or started and looked after.
#pragma once

#include "backend.hpp"
#include "errors.hpp"
#include "process.hpp"

namespace anyccl_torch {

template <auto Blocking, auto Starting, typename... Args>
AnycclBackend::WorkPtr AnycclBackend::launch(Call&& call, Args... args) {
  const auto comm = this->comm();
  const anyccl_comm_t handle = comm->get();
  const bool has_own_timeout = call.timeout.count() >= 0 && call.timeout != comm->timeout();
  if (!call.is_async && !coalesced_ && !has_own_timeout) {
    const WithoutInterpreter unlocked;
    const anyccl_status_t status = Blocking(args..., handle);
    return finished(std::move(call), comm, status);
  }
  anyccl_request_t request = ANYCCL_REQUEST_NULL;
  const auto start = [&] { return Starting(args..., handle, &request); };
  // The library takes the time-out of the communicator as it is now.
  const anyccl_status_t status = has_own_timeout ? comm->start_with(call.timeout, start) : start();
  if (status != ANYCCL_SUCCESS) {
    return finished(std::move(call), comm, status);
  }
  return begin(std::move(call), comm, request);
}

}  // namespace anyccl_torch
