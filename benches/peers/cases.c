/* See cases.h. Elements are small whole numbers, so every sum is exact in any order of the additions. */
#include "cases.h"

#include "bench.h"

const char *const collective_names[COLLECTIVES] = {
    "all_reduce", "all_to_all", "all_gather", "reduce_scatter", "broadcast", "barrier", "ping_pong",
};

static int has_blocks(enum collective collective)
{
    return collective == ALL_TO_ALL || collective == ALL_GATHER || collective == REDUCE_SCATTER;
}

struct bench_case case_of(enum collective collective, size_t bytes, int rank, int size, float *send, float *recv)
{
    struct bench_case c = {collective, rank, size, 0, bytes / sizeof(float), send, recv};

    if (collective == BARRIER) {
        c.count = 0;
        return c;
    }
    c.count = c.count > 0 ? c.count : 1;
    c.block = c.count / (size_t)size > 0 ? c.count / (size_t)size : 1;
    if (has_blocks(collective))
        c.count = c.block * (size_t)size;
    return c;
}

void case_call(const struct bench_case *c, long number)
{
    switch (c->collective) {
    case ALL_REDUCE:
        library.all_reduce(c->send, c->recv, c->count);
        break;
    case ALL_TO_ALL:
        library.all_to_all(c->send, c->recv, c->block);
        break;
    case ALL_GATHER:
        library.all_gather(c->send, c->recv, c->block);
        break;
    case REDUCE_SCATTER:
        library.reduce_scatter(c->send, c->recv, c->block);
        break;
    case BROADCAST:
        library.broadcast(c->recv, c->count, (int)(number % c->size));
        break;
    case BARRIER:
        library.barrier();
        break;
    case PING_PONG:
        if (c->rank == 0) {
            library.send(c->send, c->count, 1);
            library.recv(c->recv, c->count, 1);
        } else if (c->rank == 1) {
            library.recv(c->recv, c->count, 0);
            library.send(c->send, c->count, 0);
        }
        break;
    case COLLECTIVES:
        break;
    }
}

/* Element `index` of the input of `rank`. */
static float element(int rank, size_t index)
{
    return (float)((index * 7 + (size_t)rank * 13) % 251);
}

static float sum(int size, size_t index)
{
    float total = 0;

    for (int rank = 0; rank < size; rank++)
        total += element(rank, index);
    return total;
}

void case_fill(const struct bench_case *c)
{
    for (size_t i = 0; i < c->count; i++) {
        c->send[i] = element(c->rank, i);
        c->recv[i] = c->collective == BROADCAST ? c->send[i] : -1.0f;
    }
}

/* Expected element `i` of block `from` of the output. */
static float expected(const struct bench_case *c, int root, int from, size_t i)
{
    const size_t mine = (size_t)c->rank * c->block;

    switch (c->collective) {
    case ALL_REDUCE:
        return sum(c->size, i);
    case ALL_TO_ALL:
        return element(from, mine + i);
    case ALL_GATHER:
        return element(from, i);
    case REDUCE_SCATTER:
        return sum(c->size, mine + i);
    case BROADCAST:
        return element(root, i);
    case PING_PONG:
        return element(1 - c->rank, i);
    case BARRIER:
    case COLLECTIVES:
        break;
    }
    return 0;
}

int case_is_right(const struct bench_case *c, int root)
{
    const int gathers = c->collective == ALL_TO_ALL || c->collective == ALL_GATHER;
    const int blocks = gathers ? c->size : 1;
    const size_t length = has_blocks(c->collective) ? c->block : c->count;

    if (c->collective == PING_PONG && c->rank > 1)
        return 1;
    for (int from = 0; from < blocks; from++)
        for (size_t i = 0; i < length; i++)
            if (c->recv[(size_t)from * length + i] != expected(c, root, from, i))
                return 0;
    return 1;
}
