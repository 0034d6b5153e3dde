/* A job of NCCL on two ranks and host memory whose every kind of call may fail: prints "done" if all is right, else the
 * error. The unique id goes through a pipe, whose end is the argument. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <nccl.h>

enum { COUNT = 30000 };

static ncclComm_t comm;

static void stop_at(ncclResult_t result, const char *call)
{
    if (result == ncclSuccess)
        return;
    fprintf(stderr, "%s: %s: %s\n", call, ncclGetErrorString(result), ncclGetLastError(comm));
    if (comm != NULL)
        ncclCommAbort(comm);
    exit(1);
}
#define TRY(call) stop_at(call, #call)

int main(int argc, char **argv)
{
    static float mine[COUNT], sum[COUNT];
    const int rank = atoi(getenv("RANK")), size = atoi(getenv("WORLD_SIZE"));
    ncclUniqueId id;
    if (argc < 2)
        return 2;
    const int pipe_end = atoi(argv[1]);
    if (rank == 0) {
        TRY(ncclGetUniqueId(&id));
        if (write(pipe_end, &id, sizeof id) != sizeof id)
            return 2;
    } else if (read(pipe_end, &id, sizeof id) != sizeof id) {
        fprintf(stderr, "no NCCL id: rank 0 has ended without one\n");
        return 1;
    }
    close(pipe_end);
    TRY(ncclCommInitRank(&comm, size, id, rank));
    for (int i = 0; i < COUNT; i++)
        mine[i] = (float)(rank + i % 100);
    TRY(ncclAllReduce(mine, sum, COUNT, ncclFloat32, ncclSum, comm, NULL));
    for (int i = 0; i < COUNT; i++)
        if (sum[i] != (float)(size * (i % 100) + size * (size - 1) / 2)) {
            fprintf(stderr, "WRONG VALUE\n");
            abort();
        }
    TRY(ncclCommFinalize(comm));
    TRY(ncclCommDestroy(comm));
    puts("done");
    return 0;
}
