/* Tests of every collective on the world against the oracle. `anyccl run` starts the ranks as processes. The argument
 * is the point of each sample; jobs with other ranks and transports take the next ones. */
#include "harness.h"
#include "check.h"

int main(int argc, char **argv)
{
    struct harness harness = {ANYCCL_WORLD, -1, -1, OF_THE_PROGRAM};
    anyccl_config_t config = ANYCCL_CONFIG_INIT;
    config.timeout_ms = 60000;
    CHECK_OK(anyccl_init_with(&config));
    CHECK_OK(anyccl_rank(&harness.rank));
    CHECK_OK(anyccl_world_size(&harness.size));

    CHECK(argc == 2);
    try_all_datatypes(&harness, atoi(argv[1]));
    harness.home = OF_THE_LIBRARY;
    try_all_collectives(&harness, ANYCCL_FLOAT32, ANYCCL_SUM, 70001);

    /* A ring: each rank sends to its right and receives from its left. */
    const int right = (harness.rank + 1) % harness.size, left = (harness.rank + harness.size - 1) % harness.size;
    int sent = 100 + harness.rank, received = -1;
    anyccl_request_t request;
    CHECK_OK(anyccl_irecv(&received, 1, ANYCCL_INT32, left, 0, ANYCCL_WORLD, &request));
    CHECK_OK(anyccl_send(&sent, 1, ANYCCL_INT32, right, 0, ANYCCL_WORLD));
    CHECK_OK(anyccl_wait(&request));
    CHECK(received == 100 + left);

    CHECK_OK(anyccl_barrier(ANYCCL_WORLD));
    CHECK_OK(anyccl_finalize());
    return 0;
}
