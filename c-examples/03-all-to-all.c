/* An all-to-all: every rank has one element for each rank, and gets one element from each rank.
 *
 *     rank 0    0  1  2          rank 0    0 10 20
 *     rank 1   10 11 12    =>    rank 1    1 11 21       a matrix, transposed
 *     rank 2   20 21 22          rank 2    2 12 22
 *
 *     cc 03-all-to-all.c -o all-to-all -lanyccl
 *     anyccl run -n 4 ./all-to-all */
#include <stdio.h>
#include <stdlib.h>

#include "common/check.h"
#include "common/rows.h"

enum { MOST_RANKS = 10 };

/* Writes `count` numbers as text. */
static const char *text_of(const int *numbers, int count, char text[MOST_RANKS * 4 + 1])
{
    text[0] = '\0';
    for (int k = 0; k < count; k++)
        snprintf(text + 4 * k, 5, "%4d", numbers[k]);
    return text;
}

int main(void)
{
    int rank, size;
    ANYCCL_CHECK(anyccl_init());
    ANYCCL_CHECK(anyccl_rank(&rank));
    ANYCCL_CHECK(anyccl_world_size(&size));
    if (size > MOST_RANKS) {
        fprintf(stderr, "this example prints tables for at most %d ranks\n", MOST_RANKS);
        return EXIT_FAILURE;
    }

    /* sent[k] goes to rank k; received[k] came from rank k. */
    int sent[MOST_RANKS], received[MOST_RANKS];
    for (int to = 0; to < size; to++)
        sent[to] = 10 * rank + to;

    ANYCCL_CHECK(anyccl_all_to_all(sent, received, 1, ANYCCL_INT32, ANYCCL_WORLD));

    char before[MOST_RANKS * 4 + 1], after[MOST_RANKS * 4 + 1];
    if (rank == 0)
        printf("rank | %*s | %*s\n", 4 * size, "sent", 4 * size, "got");
    if (print_rows("%4d | %s | %s", rank, text_of(sent, size, before), text_of(received, size, after)) != 0)
        return EXIT_FAILURE;

    ANYCCL_CHECK(anyccl_finalize());
    return 0;
}
