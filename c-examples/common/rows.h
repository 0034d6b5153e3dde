/* Printing in rank order. Lines that ranks print themselves come out in any order. Here rank 0 collects all
 * lines and prints them. */
#ifndef EXAMPLES_ROWS_H
#define EXAMPLES_ROWS_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

enum { ROW_BYTES = 256 };

/* Prints one line of each rank, in rank order, on rank 0. Every rank calls it with a line as for printf, of
 * which at most ROW_BYTES - 1 bytes count. Returns 0, or EXIT_FAILURE. */
static inline int print_rows(const char *format, ...)
{
    int rank, size;
    ANYCCL_CHECK(anyccl_rank(&rank));
    ANYCCL_CHECK(anyccl_world_size(&size));

    char row[ROW_BYTES];
    memset(row, 0, sizeof row);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row, sizeof row, format, arguments);
    va_end(arguments);

    char *rows = malloc((size_t)size * ROW_BYTES);
    if (rows == NULL) {
        fprintf(stderr, "rank %d: out of memory\n", rank);
        return EXIT_FAILURE;
    }
    anyccl_status_t status = anyccl_gather(row, rows, ROW_BYTES, ANYCCL_BYTE, 0, ANYCCL_WORLD);
    for (int r = 0; status == ANYCCL_SUCCESS && rank == 0 && r < size; r++)
        puts(rows + (size_t)r * ROW_BYTES);
    free(rows);
    ANYCCL_CHECK(status);
    return 0;
}

#endif
