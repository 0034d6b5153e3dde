/* A benchmark of messages between two ranks of any MPI: latency, a window of small messages, a strided vector, and as many
   contiguous bytes. Prints rows "name,microseconds": the least of many rounds, per message. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WINDOW = 64, BLOCK = 8, STRIDE = 16, LARGE = 1 << 20, ROUNDS = 40 };

static char *out, *in;

static void ping_pong(int rank, int count, MPI_Datatype datatype, int times)
{
    for (int i = 0; i < times; i++) {
        if (rank == 0) {
            MPI_Send(out, count, datatype, 1, 1, MPI_COMM_WORLD);
            MPI_Recv(in, count, datatype, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Recv(in, count, datatype, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Send(out, count, datatype, 0, 1, MPI_COMM_WORLD);
        }
    }
}

/* As osu_mbw_mr does: a window of messages one way, then a reply. */
static void window(int rank, int times)
{
    MPI_Request requests[WINDOW];
    for (int i = 0; i < times; i++) {
        for (int at = 0; at < WINDOW; at++) {
            if (rank == 0)
                MPI_Isend(out + BLOCK * at, BLOCK, MPI_BYTE, 1, 2, MPI_COMM_WORLD, &requests[at]);
            else
                MPI_Irecv(in + BLOCK * at, BLOCK, MPI_BYTE, 0, 2, MPI_COMM_WORLD, &requests[at]);
        }
        MPI_Waitall(WINDOW, requests, MPI_STATUSES_IGNORE);
        if (rank == 0)
            MPI_Recv(in, 4, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        else
            MPI_Send(out, 4, MPI_BYTE, 0, 3, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv)
{
    static const char *const names[] = {"latency of 8 bytes", "window of 64 messages of 8 bytes", "vector of 1 MiB",
                                        "run of 1 MiB"};
    static const int times[] = {1000, 50, 8, 8}, messages[] = {2, WINDOW, 2, 2};
    double least[4] = {1e9, 1e9, 1e9, 1e9};
    MPI_Datatype vector;
    int rank;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    out = calloc(1, 2 * LARGE);
    in = calloc(1, 2 * LARGE);
    memset(out, 1, 2 * LARGE);
    memset(in, 2, 2 * LARGE);
    MPI_Type_vector(LARGE / BLOCK, BLOCK, STRIDE, MPI_BYTE, &vector);
    MPI_Type_commit(&vector);
    for (int round = 0; round < ROUNDS; round++) {
        for (int what = 0; what < 4; what++) {
            MPI_Barrier(MPI_COMM_WORLD);
            double begin = MPI_Wtime();
            switch (what) {
            case 0:
                ping_pong(rank, BLOCK, MPI_BYTE, times[what]);
                break;
            case 1:
                window(rank, times[what]);
                break;
            case 2:
                ping_pong(rank, 1, vector, times[what]);
                break;
            default:
                ping_pong(rank, LARGE, MPI_BYTE, times[what]);
            }
            double each = (MPI_Wtime() - begin) / times[what] / messages[what];
            if (each < least[what])
                least[what] = each;
        }
    }
    for (int at = 0; at + STRIDE <= 2 * LARGE; at += STRIDE) {
        if (in[at] != 1) {
            fprintf(stderr, "rank %d: wrong byte at %d\n", rank, at);
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
    }
    if (rank == 0)
        for (int what = 0; what < 4; what++)
            printf("%s,%.3f\n", names[what], least[what] * 1e6);
    MPI_Type_free(&vector);
    MPI_Finalize();
    return 0;
}
