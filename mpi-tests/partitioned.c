/* Tests of partitioned messages: different numbers of partitions on both sides, every way to mark partitions as ready,
 * datatypes with holes, order of messages with equal tags, tags of any size, and errors. */
#include "common/report.h"

#include <pthread.h>

enum { ROUNDS = 5, TAG = 7 };

static int right, left;
/* Whether the library is anyccl. Others may send all partitions at the end, and do not check every argument. */
static int is_ours;

static void fill(int *data, int n, int from, int round)
{
    for (int i = 0; i < n; i++) {
        data[i] = 100000 * from + 1000 * round + i;
    }
}

static int count_right(const int *data, int n, int from, int round)
{
    int good = 0;
    for (int i = 0; i < n; i++) {
        good += data[i] == 100000 * from + 1000 * round + i;
    }
    return good;
}

/* Marks all partitions as ready, in a way that differs from round to round. */
static void mark(MPI_Request send, int partitions, int round)
{
    int list[64];
    switch (round % 4) {
    case 0:
        for (int i = partitions - 1; i >= 0; i--) {
            CALL(MPI_Pready(i, send));
        }
        break;
    case 1:
        CALL(MPI_Pready_range(0, partitions - 1, send));
        break;
    case 2:
        for (int i = 0; i < partitions; i++) {
            list[i] = i % 2 ? i / 2 : partitions - 1 - i / 2;
        }
        CALL(MPI_Pready_list(partitions, list, send));
        break;
    default:
        CALL(MPI_Pready_range(partitions / 2, partitions - 1, send));
        for (int i = 0; i < partitions / 2; i++) {
            CALL(MPI_Pready(i, send));
        }
    }
}

/* Every rank sends to the right, in partitions that need not be the receiver's. */
static void ring(int sent, int received, int total)
{
    int *out = (int *)calloc((size_t)total, sizeof *out), *in = (int *)calloc((size_t)total, sizeof *in);
    MPI_Request requests[2];
    MPI_Status status;
    int flag, count, good = 0, done = 0;
    CALL(MPI_Psend_init(out, sent, total / sent, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]));
    CALL(MPI_Precv_init(in, received, total / received, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL,
                        &requests[1]));
    for (int round = 0; round < ROUNDS; round++) {
        fill(out, total, rank, round);
        memset(in, 0, (size_t)total * sizeof *in);
        CALL(MPI_Startall(2, requests));
        mark(requests[0], sent, round);
        if (round % 2) {
            for (int i = 0; i < received; i++) {
                for (flag = 0; !flag;) {
                    CALL(MPI_Parrived(requests[1], i, &flag));
                }
                int first = i * (total / received);
                for (int k = first; k < first + total / received; k++) {
                    CHECK(in[k] == 100000 * left + 1000 * round + k);
                }
            }
        }
        switch (round) {
        case 0:
            CALL(MPI_Wait(&requests[1], &status));
            break;
        case 1:
            for (flag = 0; !flag;) {
                CALL(MPI_Test(&requests[1], &flag, &status));
            }
            break;
        case 2:
            for (flag = 0; !flag;) {
                CALL(MPI_Request_get_status(requests[1], &flag, &status));
            }
            CALL(MPI_Wait(&requests[1], MPI_STATUS_IGNORE));
            break;
        default: {
            MPI_Status both[2];
            CALL(MPI_Waitall(2, requests, both));
            status = both[1];
        }
        }
        CALL(MPI_Get_count(&status, MPI_INT, &count));
        good += count_right(in, total, left, round);
        done += status.MPI_SOURCE == left && status.MPI_TAG == TAG && count == total;
        CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
    }
    CALL(MPI_Parrived(requests[1], 0, &flag));
    CHECK(flag);
    CALL(MPI_Request_free(&requests[0]));
    CALL(MPI_Request_free(&requests[1]));
    CHECK(requests[0] == MPI_REQUEST_NULL && requests[1] == MPI_REQUEST_NULL);
    say("%d to %d partitions of %d: %d right, %d statuses", sent, received, total, good, done);
    free(out);
    free(in);
}

