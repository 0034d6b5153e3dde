/* Three ways to compute the same sum, compared with one another:
 *
 *     1  all_reduce
 *     2  reduce to rank 0, then broadcast
 *     3  reduce_scatter, then all_gather
 *
 * Integers must agree bit for bit. Floating-point sums depend on the order of the additions, which differs
 * from way to way, so they must agree within rounding. Whatever the way, all ranks get the same bits; that is
 * checked too.
 *
 *     cc 04-equivalence.c -o equivalence -lanyccl -lm
 *     anyccl run -n 4 ./equivalence */
#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/check.h"

enum { ELEMENTS_PER_RANK = 10007, WAYS = 3 };

static const char *const WAY_NAMES[WAYS] = {"all_reduce", "reduce + broadcast", "reduce_scatter + all_gather"};

/* A cheap hash: different on every rank and for every element, the same in every run. */
static uint32_t scramble(uint32_t rank, uint32_t index)
{
    uint32_t x = rank * 0x9e3779b9u + index * 0x85ebca6bu + 1;
    x = (x ^ (x >> 16)) * 0x7feb352du;
    x = (x ^ (x >> 15)) * 0x846ca68bu;
    return x ^ (x >> 16);
}

static int64_t integer_at(int rank, size_t i)
{
    return (int64_t)scramble((uint32_t)rank, (uint32_t)i) - INT32_MAX;
}

/* Element `i` of a rank, in [-1, 1]. */
static float float_at(int rank, size_t i)
{
    return (float)integer_at(rank, i) / (float)INT32_MAX;
}

/* Sums `input` in three ways, one into each of `results`. `piece` has room for a rank's share of the sum. */
static int sum_three_ways(const void *input, void *const results[WAYS], void *piece, int size,
                          anyccl_datatype_t datatype)
{
    size_t count = (size_t)size * ELEMENTS_PER_RANK;
    ANYCCL_CHECK(anyccl_all_reduce(input, results[0], count, datatype, ANYCCL_SUM, ANYCCL_WORLD));

    ANYCCL_CHECK(anyccl_reduce(input, results[1], count, datatype, ANYCCL_SUM, 0, ANYCCL_WORLD));
    ANYCCL_CHECK(anyccl_broadcast(results[1], results[1], count, datatype, 0, ANYCCL_WORLD));

    ANYCCL_CHECK(anyccl_reduce_scatter(input, piece, ELEMENTS_PER_RANK, datatype, ANYCCL_SUM, ANYCCL_WORLD));
    ANYCCL_CHECK(anyccl_all_gather(piece, results[2], ELEMENTS_PER_RANK, datatype, ANYCCL_WORLD));
    return 0;
}

/* Tells whether two sums over the ranks agree within rounding. In any order of the additions, a sum of `size`
 * numbers is off by less than size * FLT_EPSILON / 2 times the sum of their magnitudes. The two sums
 * together may differ by twice that. */
static int within_rounding(const float *a, const float *b, int size)
{
    size_t count = (size_t)size * ELEMENTS_PER_RANK;
    for (size_t i = 0; i < count; i++) {
        double magnitude = 0;
        for (int r = 0; r < size; r++)
            magnitude += fabs((double)float_at(r, i));
        /* The condition is negated so that a NaN counts as a difference. */
        if (!(fabs((double)a[i] - (double)b[i]) <= size * (double)FLT_EPSILON * magnitude))
            return 0;
    }
    return 1;
}

/* The sum over all ranks, computed without communication: every rank knows every input. */
static void sum_by_hand(void *sum, int size, anyccl_datatype_t datatype)
{
    for (size_t i = 0; i < (size_t)size * ELEMENTS_PER_RANK; i++) {
        int64_t integer = 0;
        float real = 0;
        for (int r = 0; r < size; r++) {
            integer += integer_at(r, i);
            real += float_at(r, i);
        }
        if (datatype == ANYCCL_INT64)
            ((int64_t *)sum)[i] = integer;
        else
            ((float *)sum)[i] = real;
    }
}

