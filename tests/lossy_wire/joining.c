/* Joins as some ranks of many, each a thread, and reduces: joining FIRST COUNT SIZE FILE. The process of rank 0 leaves the id of the
 * job in the file, where the others wait for it. */
#define _GNU_SOURCE
#include <anyccl/anyccl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

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

/* Makes the id, or waits for it. */
static int get_id(const char *path, int makes_it)
{
    char new[400];
    FILE *file;
    size_t count;
    if (makes_it) {
        snprintf(new, sizeof new, "%s.new", path);
        if (anyccl_get_unique_id(&id) != ANYCCL_SUCCESS || !(file = fopen(new, "w")))
            return 0;
        count = fwrite(&id, sizeof id, 1, file);
        return fclose(file) == 0 && count == 1 && rename(new, path) == 0;
    }
    while (!(file = fopen(path, "r")))
        usleep(10000);
    count = fread(&id, sizeof id, 1, file);
    fclose(file);
    return count == 1;
}

int main(int argc, char **argv)
{
    const int first = argc > 4 ? atoi(argv[1]) : 0, count = argc > 4 ? atoi(argv[2]) : 0;
    struct rank *ranks = calloc((size_t)count + 1, sizeof *ranks);
    double joined = 0, reduced = 0;
    if (count < 1 || !ranks)
        return 2;
    size = atoi(argv[3]);
    if (!get_id(argv[4], first == 0)) {
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
