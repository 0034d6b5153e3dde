/* Tests of every collective: blocking, nonblocking and, from MPI 4.0 on, persistent; in place and not; with all roots
 * and several sizes.
 *
 * Each element that a rank contributes has a value of its own, so every element of every result is known.
 */
#include "common/report.h"

enum { MOST = 100000, MODES = HAVE_MPI_4 ? 3 : 2 };

static MPI_Comm comm;
static int mode, n, *in, *out, counts[64], places[64], others[64], their_places[64];
static MPI_Datatype types[64];

#if HAVE_MPI_4
#define PERSIST(init, ...)                                                                                             \
    CALL(init(__VA_ARGS__, comm, MPI_INFO_NULL, &request_));                                                           \
    CALL(MPI_Start(&request_));                                                                                        \
    CALL(MPI_Wait(&request_, MPI_STATUS_IGNORE));                                                                      \
    CALL(MPI_Request_free(&request_))
#else
#define PERSIST(init, ...) (void)request_
#endif

/* Makes the call in the current mode. */
#define DO(name, nonblocking, init, ...)                                                                               \
    do {                                                                                                               \
        MPI_Request request_ = MPI_REQUEST_NULL;                                                                       \
        if (mode == 0) {                                                                                               \
            CALL(name(__VA_ARGS__, comm));                                                                             \
        } else if (mode == 1) {                                                                                        \
            CALL(nonblocking(__VA_ARGS__, comm, &request_));                                                           \
            CALL(MPI_Wait(&request_, MPI_STATUS_IGNORE));                                                              \
        } else {                                                                                                       \
            PERSIST(init, __VA_ARGS__);                                                                                \
        }                                                                                                              \
    } while (0)

/* Element i of the block of rank `from` for rank `to`. */
static int element(int from, int to, int i)
{
    return from * 1000003 + to * 10007 + i;
}

static void fill(int *at, int from, int to, int count)
{
    for (int i = 0; i < count; i++) {
        at[i] = element(from, to, i);
    }
}

static int is(const int *at, int from, int to, int count)
{
    for (int i = 0; i < count; i++) {
        if (at[i] != element(from, to, i)) {
            return 0;
        }
    }
    return 1;
}

static int stays(const int *at, int count)
{
    for (int i = 0; i < count; i++) {
        if (at[i] != -7) {
            return 0;
        }
    }
    return 1;
}

static void clean(void)
{
    for (int i = 0; i < (n + 3) * (size + 1) + 64; i++) {
        in[i] = -7;
    }
}

