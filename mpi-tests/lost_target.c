/* A rank is killed while others of other hosts access its window: their calls fail, and none hangs.
 *
 * The first argument tells how they synchronize: by locks, by flushes, or by waiting for a lock that the lost rank has.
 */
#include "common/report.h"

#include <signal.h>

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

enum { LOCKS, FLUSHES, HELD };

int main(int argc, char **argv)
{
    MPI_Win win;
    double *base, values[64] = {0}, old;
    int how = argc > 1 ? atoi(argv[1]) : LOCKS, code = MPI_SUCCESS, class_;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    int target = size - 1;
    MPI_Win_allocate(sizeof values, sizeof(double), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (how == HELD && rank == target) {
        /* A flush waits for the lock. */
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        MPI_Win_flush(0, win);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == target) {
        for (int i = 0; how != HELD && i < 200; i++) {
            int flag;
            MPI_Iprobe(0, 0, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
        }
        raise(SIGKILL);
    }
    if (how == FLUSHES) {
        code = MPI_Win_lock_all(0, win);
    } else if (how == HELD) {
        code = MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
        code = code == MPI_SUCCESS ? MPI_Win_flush(0, win) : code;
    }
    while (code == MPI_SUCCESS) {
        if (how == LOCKS) {
            code = MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
        }
        if (code == MPI_SUCCESS) {
            code = MPI_Put(values, 64, MPI_DOUBLE, target, 0, 64, MPI_DOUBLE, win);
        }
        if (code == MPI_SUCCESS) {
            code = MPI_Fetch_and_op(values, &old, MPI_DOUBLE, target, 1, MPI_SUM, win);
        }
        if (code == MPI_SUCCESS) {
            code = how == LOCKS ? MPI_Win_unlock(target, win) : MPI_Win_flush(target, win);
        }
    }
    MPI_Error_class(code, &class_);
    printf("rank %d: %s\n", rank, class_ == MPIX_ERR_PROC_FAILED ? "the target is lost" : "another error");
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 3);
}
