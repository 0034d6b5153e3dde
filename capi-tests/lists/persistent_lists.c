/* Tests of persistent operations with unequal blocks, on lists of buffers, and along a graph. They also cover
 * user-defined operators with unequal parts of the result. The argument is the largest number of ranks. Ranks
 * are threads. */
#include <string.h>

#include "check.h"
#include "ranks.h"

enum { RUNS = 12, MOST = 4, LONGEST = 40, ROOM = MOST * LONGEST };

/* Number of elements that `from` has for `to`. Some are 0. */
static size_t length(int from, int to)
{
    return (size_t)((from * 7 + to * 13) % LONGEST) * ((from + 2 * to) % 4 != 1);
}

/* Element `at` of the block that `from` has for `to` in run `run`. */
static int element(int run, int from, int to, size_t at)
{
    return run * 100000 + from * 10000 + to * 1000 + (int)at;
}

struct blocks {
    size_t counts[MOST], offsets[MOST], whole;
};

static void lay_out(struct blocks *blocks, int size, int rank, int is_sent)
{
    blocks->whole = 0;
    for (int peer = 0; peer < size; peer++) {
        blocks->counts[peer] = is_sent ? length(rank, peer) : length(peer, rank);
        blocks->offsets[peer] = blocks->whole;
        blocks->whole += blocks->counts[peer];
    }
}

static void blocks_of_unequal_length(struct harness *harness, void *shared)
{
    enum { ALL_TO_ALL, LIST, GATHER, SCATTER, ALL_GATHER, GATHER_LIST, REQUESTS };
    anyccl_request_t requests[REQUESTS];
    int send[ROOM], own[LONGEST], got[REQUESTS][ROOM];
    const void *sends[MOST];
    void *recvs[MOST], *gathered[MOST];
    struct blocks out, in, to_root, from_root;
    const int size = harness->size, rank = harness->rank, root = size - 1;
    (void)shared;
    lay_out(&out, size, rank, 1);
    lay_out(&in, size, rank, 0);
    lay_out(&to_root, size, root, 0);
    lay_out(&from_root, size, root, 1);
    for (int peer = 0; peer < size; peer++) {
        sends[peer] = send + out.offsets[peer];
        recvs[peer] = got[LIST] + in.offsets[peer];
        gathered[peer] = got[GATHER_LIST] + to_root.offsets[peer];
    }
    CHECK_OK(anyccl_all_to_all_v_init(send, got[ALL_TO_ALL], out.counts, NULL, in.counts, NULL, ANYCCL_INT32,
                                      harness->comm, &requests[ALL_TO_ALL]));
    CHECK_OK(
        anyccl_all_to_all_list_init(sends, recvs, out.counts, in.counts, ANYCCL_INT32, harness->comm, &requests[LIST]));
    CHECK_OK(anyccl_gather_v_init(own, got[GATHER], length(rank, root), to_root.counts, NULL, ANYCCL_INT32, root,
                                  harness->comm, &requests[GATHER]));
    CHECK_OK(anyccl_scatter_v_init(send, got[SCATTER], from_root.counts, NULL, length(root, rank), ANYCCL_INT32, root,
                                   harness->comm, &requests[SCATTER]));
    CHECK_OK(anyccl_all_gather_v_init(own, got[ALL_GATHER], to_root.counts, NULL, ANYCCL_INT32, harness->comm,
                                      &requests[ALL_GATHER]));
    CHECK_OK(anyccl_all_gather_list_init(own, gathered, to_root.counts, ANYCCL_INT32, harness->comm,
                                         &requests[GATHER_LIST]));
    /* The call has read the arrays, so they may change. */
    memset(recvs, 0, sizeof recvs);
    struct blocks sent = out, received = in, ends = to_root;
    memset(&out, 0, sizeof out);
    memset(&in, 0, sizeof in);
    memset(&to_root, 0, sizeof to_root);

    for (int run = 0; run < RUNS; run++) {
        for (int to = 0; to < size; to++)
            for (size_t at = 0; at < sent.counts[to]; at++)
                send[sent.offsets[to] + at] = element(run, rank, to, at);
        for (size_t at = 0; at < length(rank, root); at++)
            own[at] = element(run, rank, root, at);
        memset(got, 0, sizeof got);
        CHECK_OK(anyccl_start_all(REQUESTS, requests));
        CHECK_OK(anyccl_wait_all(REQUESTS, requests));
        for (int from = 0; from < size; from++) {
            for (size_t at = 0; at < received.counts[from]; at++) {
                CHECK(got[ALL_TO_ALL][received.offsets[from] + at] == element(run, from, rank, at));
                CHECK(got[LIST][received.offsets[from] + at] == element(run, from, rank, at));
            }
            for (size_t at = 0; at < ends.counts[from]; at++) {
                CHECK(rank != root || got[GATHER][ends.offsets[from] + at] == element(run, from, root, at));
                CHECK(got[ALL_GATHER][ends.offsets[from] + at] == element(run, from, root, at));
                CHECK(got[GATHER_LIST][ends.offsets[from] + at] == element(run, from, root, at));
            }
        }
        for (size_t at = 0; at < length(root, rank); at++)
            CHECK(got[SCATTER][at] == element(run, root, rank, at));
    }
    for (int k = 0; k < REQUESTS; k++)
        CHECK_OK(anyccl_request_free(&requests[k]));
}

