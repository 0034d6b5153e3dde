/* Tests of memory of anyccl_mem_alloc and of registered memory: refusals, ordinary use, parts of it in every
 * collective and in messages, writes of other ranks, and its use in a child of fork. The argument is the largest number of ranks.
 * Ranks are threads. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ranks.h"

enum { COUNT = 40000, MOST_RANKS = 4 };

static void be_refused_what_is_none(void)
{
    int local = 0;
    void *unset = &local, *ptr = NULL;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_alloc(8, NULL));
    CHECK_STATUS(ANYCCL_ERR_SYSTEM, anyccl_mem_alloc((size_t)-1, &unset));
    CHECK(unset == &local);
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_free(&local));
    CHECK_OK(anyccl_mem_alloc(0, &unset));
    CHECK(unset == NULL);
    CHECK_OK(anyccl_mem_free(NULL));
    CHECK_OK(anyccl_mem_alloc(100, &ptr));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_free((char *)ptr + 64));
    CHECK_OK(anyccl_mem_free(ptr));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_free(ptr));
    CHECK(strstr(anyccl_last_error(), "no live allocation") != NULL);
}

/* Both buffers in one allocation, at odd offsets. The first elements stay unchanged. */
static void sum_parts(struct harness *harness, void *shared)
{
    void *ptr = NULL;
    (void)shared;
    CHECK_OK(anyccl_mem_alloc((2 * COUNT + 2) * sizeof(int), &ptr));
    int *const send = (int *)ptr + 1, *const recv = send + COUNT + 1;
    send[-1] = send[COUNT] = -5;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            send[i] = round + i * (harness->rank + 1);
        CHECK_OK(anyccl_all_reduce(send, recv, COUNT, ANYCCL_INT32, ANYCCL_SUM, harness->comm));
        for (int i = 0; i < COUNT; i++)
            CHECK(recv[i] == harness->size * round + i * (harness->size * (harness->size + 1) / 2));
        CHECK_OK(anyccl_broadcast(recv, recv, COUNT, ANYCCL_INT32, 0, harness->comm));
    }
    CHECK(send[-1] == -5 && send[COUNT] == -5);
    CHECK_OK(anyccl_mem_free(ptr));
}

static void register_what_is_there(void)
{
    int shared = -1;
    char local[100] = "as it was";
    void *ptr = NULL;
    CHECK_OK(anyccl_mem_register(local, sizeof local, &shared));
    CHECK(shared == 0 && strcmp(local, "as it was") == 0);
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_deregister(local, sizeof local - 1));
    CHECK_OK(anyccl_mem_deregister(local, sizeof local));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_deregister(local, sizeof local));
    CHECK(strstr(anyccl_last_error(), "not registered") != NULL);
    CHECK_OK(anyccl_mem_register("a constant", 10, NULL));
    CHECK_OK(anyccl_mem_register(NULL, 0, &shared));
    CHECK(shared == 0);
    CHECK_OK(anyccl_mem_deregister(NULL, 0));
    shared = -1;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_register(NULL, 8, &shared));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_register(local, (size_t)-1, &shared));
    CHECK(shared == -1);

    CHECK_OK(anyccl_mem_alloc(5000, &ptr));
    CHECK_OK(anyccl_mem_register((char *)ptr + 1, 100, &shared));
    CHECK(shared == 1);
    CHECK_OK(anyccl_mem_register((char *)ptr + 90, 4910, NULL));
    CHECK_OK(anyccl_mem_deregister((char *)ptr + 1, 100));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_mem_free(ptr));
    CHECK(strstr(anyccl_last_error(), "4910 bytes") != NULL);
    memset(ptr, 7, 5000);
    CHECK_OK(anyccl_mem_deregister((char *)ptr + 90, 4910));
    CHECK_OK(anyccl_mem_free(ptr));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_register(ptr, 5000, NULL));
}

/* Each rank writes into memory of its right neighbour, without that rank's help. */
static void write_into_memory_of_others(struct harness *harness, void *shared)
{
    const int right = (harness->rank + 1) % harness->size, left = (harness->rank + harness->size - 1) % harness->size;
    anyccl_mem_handle_t own, other;
    void *ptr = NULL, *imported = NULL;
    size_t bytes = 0;
    (void)shared;
    CHECK_OK(anyccl_mem_alloc(100, &ptr));
    int *const mine = (int *)ptr + 1;
    mine[0] = -1;
    CHECK_OK(anyccl_mem_export(mine, sizeof(int), &own));
    CHECK_OK(anyccl_sendrecv(&own, sizeof own, ANYCCL_BYTE, left, 0, &other, sizeof other, ANYCCL_BYTE, right, 0,
                             harness->comm, NULL));
    CHECK_OK(anyccl_mem_import(&other, &imported, &bytes));
    CHECK(bytes == sizeof(int));
    *(int *)imported = harness->rank;
    CHECK_OK(anyccl_barrier(harness->comm));
    CHECK(mine[0] == left);
    CHECK_OK(anyccl_mem_release(imported));
    CHECK_OK(anyccl_barrier(harness->comm));
    CHECK_OK(anyccl_mem_free(ptr));
}

