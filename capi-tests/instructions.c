/* Makes one blocking call many times in a world of one. instructions.py counts what a call costs. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

int main(int argc, char **argv)
{
    double send[4] = {1, 2, 3, 4}, recv[4];
    const size_t four = 4;

    CHECK(argc == 3);
    const char *name = argv[1];
    const int calls = atoi(argv[2]);
    CHECK_OK(anyccl_init());
    for (int i = 0; i < calls; i++) {
        if (strcmp(name, "anyccl_all_reduce") == 0)
            CHECK_OK(anyccl_all_reduce(send, recv, 4, ANYCCL_FLOAT64, ANYCCL_SUM, ANYCCL_WORLD));
        else if (strcmp(name, "anyccl_all_to_all") == 0)
            CHECK_OK(anyccl_all_to_all(send, recv, 4, ANYCCL_FLOAT64, ANYCCL_WORLD));
        else if (strcmp(name, "anyccl_broadcast") == 0)
            CHECK_OK(anyccl_broadcast(send, recv, 4, ANYCCL_FLOAT64, 0, ANYCCL_WORLD));
        else if (strcmp(name, "anyccl_all_gather_v") == 0)
            CHECK_OK(anyccl_all_gather_v(send, recv, &four, NULL, ANYCCL_FLOAT64, ANYCCL_WORLD));
        else if (strcmp(name, "anyccl_all_to_all_v") == 0)
            CHECK_OK(anyccl_all_to_all_v(send, recv, &four, NULL, &four, NULL, ANYCCL_FLOAT64, ANYCCL_WORLD));
        else if (strcmp(name, "anyccl_barrier") == 0)
            CHECK_OK(anyccl_barrier(ANYCCL_WORLD));
        else
            CHECK(!"a call of this name is known here");
    }
    CHECK_OK(anyccl_finalize());
    return 0;
}
