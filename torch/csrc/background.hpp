// Threads for what must not hold anybody up: ranks that part, hooks that write files.
#pragma once

#include <chrono>
#include <functional>

namespace anyccl_torch {

// Runs a task on a thread of its own. Throws std::system_error when there can be no more threads.
void run_in_background(std::function<void()> task);

// Gives those that run some time to end. At the end of the process.
void wait_for_background(std::chrono::milliseconds at_most);

}  // namespace anyccl_torch