static void scans_and_neighbours(struct harness *harness, void *shared)
{
    enum { SCAN, EXSCAN, GATHER, ALL_TO_ALL, REQUESTS };
    anyccl_request_t requests[REQUESTS];
    anyccl_graph_t graph;
    int mine = 0, upto = 0, before = -1, left_has = 0, pair[2], from_left = 0;
    const int size = harness->size, rank = harness->rank, right = (rank + 1) % size, left = (rank + size - 1) % size;
    const size_t one = 1, none_and_one[1] = {1};
    (void)shared;
    CHECK_OK(anyccl_graph_create(&left, 1, &right, 1, harness->comm, &graph));
    CHECK_OK(anyccl_scan_init(&mine, &upto, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &requests[SCAN]));
    CHECK_OK(anyccl_exscan_init(&mine, &before, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &requests[EXSCAN]));
    CHECK_OK(anyccl_neighbor_all_gather_v_init(&mine, &left_has, 1, &one, NULL, ANYCCL_INT32, graph, harness->comm,
                                               &requests[GATHER]));
    CHECK_OK(anyccl_neighbor_all_to_all_v_init(pair, &from_left, none_and_one, NULL, &one, NULL, ANYCCL_INT32, graph,
                                               harness->comm, &requests[ALL_TO_ALL]));
    CHECK_OK(anyccl_graph_destroy(graph));
    for (int run = 0; run < RUNS; run++) {
        mine = rank + run;
        pair[0] = 100 * rank + run;
        CHECK_OK(anyccl_start_all(REQUESTS, requests));
        CHECK_OK(anyccl_wait_all(REQUESTS, requests));
        CHECK(upto == (rank + 1) * run + rank * (rank + 1) / 2);
        CHECK(rank == 0 ? before == -1 : before == upto - mine);
        CHECK(left_has == left + run && from_left == 100 * left + run);
    }
    for (int k = 0; k < REQUESTS; k++)
        CHECK_OK(anyccl_request_free(&requests[k]));
}

static void lists_of_buffers(struct harness *harness, void *shared)
{
    enum { ALL_REDUCE, BROADCAST, ALL_GATHER, REDUCE_SCATTER, PARAMS, GRADS, REQUESTS };
    enum { SMALL = 3, LARGE = 20000 };
    anyccl_request_t requests[REQUESTS];
    const size_t counts[2] = {SMALL, LARGE};
    const anyccl_datatype_t datatypes[2] = {ANYCCL_INT32, ANYCCL_INT32};
    int *memory[REQUESTS][2][2];
    const int size = harness->size, rank = harness->rank, root = size - 1;
    (void)shared;
    for (int k = 0; k < REQUESTS; k++)
        for (int i = 0; i < 4; i++) {
            memory[k][i / 2][i % 2] = calloc(counts[i % 2] * MOST, sizeof(int));
            CHECK(memory[k][i / 2][i % 2] != NULL);
        }
#define SENDS(k) ((const void *const *)memory[k][0])
#define RECVS(k) ((void *const *)memory[k][1])
    CHECK_OK(anyccl_all_reduce_coalesced_init(SENDS(ALL_REDUCE), RECVS(ALL_REDUCE), counts, 2, ANYCCL_INT32, ANYCCL_SUM,
                                              harness->comm, &requests[ALL_REDUCE]));
    CHECK_OK(anyccl_broadcast_coalesced_init(SENDS(BROADCAST), RECVS(BROADCAST), counts, 2, ANYCCL_INT32, root,
                                             harness->comm, &requests[BROADCAST]));
    CHECK_OK(anyccl_all_gather_coalesced_init(SENDS(ALL_GATHER), RECVS(ALL_GATHER), counts, 2, ANYCCL_INT32,
                                              harness->comm, &requests[ALL_GATHER]));
    CHECK_OK(anyccl_reduce_scatter_coalesced_init(SENDS(REDUCE_SCATTER), RECVS(REDUCE_SCATTER), counts, 2, ANYCCL_INT32,
                                                  ANYCCL_SUM, harness->comm, &requests[REDUCE_SCATTER]));
    CHECK_OK(anyccl_sync_params_init(RECVS(PARAMS), counts, datatypes, 2, root, harness->comm, &requests[PARAMS]));
    CHECK_OK(anyccl_sum_grads_init(RECVS(GRADS), counts, datatypes, 2, harness->comm, &requests[GRADS]));
    for (int run = 0; run < RUNS; run++) {
        for (int k = 0; k < REQUESTS; k++)
            for (int b = 0; b < 2; b++)
                for (size_t i = 0; i < counts[b]; i++) {
                    const int value = 1000 * rank + run + (int)i % 100;
                    memory[k][k < PARAMS ? 0 : 1][b][i] = value;
                    for (int block = 1; k == REDUCE_SCATTER && block < size; block++)
                        memory[k][0][b][(size_t)block * counts[b] + i] = value + block;
                }
        CHECK_OK(anyccl_start_all(REQUESTS, requests));
        CHECK_OK(anyccl_wait_all(REQUESTS, requests));
        for (int b = 0; b < 2; b++)
            for (size_t i = 0; i < counts[b]; i++) {
                const int base = run + (int)i % 100, sum = 1000 * (size * (size - 1) / 2) + size * base;
                CHECK(memory[ALL_REDUCE][1][b][i] == sum && memory[GRADS][1][b][i] == sum);
                CHECK(memory[BROADCAST][1][b][i] == 1000 * root + base &&
                      memory[PARAMS][1][b][i] == 1000 * root + base);
                CHECK(memory[REDUCE_SCATTER][1][b][i] == sum + size * rank);
                for (int from = 0; from < size; from++)
                    CHECK(memory[ALL_GATHER][1][b][(size_t)from * counts[b] + i] == 1000 * from + base);
            }
    }
    for (int k = 0; k < REQUESTS; k++) {
        CHECK_OK(anyccl_request_free(&requests[k]));
        for (int i = 0; i < 4; i++)
            free(memory[k][i / 2][i % 2]);
    }
    /* A missing buffer is refused: finding out which ranks have one would need a call of all ranks. */
    void *missing[1] = {NULL};
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_sum_grads_init(missing, counts, datatypes, 1, harness->comm, &requests[0]));
    CHECK(strstr(anyccl_last_error(), "buffer 0 is NULL") != NULL);
    size_t *blocks = calloc((size_t)size, sizeof *blocks);
    CHECK(blocks != NULL);
    blocks[0] = SMALL;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT,
                 anyccl_gather_v_init(NULL, NULL, 3, blocks, NULL, ANYCCL_INT32, 0, harness->comm, &requests[0]));
    free(blocks);
}

