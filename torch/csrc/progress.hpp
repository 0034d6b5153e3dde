// The threads that move works on which nobody waits for, and that complete their futures.
//
// The library has no thread of its own: an operation moves inside calls. One thread at a time makes these calls, for all
// groups: the leader. It sleeps while there is nothing to do. A message to itself, in a communicator of one rank, brings it
// back out of the library when there is a new work. While the leader has no other work, it leaves a new one alone for a moment.
// A thread that waits for its work at once brings that to its end itself. That saves a hand-over between processors.
//
// A callback of a future may wait for another work or its future, and only the leader completes those. So a leader gives up
// its role before it completes a future that somebody has. Another thread leads on if there is anything to do, or as soon
// as there is; it is made then, unless one is idle. So there are as many threads as callbacks that wait, and one.
// Futures are completed in the order in which their works ended; a callback that lasts does not hold up the next.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <vector>

#include "work.hpp"

namespace anyccl_torch {

class Progress {
 public:
  // That of this process. A child of fork gets a new one; what its parent had is left alone.
  static Progress& here();

  // A work that has begun. Its requests belong to the leader from now on, unless somebody takes the work first.
  void look_after(c10::intrusive_ptr<AnycclWork> work);
  // Ends the threads at the end of the process, while there still is an interpreter. Works under way get 500 ms; those that
  // have not ended then stay as they are. Waits at most `at_most` for callbacks.
  void stop(std::chrono::milliseconds at_most);

 private:
  using Works = std::vector<c10::intrusive_ptr<AnycclWork>>;
  using Lock = std::unique_lock<std::mutex>;

  // What a thread does from its beginning to its end.
  void run();
  // As the leader, until works have ended whose futures are to be completed: those.
  Works lead();
  // Wakes a thread that is idle, or makes one.
  void call_for_help();
  bool has_work() const { return !ended_.empty() || (!has_leader_ && !(works_.empty() && arrivals_.empty())); }

  // New works; waits for one if there are no others. False: the leader is to end.
  bool receive();
  Works move_on();
  void make_last_moves();
  void open_doorbell();
  void ring();

  std::mutex mutex_;
  std::condition_variable arrived_;
  Works arrivals_;
  bool in_library_ = false;
  bool is_asleep_ = false;
  bool stopping_ = false;
  bool has_leader_ = false;
  // Works that have ended, and whose futures have not been completed.
  std::deque<c10::intrusive_ptr<AnycclWork>> ended_;
  std::condition_variable help_;
  size_t threads_ = 0;
  size_t idle_ = 0;
  std::condition_variable thread_ended_;
  // Of the leader; read by others while there is none.
  Works works_;
  int naps_ = 0;
  anyccl_comm_t doorbell_comm_ = ANYCCL_COMM_NONE;
  anyccl_request_t doorbell_ = ANYCCL_REQUEST_NULL;
  char rung_ = 0;
};

}  // namespace anyccl_torch