static void rooted(int root)
{
    int here = rank == root;
    /* Broadcast. */
    clean();
    if (here) {
        fill(in, root, 0, n);
    }
    DO(MPI_Bcast, MPI_Ibcast, MPI_Bcast_init, in, n, MPI_INT, root);
    CHECK(is(in, root, 0, n) && stays(in + n, 3));
    /* Gather, and in place. */
    for (int place = 0; place < 2; place++) {
        clean();
        fill(out, rank, root, n);
        if (place && here) {
            fill(in + (size_t)rank * n, rank, root, n);
        }
        DO(MPI_Gather, MPI_Igather, MPI_Gather_init, place && here ? MPI_IN_PLACE : out, n, MPI_INT, here ? in : NULL,
           n, MPI_INT, root);
        for (int from = 0; here && from < size; from++) {
            CHECK(is(in + (size_t)from * n, from, root, n));
        }
        CHECK(stays(in + (here ? size * n : 0), 3));
        /* Unequal blocks: rank r has n - r elements, or none. The blocks stand in descending order, with gaps. */
        clean();
        for (int r = 0; r < size; r++) {
            counts[r] = n > r ? n - r : 0;
            places[r] = (size - 1 - r) * (n + 1);
        }
        if (place && here) {
            fill(in + places[rank], rank, root, counts[rank]);
        }
        DO(MPI_Gatherv, MPI_Igatherv, MPI_Gatherv_init, place && here ? MPI_IN_PLACE : out, counts[rank], MPI_INT, in,
           counts, places, MPI_INT, root);
        for (int from = 0; here && from < size; from++) {
            CHECK(is(in + places[from], from, root, counts[from]));
            CHECK(stays(in + places[from] + counts[from], 1));
        }
        /* Scatter, and in place. */
        clean();
        for (int to = 0; to < size; to++) {
            fill(out + (size_t)to * n, root, to, n);
        }
        DO(MPI_Scatter, MPI_Iscatter, MPI_Scatter_init, out, n, MPI_INT, place && here ? MPI_IN_PLACE : in, n, MPI_INT,
           root);
        CHECK(place && here ? stays(in, 3) : is(in, root, rank, n) && stays(in + n, 3));
        clean();
        for (int to = 0; to < size; to++) {
            fill(out + places[to], root, to, counts[to]);
        }
        DO(MPI_Scatterv, MPI_Iscatterv, MPI_Scatterv_init, out, counts, places, MPI_INT,
           place && here ? MPI_IN_PLACE : in, counts[rank], MPI_INT, root);
        CHECK(place && here ? stays(in, 3) : is(in, root, rank, counts[rank]) && stays(in + counts[rank], 3));
        /* Reduce to the root, by sums. */
        clean();
        fill(place && here ? in : out, rank, 0, n);
        DO(MPI_Reduce, MPI_Ireduce, MPI_Reduce_init, place && here ? MPI_IN_PLACE : out, here ? in : NULL, n, MPI_INT,
           MPI_SUM, root);
        for (int i = 0; here && i < n; i++) {
            CHECK(in[i] == size * (size - 1) / 2 * 1000003 + size * i);
        }
        CHECK(stays(in + (here ? n : 0), 3));
    }
}

static void to_all(int place)
{
    const void *from_here = place ? MPI_IN_PLACE : out;
    clean();
    fill(out, rank, 0, n);
    if (place) {
        fill(in + (size_t)rank * n, rank, 0, n);
    }
    DO(MPI_Allgather, MPI_Iallgather, MPI_Allgather_init, from_here, n, MPI_INT, in, n, MPI_INT);
    for (int from = 0; from < size; from++) {
        CHECK(is(in + (size_t)from * n, from, 0, n));
    }
    CHECK(stays(in + size * n, 3));

    clean();
    for (int r = 0; r < size; r++) {
        counts[r] = n > r ? n - r : 0;
        places[r] = (size - 1 - r) * (n + 1);
    }
    if (place) {
        fill(in + places[rank], rank, 0, counts[rank]);
    }
    DO(MPI_Allgatherv, MPI_Iallgatherv, MPI_Allgatherv_init, from_here, counts[rank], MPI_INT, in, counts, places,
       MPI_INT);
    for (int from = 0; from < size; from++) {
        CHECK(is(in + places[from], from, 0, counts[from]) && stays(in + places[from] + counts[from], 1));
    }

    clean();
    for (int to = 0; to < size; to++) {
        fill((place ? in : out) + (size_t)to * n, rank, to, n);
    }
    DO(MPI_Alltoall, MPI_Ialltoall, MPI_Alltoall_init, from_here, n, MPI_INT, in, n, MPI_INT);
    for (int from = 0; from < size; from++) {
        CHECK(is(in + (size_t)from * n, from, rank, n));
    }

    /* Unequal blocks. In place, the blocks of two ranks for each other have the same length. */
    clean();
    for (int r = 0; r < size; r++) {
        int skew = place ? (r + rank) % 3 : (r + 2 * rank) % 3, back = place ? skew : (rank + 2 * r) % 3;
        counts[r] = n > skew ? n - skew : 0;
        others[r] = n > back ? n - back : 0;
        places[r] = r * (n + 1);
        their_places[r] = (size - 1 - r) * (n + 1);
        fill((place ? in + their_places[r] : out + places[r]), rank, r, counts[r]);
    }
    DO(MPI_Alltoallv, MPI_Ialltoallv, MPI_Alltoallv_init, from_here, counts, places, MPI_INT, in, others, their_places,
       MPI_INT);
    for (int from = 0; from < size; from++) {
        CHECK(is(in + their_places[from], from, rank, others[from]) &&
              stays(in + their_places[from] + others[from], 1));
    }

    clean();
    for (int r = 0; r < size; r++) {
        fill((place ? in + their_places[r] : out + places[r]), rank, r, counts[r]);
        places[r] *= (int)sizeof(int);
        their_places[r] *= (int)sizeof(int);
        types[r] = MPI_INT;
    }
    DO(MPI_Alltoallw, MPI_Ialltoallw, MPI_Alltoallw_init, from_here, counts, places, types, in, others, their_places,
       types);
    for (int from = 0; from < size; from++) {
        CHECK(is(in + their_places[from] / (int)sizeof(int), from, rank, others[from]));
    }
}

