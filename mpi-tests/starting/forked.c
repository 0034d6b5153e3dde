/* Children of a rank, forked while a call is under way. A child exits as a program of mpi4py does, or calls MPI. The parent prints how
 * its children have ended. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

/* Forks a child that runs `body` and exits. Returns its status. */
static int status_of_child(void (*body)(void))
{
    int status = -1;
    const pid_t child = fork();
    if (child == 0) {
        body();
        exit(0);
    }
    waitpid(child, &status, 0);
    return status;
}

static void finalize_unless_finalized(void)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (!finalized)
        MPI_Finalize();
}

static void call(void)
{
    MPI_Barrier(MPI_COMM_WORLD);
}

static void finalize(void)
{
    MPI_Finalize();
}

static void end_the_job(void)
{
    MPI_Abort(MPI_COMM_WORLD, 9);
}

int main(void)
{
    int rank, one = 1, sum = 0;
    MPI_Request request;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int round = 0; round < 20; round++) {
        MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
        const int left = status_of_child(finalize_unless_finalized);
        const int called = status_of_child(call);
        const int finalized = status_of_child(finalize);
        const int aborted = status_of_child(end_the_job);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        if (left != 0 || !WIFEXITED(called) || !WEXITSTATUS(called) || !WIFEXITED(finalized) ||
            !WEXITSTATUS(finalized) || !WIFEXITED(aborted) || WEXITSTATUS(aborted) != 9)
            printf("rank %d: children ended with %x %x %x %x\n", rank, left, called, finalized, aborted);
    }
    printf("rank %d has %d\n", rank, sum);
    return MPI_Finalize();
}
