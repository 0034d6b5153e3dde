// Threads for tasks that must not delay a caller: destroying communicators, and hooks that write files.
#pragma once

#include <chrono>
#include <functional>

namespace anyccl_torch {

// Runs a task on a thread of its own. Throws std::system_error if no thread can be made.
void run_in_background(std::function<void()> task);

// Waits until all tasks have ended, but at most `at_most`. For the end of the process.
void wait_for_background(std::chrono::milliseconds at_most);

}  // namespace anyccl_torch
