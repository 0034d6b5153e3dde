/* Ranks as threads of one process. */
#ifndef RANKS_H
#define RANKS_H

#include "harness.h"

/* Time-out of a test. It is long enough for a slow machine under valgrind. A test that hangs fails by it. */
enum { PATIENCE_MS = 60000 };

/* Runs `body` on `size` threads, each with a communicator of its own that names the same ranks. `body` may
 * destroy the communicator itself and set harness->comm to NULL. Returns when all have ended. */
void run_ranks(int size, int timeout_ms, void (*body)(struct harness *harness, void *shared), void *shared);

#endif
