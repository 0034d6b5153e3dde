/* Tests of calls with unequal blocks, of neighbours, and of scans, against the input of the ranks. */
#ifndef UNEQUAL_CALLS_H
#define UNEQUAL_CALLS_H

#include "harness.h"

enum { MOST_RANKS = 8 };

/* Makes each call, blocking and nonblocking; every rank must do so. Ends the process if an element is wrong. */
void try_all_unequal(const struct harness *harness);

#endif
