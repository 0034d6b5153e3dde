/* Tests of every collective on the world against the oracle, with the engine that the environment names. Runs
 * on up to four ranks. run.py starts it under the launcher that the engine needs. The argument is the point of each
 * sample. */
#include <stdlib.h>
#include <string.h>

#include "harness.h"
#include "check.h"
#include "oracle.h"
#include "sample.h"
#include "unequal_calls.h"

enum { COUNT = 37, LONG = 200000, BYTES = 16 * COUNT };

static void compare(const void *received, const void *wanted, size_t bytes)
{
    CHECK(memcmp(received, wanted, bytes) == 0);
}

/* A prefix of one datatype and operator, with or without this rank. */
static void one_scan(const struct harness *harness, anyccl_datatype_t datatype, anyccl_reduce_op_t op, int exclusive,
                     int in_place)
{
    unsigned char send[BYTES], recv[BYTES], wanted[BYTES];
    const int ranks = harness->rank + !exclusive;
    memset(recv, 0x5A, sizeof recv);
    for (size_t i = 0; i < COUNT; i++)
        store(datatype, in_place ? recv : send, i, contribution(datatype, harness->rank, i));
    /* On rank 0, an exscan leaves the buffer as it was. */
    memcpy(wanted, recv, sizeof recv);
    for (size_t i = 0; ranks > 0 && i < COUNT; i++)
        store(datatype, wanted, i, combined(datatype, op, ranks, i));
    if (exclusive)
        CHECK_OK(anyccl_exscan(in_place ? recv : send, recv, COUNT, datatype, op, harness->comm));
    else
        CHECK_OK(anyccl_scan(in_place ? recv : send, recv, COUNT, datatype, op, harness->comm));
    compare(recv, wanted, sizeof recv);
}

/* Prefixes of every datatype and operator whose results are exact. */
static void scans(const struct harness *harness, int point)
{
    for (int datatype = ANYCCL_INT8; datatype <= ANYCCL_BYTE; datatype++)
        for (int op = ANYCCL_SUM; op <= ANYCCL_LXOR; op++) {
            struct sample sample = sample_of((unsigned)(datatype * 32 + op), point, 2, (const int[]){2, 2});
            int supported, exact = 1;
            CHECK_OK(anyccl_is_supported(op, datatype, &supported));
            for (int size = 1; size <= harness->size; size++)
                exact = exact && is_exact(datatype, op, size);
            while (supported && exact && sample_next(&sample))
                one_scan(harness, datatype, op, sample.level[0], sample.level[1]);
        }
}

/* A user-defined operator: the minimum. */
static void smaller(const void *left, void *both, size_t count, anyccl_datatype_t datatype, void *context)
{
    const int *a = left;
    int *b = both;
    (void)datatype, (void)context;
    for (size_t i = 0; i < count; i++)
        b[i] = a[i] < b[i] ? a[i] : b[i];
}

static void operators_of_the_program(const struct harness *harness)
{
    const int scalar = harness->rank + 1;
    int send[COUNT], recv[COUNT];
    anyccl_reduce_op_t scaled, function;
    anyccl_request_t request;

    CHECK_OK(anyccl_op_create_premul_sum(&scalar, ANYCCL_INT32, ANYCCL_SCALAR_IMMEDIATE, &scaled));
    CHECK_OK(anyccl_op_create(smaller, NULL, 1, &function));
    for (int i = 0; i < COUNT; i++)
        send[i] = 3 * i + harness->rank;
    for (int started = 0; started < 2; started++) {
        if (started) {
            CHECK_OK(anyccl_iall_reduce(send, recv, COUNT, ANYCCL_INT32, scaled, harness->comm, &request));
            CHECK_OK(anyccl_wait(&request));
        } else {
            CHECK_OK(anyccl_all_reduce(send, recv, COUNT, ANYCCL_INT32, scaled, harness->comm));
        }
        for (int i = 0; i < COUNT; i++) {
            int sum = 0;
            for (int rank = 0; rank < harness->size; rank++)
                sum += (rank + 1) * (3 * i + rank);
            CHECK(recv[i] == sum);
        }
        CHECK_OK(anyccl_all_reduce(send, recv, COUNT, ANYCCL_INT32, function, harness->comm));
        for (int i = 0; i < COUNT; i++)
            CHECK(recv[i] == 3 * i);
    }
    CHECK_OK(anyccl_op_destroy(scaled));
    CHECK_OK(anyccl_op_destroy(function));
}

/* Communicators made from the world use the engine, too. */
static void halves(const struct harness *harness)
{
    struct harness half = {NULL, -1, -1, OF_THE_PROGRAM}, twin = {NULL, harness->rank, harness->size, OF_THE_PROGRAM};
    CHECK_OK(anyccl_comm_split(harness->comm, harness->rank % 2, -harness->rank, NULL, &half.comm));
    CHECK_OK(anyccl_comm_dup(harness->comm, NULL, &twin.comm));
    CHECK_OK(anyccl_comm_rank(half.comm, &half.rank));
    CHECK_OK(anyccl_comm_size(half.comm, &half.size));
    try_all_collectives(&half, ANYCCL_FLOAT32, ANYCCL_SUM, 1000);
    try_all_collectives(&twin, ANYCCL_BFLOAT16, ANYCCL_SUM, 3);
    CHECK_OK(anyccl_comm_destroy(half.comm));
    CHECK_OK(anyccl_comm_destroy(twin.comm));
}

