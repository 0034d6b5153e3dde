/* Tests of messages: every send mode, probes, matched probes, persistent requests, wildcards, truncation, MPI_PROC_NULL,
 * messages to the own rank, exchanges, cancels. Ranks form a ring: each rank sends to the right and receives from the
 * left.
 */
#include "common/report.h"

enum { N = 1000 };

static int left, right;
static int out[N], in[N];

static void fill(int seed)
{
    for (int i = 0; i < N; i++) {
        out[i] = 1000000 * seed + 1000 * rank + i;
        in[i] = -1;
    }
}

static void arrived(const char *what, int seed, int count)
{
    int good = 0;
    while (good < count && in[good] == 1000000 * seed + 1000 * left + good) {
        good++;
    }
    CHECK(good == count);
    say("%s: %d of %d", what, good, count);
}

typedef int (*Send)(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int (*Isend)(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Tells the left neighbour that the receive is posted, and waits to hear the same from the right one. A ready send needs
 * a posted receive. */
static void token(void)
{
    CALL(MPI_Sendrecv(NULL, 0, MPI_INT, left, 9, NULL, 0, MPI_INT, right, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
}

static void modes(void)
{
    static const struct {
        const char *name;
        Send blocking;
        Isend nonblocking, persistent;
    } all[] = {{"standard", MPI_Send, MPI_Isend, MPI_Send_init},
               {"buffered", MPI_Bsend, MPI_Ibsend, MPI_Bsend_init},
               {"synchronous", MPI_Ssend, MPI_Issend, MPI_Ssend_init},
               {"ready", MPI_Rsend, MPI_Irsend, MPI_Rsend_init}};
    int bytes = 8 * (int)sizeof out + 8 * MPI_BSEND_OVERHEAD, given = 0;
    void *memory = malloc((size_t)bytes), *back = NULL;
    CALL(MPI_Buffer_attach(memory, bytes));
    for (int mode = 0; mode < 4; mode++) {
        for (int count = 0; count <= N; count = count ? 10 * count : 1) {
            char what[64];
            MPI_Request requests[2];
            fill(mode);
            CALL(MPI_Irecv(in, N, MPI_INT, left, mode, MPI_COMM_WORLD, &requests[0]));
            token();
            CALL(all[mode].blocking(out, count, MPI_INT, right, mode, MPI_COMM_WORLD));
            CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
            snprintf(what, sizeof what, "%s send of %d", all[mode].name, count);
            arrived(what, mode, count);
            fill(mode + 10);
            CALL(MPI_Irecv(in, N, MPI_INT, left, mode, MPI_COMM_WORLD, &requests[0]));
            token();
            CALL(all[mode].nonblocking(out, count, MPI_INT, right, mode, MPI_COMM_WORLD, &requests[1]));
            CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
            CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
            snprintf(what, sizeof what, "%s nonblocking send of %d", all[mode].name, count);
            arrived(what, mode + 10, count);
            CALL(MPI_Recv_init(in, N, MPI_INT, left, mode, MPI_COMM_WORLD, &requests[0]));
            CALL(all[mode].persistent(out, count, MPI_INT, right, mode, MPI_COMM_WORLD, &requests[1]));
            for (int again = 0; again < 3; again++) {
                fill(mode + 20 + again);
                CALL(MPI_Start(&requests[0]));
                token();
                CALL(MPI_Startall(1, &requests[1]));
                CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
                CHECK(requests[0] != MPI_REQUEST_NULL);
                snprintf(what, sizeof what, "%s persistent send of %d, %d", all[mode].name, count, again);
                arrived(what, mode + 20 + again, count);
            }
            CALL(MPI_Request_free(&requests[0]));
            CALL(MPI_Request_free(&requests[1]));
            CHECK(requests[0] == MPI_REQUEST_NULL);
        }
    }
    CALL(MPI_Buffer_detach(&back, &given));
    CHECK(back == memory && given == bytes);
    free(memory);
}

static void probes(void)
{
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int flag = 0, count = -1;
    fill(40);
    CALL(MPI_Isend(out, 7, MPI_INT, right, 3, MPI_COMM_WORLD, &request));
    CALL(MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
    CALL(MPI_Get_count(&status, MPI_INT, &count));
    say("probe: %d from the left %d, tag %d", count, status.MPI_SOURCE == left, status.MPI_TAG);
    CALL(MPI_Get_count(&status, MPI_DOUBLE, &count));
    say("probe: count in doubles is undefined %d", count == MPI_UNDEFINED);
    CALL(MPI_Recv(in, N, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    arrived("probed", 40, 7);
    CALL(MPI_Iprobe(left, 3, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
    say("iprobe with nothing there: %d", flag);
    for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
        fill(41 + nonblocking);
        CALL(MPI_Isend(out, 9, MPI_INT, right, 4 + 6 * nonblocking, MPI_COMM_WORLD, &request));
        for (flag = 0; !flag;) {
            if (nonblocking) {
                CALL(MPI_Improbe(left, 10, MPI_COMM_WORLD, &flag, &message, &status));
            } else {
                CALL(MPI_Mprobe(left, 4, MPI_COMM_WORLD, &message, &status));
                flag = 1;
            }
        }
        CALL(MPI_Get_count(&status, MPI_INT, &count));
        CALL(MPI_Iprobe(left, 4 + 6 * nonblocking, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
        say("matched probe: %d, seen by another probe %d", count, flag);
        if (nonblocking) {
            MPI_Request receive;
            CALL(MPI_Imrecv(in, N, MPI_INT, &message, &receive));
            CALL(MPI_Wait(&receive, &status));
        } else {
            CALL(MPI_Mrecv(in, N, MPI_INT, &message, &status));
        }
        CHECK(message == MPI_MESSAGE_NULL);
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
        arrived("matched receive", 41 + nonblocking, 9);
    }
}

static void nobody(void)
{
    MPI_Status status;
    MPI_Request request;
    MPI_Message message;
    int count = -1, flag = 0, nothing = 5;
    CALL(MPI_Send(out, N, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD));
    CALL(MPI_Recv(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    CALL(MPI_Get_count(&status, MPI_INT, &count));
    say("from nobody: %d, source %d, tag %d, count %d", nothing, status.MPI_SOURCE == MPI_PROC_NULL,
        status.MPI_TAG == MPI_ANY_TAG, count);
    CALL(MPI_Irecv(&nothing, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &request));
    CALL(MPI_Test(&request, &flag, &status));
    say("irecv from nobody: %d, source %d", flag, status.MPI_SOURCE == MPI_PROC_NULL);
    CALL(MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, &status));
    CHECK(message == MPI_MESSAGE_NO_PROC);
    CALL(MPI_Mrecv(&nothing, 1, MPI_INT, &message, &status));
    say("matched receive from nobody: %d", status.MPI_SOURCE == MPI_PROC_NULL);
    CALL(MPI_Probe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &status));
    say("probe of nobody: %d", status.MPI_SOURCE == MPI_PROC_NULL);
    request = MPI_REQUEST_NULL;
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_Get_count(&status, MPI_INT, &count));
    say("no request: source %d, tag %d, count %d", status.MPI_SOURCE == MPI_ANY_SOURCE, status.MPI_TAG == MPI_ANY_TAG,
        count);
}

static void wildcards(void)
{
    enum { EACH = 5 };
    MPI_Status status;
    int value, last[64], got = 0;
    /* A wildcard matches every message, so the messages of other tests must have been received. */
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    if (rank > 0) {
        for (int i = 0; i < EACH; i++) {
            value = 100 * rank + i;
            CALL(MPI_Send(&value, 1, MPI_INT, 0, 60 + i, MPI_COMM_WORLD));
        }
    }
    memset(last, -1, sizeof last);
    for (int i = 0; rank == 0 && i < EACH * (size - 1); i++) {
        CALL(MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status));
        CHECK(value / 100 == status.MPI_SOURCE && value % 100 == status.MPI_TAG - 60);
        CHECK(value % 100 == last[status.MPI_SOURCE] + 1);
        last[status.MPI_SOURCE] = value % 100;
        got++;
    }
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    say("wildcards: %d messages, each sender's in order", got);
}

static void truncated(void)
{
    MPI_Status status;
    MPI_Request request;
    int code, after = -1;
    fill(50);
    CALL(MPI_Isend(out, 10, MPI_INT, right, 5, MPI_COMM_WORLD, &request));
    code = MPI_Recv(in, 4, MPI_INT, left, 5, MPI_COMM_WORLD, &status);
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    say("10 into 4: %s, beyond the buffer %d", class_name(code), in[4]);
    CALL(MPI_Sendrecv(&rank, 1, MPI_INT, right, 6, &after, 1, MPI_INT, left, 6, MPI_COMM_WORLD, &status));
    say("the next message arrives: %d", after == left);
}

static void self_messages(void)
{
    MPI_Request requests[2];
    int big = 100000, *a = malloc(sizeof *a * (size_t)big), *b = calloc((size_t)big, sizeof *b), good = 1;
    for (int i = 0; i < big; i++) {
        a[i] = i + rank;
    }
    CALL(MPI_Irecv(b, big, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[0]));
    CALL(MPI_Isend(a, big, MPI_INT, rank, 1, MPI_COMM_WORLD, &requests[1]));
    CALL(MPI_Waitall(2, requests, MPI_STATUSES_IGNORE));
    for (int i = 0; i < big; i++) {
        good &= b[i] == i + rank;
    }
    CALL(MPI_Sendrecv(a, 3, MPI_INT, 0, 2, b, 3, MPI_INT, 0, 2, MPI_COMM_SELF, MPI_STATUS_IGNORE));
    say("to oneself: %d, %d", good, b[2] - rank);
    free(a);
    free(b);
}

static void exchanges(void)
{
    MPI_Status status;
    int value[2] = {rank, rank * rank};
    CALL(MPI_Sendrecv_replace(value, 2, MPI_INT, right, 7, left, 7, MPI_COMM_WORLD, &status));
    CHECK(value[0] == left && value[1] == left * left && status.MPI_SOURCE == left);
    CALL(MPI_Sendrecv_replace(value, 2, MPI_INT, MPI_PROC_NULL, 7, MPI_PROC_NULL, 7, MPI_COMM_WORLD, &status));
    CHECK(value[0] == left);
#if HAVE_MPI_4
    MPI_Request request;
    CALL(MPI_Isendrecv(&rank, 1, MPI_INT, right, 8, value, 1, MPI_INT, left, 8, MPI_COMM_WORLD, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(value[0] == left);
    CALL(MPI_Isendrecv_replace(value, 1, MPI_INT, left, 8, right, 8, MPI_COMM_WORLD, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CHECK(value[0] == rank);
#endif
    say("exchanges done");
}

static void cancelled(void)
{
    MPI_Request request;
    MPI_Status status;
    int flag = 0, value = 3;
    CALL(MPI_Irecv(&value, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &request));
    CALL(MPI_Cancel(&request));
    CALL(MPI_Wait(&request, &status));
    CALL(MPI_Test_cancelled(&status, &flag));
    say("cancelled receive: %d, buffer %d", flag, value);
    /* Without the barrier, the cancelled receive could match the next message. */
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    CALL(MPI_Sendrecv(&rank, 1, MPI_INT, right, 77, &value, 1, MPI_INT, left, 77, MPI_COMM_WORLD, &status));
    CALL(MPI_Test_cancelled(&status, &flag));
    say("after it: %d, cancelled %d", value == left, flag);
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    modes();
    probes();
    nobody();
    wildcards();
    truncated();
    self_messages();
    exchanges();
    cancelled();
    return report_end();
}
