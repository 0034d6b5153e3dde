// The threads that advance works which no thread waits for, and that complete their futures.
//
// The library has no thread of its own: an operation advances only inside calls. One thread at a time, the
// leader, makes these calls for all groups. It sleeps while there is nothing to do. If a new work arrives
// while the leader is inside the library, a message brings it back. The process sends it to itself, on a
// communicator of one rank. While the leader has no other work, it leaves a new one alone for a moment. A
// thread that waits for its work at once then brings it to its end itself. That saves a hand-over between
// processors.
//
// A callback of a future may wait for another work or its future, which may end only if there is a leader. So
// a leader gives up its role before it completes a future that somebody has. Another thread then leads, as
// soon as there is anything to do: an idle one, or else a new one. So there is at most one thread more than
// there are callbacks that run. Futures are completed in the order in which their works ended. A callback
// that takes long does not delay the next one.
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
  // Returns the instance of this process. A child of fork() gets a new one, and the one of its parent is left
  // alone.
  static Progress& here();

  // Takes over a work that has started. Its requests belong to the leader from now on, unless another thread
  // takes the work first.
  void look_after(c10::intrusive_ptr<AnycclWork> work);
  // Ends the threads, while there is still an interpreter. Works under way get 500 ms. Those that have not
  // ended then stay as they are. Waits at most `at_most` for callbacks.
  void stop(std::chrono::milliseconds at_most);

 private:
  using Works = std::vector<c10::intrusive_ptr<AnycclWork>>;
  using Lock = std::unique_lock<std::mutex>;

  // Body of each thread.
  void run();
  // Leads until works have ended whose futures are to be completed, and returns these works. Empty: the
  // process is ending.
  Works lead();
  // Wakes an idle thread, or makes a new one.
  void wake_or_start_thread();
  bool has_work() const { return !ended_.empty() || (!has_leader_ && !(works_.empty() && arrivals_.empty())); }

  // Takes over the works that have arrived. Waits for one if the leader has none. False: the process is
  // ending.
  bool receive();
  // Waits until a work may have ended. Returns the works that have ended and whose futures somebody has.
  Works advance();
  // Advances the remaining works for a last time, at the end of the process.
  void advance_at_exit();
  // Makes the communicator of one rank.
  void open_doorbell();
  // Brings the leader back out of the library.
  void ring();

  std::mutex mutex_;
  std::condition_variable arrived_;
  Works arrivals_;
  bool in_library_ = false;
  bool is_asleep_ = false;
  bool stopping_ = false;
  bool has_leader_ = false;
  // Works that have ended and whose futures are still to be completed.
  std::deque<c10::intrusive_ptr<AnycclWork>> ended_;
  std::condition_variable help_;
  size_t threads_ = 0;
  size_t idle_ = 0;
  std::condition_variable thread_ended_;
  // Works of the leader. Other threads read the list only while there is no leader.
  Works works_;
  int naps_ = 0;
  anyccl_comm_t doorbell_comm_ = ANYCCL_COMM_NONE;
  anyccl_request_t doorbell_ = ANYCCL_REQUEST_NULL;
  char rung_ = 0;
};

}  // namespace anyccl_torch
