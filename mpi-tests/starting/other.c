/* A stand-in for another MPI in the ABI of MPICH. Its MPI_Init prints that it is another MPI. */
#include <stdio.h>
#include <string.h>

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
int MPI_Comm_rank(int comm, int *rank)
{
    (void)comm;
    *rank = 0;
    return 0;
}
int MPI_Comm_size(int comm, int *size)
{
    (void)comm;
    *size = 1;
    return 0;
}
int MPI_Finalize(void)
{
    return 0;
}
