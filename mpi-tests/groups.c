/* Tests of groups: made from communicators and from other groups, compared, translated, and made into communicators. */
#include "common/report.h"

static void show(const char *what, MPI_Group group)
{
    MPI_Group world;
    int members, mine, all[64], there[64];
    char text[256] = "";
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
    CALL(MPI_Group_size(group, &members));
    CALL(MPI_Group_rank(group, &mine));
    for (int i = 0; i < members; i++) {
        all[i] = i;
    }
    CALL(MPI_Group_translate_ranks(group, members, all, world, there));
    for (int i = 0; i < members; i++) {
        snprintf(text + strlen(text), sizeof text - strlen(text), " %d", there[i]);
    }
    if (mine == MPI_UNDEFINED) {
        say("%s:%s, I am not in it", what, text);
    } else {
        say("%s:%s, I am %d", what, text, mine);
    }
    CALL(MPI_Group_free(&world));
    CHECK(world == MPI_GROUP_NULL);
}

static const char *comparison(int result)
{
    return result == MPI_IDENT       ? "ident"
           : result == MPI_CONGRUENT ? "congruent"
           : result == MPI_SIMILAR   ? "similar"
                                     : "unequal";
}

static void compare(const char *what, MPI_Group a, MPI_Group b)
{
    int result;
    CALL(MPI_Group_compare(a, b, &result));
    say("%s: %s", what, comparison(result));
}

int main(int argc, char **argv)
{
    MPI_Group world, even, reversed, first, both, empty, again;
    MPI_Comm comm, other;
    int list[64], n = 0, result;
    report_begin(&argc, &argv, MPI_THREAD_SINGLE);
    CALL(MPI_Comm_group(MPI_COMM_WORLD, &world));
    show("world", world);
    for (int i = 0; i < size; i += 2) {
        list[n++] = i;
    }
    CALL(MPI_Group_incl(world, n, list, &even));
    show("even", even);
    int range[1][3] = {{size - 1, 0, -1}};
    CALL(MPI_Group_range_incl(world, 1, range, &reversed));
    show("reversed", reversed);
    int start[1][3] = {{1, size - 1, 1}};
    CALL(MPI_Group_range_excl(world, size > 1, start, &first));
    show("first", first);
    CALL(MPI_Group_excl(world, n, list, &again));
    show("odd", again);
    CALL(MPI_Group_union(again, even, &both));
    show("odd, then even", both);
    compare("that and the world", both, world);
    compare("reversed and the world", reversed, world);
    compare("even and odd", even, again);
    compare("even and even", even, even);
    CALL(MPI_Group_free(&both));
    CALL(MPI_Group_intersection(reversed, even, &both));
    show("even of reversed", both);
    CALL(MPI_Group_free(&both));
    CALL(MPI_Group_difference(reversed, even, &both));
    show("reversed without even", both);
    CALL(MPI_Group_free(&both));
    CALL(MPI_Group_intersection(even, again, &empty));
    compare("nothing and the empty group", empty, MPI_GROUP_EMPTY);
    show("empty", MPI_GROUP_EMPTY);
    int ask[3] = {0, MPI_PROC_NULL, 0}, told[3];
    CALL(MPI_Group_translate_ranks(even, 3, ask, again, told));
    say("translated: %d %d", told[0] == MPI_UNDEFINED, told[1] == MPI_PROC_NULL);

    CALL(MPI_Comm_create(MPI_COMM_WORLD, reversed, &comm));
    int there = -1, sum = -1;
    CALL(MPI_Comm_rank(comm, &there));
    CALL(MPI_Scan(&rank, &sum, 1, MPI_INT, MPI_SUM, comm));
    say("in reversed: rank %d, scan %d", there, sum);
    CALL(MPI_Comm_compare(comm, MPI_COMM_WORLD, &result));
    say("reversed communicator: %s", comparison(result));
    CALL(MPI_Comm_dup(MPI_COMM_WORLD, &other));
    CALL(MPI_Comm_compare(other, MPI_COMM_WORLD, &result));
    say("duplicate: %s", comparison(result));
    CALL(MPI_Comm_compare(other, other, &result));
    say("itself: %s", comparison(result));
    CALL(MPI_Comm_free(&other));
    CALL(MPI_Comm_create(MPI_COMM_WORLD, even, &other));
    say("in even: %d", other != MPI_COMM_NULL);
    if (other != MPI_COMM_NULL) {
        CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, other));
        say("sum of even: %d", sum);
        CALL(MPI_Comm_compare(other, MPI_COMM_WORLD, &result));
        say("even communicator: %s", size == 1 ? "" : comparison(result));
        CALL(MPI_Comm_free(&other));
        CHECK(other == MPI_COMM_NULL);
        CALL(MPI_Comm_create_group(MPI_COMM_WORLD, even, 17, &other));
        CALL(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_MAX, other));
        say("greatest even: %d", sum);
        CALL(MPI_Comm_free(&other));
    }
    for (int color = 1; color <= 3; color++) {
        CALL(MPI_Comm_split(MPI_COMM_WORLD, rank % color ? rank % color : MPI_UNDEFINED, -rank, &other));
        if (other == MPI_COMM_NULL) {
            say("split by %d: not in it", color);
            continue;
        }
        int parts;
        CALL(MPI_Comm_rank(other, &there));
        CALL(MPI_Comm_size(other, &parts));
        say("split by %d: %d of %d", color, there, parts);
        CALL(MPI_Comm_free(&other));
    }
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &other));
    CALL(MPI_Comm_size(other, &n));
    say("with shared memory: %d", n);
    CALL(MPI_Comm_free(&other));
    CALL(MPI_Comm_split_type(MPI_COMM_WORLD, MPI_UNDEFINED, rank, MPI_INFO_NULL, &other));
    CHECK(other == MPI_COMM_NULL);
    MPI_Request request;
    CALL(MPI_Comm_idup(comm, &other, &request));
    CALL(MPI_Wait(&request, MPI_STATUS_IGNORE));
    CALL(MPI_Comm_compare(comm, other, &result));
    say("nonblocking duplicate: %s", comparison(result));
    CALL(MPI_Comm_free(&other));
    CALL(MPI_Comm_free(&comm));
    CALL(MPI_Group_free(&again));
    CALL(MPI_Group_free(&first));
    CALL(MPI_Group_free(&reversed));
    CALL(MPI_Group_free(&even));
    CALL(MPI_Group_free(&world));
    return report_end();
}
