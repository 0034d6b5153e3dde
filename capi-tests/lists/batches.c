/* Tests of batches: calls on several communicators, in any order, which start together and end together. */
#include <string.h>

#include "check.h"
#include "ranks.h"

enum { COUNT = 200000 };

/* Every rank sends first. Without a batch this would hang, because the messages are too large to buffer. */
static void all_send_first(struct harness *harness, void *shared)
{
    int *out = calloc(COUNT, sizeof *out), *in = calloc((size_t)harness->size * COUNT, sizeof *in);
    anyccl_message_status_t statuses[4];
    (void)shared;
    CHECK(out != NULL && in != NULL);
    out[COUNT - 1] = 10 + harness->rank;
    CHECK_OK(anyccl_batch_begin());
    for (int to = 0; to < harness->size; to++)
        CHECK_OK(anyccl_send(out, COUNT, ANYCCL_INT32, to, 3, harness->comm));
    for (int from = harness->size - 1; from >= 0; from--)
        CHECK_OK(anyccl_recv(&in[from * COUNT], COUNT, ANYCCL_INT32, from, 3, harness->comm, &statuses[from]));
    CHECK_OK(anyccl_batch_end());
    for (int from = 0; from < harness->size; from++)
        CHECK(in[(from + 1) * COUNT - 1] == 10 + from && statuses[from].source == from);
    free(out);
    free(in);
}

/* Makes a second communicator of the same ranks, with links of its own. */
static anyccl_comm_t another(struct harness *harness)
{
    anyccl_unique_id_t id;
    anyccl_comm_t comm;
    if (harness->rank == 0)
        CHECK_OK(anyccl_get_unique_id(&id));
    CHECK_OK(anyccl_broadcast(&id, &id, sizeof id, ANYCCL_BYTE, 0, harness->comm));
    CHECK_OK(anyccl_comm_create(&id, harness->size, harness->rank, NULL, &comm));
    return comm;
}

/* Two collectives on two communicators, in different orders on the ranks, and messages between them. */
static void in_any_order(struct harness *harness, void *shared)
{
    anyccl_comm_t comms[2] = {harness->comm, another(harness)};
    const int peer = harness->size - 1 - harness->rank;
    int *in[2], *out[2], sent = harness->rank, got = -1;
    (void)shared;
    for (int k = 0; k < 2; k++) {
        out[k] = calloc(COUNT, sizeof(int));
        in[k] = calloc(COUNT, sizeof(int));
        CHECK(out[k] != NULL && in[k] != NULL);
        out[k][COUNT - 1] = k + 1;
    }
    for (int turn = 0; turn < 5; turn++) {
        const int first = (harness->rank + turn) % 2;
        CHECK_OK(anyccl_batch_begin());
        CHECK_OK(anyccl_all_reduce(out[first], in[first], COUNT, ANYCCL_INT32, ANYCCL_SUM, comms[first]));
        CHECK_OK(anyccl_batch_begin());
        CHECK_OK(anyccl_recv(&got, 1, ANYCCL_INT32, peer, turn, comms[first], NULL));
        CHECK_OK(anyccl_send(&sent, 1, ANYCCL_INT32, peer, turn, comms[(peer + turn) % 2]));
        CHECK_OK(anyccl_batch_end()); /* an inner batch: waits for nothing */
        CHECK_OK(anyccl_all_reduce(out[1 - first], in[1 - first], COUNT, ANYCCL_INT32, ANYCCL_SUM, comms[1 - first]));
        CHECK_OK(anyccl_batch_end());
        CHECK(in[0][COUNT - 1] == harness->size && in[1][COUNT - 1] == 2 * harness->size && got == peer);
    }
    for (int k = 0; k < 2; k++) {
        free(out[k]);
        free(in[k]);
    }
    CHECK_OK(anyccl_comm_destroy(comms[1]));
}

/* Collectives with unequal blocks and lists on two communicators, in different orders on the ranks. */
static void of_every_kind(struct harness *harness, void *shared)
{
    anyccl_comm_t copy;
    size_t counts[4] = {1, 2, 3, 4};
    const size_t lengths[2] = {1, 3};
    int mine[4], all[10], one = harness->rank, three[3] = {1, 2, 3};
    const void *sends[2] = {&one, three};
    void *recvs[2] = {&one, three};
    (void)shared;
    CHECK_OK(anyccl_comm_dup(harness->comm, NULL, &copy));
    for (int k = 0; k < 4; k++)
        mine[k] = 10 * harness->rank + k;
    CHECK_OK(anyccl_batch_begin());
    for (int turn = 0; turn < 2; turn++) {
        if ((harness->rank + turn) % 2 == 0)
            CHECK_OK(anyccl_all_gather_v(mine, all, counts, NULL, ANYCCL_INT32, harness->comm));
        else
            CHECK_OK(anyccl_all_reduce_coalesced(sends, recvs, lengths, 2, ANYCCL_INT32, ANYCCL_SUM, copy));
    }
    CHECK_OK(anyccl_batch_end());
    for (int from = 0, at = 0; from < harness->size; at += (int)counts[from++])
        CHECK(all[at] == 10 * from && all[at + (int)counts[from] - 1] == 10 * from + from);
    CHECK(one == harness->size * (harness->size - 1) / 2 && three[2] == 3 * harness->size);
    CHECK_OK(anyccl_comm_destroy(copy));
}

/* A refused call does not harm the others. The end of the batch reports it once more. */
static void a_refused_call(struct harness *harness, void *shared)
{
    int sent = harness->rank, got = -1, sum = 0;
    anyccl_request_t request;
    (void)shared;
    CHECK_OK(anyccl_batch_begin());
    CHECK_OK(anyccl_send(&sent, 1, ANYCCL_INT32, 1 - harness->rank, 0, harness->comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_send(&sent, 1, ANYCCL_INT32, 9, 0, harness->comm));
    CHECK_OK(anyccl_iall_reduce(&sent, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, harness->comm, &request));
    CHECK_OK(anyccl_recv(&got, 1, ANYCCL_INT32, 1 - harness->rank, 0, harness->comm, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_probe(1 - harness->rank, 0, harness->comm, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_batch_end());
    CHECK(strstr(anyccl_last_error(), "invalid peer") != NULL);
    CHECK(got == 1 - harness->rank);
    CHECK_OK(anyccl_wait(&request));
    CHECK(sum == 1);
    /* The next batch is not affected. */
    CHECK_OK(anyccl_batch_begin());
    CHECK_OK(anyccl_barrier(harness->comm));
    CHECK_OK(anyccl_batch_end());
    CHECK_STATUS(ANYCCL_ERR_INVALID_USAGE, anyccl_batch_end());
}

int main(void)
{
    for (int size = 1; size <= 4; size++)
        run_ranks(size, PATIENCE_MS, all_send_first, NULL);
    run_ranks(2, PATIENCE_MS, in_any_order, NULL);
    run_ranks(3, PATIENCE_MS, in_any_order, NULL);
    for (int size = 1; size <= 4; size++)
        run_ranks(size, PATIENCE_MS, of_every_kind, NULL);
    run_ranks(2, PATIENCE_MS, a_refused_call, NULL);
    return 0;
}
