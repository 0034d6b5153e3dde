/* A program for profiler.c, with 5 sends to the right and 3 reductions in each rank. */
#include "common/report.h"

int main(int argc, char **argv)
{
    int values[10] = {0}, sums[10], got[10];
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    for (int i = 0; i < 5; i++) {
        MPI_Request request;
        CALL(MPI_Irecv(got, 10, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &request));
        CALL(MPI_Send(values, 2 * i, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD));
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    values[0] = rank;
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Allreduce(values, sums, 10, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    }
    CHECK(sums[0] == size * (size - 1) / 2);
    /* Not report_end(): the profiler would count its sends. */
    MPI_Finalize();
    return report_failures;
}
