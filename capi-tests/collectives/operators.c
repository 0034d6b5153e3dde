/* Tests of user-defined operators, in every collective that reduces: scaled sums, and functions. */
#include "check.h"
#include "ranks.h"

enum { COUNT = 1000, MOST = 4 };

static void scaled_sums(struct harness *harness, void *shared)
{
    static float send[MOST][MOST * COUNT], recv[MOST][COUNT];
    float *const mine = send[harness->rank], *const got = recv[harness->rank];
    float scalar = (float)(harness->rank + 1);
    anyccl_reduce_op_t now, later;
    (void)shared;
    CHECK_OK(anyccl_op_create_premul_sum(&scalar, ANYCCL_FLOAT32, ANYCCL_SCALAR_IMMEDIATE, &now));
    CHECK_OK(anyccl_op_create_premul_sum(&scalar, ANYCCL_FLOAT32, ANYCCL_SCALAR_DEFERRED, &later));
    CHECK(now >= 1024 && later >= 1024 && now != later);
    for (int i = 0; i < MOST * COUNT; i++)
        mine[i] = (float)(i % 50);
    const int scalars = harness->size * (harness->size + 1) / 2;

    CHECK_OK(anyccl_all_reduce(mine, got, COUNT, ANYCCL_FLOAT32, now, harness->comm));
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == (float)(scalars * (i % 50)) && mine[i] == (float)(i % 50));

    scalar *= 2;
    CHECK_OK(anyccl_reduce_scatter(mine, got, COUNT, ANYCCL_FLOAT32, later, harness->comm));
    for (int i = 0; i < COUNT; i++)
        CHECK(got[i] == (float)(2 * scalars * ((harness->rank * COUNT + i) % 50)));

    /* The handle of the operator is released; calls that were started with it go on. */
    anyccl_request_t request;
    CHECK_OK(anyccl_ireduce(mine, got, COUNT, ANYCCL_FLOAT32, now, harness->size - 1, harness->comm, &request));
    CHECK_OK(anyccl_op_destroy(now));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_op_destroy(now));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_all_reduce(mine, got, 1, ANYCCL_FLOAT32, now, harness->comm));
    CHECK_OK(anyccl_wait(&request));
    for (int i = 0; harness->rank == harness->size - 1 && i < COUNT; i++)
        CHECK(got[i] == (float)(scalars * (i % 50)));
    CHECK_OK(anyccl_op_destroy(later));
}

/* A map x -> a*x + b. Composition of such maps is associative and does not commute. */
struct map {
    unsigned a, b;
};

static struct map then(struct map f, struct map g)
{
    const struct map both = {f.a * g.a, g.a * f.b + g.b};
    return both;
}

struct seen {
    size_t elements;
    anyccl_comm_t comm;
};

static void one_after_the_other(const void *in, void *inout, size_t count, anyccl_datatype_t datatype, void *context)
{
    const struct map *left = in;
    struct map *right = inout;
    struct seen *seen = context;
    CHECK(datatype == ANYCCL_UINT64 && count > 0);
    CHECK((size_t)left % sizeof(struct map) == 0 && (size_t)right % sizeof(struct map) == 0);
    for (size_t i = 0; i < count; i++)
        right[i] = then(left[i], right[i]);
    seen->elements += count;
    /* A call inside an operator is refused: it would wait for itself. */
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_barrier(seen->comm));
}

static struct map map_of(int rank, int i)
{
    const struct map map = {2u * (unsigned)(rank + i) + 3u, (unsigned)(rank * 7919 + i * 13 + 5)};
    return map;
}

static int is_everybodys(int size, int i, struct map found)
{
    struct map map = map_of(0, i);
    for (int rank = 1; rank < size; rank++)
        map = then(map, map_of(rank, i));
    return map.a == found.a && map.b == found.b;
}

