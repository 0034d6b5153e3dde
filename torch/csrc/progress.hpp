// The thread that moves works on which nobody waits for.
//
// The library has no thread of its own: an operation moves inside calls. One thread per process makes these calls, for
// all groups; it sleeps while there is nothing to do. A message to itself, in a communicator of one rank, brings it back
// out of the library when there is a new work. It leaves a new work alone for a moment: a thread that waits for its work
// at once brings that to its end itself, which saves a hand-over between processors.
#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "work.hpp"

namespace anyccl_torch {

class Progress {
 public:
  // That of this process. A child of fork gets a new one; what its parent had is left alone.
  static Progress& here();

  // A work that has begun. Its requests belong to the thread from now on, unless somebody takes the work first.
  void look_after(c10::intrusive_ptr<AnycclWork> work);
  // At the end of the process, while there still is an interpreter: works that have not ended stay as they are.
  void stop();

 private:
  using Works = std::vector<c10::intrusive_ptr<AnycclWork>>;

  void run();
  // New works; waits for one if there are no others. False: the thread is to end.
  bool receive(Works& works);
  void move_on(Works& works);
  void open_bell();
  void ring();

  std::mutex mutex_;
  std::condition_variable news_;
  Works arrivals_;
  bool in_library_ = false;
  bool is_asleep_ = false;
  int naps_ = 0;
  bool stopping_ = false;
  std::thread thread_;
  // Of the thread.
  anyccl_comm_t bell_comm_ = ANYCCL_COMM_NONE;
  anyccl_request_t bell_ = ANYCCL_REQUEST_NULL;
  char rung_ = 0;
};

}  // namespace anyccl_torch
