/* A communicator that is made through a store of the program, each of whose calls may fail: prints "done" if all is
 * right, else the error. The store is a folder, in the variable FOLDER, with a file for each key. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <anyccl/anyccl.h>

enum { COUNT = 30000, PATH_BYTES = 4096 };

/* In faults.c. */
int nth_call_of_store_fails(void);

static void stop_at(anyccl_status_t status, const char *call)
{
    if (status == ANYCCL_SUCCESS)
        return;
    if (anyccl_last_error()[0] == '\0')
        abort();
    fprintf(stderr, "%s: %s\n", call, anyccl_last_error());
    exit(1);
}
#define TRY(call) stop_at(call, #call)

static void name_file(char path[PATH_BYTES], const char *key, const char *ending)
{
    const int folder = snprintf(path, PATH_BYTES, "%s/", getenv("FOLDER"));
    snprintf(path + folder, (size_t)(PATH_BYTES - folder), "%s%s", key, ending);
    for (char *c = path + folder; *c != '\0'; c++)
        if (*c == '/')
            *c = '_';
}

static int fails(char *message)
{
    if (!nth_call_of_store_fails())
        return 0;
    snprintf(message, ANYCCL_STORE_MESSAGE_BYTES, "the store was broken by a test");
    return 1;
}

static int set(void *context, const char *key, const void *value, size_t bytes, char *message)
{
    char path[PATH_BYTES], part[PATH_BYTES];
    (void)context;
    if (fails(message))
        return 7;
    name_file(path, key, "");
    name_file(part, key, ".part");
    FILE *file = fopen(part, "w");
    if (file == NULL || fwrite(value, 1, bytes, file) != bytes || fclose(file) != 0 || rename(part, path) != 0)
        abort();
    return ANYCCL_STORE_OK;
}

static int get(void *context, const char *key, int64_t timeout_ms, void *value, size_t capacity, size_t *bytes,
               char *message)
{
    char path[PATH_BYTES];
    (void)context;
    if (fails(message))
        return 7;
    name_file(path, key, "");
    for (int64_t waited = 0; waited <= timeout_ms; waited++) {
        FILE *file = fopen(path, "r");
        if (file != NULL) {
            *bytes = fread(value, 1, capacity, file);
            fclose(file);
            return ANYCCL_STORE_OK;
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return ANYCCL_STORE_TIMEOUT;
}

int main(void)
{
    static int mine[COUNT], sum[COUNT];
    const int rank = atoi(getenv("RANK")), size = atoi(getenv("WORLD_SIZE"));
    anyccl_store_t store = ANYCCL_STORE_INIT;
    anyccl_comm_t comm, again;
    store.set = set;
    store.get = get;
    TRY(anyccl_comm_create_with_store(&store, size, rank, NULL, &comm));
    for (int i = 0; i < COUNT; i++)
        mine[i] = rank + i;
    TRY(anyccl_all_reduce(mine, sum, COUNT, ANYCCL_INT32, ANYCCL_SUM, comm));
    TRY(anyccl_comm_dup(comm, NULL, &again));
    TRY(anyccl_comm_destroy(again));
    TRY(anyccl_comm_destroy(comm));
    for (int i = 0; i < COUNT; i++)
        if (sum[i] != size * i + size * (size - 1) / 2) {
            fprintf(stderr, "WRONG VALUE\n");
            abort();
        }
    puts("done");
    return 0;
}
