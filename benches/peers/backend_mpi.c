/* A benchmark of what anyccl adds to a call of MPI. It compares MPI_Allreduce of 8 bytes with anyccl_all_reduce by the
 * backend mpi. Both use the same MPI library, in the same process, in turns.
 *
 *     make install && python3 benches/peers/backend_mpi.py
 *
 * Prints the medians over the rounds, in microseconds per call, and the median of the differences of the rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <anyccl/anyccl.h>
#include <mpi.h>

enum { ROUNDS = 101, CALLS = 1000, COUNT = 2 };

#define OK(call)                                                                                                       \
    do {                                                                                                               \
        if ((call) != ANYCCL_SUCCESS) {                                                                                \
            fprintf(stderr, "%s: %s\n", #call, anyccl_last_error());                                                   \
            return EXIT_FAILURE;                                                                                       \
        }                                                                                                              \
    } while (0)

static double microseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median(double *values)
{
    qsort(values, ROUNDS, sizeof *values, by_value);
    return values[ROUNDS / 2];
}

int main(int argc, char **argv)
{
    static double direct[ROUNDS], through[ROUNDS], more[ROUNDS];
    float send[COUNT] = {1, 2}, recv[COUNT];
    int level, rank;

    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    OK(anyccl_init());
    for (int round = -10; round < ROUNDS; round++) {
        double start, times[2];

        /* The two take turns at being first. */
        for (int turn = 0; turn < 2; turn++) {
            const int is_through = (turn + (round & 1)) % 2;
            MPI_Barrier(MPI_COMM_WORLD);
            start = microseconds();
            if (is_through) {
                for (int i = 0; i < CALLS; i++)
                    OK(anyccl_all_reduce(send, recv, COUNT, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD));
            } else {
                for (int i = 0; i < CALLS; i++)
                    MPI_Allreduce(send, recv, COUNT, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
            }
            times[is_through] = (microseconds() - start) / CALLS;
        }
        if (round >= 0) {
            direct[round] = times[0];
            through[round] = times[1];
            more[round] = times[1] - times[0];
        }
    }
    OK(anyccl_finalize());
    if (rank == 0)
        printf("MPI_Allreduce %.3f us, through anyccl %.3f us, difference %+.3f us\n", median(direct), median(through),
               median(more));
    MPI_Finalize();
    return EXIT_SUCCESS;
}
