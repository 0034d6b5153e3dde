// Tensors on a GPU: the streams of their calls, and events between these.
//
// Only torch's interfaces for any kind of device are used, so the extension is built with a torch without
// CUDA, too. Such a torch has no tensor on a GPU, and nothing of this file is called.
//
// A call that its caller waits for is enqueued on the caller's current stream. Any other call gets a stream
// of the backend, so that it overlaps with what the caller enqueues next. That stream first waits for an event
// of the current one, and the work's wait() makes the then current stream wait for an event after the call.
#pragma once

#include <map>
#include <mutex>
#include <tuple>

#include <c10/core/Event.h>
#include <c10/core/Stream.h>
#include <c10/core/impl/VirtualGuardImpl.h>

namespace anyccl_torch {

// Loads the CUDA driver, if this torch has CUDA and the machine has a driver. The library looks for it when it
// makes a communicator. Nothing is initialised.
void load_driver();

// Throws unless the process has the CUDA driver.
void check_driver();

// The stream as a CUstream.
void* native_handle(const c10::Stream& stream);

// Makes `later` wait for what `earlier` has been given so far.
void order(const c10::Stream& earlier, const c10::Stream& later);

// The order to which a call belongs. Calls of different lanes do not wait for each other: a receive holds up
// its stream until the message is there.
struct Lane {
  enum Kind { kCollectives, kSends, kReceives };

  Kind kind = kCollectives;
  // Rank of the other side of a message.
  int peer = -1;
};

// The streams of a backend, one per device and lane.
class DeviceStreams {
 public:
  c10::Stream of(const c10::Device& device, const Lane& lane);

 private:
  std::mutex mutex_;
  std::map<std::tuple<c10::DeviceIndex, Lane::Kind, int>, c10::Stream> streams_;
};

}  // namespace anyccl_torch