static void functions(struct harness *harness, void *shared)
{
    static struct map send[MOST][MOST * COUNT], recv[MOST][COUNT];
    struct map *const mine = send[harness->rank], *const got = recv[harness->rank];
    struct seen seen = {0, harness->comm};
    anyccl_reduce_op_t op;
    (void)shared;
    CHECK_OK(anyccl_op_create(one_after_the_other, &seen, 0, &op));
    for (int i = 0; i < MOST * COUNT; i++)
        mine[i] = map_of(harness->rank, i);

    CHECK_OK(anyccl_all_reduce(mine, got, COUNT, ANYCCL_UINT64, op, harness->comm));
    for (int i = 0; i < COUNT; i++)
        CHECK(is_everybodys(harness->size, i, got[i]));
    CHECK(harness->size == 1 || seen.elements > 0);

    CHECK_OK(anyccl_reduce_scatter(mine, got, COUNT, ANYCCL_UINT64, op, harness->comm));
    for (int i = 0; i < COUNT; i++)
        CHECK(is_everybodys(harness->size, harness->rank * COUNT + i, got[i]));

    anyccl_request_t request;
    CHECK_OK(anyccl_ireduce(mine, mine, COUNT, ANYCCL_UINT64, op, 0, harness->comm, &request));
    CHECK_OK(anyccl_wait(&request));
    for (int i = 0; harness->rank == 0 && i < COUNT; i++)
        CHECK(is_everybodys(harness->size, i, mine[i]));
    CHECK_OK(anyccl_op_destroy(op));
}

/* Rank 1 says that its operator commutes; the others say that it does not. */
static void disagreeing(struct harness *harness, void *shared)
{
    struct map one = {1, 2}, result;
    struct seen seen = {0, harness->comm};
    anyccl_reduce_op_t op;
    (void)shared;
    CHECK_OK(anyccl_op_create(one_after_the_other, &seen, harness->rank == 1, &op));
    anyccl_status_t status = ANYCCL_SUCCESS;
    for (int tries = 0; tries < 3 && status == ANYCCL_SUCCESS; tries++)
        status = anyccl_all_reduce(&one, &result, 1, ANYCCL_UINT64, op, harness->comm);
    CHECK_STATUS(ANYCCL_ERR_MISMATCH, status);
    CHECK_OK(anyccl_op_destroy(op));
}

static int is_text(const char *expected, const char *found)
{
    while (*expected != '\0' && *expected == *found)
        expected++, found++;
    return *expected == *found;
}

static void numbers_and_names(void)
{
    const double scalar = 2;
    anyccl_reduce_op_t op = -5;
    int supported = -1;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_op_create(NULL, NULL, 1, &op));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_op_create(one_after_the_other, NULL, 1, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_op_create_premul_sum(NULL, ANYCCL_FLOAT64, ANYCCL_SCALAR_IMMEDIATE, &op));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_op_create_premul_sum(&scalar, ANYCCL_FLOAT64, 2, &op));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_op_create_premul_sum(&scalar, ANYCCL_BYTE, ANYCCL_SCALAR_IMMEDIATE, &op));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_op_create_premul_sum(&scalar, ANYCCL_FLOAT64, ANYCCL_SCALAR_IMMEDIATE, NULL));
    CHECK((int)op == -5);
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_op_destroy(ANYCCL_SUM));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_op_destroy(-1));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_op_destroy(1 << 30));

    CHECK_OK(anyccl_op_create_premul_sum(&scalar, ANYCCL_FLOAT64, ANYCCL_SCALAR_IMMEDIATE, &op));
    CHECK(is_text("premul_sum", anyccl_reduce_op_name(op)));
    CHECK_OK(anyccl_is_supported(op, ANYCCL_FLOAT64, &supported));
    CHECK(supported == 1);
    CHECK_OK(anyccl_is_supported(op, ANYCCL_FLOAT32, &supported));
    CHECK(supported == 0);
    CHECK_OK(anyccl_op_destroy(op));
    CHECK(is_text("unknown", anyccl_reduce_op_name(op)));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_is_supported(op, ANYCCL_FLOAT64, &supported));
}

int main(void)
{
    numbers_and_names();
    for (int size = 1; size <= MOST; size++) {
        run_ranks(size, PATIENCE_MS, scaled_sums, NULL);
        run_ranks(size, PATIENCE_MS, functions, NULL);
    }
    run_ranks(3, PATIENCE_MS, disagreeing, NULL);
    return 0;
}
