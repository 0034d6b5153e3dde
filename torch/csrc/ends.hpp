// Ends of groups that the program has destroyed, and what the ranks found there.
//
// A group ends in the background, because ranks may destroy groups in any order. At its end, the ranks compare the
// calls that they have made. So a program can learn only there that, for example, every rank took itself for the root
// of a broadcast. The program is told when it destroys its last group: that waits for the ends of all groups that
// were destroyed. All ranks have then begun all ends, so none waits for another one in a circle.
//
// Only different calls are an error of the program, since its results are wrong. A rank that ended without destroying
// its groups is none.
#pragma once

#include <exception>

namespace anyccl_torch {

// Counts a group that the program uses.
void note_group();
// The program no longer uses a group. Returns whether it was the last one of this process.
bool note_group_left();

// Counts an end that begins.
void note_end_begun();
// Notes an end that is over, and what to tell the program, or nullptr.
void note_end_over(std::exception_ptr found);

// Waits until all ends that have begun are over. Throws what the first of them has found, and what a handler of signals
// throws.
void wait_for_ends();

}  // namespace anyccl_torch
