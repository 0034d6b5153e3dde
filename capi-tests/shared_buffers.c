/* Memory of anyccl_mem_alloc: refusals, ordinary use, parts of it in calls, and what a child of fork may do. */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "ranks.h"

enum { COUNT = 40000 };

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

/* Both buffers in one allocation, at odd places; the first elements stay what they are. */
static void sum_parts(struct bed *bed, void *shared)
{
    void *ptr = NULL;
    (void)shared;
    CHECK_OK(anyccl_mem_alloc((2 * COUNT + 2) * sizeof(int), &ptr));
    int *const send = (int *)ptr + 1, *const recv = send + COUNT + 1;
    send[-1] = send[COUNT] = -5;
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < COUNT; i++)
            send[i] = round + i * (bed->rank + 1);
        CHECK_OK(anyccl_all_reduce(send, recv, COUNT, ANYCCL_INT32, ANYCCL_SUM, bed->comm));
        for (int i = 0; i < COUNT; i++)
            CHECK(recv[i] == bed->size * round + i * (bed->size * (bed->size + 1) / 2));
        CHECK_OK(anyccl_broadcast(recv, recv, COUNT, ANYCCL_INT32, 0, bed->comm));
    }
    CHECK(send[-1] == -5 && send[COUNT] == -5);
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
        /* Leaves by exec: valgrind would take what only the parent's threads point to for leaked here. */
        execl("/bin/true", "true", (char *)NULL);
        _exit(1);
    }
    CHECK(waitpid(child, &status, 0) == child);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    CHECK_OK(anyccl_mem_free(ptr));
}

int main(void)
{
    be_refused_what_is_none();
    run_ranks(2, PATIENCE_MS, sum_parts, NULL);
    fork_a_child();
    return 0;
}
