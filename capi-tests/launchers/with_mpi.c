/* A program that uses anyccl and MPI. The argument names the library that is initialized first, "anyccl" or
 * "mpi". With "none", MPI is linked and not used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyccl/anyccl.h>
#include <mpi.h>

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != ANYCCL_SUCCESS) {                                                                                \
            fprintf(stderr, "%s: %s\n", #call, anyccl_last_error());                                                   \
            return EXIT_FAILURE;                                                                                       \
        }                                                                                                              \
    } while (0)

int main(int argc, char **argv)
{
    const char *first = argc > 1 ? argv[1] : "none";
    const int uses_mpi = strcmp(first, "none") != 0;
    int rank, sum = -1, mpi_rank = -1, mpi_sum = -1;

    if (strcmp(first, "mpi") == 0)
        MPI_Init(&argc, &argv);
    OK(anyccl_init());
    OK(anyccl_rank(&rank));
    if (strcmp(first, "anyccl") == 0)
        MPI_Init(&argc, &argv);
    OK(anyccl_all_reduce(&rank, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, ANYCCL_WORLD));
    if (uses_mpi) {
        MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
        MPI_Allreduce(&mpi_rank, &mpi_sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        if (mpi_rank != rank || mpi_sum != sum) {
            fprintf(stderr, "rank %d is MPI's %d; the sums are %d and %d\n", rank, mpi_rank, sum, mpi_sum);
            return EXIT_FAILURE;
        }
    }
    printf("rank %d: the sum is %d\n", rank, sum);
    OK(anyccl_finalize());
    if (uses_mpi)
        MPI_Finalize();
    return EXIT_SUCCESS;
}
