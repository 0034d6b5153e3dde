/* Prints the rank, the size of the world, and the version of the library. Compiles as C and as C++. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    int rank, size, length;
    char library[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Get_library_version(library, &length);
    printf("rank %d of %d, by %s\n", rank, size, library);
    MPI_Finalize();
    return 0;
}
