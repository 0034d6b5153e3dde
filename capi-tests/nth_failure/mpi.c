/* A job of MPI whose every kind of call may fail: prints "done" if all is right. MPI ends the job otherwise. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { COUNT = 30000 };

int main(int argc, char **argv)
{
    static int mine[COUNT], sum[COUNT];
    int rank, size, got = -1;
    MPI_Comm half;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < COUNT; i++)
        mine[i] = rank + i;
    MPI_Allreduce(mine, sum, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, 3, MPI_COMM_WORLD, &request);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Barrier(half);
    MPI_Comm_free(&half);
    for (int i = 0; i < COUNT; i++)
        if (sum[i] != size * i + size * (size - 1) / 2 || got != (rank + size - 1) % size) {
            fprintf(stderr, "WRONG VALUE\n");
            abort();
        }
    MPI_Finalize();
    puts("done");
    return 0;
}
