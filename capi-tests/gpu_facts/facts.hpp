// The groups of measurements, one per file.
#pragma once

#include <cstddef>

#include "driver.hpp"

// Prints device and driver, and how long the driver takes to compile the kernels: first, and again. `ptx` is their text.
void kernels_load(const Driver &driver, const char *ptx);

// Prints the rate at which one kernel sums `bytes` each of 2, 4 and 8 buffers into as many.
void kernels_run(const Driver &driver, const char *ptx, std::size_t bytes);

// Prints how long a value takes from stream to stream: in one process, and between two.
void values_between_streams(const Driver &driver, int rounds);
void values_between_processes(const Driver &driver, int rounds);

// Prints what it costs to map memory of another process, and whether that and other calls wait for a stream that
// waits for a value.
void mapping(const Driver &driver);

// Prints what a stream that waits for a value holds up on other streams and in other threads.
void beside_waiting_streams(const Driver &driver, const char *ptx);

// Prints how many streams with work behind a wait hold up another one.
void hardware_queues(const Driver &driver, const char *ptx);

// The other processes of values_between_processes and of mapping.
int peer_of_values(int rounds);
int peer_of_mapping();