static void reductions(int place)
{
    const void *from_here = place ? MPI_IN_PLACE : out;
    int before = rank * (rank - 1) / 2, all = size * (size - 1) / 2, good = 1;
    clean();
    fill(place ? in : out, rank, 0, n);
    DO(MPI_Allreduce, MPI_Iallreduce, MPI_Allreduce_init, from_here, in, n, MPI_INT, MPI_SUM);
    for (int i = 0; i < n; i++) {
        good &= in[i] == all * 1000003 + size * i;
    }
    CHECK(good && stays(in + n, 3));

    clean();
    fill(place ? in : out, rank, 0, n);
    DO(MPI_Scan, MPI_Iscan, MPI_Scan_init, from_here, in, n, MPI_INT, MPI_SUM);
    for (int i = 0; i < n; i++) {
        good &= in[i] == (before + rank) * 1000003 + (rank + 1) * i;
    }
    CHECK(good && stays(in + n, 3));

    clean();
    fill(place ? in : out, rank, 0, n);
    DO(MPI_Exscan, MPI_Iexscan, MPI_Exscan_init, from_here, in, n, MPI_INT, MPI_SUM);
    for (int i = 0; rank > 0 && i < n; i++) {
        good &= in[i] == before * 1000003 + rank * i;
    }
    CHECK(good && stays(in + n, 3));

    clean();
    for (int to = 0; to < size; to++) {
        fill((place ? in : out) + (size_t)to * n, rank, to, n);
    }
    DO(MPI_Reduce_scatter_block, MPI_Ireduce_scatter_block, MPI_Reduce_scatter_block_init, from_here, in, n, MPI_INT,
       MPI_SUM);
    for (int i = 0; i < n; i++) {
        good &= in[i] == all * 1000003 + size * (rank * 10007 + i);
    }
    CHECK(good);

    clean();
    int at = 0;
    for (int to = 0; to < size; to++) {
        counts[to] = n > to ? n - to : 0;
        fill((place ? in : out) + at, rank, to, counts[to]);
        at += counts[to];
    }
    DO(MPI_Reduce_scatter, MPI_Ireduce_scatter, MPI_Reduce_scatter_init, from_here, in, counts, MPI_INT, MPI_SUM);
    for (int i = 0; i < counts[rank]; i++) {
        good &= in[i] == all * 1000003 + size * (rank * 10007 + i);
    }
    CHECK(good);
}

static void barrier(void)
{
    MPI_Request request;
    CALL(MPI_Barrier(comm));
    CALL(MPI_Ibarrier(comm, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
#if HAVE_MPI_4
    CALL(MPI_Barrier_init(comm, MPI_INFO_NULL, &request));
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Start(&request));
        CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    }
    CALL(MPI_Request_free(&request));
#endif
}

