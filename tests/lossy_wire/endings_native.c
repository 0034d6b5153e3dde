/* A correct program that ends in one of several ways: endings_native HOW. */
#include <anyccl/anyccl.h>
#include <stdio.h>
#include <string.h>

#define COUNT 600

static int failed(const char *what)
{
    printf("FAILED %s: %s\n", what, anyccl_last_error());
    return 1;
}

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        if ((call) != ANYCCL_SUCCESS)                                                                                  \
            return failed(#call);                                                                                      \
    } while (0)

static int sum_is_right(anyccl_comm_t comm, int size)
{
    int sent[COUNT], sums[COUNT];
    for (int i = 0; i < COUNT; i++)
        sent[i] = i;
    TRY(anyccl_all_reduce(sent, sums, COUNT, ANYCCL_INT32, ANYCCL_SUM, comm));
    for (int i = 0; i < COUNT; i++) {
        if (sums[i] != i * size) {
            printf("FAILED %d is not %d\n", sums[i], i * size);
            return 1;
        }
    }
    return 0;
}

int main(int argc, char **argv)
{
    const char *how = argc > 1 ? argv[1] : "";
    int rank, size, data[COUNT] = {7};
    anyccl_comm_t comm;
    TRY(anyccl_init());
    TRY(anyccl_comm_rank(ANYCCL_WORLD, &rank));
    TRY(anyccl_comm_size(ANYCCL_WORLD, &size));
    if (strcmp(how, "sent") == 0) {
        for (int peer = 0; peer < size - 1 && rank == size - 1; peer++)
            TRY(anyccl_send(data, COUNT, ANYCCL_INT32, peer, 3, ANYCCL_WORLD));
        if (rank != size - 1) {
            data[0] = 0;
            TRY(anyccl_recv(data, COUNT, ANYCCL_INT32, size - 1, 3, ANYCCL_WORLD, NULL));
        }
        if (data[0] != 7)
            return failed("the message");
    } else if (strcmp(how, "destroyed") == 0) {
        TRY(anyccl_comm_dup(ANYCCL_WORLD, NULL, &comm));
        if (sum_is_right(comm, size))
            return 1;
        TRY(anyccl_comm_destroy(comm));
    } else if (sum_is_right(ANYCCL_WORLD, size)) {
        return 1;
    }
    TRY(anyccl_finalize());
    return 0;
}