static void be_refused_what_cannot_be_imported(void)
{
    anyccl_mem_handle_t handle, unset = {{0}};
    char local[8];
    void *ptr = NULL, *imported = local;
    CHECK_OK(anyccl_mem_alloc(100, &ptr));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_export(ptr, 100, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_export(ptr, 0, &handle));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_export(local, sizeof local, &handle));
    CHECK_OK(anyccl_mem_export(ptr, 100, &handle));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_import(NULL, &imported, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_import(&handle, NULL, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_import(&unset, &imported, NULL));
    CHECK(imported == local);
    CHECK_OK(anyccl_mem_release(NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_mem_release(local));
    CHECK_OK(anyccl_mem_free(ptr));
}

/* Every collective on odd parts of allocations: short parts, and parts that peers read directly. */
static void call_with_parts(struct harness *harness, void *shared)
{
    (void)shared;
    harness->home = OF_THE_LIBRARY;
    try_all_collectives(harness, ANYCCL_INT32, ANYCCL_SUM, 5);
    /* Runs with other numbers of ranks take the next points. */
    try_each_collective(harness, harness->size, ANYCCL_FLOAT32, ANYCCL_SUM, 1, (const size_t[]){20001});
    try_each_collective(harness, harness->size, ANYCCL_INT8, ANYCCL_MAX, 1, (const size_t[]){40003});
}

/* Number of elements that `from` has for `to`. Some are 0. */
static size_t length(int from, int to)
{
    return (from + to) % 3 == 2 ? 0 : (size_t)(9000 + 1001 * from + 17 * to);
}

static unsigned char letter(int from, int to, size_t at)
{
    return (unsigned char)((size_t)from * 31 + (size_t)to * 7 + at);
}

/* Gathers counts[r] elements of each rank r on the last rank and scatters them back, and reduces as many. */
static void gather_and_scatter_parts(struct harness *harness, unsigned char *send, unsigned char *recv,
                                     const size_t *counts)
{
    const int root = harness->size - 1;
    const size_t mine = counts[harness->rank];
    size_t own = 0, whole = 0, at;
    for (int peer = 0; peer < harness->size; whole += counts[peer++])
        own = peer == harness->rank ? whole : own;
    for (at = 0; at < mine; at++)
        send[at] = letter(harness->rank, 0, at);
    memset(recv, 0, whole);
    CHECK_OK(anyccl_gather_v(send, recv, mine, counts, NULL, ANYCCL_BYTE, root, harness->comm));
    for (size_t peer = 0, start = 0; harness->rank == root && peer < (size_t)harness->size; start += counts[peer++])
        for (at = 0; at < counts[peer]; at++)
            CHECK(recv[start + at] == letter((int)peer, 0, at));
    memset(send, 0, mine);
    CHECK_OK(anyccl_scatter_v(recv, send, counts, NULL, mine, ANYCCL_BYTE, root, harness->comm));
    for (at = 0; at < mine; at++)
        CHECK(send[at] == letter(harness->rank, 0, at));

    for (at = 0; at < whole; at++)
        send[at] = (unsigned char)(at % 100 + (size_t)harness->rank);
    CHECK_OK(anyccl_reduce_scatter_v(send, recv, counts, ANYCCL_UINT8, ANYCCL_MAX, harness->comm));
    for (at = 0; at < mine; at++)
        CHECK(recv[at] == (own + at) % 100 + (size_t)root);
    CHECK_OK(anyccl_scan(send, recv, whole, ANYCCL_UINT8, ANYCCL_MIN, harness->comm));
    CHECK(whole == 0 || (recv[0] == 0 && recv[whole - 1] == (whole - 1) % 100));
    CHECK_OK(anyccl_exscan(send, recv, whole, ANYCCL_UINT8, ANYCCL_MAX, harness->comm));
    CHECK(whole == 0 || harness->rank == 0 || recv[whole - 1] == (whole - 1) % 100 + (size_t)harness->rank - 1);
}

/* Blocks of unequal length and messages, from one part of a registered allocation to another. */
static void exchange_parts(struct harness *harness, void *registered)
{
    enum { ROOM = MOST_RANKS * 16000 };
    size_t send_counts[MOST_RANKS], recv_counts[MOST_RANKS], sent = 0, received = 0, at;
    void *ptr = NULL;
    int shared = 0;
    CHECK_OK(anyccl_mem_alloc(2 * ROOM, &ptr));
    if (registered != NULL)
        CHECK_OK(anyccl_mem_register(ptr, 2 * ROOM, &shared));
    unsigned char *const send = (unsigned char *)ptr + 5, *const recv = send + ROOM + 2;
    for (int peer = 0; peer < harness->size; peer++) {
        send_counts[peer] = length(harness->rank, peer);
        recv_counts[peer] = length(peer, harness->rank);
        for (at = 0; at < send_counts[peer]; at++)
            send[sent + at] = letter(harness->rank, peer, at);
        sent += send_counts[peer];
    }
    memset(recv, 0, ROOM - 7);
    CHECK_OK(anyccl_all_to_all_v(send, recv, send_counts, NULL, recv_counts, NULL, ANYCCL_BYTE, harness->comm));
    for (int peer = 0; peer < harness->size; received += recv_counts[peer++])
        for (at = 0; at < recv_counts[peer]; at++)
            CHECK(recv[received + at] == letter(peer, harness->rank, at));

    /* An all-gather, in place, of the elements that each rank has for rank 0. */
    size_t own = 0, whole = 0;
    for (int peer = 0; peer < harness->size; whole += recv_counts[peer++]) {
        recv_counts[peer] = length(peer, 0);
        own = peer == harness->rank ? whole : own;
    }
    for (at = 0; at < length(harness->rank, 0); at++)
        recv[own + at] = letter(harness->rank, 0, at);
    CHECK_OK(anyccl_all_gather_v(recv + own, recv, recv_counts, NULL, ANYCCL_BYTE, harness->comm));
    received = 0;
    for (int peer = 0; peer < harness->size; received += recv_counts[peer++])
        for (at = 0; at < recv_counts[peer]; at++)
            CHECK(recv[received + at] == letter(peer, 0, at));

    gather_and_scatter_parts(harness, send, recv, recv_counts);

    /* Around a ring, by both ways of sending. */
    const int right = (harness->rank + 1) % harness->size, left = (harness->rank + harness->size - 1) % harness->size;
    for (size_t bytes = 3; bytes < ROOM - 7; bytes = bytes * 5 + 1) {
        anyccl_request_t requests[2];
        memset(send, (int)bytes + harness->rank, bytes);
        CHECK_OK(anyccl_irecv(recv, bytes, ANYCCL_BYTE, left, 3, harness->comm, &requests[0]));
        CHECK_OK(anyccl_isend(send, bytes, ANYCCL_BYTE, right, 3, harness->comm, &requests[1]));
        CHECK_OK(anyccl_wait_all(2, requests));
        CHECK(recv[0] == (unsigned char)(bytes + (size_t)left) &&
              memcmp(recv, recv + bytes / 2, bytes - bytes / 2) == 0);
    }
    CHECK_OK(anyccl_barrier(harness->comm));
    if (registered != NULL) {
        CHECK(shared == 1);
        CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_mem_free(ptr));
        CHECK_OK(anyccl_mem_deregister(ptr, 2 * ROOM));
    }
    CHECK_OK(anyccl_mem_free(ptr));
}

static void fork_a_child(void)
{
    void *ptr = NULL;
    int status = -1;
    CHECK_OK(anyccl_mem_alloc(4096, &ptr));
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_mem_free(ptr));
        /* Ends by exec. At an exit, valgrind would report memory as leaked to which only threads of the parent
         * point. */
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK(anyccl_mem_free(ptr));
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : MOST_RANKS;
    int registered = 1;
    CHECK(most >= 2 && most <= MOST_RANKS);
    be_refused_what_is_none();
    register_what_is_there();
    be_refused_what_cannot_be_imported();
    run_ranks(2, PATIENCE_MS, sum_parts, NULL);
    for (int size = 2; size <= most; size++) {
        run_ranks(size, PATIENCE_MS, call_with_parts, NULL);
        run_ranks(size, PATIENCE_MS, write_into_memory_of_others, NULL);
        run_ranks(size, PATIENCE_MS, exchange_parts, size == 2 ? &registered : NULL);
    }
    fork_a_child();
    return 0;
}