/* Several calls at a time, completed in another order. A persistent call with new data in each run. */
static void several(void)
{
    MPI_Request requests[6];
    int sums[6], mine[6];
    for (int i = 0; i < 6; i++) {
        mine[i] = rank + i;
        CALL(MPI_Iallreduce(&mine[i], &sums[i], 1, MPI_INT, MPI_SUM, i % 2 ? comm : MPI_COMM_WORLD, &requests[i]));
    }
    for (int i = 5; i >= 0; i--) {
        CALL(MPI_Wait(&requests[i], MPI_STATUS_IGNORE));
        CHECK(sums[i] == size * (size - 1) / 2 + size * i);
    }
#if HAVE_MPI_4
    CALL(MPI_Allreduce_init(mine, sums, 1, MPI_INT, MPI_MAX, comm, MPI_INFO_NULL, &requests[0]));
    for (int i = 0; i < 5; i++) {
        mine[0] = rank * i;
        CALL(MPI_Start(&requests[0]));
        CALL(MPI_Wait(&requests[0], MPI_STATUS_IGNORE));
        CHECK(sums[0] == (size - 1) * i);
    }
    CALL(MPI_Request_free(&requests[0]));
    /* Each rank starts its persistent requests in an order of its own. */
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Allreduce_init(&mine[i], &sums[i], 1, MPI_INT, i % 2 ? MPI_MAX : MPI_SUM, comm, MPI_INFO_NULL,
                                &requests[i]));
    }
    for (int run = 0; run < 4; run++) {
        for (int i = 0; i < 3; i++) {
            mine[i] = rank + i + run;
        }
        for (int i = 0; i < 3; i++) {
            CALL(MPI_Start(&requests[(i + rank + run) % 3]));
        }
        CALL(MPI_Waitall(3, requests, MPI_STATUSES_IGNORE));
        for (int i = 0; i < 3; i++) {
            CHECK(sums[i] == (i % 2 ? size - 1 + i + run : size * (size - 1) / 2 + size * (i + run)));
        }
    }
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Request_free(&requests[i]));
    }
#endif
    say("several at a time");
}

/* Receive blocks that overlap, which MPI forbids and MPICH takes: each element comes from one of the ranks. */
static void overlapping(void)
{
    enum { LENGTH = 5 };
    int blocks[64 * LENGTH], got[64 + LENGTH], counts[64], from[64], to[64];
    MPI_Datatype types[64];
    for (int r = 0; r < size; r++) {
        for (int i = 0; i < LENGTH; i++) {
            blocks[r * LENGTH + i] = rank;
        }
        counts[r] = LENGTH;
        from[r] = r * LENGTH * (int)sizeof(int);
        to[r] = r * (int)sizeof(int);
        types[r] = MPI_INT;
    }
    memset(got, -1, sizeof got);
    CALL(MPI_Alltoallw(blocks, counts, from, types, got, counts, to, types, comm));
    for (int i = 0; i < size + LENGTH - 1; i++) {
        CHECK(got[i] >= 0 && got[i] <= i && got[i] < size && got[i] > i - LENGTH);
    }
    memset(to, 0, sizeof to);
    CALL(MPI_Allgatherv(blocks, LENGTH, MPI_INT, got, counts, to, MPI_INT, comm));
    CHECK(got[0] >= 0 && got[0] < size);
    say("blocks that overlap");
}

int main(int argc, char **argv)
{
    static const int sizes[] = {0, 1, 7, 1000, MOST};
    static const char *names[] = {"blocking", "nonblocking", "persistent"};
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &comm));
    in = (int *)malloc(((size_t)(MOST + 3) * (size_t)(size + 1) + 64) * sizeof *in);
    out = (int *)malloc(((size_t)(MOST + 3) * (size_t)(size + 1) + 64) * sizeof *out);
    for (int s = 0; s < 5; s++) {
        n = sizes[s];
        for (mode = 0; mode < MODES; mode++) {
            for (int root = 0; root < size; root++) {
                rooted(root);
            }
            for (int place = 0; place < 2; place++) {
                to_all(place);
                reductions(place);
            }
            say("%d elements, %s", n, names[mode]);
        }
    }
    barrier();
    several();
    overlapping();
    CALL(MPI_Comm_free(&comm));
    free(in);
    free(out);
    return report_end();
}
