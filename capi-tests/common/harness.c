#include "harness.h"

#include <string.h>

#include "check.h"
#include "oracle.h"
#include "sample.h"

enum { GUARD_BYTES = 64, SKEW_BYTES = 3, GUARD = 0xA5, BLANK = 0x5A };

static const char *const NAMES[COLLECTIVES] = {"all_reduce", "reduce",  "broadcast",      "all_gather",
                                               "gather",     "scatter", "reduce_scatter", "all_to_all"};

static int has_root(enum collective c)
{
    return c == REDUCE || c == BROADCAST || c == GATHER || c == SCATTER;
}

static int reduces(enum collective c)
{
    return c == ALL_REDUCE || c == REDUCE || c == REDUCE_SCATTER;
}

/* Number of elements that this rank sends. */
static size_t input_elements(const struct harness *harness, const struct trial *t)
{
    const int at_root = harness->rank == t->root;
    switch (t->collective) {
    case BROADCAST:
        return at_root ? t->count : 0;
    case SCATTER:
        return at_root ? t->count * (size_t)harness->size : 0;
    case REDUCE_SCATTER:
    case ALL_TO_ALL:
        return t->count * (size_t)harness->size;
    default:
        return t->count;
    }
}

/* Number of elements that this rank receives. */
static size_t output_elements(const struct harness *harness, const struct trial *t)
{
    const int at_root = harness->rank == t->root;
    switch (t->collective) {
    case REDUCE:
        return at_root ? t->count : 0;
    case GATHER:
        return at_root ? t->count * (size_t)harness->size : 0;
    case ALL_GATHER:
    case ALL_TO_ALL:
        return t->count * (size_t)harness->size;
    default:
        return t->count;
    }
}

/* Element `index` of this rank's result, by definition. */
static struct number expected(const struct harness *harness, const struct trial *t, size_t index)
{
    const size_t mine = (size_t)harness->rank * t->count;
    switch (t->collective) {
    case ALL_REDUCE:
    case REDUCE:
        return combined(t->datatype, t->op, harness->size, index);
    case REDUCE_SCATTER:
        return combined(t->datatype, t->op, harness->size, mine + index);
    case BROADCAST:
        return contribution(t->datatype, t->root, index);
    case SCATTER:
        return contribution(t->datatype, t->root, mine + index);
    case ALL_TO_ALL:
        return contribution(t->datatype, (int)(index / t->count), mine + index % t->count);
    default:
        return contribution(t->datatype, (int)(index / t->count), index % t->count);
    }
}

static anyccl_status_t make_call(const struct harness *harness, const struct trial *t, const void *send, void *recv)
{
    switch (t->collective) {
    case ALL_REDUCE:
        return anyccl_all_reduce(send, recv, t->count, t->datatype, t->op, harness->comm);
    case REDUCE:
        return anyccl_reduce(send, recv, t->count, t->datatype, t->op, t->root, harness->comm);
    case BROADCAST:
        return anyccl_broadcast(send, recv, t->count, t->datatype, t->root, harness->comm);
    case ALL_GATHER:
        return anyccl_all_gather(send, recv, t->count, t->datatype, harness->comm);
    case GATHER:
        return anyccl_gather(send, recv, t->count, t->datatype, t->root, harness->comm);
    case SCATTER:
        return anyccl_scatter(send, recv, t->count, t->datatype, t->root, harness->comm);
    case REDUCE_SCATTER:
        return anyccl_reduce_scatter(send, recv, t->count, t->datatype, t->op, harness->comm);
    default:
        return anyccl_all_to_all(send, recv, t->count, t->datatype, harness->comm);
    }
}

