/* anyccl behind the interface of the collective benchmark `collbench.c` (struct ext_ops).
 *
 * Any MPI starts the ranks and carries the control traffic; the measured calls are anyccl's. The
 * communicator comes from a unique id that rank 0 makes and MPI broadcasts.
 *
 *   mpicc -O2 -DCOLLBENCH_EXT collbench.c collbench_anyccl.c -I PREFIX/include -L PREFIX/lib \
 *         -Wl,-rpath,PREFIX/lib -lanyccl -Wl,--wrap=posix_memalign -o collbench-anyccl
 *
 * With COLLBENCH_MEM_ALLOC=1 in the environment, the buffers of the benchmark come from anyccl_mem_alloc.
 * posix_memalign is wrapped for that.
 */
#include <anyccl/anyccl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ext_ops {
    void (*init)(int rank, int size, void *a, void *b, size_t cap);
    void (*prepare)(const char *coll, size_t nblk, size_t nall);
    void (*allreduce)(const void *, void *, size_t count);
    void (*alltoall)(const void *, void *, size_t block);
    void (*allgather)(const void *, void *, size_t block);
    void (*reduce_scatter)(const void *, void *, size_t block);
    void (*broadcast)(void *, size_t count, int root);
    void (*barrier)(void);
    void (*sendrecv)(int is_send, void *, size_t bytes, int peer);
    void (*fini)(void);
};

static anyccl_comm_t comm;

static void must(anyccl_status_t status)
{
    if (status != ANYCCL_SUCCESS) {
        fprintf(stderr, "collbench_anyccl: %s\n", anyccl_last_error());
        exit(1);
    }
}

int __real_posix_memalign(void **place, size_t alignment, size_t bytes);
int __wrap_posix_memalign(void **place, size_t alignment, size_t bytes);

/* The benchmark asks for memory aligned to pages. anyccl_mem_alloc aligns large buffers so. */
int __wrap_posix_memalign(void **place, size_t alignment, size_t bytes)
{
    const char *wanted = getenv("COLLBENCH_MEM_ALLOC");
    if (wanted == NULL || strcmp(wanted, "1") != 0)
        return __real_posix_memalign(place, alignment, bytes);
    must(anyccl_mem_alloc(bytes, place));
    return 0;
}

static void init(int rank, int size, void *a, void *b, size_t cap)
{
    anyccl_unique_id_t id;
    (void)a, (void)b, (void)cap;
    memset(&id, 0, sizeof id);
    if (rank == 0)
        must(anyccl_get_unique_id(&id));
    MPI_Bcast(&id, sizeof id, MPI_BYTE, 0, MPI_COMM_WORLD);
    must(anyccl_comm_create(&id, size, rank, NULL, &comm));
}

static void allreduce(const void *s, void *r, size_t n)
{
    must(anyccl_all_reduce(s, r, n, ANYCCL_FLOAT32, ANYCCL_SUM, comm));
}

static void alltoall(const void *s, void *r, size_t n)
{
    must(anyccl_all_to_all(s, r, n, ANYCCL_FLOAT32, comm));
}

static void allgather(const void *s, void *r, size_t n)
{
    must(anyccl_all_gather(s, r, n, ANYCCL_FLOAT32, comm));
}

static void reduce_scatter(const void *s, void *r, size_t n)
{
    must(anyccl_reduce_scatter(s, r, n, ANYCCL_FLOAT32, ANYCCL_SUM, comm));
}

static void broadcast(void *b, size_t n, int root)
{
    must(anyccl_broadcast(b, b, n, ANYCCL_FLOAT32, root, comm));
}

static void barrier(void)
{
    must(anyccl_barrier(comm));
}

static void sendrecv(int is_send, void *b, size_t bytes, int peer)
{
    must(is_send ? anyccl_send(b, bytes, ANYCCL_BYTE, peer, 0, comm)
                 : anyccl_recv(b, bytes, ANYCCL_BYTE, peer, 0, comm, NULL));
}

static void fini(void)
{
    must(anyccl_comm_destroy(comm));
}

struct ext_ops collbench_ext = {
    .init = init,
    .allreduce = allreduce,
    .alltoall = alltoall,
    .allgather = allgather,
    .reduce_scatter = reduce_scatter,
    .broadcast = broadcast,
    .barrier = barrier,
    .sendrecv = sendrecv,
    .fini = fini,
};
