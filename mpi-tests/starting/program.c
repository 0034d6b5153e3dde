/* A program for starting.py. Ranks pass a number around a ring, and the program ends as the first argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "well";
    int rank, size, got, last;

    if (!strcmp(how, "without-init")) {
        return 0;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (!strcmp(how, "which-program")) {
        int *number, found;
        MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_APPNUM, &number, &found);
        printf("rank %d is of program %d\n", rank, found ? *number : -1);
        return MPI_Finalize();
    }
    last = rank == size - 1;
    if (!strcmp(how, "abort") && last) {
        MPI_Abort(MPI_COMM_WORLD, 7);
    }
    if (!strcmp(how, "abort-on-self") && last) {
        MPI_Abort(MPI_COMM_SELF, 9);
    }
    if (!strcmp(how, "fatal") && last) {
        MPI_Send(&rank, 1, MPI_INT, size, 0, MPI_COMM_WORLD);
    }
    if (!strcmp(how, "returning")) {
        MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
        if (last) {
            MPI_Abort(MPI_COMM_WORLD, 11);
        }
    }
    if (!strcmp(how, "computing")) {
        if (last) {
            MPI_Abort(MPI_COMM_WORLD, 13);
        }
        for (;;) {
            pause();
        }
    }
    if (strcmp(how, "well")) {
        /* No rank sends this message. */
        MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        for (;;) {
            MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 0, &got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    printf("rank %d of %d got %d %s\n", rank, size, got, getenv("WHAT") ? getenv("WHAT") : "");
    MPI_Finalize();
    return 0;
}
