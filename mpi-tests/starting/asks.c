/* A program in the ABI of MPICH, without its header. It prints its rank and the size of the world. */
#include <stdio.h>

int MPI_Init(void *argc, void *argv);
int MPI_Comm_rank(int comm, int *rank);
int MPI_Comm_size(int comm, int *size);
int MPI_Finalize(void);
#define WORLD 0x44000000

int main(void)
{
    int rank = -1, size = -1;
    MPI_Init(0, 0);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    printf("rank %d of %d\n", rank, size);
    return MPI_Finalize();
}
