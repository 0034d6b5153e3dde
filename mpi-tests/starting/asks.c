/* A program in the ABI of MPICH, or with OPEN_MPI in that of Open MPI, without its header. It prints its rank and the size of the
 * world. */
#include <stdio.h>

#ifdef OPEN_MPI
typedef void *comm_t;
extern char ompi_mpi_comm_world[512];
#define WORLD ompi_mpi_comm_world
#else
typedef int comm_t;
#define WORLD 0x44000000
#endif
int MPI_Init(void *argc, void *argv);
int MPI_Comm_rank(comm_t comm, int *rank);
int MPI_Comm_size(comm_t comm, int *size);
int MPI_Finalize(void);

int main(void)
{
    int rank = -1, size = -1;
    MPI_Init(0, 0);
    MPI_Comm_rank(WORLD, &rank);
    MPI_Comm_size(WORLD, &size);
    printf("rank %d of %d\n", rank, size);
    return MPI_Finalize();
}