/* One side has a datatype with holes, whose elements end inside partitions of the other side. */
static void holes(void)
{
    enum { N = 24 };
    int sparse[2 * N], dense[N];
    MPI_Datatype every_other, three;
    MPI_Request send, receive;
    CALL(MPI_Type_vector(3, 1, 2, MPI_INT, &three));
    CALL(MPI_Type_create_resized(three, 0, 6 * sizeof(int), &every_other));
    CALL(MPI_Type_commit(&every_other));
    for (int way = 0; way < 2; way++) {
        memset(sparse, 0, sizeof sparse);
        memset(dense, 0, sizeof dense);
        if (way) {
            CALL(MPI_Psend_init(sparse, 4, 2, every_other, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
            CALL(MPI_Precv_init(dense, 6, 4, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
        } else {
            CALL(MPI_Psend_init(dense, 6, 4, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
            CALL(MPI_Precv_init(sparse, 4, 2, every_other, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
        }
        CALL(MPI_Start(&receive));
        CALL(MPI_Start(&send));
        for (int i = 0; i < N; i++) {
            *(way ? &sparse[2 * i] : &dense[i]) = 100 * rank + i;
        }
        CALL(MPI_Pready_range(0, way ? 3 : 5, send));
        CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
        int good = 0;
        for (int i = 0; i < N; i++) {
            good += (way ? dense[i] : sparse[2 * i]) == 100 * left + i && (way || sparse[2 * i + 1] == 0);
        }
        say("with holes at the %s: %d", way ? "sender" : "receiver", good);
        CALL(MPI_Request_free(&receive));
        CALL(MPI_Request_free(&send));
    }
    CALL(MPI_Type_free(&three));
    CALL(MPI_Type_free(&every_other));
}

/* Messages with equal tags meet in the order in which they were prepared, whatever the order of their starts. Ordinary
 * messages do not meet them. */
static void order(void)
{
    enum { N = 4 };
    int out[N][2], in[N][2], other = rank, from_left = -1;
    MPI_Request sends[N], receives[N], plain;
    MPI_Status status;
    for (int i = 0; i < N; i++) {
        CALL(MPI_Psend_init(out[i], 2, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &sends[i]));
        CALL(MPI_Precv_init(in[i], 1, 2, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receives[i]));
    }
    CALL(MPI_Irecv(&from_left, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &plain));
    for (int round = 0; round < 3; round++) {
        for (int i = N - 1; i >= 0; i--) {
            fill(out[i], 2, rank, 10 * round + i);
            CALL(MPI_Start(&sends[i]));
            CALL(MPI_Pready_range(0, 1, sends[i]));
        }
        CALL(MPI_Startall(N, receives));
        CALL(MPI_Waitall(N, receives, MPI_STATUSES_IGNORE));
        CALL(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
        int good = 0;
        for (int i = 0; i < N; i++) {
            good += count_right(in[i], 2, left, 10 * round + i);
        }
        say("in order: %d", good);
    }
    CALL(MPI_Send(&other, 1, MPI_INT, right, TAG, MPI_COMM_WORLD));
    CALL(MPI_Wait(&plain, &status));
    say("beside them: %d", from_left == left && status.MPI_TAG == TAG);
    /* No rank goes on to send other messages while a rank receives from any. */
    CALL(MPI_Barrier(MPI_COMM_WORLD));
    for (int i = 0; i < N; i++) {
        CALL(MPI_Request_free(&sends[i]));
        CALL(MPI_Request_free(&receives[i]));
    }
}

static void nobody(void)
{
    int data[4] = {1, 2, 3, 4};
    MPI_Request send, receive;
    /* MPICH 5.0 crashes here. */
    if (!is_ours) {
        return;
    }
    CALL(MPI_Psend_init(data, 2, 2, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    CALL(MPI_Precv_init(data, 2, 2, MPI_INT, MPI_PROC_NULL, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    CALL(MPI_Start(&send));
    CALL(MPI_Start(&receive));
    CALL(MPI_Pready_range(0, 1, send));
    CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CHECK(data[0] == 1 && data[3] == 4);
    CALL(MPI_Request_free(&send));
    CALL(MPI_Request_free(&receive));
}

/* A partition arrives while others of its message are not ready yet. */
static void early(void)
{
    enum { N = 1 << 16 };
    int *data = (int *)calloc(3 * N, sizeof *data), flag = 0, word = 0;
    MPI_Request request;
    if (!is_ours || size < 2 || rank > 1) {
        free(data);
        return;
    }
    if (rank == 0) {
        CALL(MPI_Psend_init(data, 3, N, MPI_INT, 1, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CALL(MPI_Start(&request));
        fill(data, 3 * N, 0, 0);
        for (int i = 2; i >= 0; i--) {
            CALL(MPI_Pready(i, request));
            CALL(MPI_Recv(&word, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE));
        }
    } else {
        /* Its first half needs the first two partitions of the sender. */
        CALL(MPI_Precv_init(data, 2, 3 * N / 2, MPI_INT, 0, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &request));
        CALL(MPI_Parrived(request, 0, &flag));
        CHECK(flag);
        CALL(MPI_Start(&request));
        for (int i = 0; i < 3; i++) {
            int half = i == 0 ? -1 : i == 1 ? 1 : 0;
            for (flag = 0; half >= 0 && !flag;) {
                CALL(MPI_Parrived(request, half, &flag));
            }
            if (half >= 0) {
                CHECK(count_right(data, 3 * N, 0, 0) >= 3 * N / 2 &&
                      data[half * 3 * N / 2 + 1] == half * 3 * N / 2 + 1);
            }
            CALL(MPI_Parrived(request, 0, &flag));
            CHECK(flag == (i == 2));
            CALL(MPI_Send(&word, 1, MPI_INT, 0, 0, MPI_COMM_WORLD));
        }
    }
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Request_free(&request));
    free(data);
}

static MPI_Request shared;

static void *mark_some(void *which)
{
    for (int i = *(int *)which; i < 16; i += 4) {
        CALL(MPI_Pready(i, shared));
    }
    return NULL;
}

/* Threads mark partitions as ready while another thread waits for the whole. */
static void threads(int provided)
{
    enum { N = 16 * 1024 };
    static int out[N], in[N];
    pthread_t made[4];
    int which[4] = {0, 1, 2, 3}, good = 0;
    MPI_Request receive;
    if (!is_ours || provided < MPI_THREAD_MULTIPLE) {
        return;
    }
    CALL(MPI_Psend_init(out, 16, N / 16, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &shared));
    CALL(MPI_Precv_init(in, 8, N / 8, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    for (int round = 0; round < 20; round++) {
        fill(out, N, rank, round);
        CALL(MPI_Start(&shared));
        CALL(MPI_Start(&receive));
        for (int i = 0; i < 4; i++) {
            pthread_create(&made[i], NULL, mark_some, &which[i]);
        }
        CALL(MPI_Wait(&shared, MPI_STATUS_IGNORE));
        CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        for (int i = 0; i < 4; i++) {
            pthread_join(made[i], NULL);
        }
        good += count_right(in, N, left, round) == N;
    }
    CHECK(good == 20);
    CALL(MPI_Request_free(&shared));
    CALL(MPI_Request_free(&receive));
}

#define FAILS(class_, call) CHECK(!strcmp(class_name(call), class_))

static void errors(void)
{
    int data[4] = {0}, list[2] = {1, 1}, flag;
    MPI_Request send, receive, plain = MPI_REQUEST_NULL;
    if (!is_ours) {
        return;
    }
    FAILS("ARG", MPI_Psend_init(data, -1, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    FAILS("COUNT", MPI_Psend_init(data, 1, -1, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    FAILS("RANK", MPI_Psend_init(data, 1, 1, MPI_INT, size, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    FAILS("RANK", MPI_Precv_init(data, 1, 1, MPI_INT, MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    FAILS("TAG", MPI_Precv_init(data, 1, 1, MPI_INT, left, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    FAILS("COUNT",
          MPI_Psend_init(data, 1 << 30, (MPI_Count)1 << 40, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    CALL(MPI_Psend_init(data, 2, 2, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    CALL(MPI_Precv_init(data, 2, 2, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    FAILS("REQUEST", MPI_Pready(0, send));
    FAILS("REQUEST", MPI_Pready(0, MPI_REQUEST_NULL));
    FAILS("REQUEST", MPI_Pready(0, receive));
    FAILS("REQUEST", MPI_Parrived(send, 0, &flag));
    CALL(MPI_Irecv(data, 1, MPI_INT, MPI_PROC_NULL, 0, MPI_COMM_WORLD, &plain));
    FAILS("REQUEST", MPI_Pready(0, plain));
    CALL(MPI_Wait(&plain, MPI_STATUS_IGNORE));
    CALL(MPI_Start(&send));
    FAILS("REQUEST", MPI_Start(&send));
    FAILS("ARG", MPI_Pready(2, send));
    FAILS("ARG", MPI_Pready(-1, send));
    FAILS("ARG", MPI_Pready_range(1, 0, send));
    FAILS("ARG", MPI_Pready_range(1, 2, send));
    FAILS("ARG", MPI_Pready_list(2, list, send));
    FAILS("REQUEST", MPI_Request_free(&send));
    CALL(MPI_Pready_range(0, 1, send));
    FAILS("ARG", MPI_Pready(1, send));
    FAILS("ARG", MPI_Parrived(receive, 2, &flag));
    CALL(MPI_Start(&receive));
    CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
    CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CALL(MPI_Request_free(&send));
    CALL(MPI_Request_free(&receive));
}

/* The sender's message is longer than the receiver's. The sender does not wait for ever. */
static void too_long(void)
{
    enum { N = 1 << 16 };
    static int out[N], in[N];
    int flag;
    MPI_Request send, receive;
    if (!is_ours) {
        return;
    }
    CALL(MPI_Psend_init(out, 2, N / 2, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    CALL(MPI_Precv_init(in, 1, N / 2, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    CALL(MPI_Start(&send));
    CALL(MPI_Start(&receive));
    CALL(MPI_Pready_range(0, 1, send));
    FAILS("TRUNCATE", MPI_Wait(&receive, MPI_STATUS_IGNORE));
    FAILS("TRUNCATE", MPI_Parrived(receive, 0, &flag));
    CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
    CALL(MPI_Request_free(&send));
    CALL(MPI_Request_free(&receive));
}

/* The sender's message is shorter than the receiver's: 2 partitions of 3 elements arrive in 4 of 2. MPICH fails
 * here, and takes shorter messages where both sides have one number of partitions. */
static void shorter(void)
{
    int out[6] = {0}, in[8], flag, count;
    MPI_Request send, receive;
    MPI_Status status;
    if (!is_ours) {
        return;
    }
    CALL(MPI_Psend_init(out, 2, 3, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
    CALL(MPI_Precv_init(in, 4, 2, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 8; i++) {
            in[i] = -1;
        }
        for (int i = 0; i < 6; i++) {
            out[i] = 100 * rank + 10 * round + i;
        }
        CALL(MPI_Start(&receive));
        CALL(MPI_Start(&send));
        CALL(MPI_Pready(1, send));
        for (flag = 0; !flag;) {
            CALL(MPI_Parrived(receive, 2, &flag));
        }
        CALL(MPI_Parrived(receive, 0, &flag));
        CHECK(!flag);
        CALL(MPI_Barrier(MPI_COMM_WORLD));
        CALL(MPI_Pready(0, send));
        CALL(MPI_Wait(&receive, &status));
        CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
        CALL(MPI_Get_count(&status, MPI_INT, &count));
        CHECK(status.MPI_SOURCE == left && status.MPI_TAG == TAG && count == 6);
        CALL(MPI_Parrived(receive, 3, &flag));
        CHECK(flag);
        for (int i = 0; i < 8; i++) {
            CHECK(in[i] == (i < 6 ? 100 * left + 10 * round + i : -1));
        }
    }
    CALL(MPI_Request_free(&send));
    CALL(MPI_Request_free(&receive));
}

/* A receive that is freed before it begins still meets its send: the next pair meets each other. */
static void unstarted(void)
{
    int out[4], in[4] = {0};
    MPI_Request send, receive;
    for (int round = 0; is_ours && round < 3; round++) {
        CALL(MPI_Precv_init(in, 1, 4, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
        CALL(MPI_Request_free(&receive));
        CALL(MPI_Barrier(MPI_COMM_WORLD));
        CALL(MPI_Psend_init(out, 2, 2, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
        CALL(MPI_Request_free(&send));
        CALL(MPI_Psend_init(out, 4, 1, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
        CALL(MPI_Precv_init(in, 2, 2, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
        CALL(MPI_Start(&send));
        CALL(MPI_Start(&receive));
        fill(out, 4, rank, round);
        CALL(MPI_Pready_range(0, 3, send));
        CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
        CALL(MPI_Wait(&receive, MPI_STATUS_IGNORE));
        CHECK(count_right(in, 4, left, round) == 4);
        CALL(MPI_Request_free(&send));
        CALL(MPI_Request_free(&receive));
    }
}

/* Tags that differ in any bit are different tags, in whatever order their messages are prepared. */
static void tags(void)
{
    enum { N = 6 };
    int out[N], in[N], found, *most;
    MPI_Request sends[N], receives[N];
    CALL(MPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, &most, &found));
    CHECK(found);
    if (*most < (1 << 30) + TAG) {
        return;
    }
    int const tag[N] = {TAG, (1 << 30) + TAG, TAG, *most, *most & ~(1 << 30), (1 << 30) + TAG};
    int const expected[N] = {5, 1, 2, 4, 0, 3};
    for (int way = 0; way < 3; way++) {
        /* Receives come first, last, and between two halves of the sends. */
        for (int i = 0; i < 2 * N; i++) {
            int turn = way == 0 ? i : way == 1 ? (i + N) % (2 * N) : (i + N + N / 2) % (2 * N);
            int at = turn < N ? expected[turn] : turn - N;
            if (turn < N) {
                CALL(MPI_Precv_init(&in[at], 1, 1, MPI_INT, left, tag[at], MPI_COMM_WORLD, MPI_INFO_NULL,
                                    &receives[at]));
            } else {
                CALL(
                    MPI_Psend_init(&out[at], 1, 1, MPI_INT, right, tag[at], MPI_COMM_WORLD, MPI_INFO_NULL, &sends[at]));
            }
        }
        int good = 0;
        for (int i = 0; i < N; i++) {
            out[i] = 100 * rank + i;
        }
        CALL(MPI_Startall(N, receives));
        CALL(MPI_Startall(N, sends));
        for (int i = 0; i < N; i++) {
            CALL(MPI_Pready(0, sends[N - 1 - i]));
        }
        for (int i = 0; i < N; i++) {
            MPI_Status status;
            CALL(MPI_Wait(&receives[i], &status));
            good += in[i] % 100 < N && tag[in[i] % 100] == tag[i] && in[i] / 100 == left && status.MPI_TAG == tag[i];
        }
        CALL(MPI_Waitall(N, sends, MPI_STATUSES_IGNORE));
        /* The last way prepares the second send with the high tag before the first. */
        CHECK(good == N && in[5] % 100 == (way == 2 ? 5 : 1) && in[2] % 100 == 0);
        for (int i = 0; i < N; i++) {
            CALL(MPI_Request_free(&sends[i]));
            CALL(MPI_Request_free(&receives[i]));
        }
        CALL(MPI_Barrier(MPI_COMM_WORLD));
    }
}

/* Messages whose requests are freed while they are under way still arrive, though no call names them any more. */
static void freed(void)
{
    enum { N = 1 << 18 };
    static int out[N], in[N];
    int flag = 0;
    MPI_Request send, receive;
    for (int round = 0; is_ours && round < 3; round++) {
        CALL(MPI_Precv_init(in, 3, N / 4, MPI_INT, left, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &receive));
        CALL(MPI_Start(&receive));
        CALL(MPI_Request_free(&receive));
        CALL(MPI_Barrier(MPI_COMM_WORLD));
        CALL(MPI_Psend_init(out, 6, N / 8, MPI_INT, right, TAG, MPI_COMM_WORLD, MPI_INFO_NULL, &send));
        CALL(MPI_Start(&send));
        fill(out, N, rank, round);
        CALL(MPI_Pready_range(0, 5, send));
        if (round == 2) {
            /* The parts are too long to leave before the receiver takes them. */
            CALL(MPI_Request_free(&send));
            continue;
        }
        CALL(MPI_Wait(&send, MPI_STATUS_IGNORE));
        CALL(MPI_Request_free(&send));
        while (count_right(in, N / 4 * 3, left, round) < N / 4 * 3) {
            CALL(MPI_Iprobe(left, TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE));
            CHECK(!flag);
        }
        CALL(MPI_Barrier(MPI_COMM_WORLD));
    }
    /* MPI_Finalize ends those of the last round. */
}

int main(int argc, char **argv)
{
    int provided = report_begin(&argc, &argv, MPI_THREAD_MULTIPLE), length;
    char version[MPI_MAX_LIBRARY_VERSION_STRING];
    MPI_Get_library_version(version, &length);
    is_ours = !strncmp(version, "anyccl", 6);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    ring(1, 1, 1);
    ring(4, 4, 16);
    ring(3, 4, 24);
    ring(10, 4, 200);
    ring(4, 10, 200);
    ring(8, 2, 1 << 20);
    holes();
    order();
    nobody();
    early();
    threads(provided);
    errors();
    too_long();
    shorter();
    unstarted();
    tags();
    freed();
    return report_end();
}
