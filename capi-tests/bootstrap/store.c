/* Tests of communicators made through a store of the caller: one table that the threads share, and each way
 * in which it can fail. */
#include <pthread.h>
#include <string.h>
#include <time.h>

#include "check.h"
#include "harness.h"

enum { MOST_RANKS = 4, VALUE_BYTES = 4096 };

/* A store of one key. */
struct table {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    char key[64];
    unsigned char value[VALUE_BYTES];
    size_t bytes; /* 0 if not set */
    int sets, gets;
    const char *complaint; /* if set, every call fails with this text */
};

static void table_init(struct table *table)
{
    memset(table, 0, sizeof *table);
    CHECK(pthread_mutex_init(&table->lock, NULL) == 0);
    CHECK(pthread_cond_init(&table->changed, NULL) == 0);
}

static int complain(const struct table *table, char *message)
{
    snprintf(message, ANYCCL_STORE_MESSAGE_BYTES, "%s", table->complaint);
    return 7;
}

static int set(void *context, const char *key, const void *value, size_t bytes, char *message)
{
    struct table *table = context;
    CHECK(bytes > 0 && bytes <= VALUE_BYTES && strlen(key) < sizeof table->key && message[0] == '\0');
    if (table->complaint)
        return complain(table, message);
    CHECK(pthread_mutex_lock(&table->lock) == 0);
    memcpy(table->value, value, bytes);
    memcpy(table->key, key, strlen(key) + 1);
    table->bytes = bytes;
    table->sets++;
    CHECK(pthread_cond_broadcast(&table->changed) == 0);
    CHECK(pthread_mutex_unlock(&table->lock) == 0);
    return ANYCCL_STORE_OK;
}

static int get(void *context, const char *key, int64_t timeout_ms, void *value, size_t capacity, size_t *bytes,
               char *message)
{
    struct table *table = context;
    struct timespec until;
    int answer = ANYCCL_STORE_OK;
    CHECK(timeout_ms >= 0);
    if (table->complaint)
        return complain(table, message);
    CHECK(clock_gettime(CLOCK_REALTIME, &until) == 0);
    until.tv_sec += (time_t)(timeout_ms / 1000);
    until.tv_nsec += (long)(timeout_ms % 1000) * 1000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    CHECK(pthread_mutex_lock(&table->lock) == 0);
    table->gets++;
    while (table->bytes == 0 && answer == ANYCCL_STORE_OK)
        if (pthread_cond_timedwait(&table->changed, &table->lock, &until) != 0)
            answer = ANYCCL_STORE_TIMEOUT;
    if (answer == ANYCCL_STORE_OK) {
        CHECK(strcmp(key, table->key) == 0 && table->bytes <= capacity);
        memcpy(value, table->value, table->bytes);
        *bytes = table->bytes;
    }
    CHECK(pthread_mutex_unlock(&table->lock) == 0);
    return answer;
}

struct rank {
    struct table *table;
    int rank, size;
    pthread_t thread;
};

static anyccl_store_t store_of(struct table *table)
{
    anyccl_store_t store = ANYCCL_STORE_INIT;
    store.context = table;
    store.set = set;
    store.get = get;
    return store;
}

static void *be_a_rank(void *argument)
{
    const struct rank *own = argument;
    const anyccl_store_t store = store_of(own->table);
    struct harness harness = {NULL, own->rank, own->size, OF_THE_PROGRAM};
    CHECK_OK(anyccl_comm_create_with_store(&store, own->size, own->rank, NULL, &harness.comm));
    try_all_collectives(&harness, ANYCCL_INT32, ANYCCL_SUM, 11);
    CHECK_OK(anyccl_comm_destroy(harness.comm));
    return NULL;
}

static void meet(struct table *table, int size)
{
    struct rank ranks[MOST_RANKS];
    /* The last rank starts first, so it waits for rank 0. */
    for (int rank = size - 1; rank >= 0; rank--) {
        ranks[rank].table = table;
        ranks[rank].rank = rank;
        ranks[rank].size = size;
        CHECK(pthread_create(&ranks[rank].thread, NULL, be_a_rank, &ranks[rank]) == 0);
    }
    for (int rank = 0; rank < size; rank++)
        CHECK(pthread_join(ranks[rank].thread, NULL) == 0);
}

static void a_store_is_asked_once_per_rank_and_may_be_used_again(void)
{
    struct table table;
    table_init(&table);
    meet(&table, 1);
    CHECK(table.sets == 0 && table.gets == 0);
    meet(&table, 3);
    CHECK(table.sets == 1 && table.gets == 2);
    /* The store still has the value of an earlier communicator, at whose address no rank answers. It is replaced. */
    meet(&table, 4);
    meet(&table, 2);
    CHECK(table.sets == 3);
}

static void failures_of_a_store_have_its_own_words(void)
{
    struct table table;
    anyccl_store_t store;
    anyccl_comm_t comm = NULL;
    anyccl_config_t soon = ANYCCL_CONFIG_INIT;
    soon.timeout_ms = 50;
    table_init(&table);
    store = store_of(&table);

    CHECK_STATUS(ANYCCL_ERR_TIMEOUT, anyccl_comm_create_with_store(&store, 2, 1, &soon, &comm));
    CHECK(strstr(anyccl_last_error(), "caller's store") != NULL);

    table.complaint = "the cupboard is locked";
    for (int rank = 0; rank < 2; rank++) {
        CHECK_STATUS(ANYCCL_ERR_BOOTSTRAP, anyccl_comm_create_with_store(&store, 2, rank, NULL, &comm));
        CHECK(strstr(anyccl_last_error(), "the cupboard is locked") != NULL);
    }
    table.complaint = "";
    CHECK_STATUS(ANYCCL_ERR_BOOTSTRAP, anyccl_comm_create_with_store(&store, 2, 1, NULL, &comm));
    CHECK(strstr(anyccl_last_error(), "answered 7") != NULL);
    table.complaint = NULL;

    table.bytes = 5;
    memcpy(table.value, "12345", 5);
    strcpy(table.key, "anyccl/beacon");
    CHECK_STATUS(ANYCCL_ERR_BOOTSTRAP, anyccl_comm_create_with_store(&store, 2, 1, NULL, &comm));
    CHECK(comm == NULL);
}

static void what_makes_no_sense_is_refused(void)
{
    struct table table;
    anyccl_store_t store;
    anyccl_comm_t comm = NULL;
    table_init(&table);
    store = store_of(&table);
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_with_store(NULL, 2, 0, NULL, &comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_with_store(&store, 2, 0, NULL, NULL));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_with_store(&store, 0, 0, NULL, &comm));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_with_store(&store, 2, 2, NULL, &comm));
    store.get = NULL;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_with_store(&store, 2, 0, NULL, &comm));
    store = store_of(&table);
    store.struct_size = sizeof store.struct_size;
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_comm_create_with_store(&store, 2, 0, NULL, &comm));
    CHECK(comm == NULL && table.sets == 0 && table.gets == 0);
}

int main(void)
{
    what_makes_no_sense_is_refused();
    failures_of_a_store_have_its_own_words();
    a_store_is_asked_once_per_rank_and_may_be_used_again();
    return 0;
}
