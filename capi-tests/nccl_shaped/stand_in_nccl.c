/* A stand-in for NCCL that really reduces memory of devices, among processes of one host. It has ncclAllReduce of
 * int32 sums; every other call is refused. Its calls block, which NCCL permits, and follow what is in their stream.
 * With STAND_IN_ENQUEUES=1 they return at once and compute nothing: their stream waits until all ranks have made the
 * call, and so does the end of the communicator. The rank STAND_IN_DIES is killed when a communicator is made. At the end of each communicator it says on standard error how many calls it has made. */
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SUCCESS = 0, SYSTEM_ERROR = 2, INVALID_ARGUMENT = 4, INT32 = 2, SUM = 0, MOST = 1 << 20, RANKS = 8 };

typedef struct {
    char bytes[128];
} id_t_;

/* What the ranks of a communicator share. */
struct shared {
    atomic_int here, arrived, round;
    int32_t values[RANKS][MOST];
};

struct comm {
    struct shared *shared;
    int rank, size, calls;
    atomic_int aborted;
    /* The number of the last call that all ranks have made; page-locked. */
    _Atomic uint32_t *ended;
};

static int call_driver(const char *name, uint64_t a, uint64_t b, uint64_t c)
{
    int (*function)(uint64_t, uint64_t, uint64_t) = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&function = driver == NULL ? NULL : dlsym(driver, name);
    return function == NULL ? 1 : function(a, b, c);
}

static void meet(struct comm *comm)
{
    const int round = atomic_load(&comm->shared->round);
    if (atomic_fetch_add(&comm->shared->arrived, 1) + 1 == comm->size) {
        atomic_store(&comm->shared->arrived, 0);
        atomic_fetch_add(&comm->shared->round, 1);
    }
    while (atomic_load(&comm->shared->round) == round && !atomic_load(&comm->aborted))
        sched_yield();
}

static void *meet_once(void *comm)
{
    meet(comm);
    atomic_fetch_add(((struct comm *)comm)->ended, 1);
    return NULL;
}

/* Lets the stream wait until all ranks have made the call. */
static int enqueue(struct comm *comm, void *stream)
{
    pthread_t thread;
    int (*wait)(void *, uint64_t, uint32_t, unsigned) = NULL;
    void *driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
    *(void **)&wait = driver == NULL ? NULL : dlsym(driver, "cuStreamWaitValue32_v2");
    if (comm->ended == NULL && call_driver("cuMemHostAlloc", (uintptr_t)&comm->ended, sizeof *comm->ended, 2) != 0)
        return SYSTEM_ERROR;
    if (comm->calls == 0)
        atomic_store(comm->ended, 0);
    comm->calls++;
    if (wait == NULL || wait(stream, (uintptr_t)comm->ended, (uint32_t)comm->calls, 0) != 0)
        return SYSTEM_ERROR;
    if (pthread_create(&thread, NULL, meet_once, comm) != 0)
        return SYSTEM_ERROR;
    pthread_detach(thread);
    return SUCCESS;
}

int pncclGetVersion(int *version)
{
    *version = 29900;
    return SUCCESS;
}

const char *pncclGetLastError(void *comm)
{
    (void)comm;
    return "refused by the stand-in";
}

int pncclGetUniqueId(id_t_ *id)
{
    static atomic_int number;
    memset(id, 0, sizeof *id);
    snprintf(id->bytes, sizeof id->bytes, "/anyccl-stand-in-%d-%d", (int)getpid(), atomic_fetch_add(&number, 1));
    return SUCCESS;
}

int pncclCommInitRankConfig(void **made, int size, id_t_ id, int rank, void *config)
{
    struct comm *comm = calloc(1, sizeof *comm);
    const int file = shm_open(id.bytes, O_RDWR | O_CREAT, 0600);
    (void)config;
    if (getenv("STAND_IN_DIES") != NULL && atoi(getenv("STAND_IN_DIES")) == rank)
        raise(SIGKILL);
    if (comm == NULL || file < 0 || size > RANKS || ftruncate(file, sizeof(struct shared)) != 0)
        return SYSTEM_ERROR;
    comm->shared = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    close(file);
    if (comm->shared == MAP_FAILED)
        return SYSTEM_ERROR;
    comm->rank = rank;
    comm->size = size;
    atomic_fetch_add(&comm->shared->here, 1);
    while (atomic_load(&comm->shared->here) < size)
        sched_yield();
    shm_unlink(id.bytes);
    *made = comm;
    return SUCCESS;
}

int pncclAllReduce(const void *send, void *recv, size_t count, int type, int op, struct comm *comm, void *stream)
{
    if (type != INT32 || op != SUM || count > MOST)
        return INVALID_ARGUMENT;
    if (getenv("STAND_IN_ENQUEUES") != NULL)
        return enqueue(comm, stream);
    int32_t *own = comm->shared->values[comm->rank], *sum = calloc(count, sizeof *sum);
    int bad = sum == NULL || call_driver("cuStreamSynchronize", (uintptr_t)stream, 0, 0) != 0;
    bad = bad || call_driver("cuMemcpyDtoH_v2", (uintptr_t)own, (uintptr_t)send, count * sizeof *own) != 0;
    meet(comm);
    bad = bad || atomic_load(&comm->aborted);
    for (int rank = 0; !bad && rank < comm->size; rank++)
        for (size_t i = 0; i < count; i++)
            sum[i] += comm->shared->values[rank][i];
    meet(comm);
    bad = bad || call_driver("cuMemcpyHtoD_v2", (uintptr_t)recv, (uintptr_t)sum, count * sizeof *sum) != 0;
    bad = bad || call_driver("cuCtxSynchronize", 0, 0, 0) != 0;
    free(sum);
    comm->calls++;
    return bad ? SYSTEM_ERROR : SUCCESS;
}

int pncclCommFinalize(struct comm *comm)
{
    while (comm->ended != NULL && atomic_load(comm->ended) < (uint32_t)comm->calls)
        sched_yield();
    fprintf(stderr, "the stand-in for NCCL has made %d calls on rank %d of %d\n", comm->calls, comm->rank, comm->size);
    return SUCCESS;
}

int pncclCommAbort(struct comm *comm)
{
    fprintf(stderr, "the stand-in for NCCL was aborted on rank %d\n", comm->rank);
    atomic_store(&comm->aborted, 1);
    return SUCCESS;
}

int pncclCommDestroy(struct comm *comm)
{
    munmap(comm->shared, sizeof(struct shared));
    free(comm);
    return SUCCESS;
}

/* The library looks for these. */
#define REFUSE(name)                                                                                                   \
    int name(void);                                                                                                    \
    int name(void)                                                                                                     \
    {                                                                                                                  \
        return INVALID_ARGUMENT;                                                                                       \
    }

REFUSE(pncclReduce)
REFUSE(pncclBroadcast)
REFUSE(pncclAllGather)
REFUSE(pncclReduceScatter)
REFUSE(pncclGroupStart)
REFUSE(pncclGroupEnd)
REFUSE(pncclSend)
REFUSE(pncclRecv)
