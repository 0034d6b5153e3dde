/* A stand-in for another MPI, in the ABI of MPICH, or with OPEN_MPI in that of Open MPI. Its MPI_Init prints that it is another MPI. */
#include <stdio.h>
#include <string.h>

#ifdef OPEN_MPI
char ompi_mpi_comm_world[512];
#endif

int MPI_Init(void *argc, void *argv)
{
    (void)argc, (void)argv;
    puts("the other MPI");
    return 0;
}
int MPI_Get_library_version(char *text, int *length)
{
    strcpy(text, "Stand-in 9.8.7");
    *length = (int)strlen(text);
    return 0;
}
int MPI_Comm_rank(void *comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return 0;
}
int MPI_Comm_size(void *comm, int *size)
{
    (void)comm;
    *size = 1;
    return 0;
}
int MPI_Finalize(void)
{
    return 0;
}
