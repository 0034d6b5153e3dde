/* Macros that check a condition or a status. A failed check prints file, line and reason, and ends the
 * process with status 1.
 *
 * They check functions of anyccl, or, with CHECK_NCCL defined, functions of NCCL.
 */
#ifndef CHECK_H
#define CHECK_H

#include <stdio.h>
#include <stdlib.h>

/* Checks a condition. Ends by _Exit, as other threads may still be inside a call. */
#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Checks that `call` returns `expected`. `text` is the call as text, `name_of` names a returned number, and
 * `last_error` is the sentence of the last failure. */
#define CHECK_NUMBER(type, expected, call, text, name_of, last_error)                                                  \
    do {                                                                                                               \
        const type number_ = (call);                                                                                   \
        const type expected_ = (expected);                                                                             \
        if (number_ != expected_) {                                                                                    \
            fprintf(stderr, "%s:%d: %s\n  expected %s, got %s\n  last error: %s\n", __FILE__, __LINE__, text,          \
                    name_of(expected_), name_of(number_), last_error);                                                 \
            _Exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

#ifdef CHECK_NCCL
#include <nccl.h>
#define CHECK_RESULT(expected, call)                                                                                   \
    CHECK_NUMBER(ncclResult_t, expected, call, #call, ncclGetErrorString, ncclGetLastError(NULL))
#define CHECK_OK(call) CHECK_RESULT(ncclSuccess, call)
#else
#include <anyccl/anyccl.h>
#define CHECK_STATUS(expected, call) CHECK_NUMBER(int, expected, call, #call, anyccl_status_string, anyccl_last_error())
#define CHECK_OK(call) CHECK_STATUS(ANYCCL_SUCCESS, call)
#endif

#endif
