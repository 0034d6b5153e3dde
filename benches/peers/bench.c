/* A benchmark of collectives that measures every library alike: this file and cases.c, linked with the one file that
 * defines `library` (anyccl.c, mpi.c, oneccl.cpp, gloo.cpp). Rank 0 prints one line of CSV per collective and size.
 *
 * A cell is a collective at a size. Its results are compared with the definition, element by element, before the
 * measurement and after it. A measurement is a number of blocks. A block is a barrier and then many calls, back to back,
 * between two readings of the clock. It has so many calls that clock and barrier do not matter. The time of a block is
 * that of its slowest rank, divided by the calls. For a ping-pong it is half of that. Median, least and 90th percentile
 * are over the blocks.
 *
 *   --collectives A,B   default: all; ping_pong is measured between two ranks only
 *   --sizes A,B         bytes of the larger buffer of a rank
 *   --seconds S         about the time per cell; a few blocks are always measured
 *   --memory library    buffers come from the library itself: anyccl_mem_alloc, MPI_Alloc_mem */
#define _POSIX_C_SOURCE 200809L

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "cases.h"

enum { LEAST_BLOCKS = 5, MOST_BLOCKS = 200, MOST_CALLS = 5000, PAGE = 4096 };

static const double SHORTEST_BLOCK = 250e-6;

struct options {
    const char *collectives, *sizes, *memory;
    double seconds;
};

struct timing {
    double median, least, p90;
    long calls;
};

static double now(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double agreed(double value)
{
    library.maximum(&value, 1);
    return value;
}

static double seconds_of_block(const struct bench_case *c, long calls)
{
    library.barrier();
    const double start = now();
    for (long i = 0; i < calls; i++)
        case_call(c, i);
    return now() - start;
}

/* Tells whether all ranks have right results for every root. Leaves the data of root 0 on every rank. */
static int is_right_for_every_root(const struct bench_case *c)
{
    const int roots = c->collective == BROADCAST ? c->size : 1;
    double wrong = 0;

    for (int root = roots - 1; root >= 0; root--) {
        case_fill(c);
        library.barrier();
        case_call(c, root);
        if (!case_is_right(c, root))
            wrong = 1;
    }
    return agreed(wrong) == 0;
}

/* Returns the number of calls of a block that is long enough, and sets *seconds to the time of the block. */
static long calibrated(const struct bench_case *c, double *seconds)
{
    for (long calls = 1;;) {
        *seconds = agreed(seconds_of_block(c, calls));
        if (*seconds >= SHORTEST_BLOCK || calls == MOST_CALLS)
            return calls;
        const double wanted = (double)calls * SHORTEST_BLOCK * 1.2 / *seconds + 1;
        /* The first calls may be slow, so the number grows at most tenfold at once. */
        calls = wanted > 10.0 * (double)calls ? 10 * calls : (long)wanted;
        calls = calls > MOST_CALLS ? MOST_CALLS : calls;
    }
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct timing measured(const struct bench_case *c, double budget)
{
    static double seconds[MOST_BLOCKS];
    double one;
    const long calls = calibrated(c, &one);
    const double wanted = budget / one;
    const int blocks = wanted > MOST_BLOCKS ? MOST_BLOCKS : wanted < LEAST_BLOCKS ? LEAST_BLOCKS : (int)wanted;

    for (int i = 0; i < blocks; i++)
        seconds[i] = seconds_of_block(c, calls);
    library.maximum(seconds, blocks);
    qsort(seconds, (size_t)blocks, sizeof *seconds, by_value);
    const double scale = 1e6 / (double)calls / (c->collective == PING_PONG ? 2 : 1);
    return (struct timing){scale * seconds[blocks / 2], scale * seconds[0], scale * seconds[blocks * 9 / 10],
                           calls * blocks};
}

/* Measures a collective at a size and prints its row. Tells whether the results were right. */
static int cell(const struct bench_case *c, size_t bytes, double budget)
{
    const int right = is_right_for_every_root(c);
    const struct timing t = measured(c, budget);
    const int still_right = agreed(case_is_right(c, 0) ? 0 : 1) == 0;

    if (c->rank == 0) {
        printf("%s,%d,%zu,%ld,%.3f,%.3f,%.3f,%s\n", collective_names[c->collective], c->size, bytes, t.calls, t.median,
               t.least, t.p90, right && still_right ? "ok" : "WRONG");
        fflush(stdout);
    }
    return right && still_right;
}

static int is_listed(const char *list, const char *name)
{
    const size_t length = strlen(name);

    for (const char *word = list; word != NULL; word = strchr(word, ',')) {
        word += *word == ',';
        if (strncmp(word, name, length) == 0 && (word[length] == ',' || word[length] == '\0'))
            return 1;
    }
    return 0;
}

/* Takes the next number from a list. Returns 0 at its end. */
static size_t next_size(const char **list)
{
    char *end;
    const size_t size = strtoull(*list, &end, 10);

    *list = *end == ',' ? end + 1 : end;
    return size;
}

static float *buffer_of(size_t bytes, const char *memory)
{
    void *buffer = NULL;

    if (strcmp(memory, "library") == 0 && library.allocate != NULL)
        buffer = library.allocate(bytes);
    else if (posix_memalign(&buffer, PAGE, bytes) != 0)
        buffer = NULL;
    if (buffer == NULL) {
        fprintf(stderr, "bench: no memory\n");
        exit(1);
    }
    memset(buffer, 0, bytes);
    return buffer;
}

static struct options options_of(int argc, char **argv)
{
    struct options o = {NULL, "8,64,1024,8192,65536,524288,4194304,33554432", "private", 0.05};

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--collectives") == 0)
            o.collectives = argv[i + 1];
        else if (strcmp(argv[i], "--sizes") == 0)
            o.sizes = argv[i + 1];
        else if (strcmp(argv[i], "--seconds") == 0)
            o.seconds = atof(argv[i + 1]);
        else if (strcmp(argv[i], "--memory") == 0)
            o.memory = argv[i + 1];
        else {
            fprintf(stderr, "bench: no option is called %s\n", argv[i]);
            exit(2);
        }
    }
    return o;
}

int main(int argc, char **argv)
{
    int rank, size, wrong = 0;

    library.start(&argc, &argv, &rank, &size);
    const struct options o = options_of(argc, argv);
    size_t largest = 0;
    for (const char *rest = o.sizes; *rest != '\0';) {
        const size_t bytes = next_size(&rest);
        largest = bytes > largest ? bytes : largest;
    }
    /* The smallest sizes are rounded up to an element for every rank. */
    const size_t room = largest + (size_t)size * sizeof(float) + PAGE;
    float *send = buffer_of(room, o.memory), *recv = buffer_of(room, o.memory);

    if (rank == 0)
        puts("collective,ranks,bytes,calls,median_us,min_us,p90_us,check");
    for (enum collective kind = 0; kind < COLLECTIVES; kind++) {
        if (o.collectives != NULL && !is_listed(o.collectives, collective_names[kind]))
            continue;
        if (kind == PING_PONG && size != 2)
            continue;
        for (const char *rest = kind == BARRIER ? "0" : o.sizes; *rest != '\0';) {
            const size_t bytes = next_size(&rest);
            const struct bench_case c = case_of(kind, bytes, rank, size, send, recv);
            wrong += !cell(&c, bytes, o.seconds);
        }
    }
    library.end();
    return wrong > 0;
}
