/* One rank of startup.py: how long the world took to come about, and the memory of this process before, in the world,
 * and after collectives with every peer. Prints one line:
 *
 *   milliseconds in anyccl_init, milliseconds since the launcher was started, KiB before, in the world, after collectives
 *
 * The argument is the reading of CLOCK_MONOTONIC, which all processes share, at the start of the launcher. */
#define _POSIX_C_SOURCE 200809L

#include <anyccl/anyccl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    COUNT = 1 << 18, /* a mebibyte of floats */
    REPEATS = 32,    /* so that every part of every ring has been used */
};

static void must(anyccl_status_t status)
{
    if (status != ANYCCL_SUCCESS) {
        fprintf(stderr, "startup: %s\n", anyccl_last_error());
        exit(1);
    }
}

static double milliseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

/* This process's share of the memory in use: pages that n processes have mapped count 1/n, those of a memfd too. */
static long share_in_kib(void)
{
    char line[256];
    long kib = -1;
    FILE *file = fopen("/proc/self/smaps_rollup", "r");

    while (file != NULL && kib < 0 && fgets(line, sizeof line, file) != NULL)
        if (sscanf(line, "Pss: %ld kB", &kib) != 1)
            kib = -1;
    if (file != NULL)
        fclose(file);
    return kib;
}

int main(int argc, char **argv)
{
    static float send[COUNT], recv[COUNT];
    int size;

    if (argc != 2) {
        fprintf(stderr, "usage: startup NANOSECONDS\n");
        return 2;
    }
    const double launched = atof(argv[1]) * 1e-6;
    /* The buffers of the program are in memory before anything is measured. */
    memset(send, 1, sizeof send);
    memset(recv, 1, sizeof recv);
    const long before = share_in_kib();

    const double start = milliseconds();
    must(anyccl_init());
    const double end = milliseconds();

    must(anyccl_barrier(ANYCCL_WORLD));
    const long world = share_in_kib();
    must(anyccl_world_size(&size));
    for (int i = 0; i < REPEATS; i++) {
        must(anyccl_all_reduce(send, recv, COUNT, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD));
        must(anyccl_all_to_all(send, recv, COUNT / (size_t)size, ANYCCL_FLOAT32, ANYCCL_WORLD));
        must(anyccl_broadcast(send, recv, COUNT, ANYCCL_FLOAT32, i % size, ANYCCL_WORLD));
    }
    must(anyccl_barrier(ANYCCL_WORLD));
    const long used = share_in_kib();
    /* No rank leaves, and releases its share of memory, while another still counts. */
    must(anyccl_barrier(ANYCCL_WORLD));

    printf("%.3f %.3f %ld %ld %ld\n", end - start, end - launched, before, world, used);
    must(anyccl_finalize());
    return 0;
}