/* Sets *same to whether `bytes` bytes (a multiple of 8) at `data` are the same on every rank. */
static int same_on_all_ranks(const void *data, size_t bytes, int *same)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ ((const unsigned char *)data)[i]) * 0x100000001b3u;
    uint64_t lowest, highest;
    ANYCCL_CHECK(anyccl_all_reduce(&hash, &lowest, 1, ANYCCL_UINT64, ANYCCL_MIN, ANYCCL_WORLD));
    ANYCCL_CHECK(anyccl_all_reduce(&hash, &highest, 1, ANYCCL_UINT64, ANYCCL_MAX, ANYCCL_WORLD));
    *same = lowest == highest;
    return 0;
}

/* Compares each way with the next one, and the first one with the sum made by hand. Rank 0 prints the
 * verdicts. Returns 0 when everything agrees on all ranks. */
static int compare(void *const results[WAYS], void *by_hand, int rank, int size, anyccl_datatype_t datatype)
{
    int exact = datatype == ANYCCL_INT64;
    size_t bytes = (size_t)size * ELEMENTS_PER_RANK * (exact ? sizeof(int64_t) : sizeof(float));
    sum_by_hand(by_hand, size, datatype);

    int failed = 0;
    for (int a = 0; a <= WAYS; a++) {
        const void *left = results[a % WAYS], *right = a == WAYS ? by_hand : results[(a + 1) % WAYS];
        const char *right_name = a == WAYS ? "sum made by hand" : WAY_NAMES[(a + 1) % WAYS];
        int32_t holds = exact ? memcmp(left, right, bytes) == 0 : within_rounding(left, right, size);
        int same;
        ANYCCL_CHECK(anyccl_all_reduce(&holds, &holds, 1, ANYCCL_INT32, ANYCCL_MIN, ANYCCL_WORLD));
        if (same_on_all_ranks(left, bytes, &same) != 0)
            return EXIT_FAILURE;
        if (rank == 0)
            printf("%-7s  %-27s = %-27s %s%s\n", exact ? "int64" : "float32", WAY_NAMES[a % WAYS], right_name,
                   !holds  ? "NO, THEY DIFFER"
                   : exact ? "bit for bit"
                           : "within rounding",
                   same ? "" : ", BUT THE RANKS DIFFER");
        failed |= !holds || !same;
    }
    return failed ? EXIT_FAILURE : 0;
}

static int run(int rank, int size)
{
    size_t count = (size_t)size * ELEMENTS_PER_RANK;
    /* int64_t is the larger of the two element types, so the same memory serves both. */
    size_t room = count * sizeof(int64_t);
    void *input = malloc(room), *piece = malloc(room), *by_hand = malloc(room);
    void *results[WAYS] = {malloc(room), malloc(room), malloc(room)};
    int failed = EXIT_FAILURE;
    if (!input || !piece || !by_hand || !results[0] || !results[1] || !results[2]) {
        fprintf(stderr, "rank %d: out of memory\n", rank);
        goto out;
    }

    for (size_t i = 0; i < count; i++)
        ((int64_t *)input)[i] = integer_at(rank, i);
    if (sum_three_ways(input, results, piece, size, ANYCCL_INT64) != 0 ||
        compare(results, by_hand, rank, size, ANYCCL_INT64) != 0)
        goto out;

    for (size_t i = 0; i < count; i++)
        ((float *)input)[i] = float_at(rank, i);
    if (sum_three_ways(input, results, piece, size, ANYCCL_FLOAT32) != 0 ||
        compare(results, by_hand, rank, size, ANYCCL_FLOAT32) != 0)
        goto out;
    failed = 0;
out:
    free(input);
    free(piece);
    free(by_hand);
    for (int way = 0; way < WAYS; way++)
        free(results[way]);
    return failed;
}

int main(void)
{
    int rank, size;
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));
    ANYCCL_CHECK(anyccl_world_size(&size));
    if (run(rank, size) != 0)
        return EXIT_FAILURE;
    if (rank == 0)
        printf("all three ways agree, ranks: %d\n", size);
    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