/* Operations of one engine make progress while the rank waits in another engine. */
static void engines_side_by_side(const struct harness *harness)
{
    const int right = (harness->rank + 1) % harness->size;
    int *const out = malloc(LONG * sizeof *out), *const in = malloc(LONG * sizeof *in);
    int one = 1, sum = 0;
    anyccl_request_t sent, reduced;

    CHECK(out != NULL && in != NULL);
    for (int i = 0; i < LONG; i++)
        out[i] = harness->rank + i;
    /* The send completes only when its receiver has read the message. Rank 0 enters the collective before that. */
    if (harness->rank == 0) {
        CHECK_OK(anyccl_isend(out, LONG, ANYCCL_INT32, right, 5, harness->comm, &sent));
        CHECK_OK(anyccl_all_reduce(&one, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
        CHECK_OK(anyccl_wait(&sent));
    } else {
        if (harness->rank == 1)
            CHECK_OK(anyccl_recv(in, LONG, ANYCCL_INT32, 0, 5, harness->comm, NULL));
        CHECK_OK(anyccl_all_reduce(&one, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
        CHECK(harness->rank != 1 || in[LONG - 1] == LONG - 1);
    }
    CHECK(sum == harness->size);
    /* The reverse: a collective is started, and rank 0 waits for a message before it waits for the collective. */
    CHECK_OK(anyccl_iall_reduce(out, in, LONG, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &reduced));
    if (harness->rank == 0 && harness->size > 1)
        CHECK_OK(anyccl_recv(&sum, 1, ANYCCL_INT32, right, 6, harness->comm, NULL));
    CHECK_OK(anyccl_wait(&reduced));
    if (harness->rank == 1)
        CHECK_OK(anyccl_send(&one, 1, ANYCCL_INT32, 0, 6, harness->comm));
    for (int i = 0; i < LONG; i += 997)
        CHECK(in[i] == harness->size * (harness->size - 1) / 2 + harness->size * i);
    free(out);
    free(in);
}

static void requests_of_all_kinds(const struct harness *harness)
{
    int send[COUNT], recv[4][COUNT];
    anyccl_request_t requests[4];
    for (int i = 0; i < COUNT; i++)
        send[i] = i + harness->rank;
    for (int k = 0; k < 3; k++)
        CHECK_OK(anyccl_iall_reduce(send, recv[k], COUNT, ANYCCL_INT32, k == 2 ? ANYCCL_MAX : ANYCCL_SUM, harness->comm,
                                    &requests[k]));
    CHECK_OK(anyccl_ibarrier(harness->comm, &requests[3]));
    CHECK_OK(anyccl_wait_all(4, requests));
    for (int i = 0; i < COUNT; i++) {
        CHECK(recv[0][i] == harness->size * i + harness->size * (harness->size - 1) / 2 && recv[1][i] == recv[0][i]);
        CHECK(recv[2][i] == i + harness->size - 1);
    }
    int done = 0;
    CHECK_OK(anyccl_iall_reduce(send, recv[0], COUNT, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &requests[0]));
    while (!done)
        CHECK_OK(anyccl_test(&requests[0], &done));
    CHECK_OK(anyccl_all_reduce_init(send, recv[3], COUNT, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &requests[0]));
    for (int run = 0; run < 3; run++) {
        memset(recv[3], 0, sizeof recv[3]);
        CHECK_OK(anyccl_start(requests[0]));
        CHECK_OK(anyccl_wait(&requests[0]));
        compare(recv[3], recv[0], sizeof recv[0]);
    }
    CHECK_OK(anyccl_request_free(&requests[0]));
}

int main(int argc, char **argv)
{
    struct harness harness = {ANYCCL_WORLD, -1, -1, OF_THE_PROGRAM};
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    config.timeout_ms = 60000;
    CHECK_OK(anyccl_init_with(&config));
    CHECK_OK(anyccl_rank(&harness.rank));
    CHECK_OK(anyccl_world_size(&harness.size));

    CHECK(argc == 2);
    CHECK_OK(anyccl_barrier(harness.comm));
    try_all_datatypes(&harness, atoi(argv[1]));
    try_all_unequal(&harness);
    scans(&harness, atoi(argv[1]));
    operators_of_the_program(&harness);
    requests_of_all_kinds(&harness);
    engines_side_by_side(&harness);
    halves(&harness);
    CHECK_OK(anyccl_finalize());
    printf("rank %d of %d: all as expected\n", harness.rank, harness.size);
    return 0;
}