/* An operator on strings of digits: appends the right operand to the left one. */
static void append(const void *in, void *inout, size_t count, anyccl_datatype_t datatype, void *context)
{
    const long long *left = in;
    long long *right = inout;
    (void)datatype;
    (void)context;
    for (size_t i = 0; i < count; i++) {
        long long shift = 1;
        while (shift <= right[i])
            shift *= 10;
        right[i] += left[i] * shift;
    }
}

/* The parts of the result have 1, 2, 0 and 3 elements. */
static void parts_by_own_operators(struct harness *harness, void *shared)
{
    static const size_t COUNTS[MOST] = {1, 2, 0, 3};
    const size_t mine = COUNTS[harness->rank];
    long long digits[6], strings[3] = {0}, sums[3] = {0}, scalar = 1, string = 0;
    anyccl_reduce_op_t appended, scaled;
    anyccl_request_t request;
    size_t first = 0;
    (void)shared;
    for (int rank = 0; rank < harness->rank; rank++)
        first += COUNTS[rank];
    for (int rank = 0; rank < harness->size; rank++)
        string = 10 * string + rank + 1;
    for (int i = 0; i < 6; i++)
        digits[i] = harness->rank + 1;
    CHECK_OK(anyccl_op_create(append, NULL, 0, &appended));
    CHECK_OK(anyccl_op_create_premul_sum(&scalar, ANYCCL_INT64, ANYCCL_SCALAR_DEFERRED, &scaled));
    CHECK_OK(anyccl_reduce_scatter_v(digits, strings, COUNTS, ANYCCL_INT64, appended, harness->comm));
    for (size_t i = 0; i < mine; i++)
        CHECK(strings[i] == string);
    memset(strings, 0, sizeof strings);
    CHECK_OK(anyccl_ireduce_scatter_v(digits, strings, COUNTS, ANYCCL_INT64, appended, harness->comm, &request));
    CHECK_OK(anyccl_wait(&request));
    for (size_t i = 0; i < mine; i++)
        CHECK(strings[i] == string);

    CHECK_OK(anyccl_reduce_scatter_v_init(digits, sums, COUNTS, ANYCCL_INT64, scaled, harness->comm, &request));
    CHECK_OK(anyccl_op_destroy(scaled));
    for (int run = 1; run <= RUNS; run++) {
        scalar = run;
        for (int i = 0; i < 6; i++)
            digits[i] = 10 * i + harness->rank;
        CHECK_OK(anyccl_start(request));
        CHECK_OK(anyccl_wait(&request));
        for (size_t i = 0; i < mine; i++)
            CHECK(sums[i] == run * (harness->size * 10 * (int)(first + i) + harness->size * (harness->size - 1) / 2));
        CHECK(digits[5] == 50 + harness->rank);
    }
    CHECK_OK(anyccl_request_free(&request));
    CHECK_OK(anyccl_op_destroy(appended));
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : MOST;
    CHECK(most >= 1 && most <= MOST);
    for (int size = 1; size <= most; size++) {
        run_ranks(size, PATIENCE_MS, blocks_of_unequal_length, NULL);
        run_ranks(size, PATIENCE_MS, scans_and_neighbours, NULL);
        run_ranks(size, PATIENCE_MS, lists_of_buffers, NULL);
        run_ranks(size, PATIENCE_MS, parts_by_own_operators, NULL);
    }
    return 0;
}