static anyccl_status_t start_call(const struct harness *harness, const struct trial *t, const void *send, void *recv,
                                  anyccl_request_t *request)
{
    switch (t->collective) {
    case ALL_REDUCE:
        return anyccl_iall_reduce(send, recv, t->count, t->datatype, t->op, harness->comm, request);
    case REDUCE:
        return anyccl_ireduce(send, recv, t->count, t->datatype, t->op, t->root, harness->comm, request);
    case BROADCAST:
        return anyccl_ibroadcast(send, recv, t->count, t->datatype, t->root, harness->comm, request);
    case ALL_GATHER:
        return anyccl_iall_gather(send, recv, t->count, t->datatype, harness->comm, request);
    case GATHER:
        return anyccl_igather(send, recv, t->count, t->datatype, t->root, harness->comm, request);
    case SCATTER:
        return anyccl_iscatter(send, recv, t->count, t->datatype, t->root, harness->comm, request);
    case REDUCE_SCATTER:
        return anyccl_ireduce_scatter(send, recv, t->count, t->datatype, t->op, harness->comm, request);
    default:
        return anyccl_iall_to_all(send, recv, t->count, t->datatype, harness->comm, request);
    }
}

/* Allocates `bytes` with a guard on both sides. The bytes between are BLANK. */
static unsigned char *guarded(enum home home, size_t bytes)
{
    unsigned char *memory;
    if (home == OF_THE_LIBRARY) {
        void *allocated;
        CHECK_OK(anyccl_mem_alloc(bytes + 2 * GUARD_BYTES + SKEW_BYTES, &allocated));
        memory = (unsigned char *)allocated + SKEW_BYTES;
    } else {
        memory = malloc(bytes + 2 * GUARD_BYTES);
    }
    CHECK(memory != NULL);
    memset(memory, GUARD, bytes + 2 * GUARD_BYTES);
    memset(memory + GUARD_BYTES, BLANK, bytes);
    return memory + GUARD_BYTES;
}

static void release(enum home home, unsigned char *memory)
{
    if (home == OF_THE_LIBRARY)
        CHECK_OK(anyccl_mem_free(memory - GUARD_BYTES - SKEW_BYTES));
    else
        free(memory - GUARD_BYTES);
}

static void compare(const struct harness *harness, const struct trial *t, const char *what, const unsigned char *got,
                    const unsigned char *wanted, size_t bytes)
{
    for (size_t at = 0; at < bytes + 2 * GUARD_BYTES; at++) {
        const long offset = (long)at - GUARD_BYTES;
        if (got[offset] == wanted[offset])
            continue;
        fprintf(stderr, "%s: rank %d of %d, %s %s, root %d, count %zu%s%s: byte %ld of %s is %#x, expected %#x\n",
                NAMES[t->collective], harness->rank, harness->size, anyccl_datatype_name(t->datatype),
                reduces(t->collective) ? anyccl_reduce_op_name(t->op) : "moved", t->root, t->count,
                t->in_place ? ", in place" : "", t->started ? ", started" : "", offset, what, (unsigned)got[offset],
                (unsigned)wanted[offset]);
        _Exit(1);
    }
}

