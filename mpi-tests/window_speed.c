/* Times of accesses to the window of another rank: the least of several batches, in microseconds.
 *
 * Rank 0 accesses the window of the last rank, which waits in a barrier: 8 bytes, and 1 MiB. Each call is followed by a flush,
 * apart from the last rows, which are a lock, a put and an unlock. Lines have the same form for every MPI.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { BATCHES = 7, MOST = 1 << 20 };
enum { PUT, GET, ACCUMULATE, FETCH, SWAP, LOCKED, KINDS };

static const char *const names[] = {
    "put", "get", "accumulate", "fetch_and_op", "compare_and_swap", "lock, put, unlock"};
static MPI_Win win;
static int target;

static void access_once(int kind, long *own, int count)
{
    long one = 1, old, zero = 0;
    switch (kind) {
    case PUT:
        MPI_Put(own, count, MPI_LONG, target, 0, count, MPI_LONG, win);
        break;
    case GET:
        MPI_Get(own, count, MPI_LONG, target, 0, count, MPI_LONG, win);
        break;
    case ACCUMULATE:
        MPI_Accumulate(own, count, MPI_LONG, target, 0, count, MPI_LONG, MPI_SUM, win);
        break;
    case FETCH:
        MPI_Fetch_and_op(&one, &old, MPI_LONG, target, 0, MPI_SUM, win);
        break;
    case SWAP:
        MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, target, 0, win);
        break;
    default:
        MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win);
        MPI_Put(own, count, MPI_LONG, target, 0, count, MPI_LONG, win);
        MPI_Win_unlock(target, win);
        return;
    }
    MPI_Win_flush(target, win);
}

static void measure(int kind, int bytes)
{
    int count = bytes / (int)sizeof(long), times = bytes > 65536 ? 20 : 200;
    long *own = (long *)calloc((size_t)count, sizeof(long));
    double least = 1e30;
    if (kind != LOCKED) {
        MPI_Win_lock(MPI_LOCK_SHARED, target, 0, win);
    }
    for (int batch = 0; batch < BATCHES; batch++) {
        double start = MPI_Wtime();
        for (int i = 0; i < times; i++) {
            access_once(kind, own, count);
        }
        double each = (MPI_Wtime() - start) / times;
        least = each < least ? each : least;
    }
    if (kind != LOCKED) {
        MPI_Win_unlock(target, win);
    }
    printf("%-18s %8d bytes %10.2f us\n", names[kind], bytes, 1e6 * least);
    free(own);
}

int main(int argc, char **argv)
{
    int rank, size;
    long *base;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    target = size - 1;
    MPI_Win_allocate(MOST, sizeof(long), MPI_INFO_NULL, MPI_COMM_WORLD, &base, &win);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int kind = 0; rank == 0 && kind < KINDS; kind++) {
        measure(kind, 8);
        if (kind != FETCH && kind != SWAP) {
            measure(kind, MOST);
        }
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_free(&win);
    MPI_Finalize();
    return 0;
}
