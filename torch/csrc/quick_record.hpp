// What makes the flight recorder write its record of a failure in milliseconds.
//
// To put names to stack traces the recorder imports torch's compiler, which is Python and takes seconds. Most processes end when
// a call has failed. A thread that is in Python when the interpreter ends is ended by it, in the middle of C++: the
// process dies by SIGABRT then. So traces are left out, unless the program asks for them by TORCH_INCLUDE_STACK_TRACE=1; then
// the end of the process waits for the record.
#pragma once

#include <c10/util/env.h>

#include "releases.hpp"

namespace anyccl_torch {

#if ANYCCL_TORCH_FROM(15)

// Of torch's own settings; read when a record begins.
constexpr const char* kStackTraces = "TORCH_INCLUDE_STACK_TRACE";

// Whether the program has said that it wants traces.
inline bool wants_stack_traces() {
  const auto value = c10::utils::get_env(kStackTraces);
  return value && *value != "0";
}

// As long as it is there records are without traces, if the program has not said anything about them.
class QuickRecord {
 public:
  QuickRecord() : sets_(!c10::utils::has_env(kStackTraces)) {
    if (sets_) {
      c10::utils::set_env(kStackTraces, "0");
    }
  }
  ~QuickRecord() {
    if (sets_) {
      c10::utils::unset_env(kStackTraces);
    }
  }
  QuickRecord(const QuickRecord&) = delete;
  QuickRecord& operator=(const QuickRecord&) = delete;

 private:
  const bool sets_;
};

#else

inline bool wants_stack_traces() { return false; }

#endif

}  // namespace anyccl_torch