static void try_once(const struct harness *harness, const struct trial *t)
{
    const size_t element = anyccl_datatype_bytes(t->datatype);
    const size_t inputs = input_elements(harness, t), outputs = output_elements(harness, t);
    const size_t share = (size_t)harness->rank * t->count * element;
    /* In place, the smaller buffer lies inside the larger one, at the share of this rank. */
    const int in_place = t->in_place && inputs > 0 && outputs > 0;
    const size_t send_at = in_place && outputs > inputs ? share : 0;
    const size_t recv_at = in_place && inputs > outputs ? share : 0;
    const size_t larger = inputs > outputs ? inputs : outputs;
    const size_t recv_bytes = (in_place ? larger : outputs) * element;

    unsigned char *sent = guarded(harness->home, inputs * element), *received = guarded(harness->home, recv_bytes);
    unsigned char *sent_before = guarded(OF_THE_PROGRAM, inputs * element),
                  *wanted = guarded(OF_THE_PROGRAM, recv_bytes);
    for (size_t i = 0; i < inputs; i++) {
        const struct number value = contribution(t->datatype, harness->rank, i);
        store(t->datatype, sent, i, value);
        store(t->datatype, sent_before, i, value);
        if (in_place) {
            store(t->datatype, received + send_at, i, value);
            store(t->datatype, wanted + send_at, i, value);
        }
    }
    for (size_t i = 0; i < outputs; i++)
        store(t->datatype, wanted + recv_at, i, expected(harness, t, i));

    /* An unused buffer may be NULL. In place, broadcast takes its receive buffer twice on every rank. */
    const void *send = in_place ? received + send_at : inputs > 0 ? sent : NULL;
    void *recv = outputs > 0 ? received + recv_at : NULL;
    if (t->in_place && t->collective == BROADCAST)
        send = recv;

    if (t->started) {
        anyccl_request_t request = ANYCCL_REQUEST_NULL;
        CHECK_OK(start_call(harness, t, send, recv, &request));
        CHECK(request != ANYCCL_REQUEST_NULL);
        CHECK_OK(anyccl_wait(&request));
        CHECK(request == ANYCCL_REQUEST_NULL);
    } else {
        CHECK_OK(make_call(harness, t, send, recv));
    }

    compare(harness, t, "the receive buffer", received, wanted, recv_bytes);
    compare(harness, t, "the send buffer", sent, sent_before, inputs * element);
    release(harness->home, sent);
    release(OF_THE_PROGRAM, sent_before);
    release(harness->home, received);
    release(OF_THE_PROGRAM, wanted);
}

void try_collective(const struct harness *harness, const struct trial *t)
{
    try_once(harness, t);
    /* A second blocking call with the same arguments takes the fast path. */
    if (!t->started)
        try_once(harness, t);
}

/* Tries a sample of one cell of the table, with one of `count` counts. */
static void try_sample(const struct harness *harness, int point, enum collective collective, anyccl_datatype_t datatype,
                       anyccl_reduce_op_t op, int count, const size_t *counts)
{
    const int levels[] = {count, 2, 2, has_root(collective) ? harness->size : 1};
    const unsigned cell = (((unsigned)counts[0] * COLLECTIVES + collective) * 32 + datatype) * 32 + op;
    struct sample sample = sample_of(cell, point, 4, levels);
    int supported;
    CHECK_OK(anyccl_is_supported(op, datatype, &supported));
    if (reduces(collective) && (!supported || !is_exact(datatype, op, harness->size)))
        return;
    while (sample_next(&sample)) {
        const int *const level = sample.level;
        const struct trial trial = {collective, datatype, op, level[3], counts[level[0]], level[1], level[2]};
        try_collective(harness, &trial);
    }
}

void try_each_collective(const struct harness *harness, int point, anyccl_datatype_t datatype, anyccl_reduce_op_t op,
                         int count, const size_t *counts)
{
    for (int collective = 0; collective < COLLECTIVES; collective++)
        try_sample(harness, point, (enum collective)collective, datatype, op, count, counts);
}

void try_all_collectives(const struct harness *harness, anyccl_datatype_t datatype, anyccl_reduce_op_t op, size_t count)
{
    try_each_collective(harness, ALL_POINTS, datatype, op, 1, &count);
}

void try_all_datatypes(const struct harness *harness, int point)
{
    static const size_t COUNTS[] = {0, 1, 5, 37};
    if (harness->rank == 0)
        sample_print();
    for (int c = 0; c < COLLECTIVES; c++)
        for (int datatype = ANYCCL_INT8; datatype <= ANYCCL_BYTE; datatype++)
            for (int op = ANYCCL_SUM; op <= (reduces((enum collective)c) ? ANYCCL_LXOR : ANYCCL_SUM); op++)
                try_sample(harness, point, (enum collective)c, datatype, op, sizeof COUNTS / sizeof COUNTS[0], COUNTS);
    /* Large counts, which take other algorithms. */
    try_each_collective(harness, point, ANYCCL_FLOAT32, ANYCCL_SUM, 2, (const size_t[]){4099, 70001});
}
