/* A job of the C API whose calls need memory: prints "done" if all is right, else the error. A call that lacks memory has
 * sent nothing, so it is made again. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <anyccl/anyccl.h>

enum { COUNT = 100000 };

static void stop(const char *call)
{
    if (anyccl_last_error()[0] == '\0')
        abort();
    fprintf(stderr, "%s: %s\n", call, anyccl_last_error());
    const int ended = anyccl_finalize() == ANYCCL_SUCCESS;
    exit(ended ? 1 : 3);
}

static int lacks_memory(void)
{
    if (strstr(anyccl_last_error(), "memory") == NULL)
        return 0;
    fprintf(stderr, "made again: %s\n", anyccl_last_error());
    return 1;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((call) != ANYCCL_SUCCESS && (!lacks_memory() || (call) != ANYCCL_SUCCESS))                                 \
            stop(#call);                                                                                               \
    } while (0)

static void check(int is_right, const char *call)
{
    if (!is_right) {
        fprintf(stderr, "WRONG VALUE of %s\n", call);
        abort();
    }
}

static void add(const void *in, void *inout, size_t count, anyccl_datatype_t datatype, void *context)
{
    (void)datatype, (void)context;
    for (size_t i = 0; i < count; i++)
        ((int *)inout)[i] += ((const int *)in)[i];
}

static int are_all(const int *numbers, size_t count, int expected)
{
    for (size_t i = 0; i < count; i++)
        if (numbers[i] != expected)
            return 0;
    return 1;
}

static void reductions(int rank, int size)
{
    static int mine[2 * COUNT], got[2 * COUNT];
    static uint16_t halves[COUNT], average[COUNT];
    const int two = 2, sum = size * (size + 1) / 2;
    const size_t counts[2] = {COUNT, COUNT};
    const anyccl_comm_t world = ANYCCL_WORLD;
    anyccl_reduce_op_t twice, own;
    for (int i = 0; i < 2 * COUNT; i++)
        mine[i] = rank + 1;
    /* Each rank has 1.0. */
    for (int i = 0; i < COUNT; i++)
        halves[i] = 0x3c00;
    TRY(anyccl_all_reduce(halves, average, COUNT, ANYCCL_FLOAT16, ANYCCL_AVG, world));
    check(memcmp(halves, average, sizeof halves) == 0, "avg");
    TRY(anyccl_op_create_premul_sum(&two, ANYCCL_INT32, ANYCCL_SCALAR_IMMEDIATE, &twice));
    TRY(anyccl_reduce_scatter(mine, got, COUNT, ANYCCL_INT32, twice, world));
    check(are_all(got, COUNT, 2 * sum), "reduce_scatter with premul_sum");
    TRY(anyccl_reduce_scatter_v(mine, got, counts, ANYCCL_INT32, twice, world));
    check(are_all(got, COUNT, 2 * sum), "reduce_scatter_v with premul_sum");
    TRY(anyccl_op_destroy(twice));
    TRY(anyccl_op_create(add, NULL, 0, &own));
    TRY(anyccl_all_reduce(mine, got, COUNT, ANYCCL_INT32, own, world));
    check(are_all(got, COUNT, sum), "all_reduce with an operator of the program");
    TRY(anyccl_op_destroy(own));
    TRY(anyccl_all_reduce(mine, got, COUNT, ANYCCL_INT32, ANYCCL_SUM, world));
    check(are_all(got, COUNT, sum), "all_reduce");
    TRY(anyccl_reduce(mine, got, COUNT, ANYCCL_INT32, ANYCCL_SUM, 0, world));
    check(rank != 0 || are_all(got, COUNT, sum), "reduce");
    TRY(anyccl_scan(mine, got, COUNT, ANYCCL_INT32, ANYCCL_SUM, world));
    check(are_all(got, COUNT, (rank + 1) * (rank + 2) / 2), "scan");
    TRY(anyccl_exscan(mine, got, COUNT, ANYCCL_INT32, ANYCCL_SUM, world));
    check(rank == 0 || are_all(got, COUNT, rank * (rank + 1) / 2), "exscan");
}

static void blocks(int rank, int size)
{
    static int mine[2 * COUNT], got[2 * COUNT];
    const size_t counts[2] = {COUNT, COUNT}, displs[2] = {0, COUNT};
    const anyccl_comm_t world = ANYCCL_WORLD;
    const int right = (rank + 1) % size, left = (rank + size - 1) % size;
    anyccl_request_t requests[3];
    for (int i = 0; i < 2 * COUNT; i++)
        mine[i] = got[i] = rank + 1;
    TRY(anyccl_all_to_all(got, got, COUNT, ANYCCL_INT32, world));
    check(are_all(got, COUNT, 1) && are_all(got + COUNT, COUNT, 2), "all_to_all in place");
    TRY(anyccl_all_to_all_v(mine, got, counts, displs, counts, displs, ANYCCL_INT32, world));
    check(are_all(got, COUNT, 1) && are_all(got + COUNT, COUNT, 2), "all_to_all_v");
    TRY(anyccl_all_gather_v(mine, got, counts, displs, ANYCCL_INT32, world));
    check(are_all(got, COUNT, 1) && are_all(got + COUNT, COUNT, 2), "all_gather_v");
    TRY(anyccl_gather(mine, got, COUNT, ANYCCL_INT32, 1, world));
    TRY(anyccl_scatter(mine, got, COUNT, ANYCCL_INT32, 1, world));
    check(are_all(got, COUNT, 2), "scatter");
    /* To itself, before there is a receive. */
    TRY(anyccl_isend(mine, COUNT, ANYCCL_INT32, rank, 5, world, &requests[0]));
    TRY(anyccl_recv(got, COUNT, ANYCCL_INT32, rank, 5, world, NULL));
    TRY(anyccl_wait(&requests[0]));
    check(are_all(got, COUNT, rank + 1), "a message to itself");
    /* A message that nobody has asked for is there before the one that is waited for. */
    TRY(anyccl_isend(mine, COUNT, ANYCCL_INT32, right, 6, world, &requests[0]));
    TRY(anyccl_isend(mine, COUNT, ANYCCL_INT32, right, 7, world, &requests[1]));
    TRY(anyccl_recv(got, COUNT, ANYCCL_INT32, left, 7, world, NULL));
    TRY(anyccl_recv(got + COUNT, COUNT, ANYCCL_INT32, left, 6, world, NULL));
    TRY(anyccl_wait(&requests[0]));
    TRY(anyccl_wait(&requests[1]));
    check(are_all(got, 2 * COUNT, left + 1), "messages");
}

int main(void)
{
    int rank, size;
    void *memory;
    TRY(anyccl_init());
    TRY(anyccl_comm_rank(ANYCCL_WORLD, &rank));
    TRY(anyccl_comm_size(ANYCCL_WORLD, &size));
    reductions(rank, size);
    blocks(rank, size);
    TRY(anyccl_mem_alloc(4 * COUNT, &memory));
    TRY(anyccl_mem_free(memory));
    TRY(anyccl_finalize());
    puts("done");
    return 0;
}
