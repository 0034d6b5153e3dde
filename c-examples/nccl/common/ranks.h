/* One process per rank, on this host. The first process starts the others and gives them the id of the
 * communicator.
 *
 * Programs that run on several hosts leave this to MPI or another launcher: one rank calls
 * ncclGetUniqueId, and the launcher gives the bytes to all ranks. */
#ifndef RANKS_H
#define RANKS_H

#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nccl.h>

/* Ends the process with the reason when a call has failed. */
#define NCCL_CHECK(call)                                                                                               \
    do {                                                                                                               \
        ncclResult_t result_ = (call);                                                                                 \
        if (result_ != ncclSuccess) {                                                                                  \
            fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, ncclGetErrorString(result_),                        \
                    ncclGetLastError(NULL));                                                                           \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

#define SYSTEM_CHECK(condition)                                                                                        \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            perror(#condition);                                                                                        \
            exit(EXIT_FAILURE);                                                                                        \
        }                                                                                                              \
    } while (0)

/* Forks into `size` processes. Returns the rank of the calling process in each of them. */
static int start_ranks(int size, ncclUniqueId *id)
{
    int *pipes = malloc(sizeof(int) * 2 * (size_t)size);
    SYSTEM_CHECK(pipes != NULL);
    for (int rank = 1; rank < size; rank++) {
        SYSTEM_CHECK(pipe(&pipes[2 * rank]) == 0);
        pid_t child = fork();
        SYSTEM_CHECK(child >= 0);
        if (child == 0) {
            SYSTEM_CHECK(read(pipes[2 * rank], id, sizeof *id) == (ssize_t)sizeof *id);
            free(pipes);
            return rank;
        }
    }
    /* The first NCCL call comes after the forks: a library is best initialized in the process that uses it. */
    NCCL_CHECK(ncclGetUniqueId(id));
    for (int rank = 1; rank < size; rank++)
        SYSTEM_CHECK(write(pipes[2 * rank + 1], id, sizeof *id) == (ssize_t)sizeof *id);
    free(pipes);
    return 0;
}

/* Waits, on rank 0, for the other processes. Returns the exit status of the program. */
static int end_ranks(int rank, int size)
{
    int outcome = EXIT_SUCCESS;
    for (int others = size - 1; rank == 0 && others > 0; others--) {
        int status;
        SYSTEM_CHECK(wait(&status) > 0);
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            outcome = EXIT_FAILURE;
    }
    return outcome;
}

/* Number of ranks: the first argument, or 4. */
static int ranks_wanted(int argc, char **argv)
{
    int size = argc > 1 ? atoi(argv[1]) : 4;
    if (size < 1) {
        fprintf(stderr, "usage: %s [RANKS]\n", argv[0]);
        exit(EXIT_FAILURE);
    }
    return size;
}

#endif
