// Makes the flight recorder write its record of a failure in milliseconds.
//
// To put names to stack traces, the recorder imports torch's compiler, which is Python and takes seconds.
// Most processes end soon after a call has failed. If the interpreter ends while a thread runs Python, that
// thread is ended in the middle of C++, and the process dies by SIGABRT. So records are made without traces,
// unless the program asks for traces by TORCH_INCLUDE_STACK_TRACE=1. Then the end of the process waits for
// the record.
#pragma once

#include <c10/util/env.h>

#include "releases.hpp"

namespace anyccl_torch {

#if ANYCCL_TORCH_FROM(15)

// Variable of torch that decides whether records have stack traces. torch reads it when a record begins.
constexpr const char* kStackTraces = "TORCH_INCLUDE_STACK_TRACE";

// Whether the program asks for traces.
inline bool wants_stack_traces() {
  const auto value = c10::utils::get_env(kStackTraces);
  return value && *value != "0";
}

// While this object exists, records have no traces, unless the program has set the variable.
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
