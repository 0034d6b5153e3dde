/* Tests of a program without a launcher: its world has one rank, and every call works. */
#include "harness.h"
#include "check.h"

int main(void)
{
    struct harness harness = {ANYCCL_WORLD, -1, -1, OF_THE_PROGRAM};
    int local_rank = -1, local_size = -1;
    anyccl_comm_t world;

    CHECK_OK(anyccl_init());
    CHECK_OK(anyccl_rank(&harness.rank));
    CHECK_OK(anyccl_world_size(&harness.size));
    CHECK_OK(anyccl_local_rank(&local_rank));
    CHECK_OK(anyccl_local_size(&local_size));
    CHECK(harness.rank == 0 && harness.size == 1 && local_rank == 0 && local_size == 1);

    try_all_datatypes(&harness, 0);
    CHECK_OK(anyccl_barrier(ANYCCL_WORLD));

    /* For a message to itself, a rank must start the receive first. */
    int sent = 42, received = 0;
    anyccl_request_t request;
    CHECK_OK(anyccl_irecv(&received, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD, &request));
    CHECK_OK(anyccl_send(&sent, 1, ANYCCL_INT32, 0, 0, ANYCCL_WORLD));
    CHECK_OK(anyccl_wait(&request));
    CHECK(received == 42);

    /* The handle names the same world. */
    CHECK_OK(anyccl_world(&world));
    CHECK(world != ANYCCL_WORLD);
    CHECK_OK(anyccl_comm_size(world, &harness.size));
    CHECK(harness.size == 1);
    CHECK_OK(anyccl_finalize());
    return 0;
}
