/* How a test says what went wrong: file, line, what was expected; then the process ends with 1. */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

#include <nccl.h>

/* _Exit: other threads may still be inside a call, and nothing needs to be tidied up for them. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define CHECK_RESULT(expected, call)                                                                                   \
    do {                                                                                                               \
        const ncclResult_t result_ = (call);                                                                           \
        const ncclResult_t expected_ = (expected);                                                                     \
        if (result_ != expected_) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n  expected %s, got %s\n  last error: %s\n", __FILE__, __LINE__, #call,         \
                    ncclGetErrorString(expected_), ncclGetErrorString(result_), ncclGetLastError(NULL));               \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#define CHECK_OK(call) CHECK_RESULT(ncclSuccess, call)

#endif
