/* Error handling for the examples: a failed call prints why and makes the calling function return. */
#ifndef EXAMPLES_CHECK_H
#define EXAMPLES_CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <anyccl/anyccl.h>

/* For functions that return 0 or EXIT_FAILURE, such as main. The other ranks notice that this process has
 * ended, and fail, too. Nothing more is needed here. */
#define ANYCCL_CHECK(call)                                                                                             \
    do {                                                                                                               \
        anyccl_status_t check_status = (call);                                                                         \
        if (check_status != ANYCCL_SUCCESS) {                                                                          \
            fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, anyccl_status_string(check_status),      \
                    anyccl_last_error());                                                                              \
            return EXIT_FAILURE;                                                                                       \
        }                                                                                                              \
    } while (0)

#endif
