/* Calls whose blocks differ in length, neighbours and scans: what comes out is compared with what was put in. */
#ifndef UNEQUAL_CALLS_H
#define UNEQUAL_CALLS_H

#include "harness.h"

enum { MOST_RANKS = 8 };

/* Makes each of them on every rank, blocking and started. Ends the process when an element is wrong. */
void try_all_unequal(const struct harness *harness);

#endif
