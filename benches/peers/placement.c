/* Prints the time of a cache line from one core to another, one way, in nanoseconds. The cores are the first two that
 * this process may use.
 *
 * A hypervisor moves virtual cores: at some times two of them share a cache, at others they do not. The times of small
 * messages depend on that more than on anything else (docs/lab/constants.md). */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 31, TRIPS = 1000, LINE = 128 };

static struct {
    alignas(LINE) atomic_int there;
    alignas(LINE) atomic_int back;
} lines;

static int cores[2];

static void bind_to(int core)
{
    cpu_set_t set;

    CPU_ZERO(&set);
    CPU_SET(core, &set);
    pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

static void *answer(void *unused)
{
    bind_to(cores[1]);
    for (int trip = 1; trip <= ROUNDS * TRIPS; trip++) {
        while (atomic_load_explicit(&lines.there, memory_order_acquire) != trip) {
        }
        atomic_store_explicit(&lines.back, trip, memory_order_release);
    }
    return unused;
}

static double nanoseconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e9 * (double)t.tv_sec + (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

int main(void)
{
    cpu_set_t set;
    pthread_t thread;
    double one_way[ROUNDS];
    int found = 0;

    sched_getaffinity(0, sizeof set, &set);
    for (int core = 0; core < CPU_SETSIZE && found < 2; core++)
        if (CPU_ISSET(core, &set))
            cores[found++] = core;
    if (found < 2) {
        fprintf(stderr, "placement: this process may use one core only\n");
        return 1;
    }
    if (pthread_create(&thread, NULL, answer, NULL) != 0)
        return 1;
    bind_to(cores[0]);
    for (int round = 0, trip = 0; round < ROUNDS; round++) {
        const double start = nanoseconds();
        for (int i = 0; i < TRIPS; i++) {
            atomic_store_explicit(&lines.there, ++trip, memory_order_release);
            while (atomic_load_explicit(&lines.back, memory_order_acquire) != trip) {
            }
        }
        one_way[round] = (nanoseconds() - start) / TRIPS / 2;
    }
    pthread_join(thread, NULL);
    qsort(one_way, ROUNDS, sizeof *one_way, by_value);
    printf("%.0f\n", one_way[ROUNDS / 2]);
    return 0;
}
