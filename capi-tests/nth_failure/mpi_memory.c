/* A job of MPI whose calls need memory, most of them for blocks that do not lie side by side: prints "done" if all is
 * right, else the error. A call that lacks memory has sent nothing, so it is made again. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 60000 };

static int mine[4 * COUNT], got[4 * COUNT];

static void stop(int error, const char *call)
{
    char text[MPI_MAX_ERROR_STRING];
    int length;
    MPI_Error_string(error, text, &length);
    fprintf(stderr, "MPI: %s: %s\n", call, text);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static int lacks_memory(int error)
{
    int class = MPI_SUCCESS;
    MPI_Error_class(error, &class);
    if (class == MPI_ERR_NO_MEM)
        fprintf(stderr, "made again\n");
    return class == MPI_ERR_NO_MEM;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        int error = (call);                                                                                            \
        if (error != MPI_SUCCESS && lacks_memory(error))                                                               \
            error = (call);                                                                                            \
        if (error != MPI_SUCCESS)                                                                                      \
            stop(error, #call);                                                                                        \
    } while (0)

/* Checks numbers that lie side by side, or with holes of their own length between them. */
static void check(size_t from, size_t step, int expected, const char *call)
{
    for (size_t i = 0; i < COUNT; i++)
        if (got[from + step * i] != expected) {
            fprintf(stderr, "WRONG VALUE of %s\n", call);
            abort();
        }
}

int main(int argc, char **argv)
{
    int rank, size;
    MPI_Datatype holes, resized;
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const int right = (rank + 1) % size, left = (rank + size - 1) % size, counts[2] = {1, 1}, displs[2] = {0, 1};
    for (int i = 0; i < 4 * COUNT; i++)
        mine[i] = rank + 1;
    TRY(MPI_Type_vector(COUNT, 1, 2, MPI_INT, &holes));
    TRY(MPI_Type_create_resized(holes, 0, 2 * COUNT * (MPI_Aint)sizeof(int), &resized));
    TRY(MPI_Type_commit(&resized));

    TRY(MPI_Bcast(rank == 0 ? mine : got, 1, resized, 0, MPI_COMM_WORLD));
    if (rank != 0)
        check(0, 2, 1, "MPI_Bcast");
    TRY(MPI_Allgather(mine, 1, resized, got, 1, resized, MPI_COMM_WORLD));
    check(2 * COUNT, 2, 2, "MPI_Allgather");
    TRY(MPI_Alltoallv(mine, counts, displs, resized, got, counts, displs, resized, MPI_COMM_WORLD));
    check(2 * COUNT, 2, 2, "MPI_Alltoallv");
    TRY(MPI_Gather(mine, 1, resized, got, 1, resized, 1, MPI_COMM_WORLD));
    TRY(MPI_Allreduce(mine, got, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    check(0, 1, size * (size + 1) / 2, "MPI_Allreduce");
    TRY(MPI_Scan(mine, got, COUNT, MPI_INT, MPI_SUM, MPI_COMM_WORLD));
    check(0, 1, (rank + 1) * (rank + 2) / 2, "MPI_Scan");

    TRY(MPI_Irecv(got, 1, resized, left, 3, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Send(mine, 1, resized, right, 3, MPI_COMM_WORLD));
    TRY(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    check(0, 2, left + 1, "MPI_Send");
    TRY(MPI_Isend(mine, 1, resized, right, 4, MPI_COMM_WORLD, &requests[0]));
    TRY(MPI_Isend(mine, 1, resized, right, 5, MPI_COMM_WORLD, &requests[1]));
    TRY(MPI_Recv(got, 1, resized, left, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check(0, 2, left + 1, "MPI_Recv");
    TRY(MPI_Recv(got, COUNT, MPI_INT, left, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check(0, 1, left + 1, "MPI_Recv");
    TRY(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    TRY(MPI_Sendrecv_replace(mine, 1, resized, rank, 6, rank, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE));

    const int bytes = COUNT * (int)sizeof(int) + MPI_BSEND_OVERHEAD;
    void *room = malloc((size_t)bytes);
    TRY(MPI_Buffer_attach(room, bytes));
    TRY(MPI_Bsend(mine, 1, resized, right, 7, MPI_COMM_WORLD));
    TRY(MPI_Recv(got, COUNT, MPI_INT, left, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    check(0, 1, left + 1, "MPI_Bsend");
    TRY(MPI_Buffer_detach(&room, &(int){0}));

    TRY(MPI_Type_free(&holes));
    TRY(MPI_Type_free(&resized));
    MPI_Finalize();
    puts("done");
    return 0;
}
