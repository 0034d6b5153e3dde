/* A correct program that ends in one of several ways: endings_mpi HOW. Errors end it. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>

#define COUNT 600

static int sum_is_right(MPI_Comm comm, int size)
{
    int sent[COUNT], sums[COUNT];
    for (int i = 0; i < COUNT; i++)
        sent[i] = i;
    MPI_Allreduce(sent, sums, COUNT, MPI_INT, MPI_SUM, comm);
    for (int i = 0; i < COUNT; i++) {
        if (sums[i] != i * size) {
            printf("FAILED %d is not %d\n", sums[i], i * size);
            return 0;
        }
    }
    return 1;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int rank, size, data[COUNT] = {7}, right = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (strcmp(how, "sent") == 0) {
        for (int peer = 0; peer < size - 1 && rank == size - 1; peer++)
            MPI_Send(data, COUNT, MPI_INT, peer, 3, MPI_COMM_WORLD);
        if (rank != size - 1) {
            data[0] = 0;
            MPI_Recv(data, COUNT, MPI_INT, size - 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        right = data[0] == 7;
    } else if (strcmp(how, "freed") == 0) {
        MPI_Comm comm;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        right = sum_is_right(comm, size);
        MPI_Comm_free(&comm);
    } else {
        right = sum_is_right(MPI_COMM_WORLD, size);
    }
    MPI_Finalize();
    return !right;
}
