#include "ranks.h"

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

struct rank_thread {
    pthread_t thread;
    struct harness harness;
    const ncclUniqueId *id;
    void (*body)(struct harness *harness);
};

struct spread spread_from(int argc, char **argv)
{
    CHECK(argc == 3);
    struct spread spread = {atoi(argv[1]), atoi(argv[2])};
    CHECK(spread.processes >= 1 && spread.threads >= 1);
    return spread;
}

static void *live(void *argument)
{
    struct rank_thread *self = argument;
    if (self->id != NULL)
        CHECK_OK(ncclCommInitRank(&self->harness.comm, self->harness.size, *self->id, self->harness.rank));
    self->body(&self->harness);
    if (self->id != NULL)
        CHECK_OK(ncclCommDestroy(self->harness.comm));
    return NULL;
}

/* Runs the ranks of one process as threads. If `id` is NULL, the job has no other process. */
static void run_threads(const ncclUniqueId *id, struct spread spread, int process,
                        void (*body)(struct harness *harness))
{
    struct rank_thread *threads = calloc((size_t)spread.threads, sizeof *threads);
    ncclComm_t *comms = calloc((size_t)spread.threads, sizeof *comms);
    /* All of them use device 0, if there is any. */
    int *devices = calloc((size_t)spread.threads, sizeof *devices);
    CHECK(threads != NULL && comms != NULL && devices != NULL);
    if (id == NULL)
        CHECK_OK(ncclCommInitAll(comms, spread.threads, devices));
    for (int i = 0; i < spread.threads; i++) {
        struct rank_thread *t = &threads[i];
        t->harness = (struct harness){comms[i], process * spread.threads + i, spread.processes * spread.threads};
        t->id = id;
        t->body = body;
        CHECK(pthread_create(&t->thread, NULL, live, t) == 0);
    }
    for (int i = 0; i < spread.threads; i++)
        CHECK(pthread_join(threads[i].thread, NULL) == 0);
    for (int i = 0; id == NULL && i < spread.threads; i++)
        CHECK_OK(ncclCommDestroy(comms[i]));
    free(threads);
    free(comms);
    free(devices);
}

void make_id(ncclUniqueId *id)
{
#ifdef __SANITIZE_ADDRESS__
    /* AddressSanitizer of GCC 12 does not take the locks of its allocator before a fork. A thread that serves ids may
     * hold one at that moment, and the child then waits for it for ever. So another process has that thread. */
    int ends[2];
    CHECK(pipe(ends) == 0);
    const pid_t server = fork();
    CHECK(server >= 0);
    if (server == 0) {
        CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
        CHECK_OK(ncclGetUniqueId(id));
        CHECK(write(ends[1], id, sizeof *id) == (ssize_t)sizeof *id);
        for (;;)
            pause();
    }
    CHECK(close(ends[1]) == 0);
    CHECK(read(ends[0], id, sizeof *id) == (ssize_t)sizeof *id);
    CHECK(close(ends[0]) == 0);
#else
    CHECK_OK(ncclGetUniqueId(id));
#endif
}

void run_ranks(struct spread spread, void (*body)(struct harness *harness))
{
    ncclUniqueId id;
    if (spread.processes == 1) {
        run_threads(NULL, spread, 0, body);
        return;
    }
    make_id(&id);
    for (int process = 0; process < spread.processes; process++) {
        const pid_t child = fork();
        CHECK(child >= 0);
        if (child == 0) {
            run_threads(&id, spread, process, body);
            exit(0);
        }
    }
    for (int process = 0; process < spread.processes; process++) {
        int status;
        CHECK(wait(&status) > 0);
        CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    }
}
