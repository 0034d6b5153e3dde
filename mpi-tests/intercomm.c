/* Tests of intercommunicators: made of two halves of the world, used for messages and every collective, duplicated, split,
 * merged.
 *
 * Group A has the ranks below half of the size, group B the others. With one rank there is nothing to test.
 */
#include "common/report.h"

enum { N = 5 };

static MPI_Comm half, inter;
static int in_b, mine, ours, theirs;

/* Element i of the block of rank `from` for rank `to` of the other group. `b` tells whether `from` is in group B. */
static int element(int b, int from, int to, int i)
{
    return b * 100000 + from * 1000 + to * 100 + i;
}

static void messages(MPI_Comm comm)
{
    MPI_Status status;
    int flag, a, b, got[64], to = mine % theirs, n = 0;
    CALL(MPI_Comm_test_inter(comm, &flag));
    CALL(MPI_Comm_remote_size(comm, &a));
    CALL(MPI_Comm_size(comm, &b));
    say("intercommunicator %d, remote size %d, size %d", flag, a, b);
    MPI_Request request;
    int value = element(in_b, mine, to, 0);
    CALL(MPI_Isend(&value, 1, MPI_INT, to, 1, comm, &request));
    for (int from = 0; from < theirs; from++) {
        if (from % ours == mine) {
            CALL(MPI_Recv(&got[n++], 1, MPI_INT, from, 1, comm, &status));
            CHECK(status.MPI_SOURCE == from && got[n - 1] == element(!in_b, from, mine, 0));
        }
    }
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    say("messages: %d", n);
}

/* The root argument of this rank, for a call whose root is rank `root` of group `b`. */
static int root_of(int b, int root)
{
    return in_b == b ? mine == root ? MPI_ROOT : MPI_PROC_NULL : root;
}

static void rooted(int b, int root, int groups_root)
{
    int in[64 * N], out[64 * N], here = in_b == b && mine == root, other = in_b != b, good = 1;
    memset(in, -1, sizeof in);
    for (int i = 0; i < N; i++) {
        out[i] = in[i] = here ? element(b, root, 0, i) : -1;
    }
    CALL(MPI_Bcast(in, N, MPI_INT, groups_root, inter));
    for (int i = 0; other && i < N; i++) {
        good &= in[i] == element(b, root, 0, i);
    }
    CHECK(good);
    for (int i = 0; i < N; i++) {
        out[i] = element(in_b, mine, root, i);
    }
    CALL(MPI_Gather(out, N, MPI_INT, in, N, MPI_INT, groups_root, inter));
    for (int i = 0; here && i < theirs * N; i++) {
        good &= in[i] == element(!b, i / N, root, i % N);
    }
    CHECK(good);
    for (int i = 0; i < theirs * N; i++) {
        out[i] = element(b, root, i / N, i % N);
    }
    CALL(MPI_Scatter(out, N, MPI_INT, in, N, MPI_INT, groups_root, inter));
    for (int i = 0; other && i < N; i++) {
        good &= in[i] == element(b, root, mine, i);
    }
    CHECK(good);
    for (int i = 0; i < N; i++) {
        out[i] = mine + i;
    }
    CALL(MPI_Reduce(out, in, N, MPI_INT, MPI_SUM, groups_root, inter));
    for (int i = 0; here && i < N; i++) {
        good &= in[i] == theirs * (theirs - 1) / 2 + theirs * i;
    }
    CHECK(good);
    /* Unequal blocks: that of rank r has r + 1 elements. */
    int counts[64], places[64], at = 0;
    for (int r = 0; r < theirs; r++) {
        counts[r] = r + 1;
        places[r] = at;
        at += r + 1;
    }
    for (int i = 0; i <= mine; i++) {
        out[i] = element(in_b, mine, root, i);
    }
    CALL(MPI_Gatherv(out, mine + 1, MPI_INT, in, counts, places, MPI_INT, groups_root, inter));
    for (int r = 0; here && r < theirs; r++) {
        good &= in[places[r] + r] == element(!b, r, root, r);
    }
    for (int r = 0; here && r < theirs; r++) {
        for (int i = 0; i <= r; i++) {
            out[places[r] + i] = element(b, root, r, i);
        }
    }
    CALL(MPI_Scatterv(out, counts, places, MPI_INT, in, mine + 1, MPI_INT, groups_root, inter));
    for (int i = 0; other && i <= mine; i++) {
        good &= in[i] == element(b, root, mine, i);
    }
    CHECK(good);
}

