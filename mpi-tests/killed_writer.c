/* Ranks write blocks of a file, until rank 1 is killed in the midst.
 *
 * Arguments: the path, and whether the writes are collective. Blocks belong to the ranks in turn, and every last one to
 * nobody. killed_writer.py looks at the file afterwards.
 */
#include "common/report.h"

#include <signal.h>
#include <sys/time.h>

enum { BLOCK = 700, BLOCKS = 3000 };

static void end(int signal_)
{
    (void)signal_;
    raise(SIGKILL);
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    int is_collective = atoi(argv[2]);
    MPI_Datatype block, tile;
    MPI_File file;
    char *bytes = (char *)malloc(BLOCK * BLOCKS);
    memset(bytes, 'a' + rank, BLOCK * BLOCKS);
    CALL(MPI_Type_contiguous(BLOCK, MPI_CHAR, &block));
    CALL(MPI_Type_create_resized(block, 0, (MPI_Aint)BLOCK * (size + 1), &tile));
    CALL(MPI_Type_commit(&tile));
    CALL(MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_WRONLY | MPI_MODE_CREATE, MPI_INFO_NULL, &file));
    CALL(MPI_File_set_view(file, BLOCK * (MPI_Offset)rank, MPI_CHAR, tile, "native", MPI_INFO_NULL));
    if (rank == 1) {
        struct itimerval soon = {{0, 0}, {0, 300000}};
        signal(SIGALRM, end);
        setitimer(ITIMER_REAL, &soon, NULL);
    }
    for (int turn = 0;; turn++) {
        int length = BLOCK * (1 + turn * 37 % BLOCKS);
        if (is_collective) {
            MPI_File_write_at_all(file, 0, bytes, length, MPI_CHAR, MPI_STATUS_IGNORE);
        } else {
            MPI_File_write_at(file, 0, bytes, length, MPI_CHAR, MPI_STATUS_IGNORE);
        }
    }
}
