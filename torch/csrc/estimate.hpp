// Estimates of time: between startTimeEstimate() and endTimeEstimate() the calls of a thread are not made.
//
// torch's context manager leaves out endTimeEstimate() when its body throws. Calls after it would then be skipped
// silently. So an estimate ends, too, when the generator of the context manager has ended, or a call is refused.
#pragma once

namespace anyccl_torch {

void begin_estimate();
// Returns microseconds; a negative number if a call has no estimate, as NCCL's does.
float end_estimate();
// Ends the estimate of this thread without its result.
void abandon_estimate() noexcept;
// Whether this thread has an estimate open.
bool is_estimating();
// Notes a call that has no estimate.
void note_without_estimate();
// Throws if this thread has an estimate open: such a call has none.
void check_not_estimating(const char* name);

}  // namespace anyccl_torch
