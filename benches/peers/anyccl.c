/* The `library` of bench.c for anyccl, on the world of `anyccl run`. */
#include <anyccl/anyccl.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"

static void must(anyccl_status_t status)
{
    if (status != ANYCCL_SUCCESS) {
        fprintf(stderr, "anyccl: %s\n", anyccl_last_error());
        exit(1);
    }
}

static void start(int *argc, char ***argv, int *rank, int *size)
{
    (void)argc, (void)argv;
    must(anyccl_init());
    must(anyccl_rank(rank));
    must(anyccl_world_size(size));
}

static void end(void)
{
    must(anyccl_finalize());
}

static void *allocate(size_t bytes)
{
    void *memory;

    must(anyccl_mem_alloc(bytes, &memory));
    return memory;
}

static void all_reduce(const float *send, float *recv, size_t count)
{
    must(anyccl_all_reduce(send, recv, count, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD));
}

static void all_to_all(const float *send, float *recv, size_t block)
{
    must(anyccl_all_to_all(send, recv, block, ANYCCL_FLOAT32, ANYCCL_WORLD));
}

static void all_gather(const float *send, float *recv, size_t block)
{
    must(anyccl_all_gather(send, recv, block, ANYCCL_FLOAT32, ANYCCL_WORLD));
}

static void reduce_scatter(const float *send, float *recv, size_t block)
{
    must(anyccl_reduce_scatter(send, recv, block, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD));
}

static void broadcast(float *buffer, size_t count, int root)
{
    must(anyccl_broadcast(buffer, buffer, count, ANYCCL_FLOAT32, root, ANYCCL_WORLD));
}

static void barrier(void)
{
    must(anyccl_barrier(ANYCCL_WORLD));
}

static void send_to(const float *buffer, size_t count, int peer)
{
    must(anyccl_send(buffer, count, ANYCCL_FLOAT32, peer, 0, ANYCCL_WORLD));
}

static void recv_from(float *buffer, size_t count, int peer)
{
    must(anyccl_recv(buffer, count, ANYCCL_FLOAT32, peer, 0, ANYCCL_WORLD, NULL));
}

static void maximum(double *values, int count)
{
    must(anyccl_all_reduce(values, values, (size_t)count, ANYCCL_FLOAT64, ANYCCL_MAX, ANYCCL_WORLD));
}

const struct library library = {
    start,          end,       allocate, all_reduce, all_to_all, all_gather,
    reduce_scatter, broadcast, barrier,  send_to,    recv_from,  maximum,
};