static void all_to_all(void)
{
    int in[64 * N], out[64 * N], counts[64], places[64], to[64], from[64], at = 0, good = 1;
    MPI_Datatype types[64];
    MPI_Request request;
    CALL(MPI_Barrier(inter));
    for (int i = 0; i < N; i++) {
        out[i] = element(in_b, mine, 0, i);
    }
    CALL(MPI_Allgather(out, N, MPI_INT, in, N, MPI_INT, inter));
    for (int i = 0; i < theirs * N; i++) {
        good &= in[i] == element(!in_b, i / N, 0, i % N);
    }
    CHECK(good);
    for (int r = 0; r < theirs; r++) {
        counts[r] = r + 1;
        places[r] = at;
        at += r + 1;
    }
    CALL(MPI_Allgatherv(out, mine < N ? mine + 1 : N, MPI_INT, in, counts, places, MPI_INT, inter));
    for (int r = 0; r < theirs; r++) {
        good &= in[places[r] + r] == element(!in_b, r, 0, r);
    }
    CHECK(good);
    for (int i = 0; i < theirs * N; i++) {
        out[i] = element(in_b, mine, i / N, i % N);
    }
    CALL(MPI_Alltoall(out, N, MPI_INT, in, N, MPI_INT, inter));
    for (int i = 0; i < theirs * N; i++) {
        good &= in[i] == element(!in_b, i / N, mine, i % N);
    }
    CHECK(good);
    memset(in, -1, sizeof in);
    for (int r = 0; r < theirs; r++) {
        to[r] = from[r] = (r + mine) % N;
        places[r] = r * N;
    }
    CALL(MPI_Alltoallv(out, to, places, MPI_INT, in, from, places, MPI_INT, inter));
    for (int i = 0; i < theirs * N; i++) {
        good &= in[i] == (i % N < from[i / N] ? element(!in_b, i / N, mine, i % N) : -1);
    }
    CHECK(good);
    memset(in, -1, sizeof in);
    for (int r = 0; r < theirs; r++) {
        places[r] *= (int)sizeof(int);
        types[r] = MPI_INT;
    }
    CALL(MPI_Ialltoallw(out, to, places, types, in, from, places, types, inter, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    for (int i = 0; i < theirs * N; i++) {
        good &= in[i] == (i % N < from[i / N] ? element(!in_b, i / N, mine, i % N) : -1);
    }
    CHECK(good);
    for (int i = 0; i < N; i++) {
        out[i] = mine + i;
    }
    CALL(MPI_Allreduce(out, in, N, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < N; i++) {
        good &= in[i] == theirs * (theirs - 1) / 2 + theirs * i;
    }
    CHECK(good);
    /* A group gets the sums of the other group, in blocks. Both sizes divide the number of elements. */
    int total = ours * theirs;
    for (int i = 0; i < total; i++) {
        out[i] = mine + i;
    }
    CALL(MPI_Reduce_scatter_block(out, in, theirs, MPI_INT, MPI_SUM, inter));
    for (int i = 0; i < theirs; i++) {
        good &= in[i] == theirs * (theirs - 1) / 2 + theirs * (mine * theirs + i);
    }
    CHECK(good);
    CALL(MPI_Ibarrier(inter, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
#if HAVE_MPI_4
    /* Persistent calls, which each rank starts in an order of its own. */
    MPI_Request persistent[3], pending;
    int sums[2], before = -1;
    /* A call in stages is under way meanwhile. */
    CALL(MPI_Iallreduce(&mine, &before, 1, MPI_INT, MPI_SUM, inter, &pending));
    CALL(MPI_Allreduce_init(&mine, &sums[0], 1, MPI_INT, MPI_SUM, inter, MPI_INFO_NULL, &persistent[0]));
    CALL(MPI_Barrier_init(inter, MPI_INFO_NULL, &persistent[1]));
    CALL(MPI_Allreduce_init(&mine, &sums[1], 1, MPI_INT, MPI_MAX, inter, MPI_INFO_NULL, &persistent[2]));
    CALL(MPI_Wait(&pending, MPI_STATUS_IGNORE));
    CHECK(before == theirs * (theirs - 1) / 2);
    for (int run = 0; run < 3; run++) {
        sums[0] = sums[1] = -1;
        for (int i = 0; i < 3; i++) {
            CALL(MPI_Start(&persistent[(i + run + rank) % 3]));
        }
        CALL(MPI_Waitall(3, persistent, MPI_STATUSES_IGNORE));
        CHECK(sums[0] == theirs * (theirs - 1) / 2 && sums[1] == theirs - 1);
    }
    for (int i = 0; i < 3; i++) {
        CALL(MPI_Request_free(&persistent[i]));
    }
#endif
    say("all to all");
}

static void groups(void)
{
    MPI_Group local, remote, world;
    int all[64], there[64], n, result;
    char text[256] = "";
    CALL(MPI_Comm_group(inter, &local));
    CALL(MPI_Comm_remote_group(inter, &remote));
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CALL(MPI_Group_size(remote, &n));
    for (int i = 0; i < n; i++) {
        all[i] = i;
    }
    CALL(MPI_Group_translate_ranks(remote, n, all, world, there));
    for (int i = 0; i < n; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", there[i]);
    }
    CALL(MPI_Group_size(local, &n));
    say("remote:%s; local: %d", text, n);
    CALL(MPI_Comm_compare(inter, half, &result));
    say("another than the half: %d", result == MPI_UNEQUAL);
    CALL(MPI_Group_free(&local));
    CALL(MPI_Group_free(&remote));
    CALL(MPI_Group_free(&world));
}

static void merged(void)
{
    MPI_Comm whole, copy;
    int there, n, sum, result;
    for (int high = 0; high < 2; high++) {
        CALL(MPI_Intercomm_merge(inter, in_b != high, &whole));
        CALL(MPI_Comm_rank(whole, &there));
        CALL(MPI_Comm_size(whole, &n));
        CALL(MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, whole));
        say("merged: %d of %d, scan %d", there, n, sum);
        CALL(MPI_Comm_free(&whole));
    }
    MPI_Request pending;
    CALL(MPI_Iallreduce(&rank, &n, 1, MPI_INT, MPI_MAX, inter, &pending));
    CALL(MPI_Comm_dup(inter, &copy));
    CALL(MPI_Wait(&pending, MPI_STATUS_IGNORE));
    CALL(MPI_Comm_compare(inter, copy, &result));
    say("duplicate: congruent %d", result == MPI_CONGRUENT);
    messages(copy);
    CALL(MPI_Comm_free(&copy));
    /* An intercommunicator of rank 0 of each group. */
    CALL(MPI_Comm_split(inter, mine < 1 ? 1 : MPI_UNDEFINED, 0, &copy));
    if (copy == MPI_COMM_NULL) {
        say("split: not in it");
        return;
    }
    CALL(MPI_Comm_remote_size(copy, &n));
    CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, copy));
    say("split: %d, sum of the others %d", n, sum);
    CALL(MPI_Comm_free(&copy));
}

int main(int argc, char **argv)
{
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    if (size == 1) {
        say("one rank has nobody to meet");
        return report_end();
    }
    in_b = rank >= size / 2;
    ours = in_b ? size - size / 2 : size / 2;
    theirs = size - ours;
    CALL(MPI_Comm_split(MPI_COMM_WORLD, in_b, rank, &half));
    CALL(MPI_Comm_rank(half, &mine));
    CALL(MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, in_b ? 0 : size / 2, 12, &inter));
    messages(inter);
    groups();
    for (int b = 0; b < 2; b++) {
        for (int root = 0; root < (in_b == b ? ours : theirs); root++) {
            rooted(b, root, root_of(b, root));
            say("root %d of %s", root, b ? "B" : "A");
        }
    }
    all_to_all();
    merged();
    CALL(MPI_Comm_free(&inter));
    CALL(MPI_Comm_free(&half));
    return report_end();
}
