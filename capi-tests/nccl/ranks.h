/* Ranks as processes, as threads, or as processes of several threads each. */
#ifndef RANKS_H
#define RANKS_H

#include <nccl.h>

/* One rank. */
struct harness {
    ncclComm_t comm;
    int rank, size;
};

/* Numbers of processes and of threads in each. Either number may be 1. */
struct spread {
    int processes, threads;
};

/* Reads the two numbers from the command line. */
struct spread spread_from(int argc, char **argv);

/* Makes an id for processes that this one forks later. This process serves it to them. With AddressSanitizer, a process
 * beside it does, until this one ends. */
void make_id(ncclUniqueId *id);

/* Runs `body` once per rank, with a communicator of all. The ranks of a job of one process get it by
 * ncclCommInitAll, and one thread destroys them one after the other. Ends the process when a rank has
 * failed. */
void run_ranks(struct spread spread, void (*body)(struct harness *harness));

#endif
