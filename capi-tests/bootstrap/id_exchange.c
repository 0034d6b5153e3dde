/* Tests of the id exchange by a file. Ranks are threads that share nothing but its path. */
#include <dirent.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ranks.h"

enum { RANKS = 3 };

struct rank {
    const char *path;
    int rank, size;
    char address[ANYCCL_ADDRESS_BYTES];
    pthread_t thread;
};

static void *be_a_rank(void *argument)
{
    struct rank *own = argument;
    struct harness harness = {NULL, own->rank, RANKS, OF_THE_PROGRAM};
    anyccl_unique_id_t id;
    CHECK_OK(anyccl_unique_id_exchange_by_file(own->path, own->size, own->rank, NULL, &id, own->address));
    CHECK_OK(anyccl_comm_create(&id, RANKS, own->rank, NULL, &harness.comm));
    try_all_collectives(&harness, ANYCCL_INT32, ANYCCL_SUM, 5);
    CHECK_OK(anyccl_comm_destroy(harness.comm));
    return NULL;
}

/* Makes a communicator of RANKS threads. With `size` 0 the exchange does not know the number of ranks. */
static void meet(const char *path, int size)
{
    struct rank ranks[RANKS];
    for (int rank = RANKS - 1; rank >= 0; rank--) {
        ranks[rank].path = path;
        ranks[rank].rank = rank;
        ranks[rank].size = size;
        CHECK(pthread_create(&ranks[rank].thread, NULL, be_a_rank, &ranks[rank]) == 0);
    }
    for (int rank = 0; rank < RANKS; rank++) {
        CHECK(pthread_join(ranks[rank].thread, NULL) == 0);
        CHECK(strlen(ranks[rank].address) >= strlen("::1"));
    }
}

static void use(const char *path)
{
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    anyccl_unique_id_t id;
    char address[ANYCCL_ADDRESS_BYTES];
    FILE *file;

    /* A leftover file is ignored. After a successful exchange the file is gone. */
    CHECK((file = fopen(path, "w")) != NULL && fputs("127.0.0.1", file) >= 0 && fclose(file) == 0);
    config.timeout_ms = 50;
    CHECK_STATUS(ANYCCL_ERR_TIMEOUT, anyccl_unique_id_exchange_by_file(path, 2, 1, &config, &id, address));
    meet(path, RANKS);
    CHECK(access(path, F_OK) != 0);

    /* Without the size the file stays, and does not disturb the next exchange. */
    meet(path, 0);
    CHECK(access(path, F_OK) == 0);
    meet(path, RANKS);

    /* Rank 0 waits for rank 1. On a busy machine, it may come as far as that only with a longer time-out. */
    config.timeout_ms = 50;
    do {
        CHECK((config.timeout_ms *= 2) < PATIENCE_MS);
        CHECK_STATUS(ANYCCL_ERR_TIMEOUT, anyccl_unique_id_exchange_by_file(path, 2, 0, &config, &id, address));
    } while (strstr(anyccl_last_error(), "rank 1") == NULL);

    /* The outputs are optional. The configuration chooses the interface. */
    config.timeout_ms = 0;
    config.interface = "lo";
    CHECK_OK(anyccl_unique_id_exchange_by_file(path, 1, 0, &config, NULL, address));
    CHECK(strcmp(address, "127.0.0.1") == 0 || strcmp(address, "::1") == 0);
    CHECK_OK(anyccl_unique_id_exchange_by_file(path, 1, 0, &config, &id, NULL));
    config.interface = "no-such-interface";
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_unique_id_exchange_by_file(path, 1, 0, &config, &id, address));

    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_unique_id_exchange_by_file(NULL, 1, 0, NULL, &id, address));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_unique_id_exchange_by_file("", 1, 0, NULL, &id, address));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_unique_id_exchange_by_file("/", 1, 0, NULL, &id, address));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_unique_id_exchange_by_file(path, -1, 0, NULL, &id, address));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_unique_id_exchange_by_file(path, 2, 2, NULL, &id, address));
    CHECK_STATUS(ANYCCL_ERR_INVALID_ARGUMENT, anyccl_unique_id_exchange_by_file(path, 0, -1, NULL, &id, address));

    CHECK(access(path, F_OK) != 0);
}

/* Removes a folder with its files. Tells whether it was empty. */
static int was_empty(const char *folder)
{
    char path[4096];
    int files = 0;
    DIR *const entries = opendir(folder);
    CHECK(entries != NULL);
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name);
            CHECK(unlink(path) == 0);
            files++;
        }
    CHECK(closedir(entries) == 0 && rmdir(folder) == 0);
    return files == 0;
}

/* A failed check ends the process at once. The checks run in a child process, so the folder is removed in any
 * case. */
int main(void)
{
    char folder[3000], path[sizeof folder + sizeof "/file"];
    const char *const place = getenv("TMPDIR");
    int status = -1;
    const int length = snprintf(folder, sizeof folder, "%s/anyccl-id-exchange-XXXXXX", place ? place : "/tmp");
    CHECK(length > 0 && (size_t)length < sizeof folder && mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/file", folder);
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        use(path);
        return 0;
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(was_empty(folder) && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return 0;
}
