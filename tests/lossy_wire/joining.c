/* Joins as some ranks of many, each a thread, and reduces: joining FIRST COUNT SIZE [ID]. The process of rank 0 prints the id of the
 * job, which the others are given. */
#define _GNU_SOURCE
#include <anyccl/anyccl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static anyccl_unique_id_t id;
static pthread_barrier_t all;
static int size;

struct rank {
    pthread_t thread;
    int number;
    double joined, reduced;
    char failure[400];
};

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void be_rank(struct rank *rank)
{
    const double start = seconds();
    int sum = -1;
    anyccl_comm_t comm;
    const char *what = "join";
    anyccl_status_t status = anyccl_comm_create(&id, size, rank->number, NULL, &comm);
    rank->joined = seconds() - start;
    if (status == ANYCCL_SUCCESS) {
        what = "all_reduce";
        status = anyccl_all_reduce(&rank->number, &sum, 1, ANYCCL_INT32, ANYCCL_SUM, comm);
        rank->reduced = seconds() - start;
    }
    if (status != ANYCCL_SUCCESS)
        snprintf(rank->failure, sizeof rank->failure, "%s: %s", what, anyccl_last_error());
    else if (sum != size * (size - 1) / 2)
        snprintf(rank->failure, sizeof rank->failure, "the sum %d is wrong", sum);
    pthread_barrier_wait(&all);
    if (status == ANYCCL_SUCCESS && anyccl_comm_destroy(comm) != ANYCCL_SUCCESS)
        snprintf(rank->failure, sizeof rank->failure, "the end: %s", anyccl_last_error());
}

static void *run(void *rank)
{
    be_rank(rank);
    return NULL;
}

/* Makes the id and prints it, or reads it. */
static int get_id(const char *given)
{
    unsigned char *bytes = (unsigned char *)&id;
    unsigned byte;
    if (given) {
        for (size_t at = 0; at < sizeof id; at++) {
            if (sscanf(given + 2 * at, "%2x", &byte) != 1)
                return 0;
            bytes[at] = (unsigned char)byte;
        }
        return strlen(given) == 2 * sizeof id;
    }
    if (anyccl_get_unique_id(&id) != ANYCCL_SUCCESS)
        return 0;
    for (size_t at = 0; at < sizeof id; at++)
        printf("%02x", bytes[at]);
    printf("\n");
    return fflush(stdout) == 0;
}

int main(int argc, char **argv)
{
    const int first = argc > 3 ? atoi(argv[1]) : 0, count = argc > 3 ? atoi(argv[2]) : 0;
    struct rank *ranks = calloc((size_t)count + 1, sizeof *ranks);
    double joined = 0, reduced = 0;
    if (count < 1 || !ranks)
        return 2;
    size = atoi(argv[3]);
    if (!get_id(argc > 4 ? argv[4] : NULL)) {
        printf("FAILED the id: %s\n", anyccl_last_error());
        return 1;
    }
    pthread_barrier_init(&all, NULL, (unsigned)count);
    for (int at = 0; at < count; at++) {
        ranks[at].number = first + at;
        if (pthread_create(&ranks[at].thread, NULL, run, &ranks[at]) != 0)
            return 2;
    }
    for (int at = 0; at < count; at++) {
        pthread_join(ranks[at].thread, NULL);
        if (ranks[at].failure[0])
            printf("FAILED rank %d, after %.1f s: %s\n", ranks[at].number, ranks[at].joined, ranks[at].failure);
        joined = ranks[at].joined > joined ? ranks[at].joined : joined;
        reduced = ranks[at].reduced > reduced ? ranks[at].reduced : reduced;
    }
    printf("%.3f %.3f\n", joined, reduced);
    return 0;
}
