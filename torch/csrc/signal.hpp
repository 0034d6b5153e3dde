// Waiting for a word in shared memory that another rank changes.
//
// A thread looks at the word for some microseconds, then sleeps (futex) until the word changes. Before it sleeps,
// it counts itself in the header of the block; the rank that changes the word wakes it only then. So a change
// costs no system call while nobody sleeps.
//
// A sleeper wakes up every few milliseconds, for what no word tells: an abort, the death of the other rank, the
// end of its time, and Ctrl-C.
#pragma once

#include <chrono>
#include <exception>
#include <memory>
#include <string>

#include <c10/util/FunctionRef.h>

#include "communicator.hpp"
#include "shared_block.hpp"

namespace anyccl_torch {

// A word on which ranks wait, and the count of those that sleep until it changes.
struct Word {
  SharedCount* value;
  SharedCount* sleepers;
};

// Whom a thread waits for, and how long.
struct Patience {
  std::weak_ptr<Communicator> comm;
  int peer;
  // Less than 0: the limit of the group. 0: without end.
  std::chrono::milliseconds limit;
  // Begins the message of an error: "wait_signal from rank 1".
  std::string purpose;
};

// Asks the engine about the group, and lets it make progress. Returns the exception if a wait that began at `begin`
// is to end, else nullptr.
std::exception_ptr failure_of(const Patience& patience, std::chrono::steady_clock::time_point begin);

// Wakes the threads that sleep until the word changes. To be called after a change.
void wake(const Word& word);

// How often to try before a thread sleeps, where `ranks` ranks share the cores of this process.
int attempts_for(int ranks);

// Lets the other thread of a core run, for some tens of nanoseconds.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Tries up to `attempts` times. Returns whether an attempt has returned true.
template <typename Attempt>
bool spin(int attempts, Attempt attempt) {
  for (; attempts > 0; --attempts) {
    if (attempt()) {
      return true;
    }
    relax();
  }
  return false;
}

// Returns when `attempt` has returned true. It is called when the word has changed, and now and then. Throws if the
// group fails, if it is destroyed, and when the time is over; a last attempt comes before that.
void sleep_until(const Word& word, c10::function_ref<bool()> attempt, const Patience& patience);

}  // namespace anyccl_torch
