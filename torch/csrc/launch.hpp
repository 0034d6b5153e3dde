// Turns a call of torch into a call of the library: run to its end here, or started and looked after.
//
// A call becomes one blocking call of the library if its caller waits for it, it has no time-out of its own,
// and no bracket is open. Calls without a blocking form, such as messages, are started. In the thread that
// handles signals a call is started too, and waited for in slices, so that Ctrl-C ends the wait.
//
// A call with tensors on a GPU is enqueued on a stream (device.hpp). No thread waits for it.
#pragma once

#include <type_traits>

#include "backend.hpp"
#include "errors.hpp"
#include "process.hpp"

#include <c10/core/StreamGuard.h>

namespace anyccl_torch {

template <auto Starting, typename... Args>
AnycclBackend::WorkPtr AnycclBackend::enqueue(
    const c10::intrusive_ptr<AnycclWork>& work, Call&& call, bool is_bracket, Args... args) {
  check_driver();
  const auto comm = this->comm();
  const c10::Device device = *call.buffers.gpu();
  const c10::Stream current = c10::impl::VirtualGuardImpl(device.type()).getStream(device);
  const c10::Stream stream = call.is_async || is_bracket ? streams_.of(device, call.lane) : current;
  order(current, stream);
  call.buffers.record(stream);
  const bool has_own_timeout = call.timeout.count() >= 0 && call.timeout != comm->timeout();
  anyccl_request_t request = ANYCCL_REQUEST_NULL;
  const anyccl_status_t status = comm->start_on(
      native_handle(stream), has_own_timeout ? std::make_optional(call.timeout) : std::nullopt,
      [&] { return Starting(args..., comm->get(), &request); });
  if (status != ANYCCL_SUCCESS) {
    check(is_bracket || was_refused(status) ? status : ANYCCL_SUCCESS, work->name());
    work->take();
    return finished(work, status);
  }
  {
    const c10::StreamGuard guard(stream);
    call.buffers.copy_back();
  }
  work->keep(std::move(call.buffers));
  work->add_enqueued(request, stream);
  if (call.lane.kind == Lane::kReceives && call.lane.peer == ANYCCL_ANY_SOURCE) {
    // torch asks for the source after wait().
    work->set_waited_for_by_host();
  }
  if (has_own_timeout && !is_bracket) {
    work->set_timeout(call.timeout);
  }
  if (!is_bracket) {
    look_after(work);
  }
  return work;
}

template <auto Starting, typename... Args>
AnycclBackend::WorkPtr AnycclBackend::estimate(Call&& call, Args... args) {
  const auto comm = this->comm();
  const auto work = new_work(comm, std::move(call.description));
  if (call.buffers.gpu()) {
    note_without_estimate();
  } else {
    anyccl_request_t request = ANYCCL_REQUEST_NULL;
    const anyccl_status_t status = Starting(args..., comm->get(), &request);
    if (status != ANYCCL_SUCCESS) {
      const auto refusal = to_exception(status, sentence(work->name()));
      abandon_estimate();
      std::rethrow_exception(refusal);
    }
    check(anyccl_wait(&request), work->name());
  }
  work->take();
  return finished(work, ANYCCL_SUCCESS);
}

template <auto Blocking, auto Starting, typename... Args>
AnycclBackend::WorkPtr AnycclBackend::launch(Call&& call, Args... args) {
  if (is_estimating()) {
    return estimate<Starting>(std::move(call), args...);
  }
  const auto comm = this->comm();
  const anyccl_comm_t handle = comm->get();
  auto share = longer_.for_new_work();
  if (share.extra.count() > 0 && comm->timeout().count() > 0) {
    call.timeout = (call.timeout.count() >= 0 ? call.timeout : comm->timeout()) + share.extra;
  }
  const bool has_own_timeout = call.timeout.count() >= 0 && call.timeout != comm->timeout();
  const bool is_waited_for = !call.is_async && !has_own_timeout;
  last_call_.store(call.description.title, std::memory_order_relaxed);
  last_begin_.store(std::chrono::steady_clock::now().time_since_epoch().count(), std::memory_order_relaxed);
  const auto bracket = coalesced();
  // The work is made before the call, because the profiler measures from its construction.
  const auto work = bracket ? bracket : new_work(comm, std::move(call.description));
  if (!share.tokens.empty()) {
    work->keep(std::move(share.tokens));
  }
  if (call.buffers.gpu()) {
    return enqueue<Starting>(work, std::move(call), bracket != nullptr, args...);
  }
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
