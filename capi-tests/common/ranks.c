#include "ranks.h"

#include <pthread.h>

#include "check.h"

struct rank_thread {
    pthread_t thread;
    anyccl_unique_id_t id;
    int rank, size, timeout_ms;
    void (*body)(struct harness *harness, void *shared);
    void *shared;
};

static void *live(void *argument)
{
    const struct rank_thread *self = argument;
    struct harness harness = {NULL, self->rank, self->size, OF_THE_PROGRAM};
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    config.name = "threads";
    config.timeout_ms = self->timeout_ms;
    CHECK_OK(anyccl_comm_create(&self->id, self->size, self->rank, &config, &harness.comm));
    self->body(&harness, self->shared);
    CHECK_OK(anyccl_comm_destroy(harness.comm));
    return NULL;
}

void run_ranks(int size, int timeout_ms, void (*body)(struct harness *harness, void *shared), void *shared)
{
    anyccl_unique_id_t id;
    struct rank_thread *threads = calloc((size_t)size, sizeof *threads);
    CHECK(threads != NULL);
    CHECK_OK(anyccl_get_unique_id(&id));
    for (int rank = 0; rank < size; rank++) {
        struct rank_thread *t = &threads[rank];
        t->id = id;
        t->rank = rank;
        t->size = size;
        t->timeout_ms = timeout_ms;
        t->body = body;
        t->shared = shared;
        CHECK(pthread_create(&t->thread, NULL, live, t) == 0);
    }
    for (int rank = 0; rank < size; rank++)
        CHECK(pthread_join(threads[rank].thread, NULL) == 0);
    free(threads);
}
