/* A stencil that goes on when a rank is lost.
 *
 * Each rank has a block of a ring of numbers, and exchanges its borders with both neighbours in each step. Rank 1 kills itself
 * in the midst. The others revoke the communicator, shrink it, agree on the failure, and do the step again in a ring of their own
 * blocks.
 */
#include "common/report.h"

#include <signal.h>

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

enum { BLOCK = 1000, STEPS = 60, LAST = 20 };

int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm ring, smaller;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &ring);
    MPI_Comm_rank(ring, &rank);
    MPI_Comm_size(ring, &size);
    int world_rank = rank, world_size = size, losses = 0;
    double block[BLOCK + 2];
    for (int i = 0; i < BLOCK + 2; i++) {
        block[i] = world_rank;
    }
    for (int step = 0; step < STEPS; step++) {
        if (step == LAST && world_rank == 1) {
            raise(SIGKILL);
        }
        int left = (rank + size - 1) % size, right = (rank + 1) % size, code, class_;
        double sum = 0, total = 0;
        code = MPI_Sendrecv(block + 1, 1, MPI_DOUBLE, left, 1, block + BLOCK + 1, 1, MPI_DOUBLE, right, 1, ring,
                            MPI_STATUS_IGNORE);
        if (code == MPI_SUCCESS) {
            code = MPI_Sendrecv(block + BLOCK, 1, MPI_DOUBLE, right, 2, block, 1, MPI_DOUBLE, left, 2, ring,
                                MPI_STATUS_IGNORE);
        }
        for (int i = 1; i <= BLOCK; i++) {
            sum += block[i];
        }
        if (code == MPI_SUCCESS) {
            code = MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, ring);
        }
        if (code != MPI_SUCCESS) {
            MPI_Group failed, whole, acknowledged;
            int one = 1, lost_rank = -1, n, flag = 6 | 1 << (world_rank + 4);
            MPI_Error_class(code, &class_);
            CHECK(class_ == MPIX_ERR_PROC_FAILED || class_ == MPIX_ERR_REVOKED);
            CALL(MPIX_Comm_revoke(ring));
            MPI_Error_class(MPI_Barrier(ring), &class_);
            CHECK(class_ == MPIX_ERR_PROC_FAILED || class_ == MPIX_ERR_REVOKED);
            /* A loss that is not acknowledged is an error of the agreement, which has an outcome all the same. */
            MPI_Error_class(MPIX_Comm_agree(ring, &one), &class_);
            CHECK(class_ == MPIX_ERR_PROC_FAILED && one == 1);
            /* It is one on all ranks, as long as any of them has not acknowledged the loss. */
            if (rank == 0) {
                CALL(MPIX_Comm_failure_ack(ring));
            }
            MPI_Error_class(MPIX_Comm_agree(ring, &one), &class_);
            CHECK(class_ == (size == 2 ? MPI_SUCCESS : MPIX_ERR_PROC_FAILED) && one == 1);
            CALL(MPIX_Comm_failure_ack(ring));
            CALL(MPIX_Comm_agree(ring, &flag));
            CHECK(flag == 6 || size == 2);
            CALL(MPIX_Comm_failure_get_acked(ring, &acknowledged));
            CALL(MPIX_Comm_get_failed(ring, &failed));
            CALL(MPI_Comm_group(MPI_COMM_WORLD, &whole));
            CALL(MPI_Group_size(failed, &n));
            CALL(MPI_Group_translate_ranks(failed, 1, (int[]){0}, whole, &lost_rank));
            CHECK(n == 1 && lost_rank == 1);
            CALL(MPI_Group_compare(failed, acknowledged, &n));
            CHECK(n == MPI_IDENT);
            CALL(MPI_Group_free(&failed));
            CALL(MPI_Group_free(&whole));
            CALL(MPI_Group_free(&acknowledged));
            CALL(MPIX_Comm_shrink(ring, &smaller));
            CALL(MPI_Comm_free(&ring));
            ring = smaller;
            MPI_Comm_rank(ring, &rank);
            MPI_Comm_size(ring, &size);
            CHECK(size == world_size - 1);
            /* The step that failed is done again. */
            CALL(MPI_Allreduce(MPI_IN_PLACE, &step, 1, MPI_INT, MPI_MIN, ring));
            step--;
            losses++;
        }
    }
    double total;
    CALL(MPI_Allreduce(&block[1], &total, 1, MPI_DOUBLE, MPI_SUM, ring));
    CHECK(losses == 1 && total == world_size * (world_size - 1) / 2 - 1);
    /* A communicator that is revoked while nobody is lost. */
    CALL(MPI_Comm_dup(ring, &smaller));
    if (rank == 0) {
        CALL(MPIX_Comm_revoke(smaller));
    }
    int class_;
    MPI_Error_class(MPI_Barrier(smaller), &class_);
    CHECK(class_ == MPIX_ERR_REVOKED);
    MPI_Error_class(MPI_Send(NULL, 0, MPI_BYTE, MPI_PROC_NULL, 0, smaller), &class_);
    CHECK(class_ == MPIX_ERR_REVOKED);
#if defined(OPEN_MPI)
    int flag = 0;
    MPI_Request request;
    CALL(MPIX_Comm_is_revoked(smaller, &flag));
    CHECK(flag);
    CALL(MPIX_Comm_is_revoked(ring, &flag));
    CHECK(!flag);
    flag = 12 | 1 << rank;
    CALL(MPIX_Comm_iagree(smaller, &flag, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(flag == 12 || size == 1);
#endif
    if (report_failures == 0) {
        printf("rank %d of %d is done\n", rank, size);
    } else {
        fputs(report_text, stderr);
    }
    MPI_Finalize();
    return report_failures > 0;
}
