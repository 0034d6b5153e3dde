/* How a test says what went wrong: file, line, what was expected; then the process ends with 1. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <anyccl/anyccl.h>

/* _Exit: other threads may still be inside a call, and nothing needs to be tidied up for them. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define CHECK_STATUS(expected, call)                                                                                   \
    do {                                                                                                               \
        const int status_ = (call);                                                                                    \
        const int expected_ = (expected);                                                                              \
        if (status_ != expected_) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n  expected %s, got %s\n  last error: %s\n", __FILE__, __LINE__, #call,         \
                    anyccl_status_string(expected_), anyccl_status_string(status_), anyccl_last_error());              \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define CHECK_OK(call) CHECK_STATUS(ANYCCL_SUCCESS, call)

#endif
