/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Statuses, error messages and the version.
 *
 * \defgroup chapter_base Statuses and versions
 *
 * Every call returns a status, or a value that cannot fail. Here are the statuses, the message that explains a
 * failure, and the conventions of all calls.
 *
 * \code{.c}
 * anyccl_datatype_t no_datatype = (anyccl_datatype_t)99;
 * int64_t sum = 0;
 * anyccl_status_t status;
 * status = anyccl_all_reduce(&sum, &sum, 1, no_datatype, ANYCCL_SUM, ANYCCL_WORLD);
 * if (status != ANYCCL_SUCCESS)
 *     fprintf(stderr, "%s: %s\n", anyccl_status_string(status), anyccl_last_error());
 * assert(status == ANYCCL_ERR_INVALID_ARGUMENT);
 * \endcode
 *
 * In the examples of all chapters, `rank` and `size` are those of the world. `ANYCCL_CHECK` stands for the
 * program's error handling: the one of c-examples/common/check.h prints anyccl_last_error() and returns.
 *
 * \section conventions Conventions
 *
 * - An output is written only on ANYCCL_SUCCESS, unless its documentation says otherwise.
 * - A count is a number of elements. A number of bytes is called `bytes`.
 * - A pointer is borrowed for the duration of the call, unless its documentation says otherwise. A handle
 *   that is "owned by the caller" must be released with the function that is named there.
 * - Buffers are host memory of any alignment, or memory of a GPU: see anyccl_comm_set_stream().
 * - A call that is "local" does not communicate with other ranks.
 * - Any thread may make any call. Calls that must not run at the same time are named.
 * - After fork, the child cannot use what its parent made: such calls return ANYCCL_ERR_INVALID_USAGE and
 *   change nothing. The child keeps no connection of its parent open. The other ranks therefore notice the
 *   death of the parent even while the child lives.
 *
 * \section mistakes Mistakes that the compiler finds
 *
 * Datatypes, operators and the other enumerations are types of their own. A C++ compiler refuses a call that
 * swaps a datatype and an operator. Clang warns of it, and so does gcc with -Wextra or -Wenum-conversion.
 *
 * A compiler also warns where a status is ignored, because it may be the only sign of a wrong result. The
 * exceptions are calls of cleaning up: anyccl_comm_abort(), anyccl_comm_abort_with(), anyccl_graph_destroy(),
 * anyccl_mem_free(), anyccl_op_destroy(), anyccl_request_free() and anyccl_set_log_callback(). To ignore one
 * status on purpose, write `(void)` in front of the call in C23 or C++17, and `(void)!` before that. To have no
 * such warnings, define ANYCCL_ALLOW_UNUSED_STATUS before the header is included.
 *
 * \section failures Failures
 *
 * A collective or a message that fails returns one of these statuses:
 *
 *     ANYCCL_ERR_INVALID_ARGUMENT  refused on this rank                 \
 *     ANYCCL_ERR_INVALID_USAGE     no world, unusable handle, fork       | nothing was sent, the
 *     ANYCCL_ERR_UNSUPPORTED       not possible here                    /  communicator can be used
 *
 *     ANYCCL_ERR_MISMATCH          the ranks made different calls       \
 *     ANYCCL_ERR_PEER_LOST         a rank died                           |
 *     ANYCCL_ERR_TIMEOUT           a rank did not arrive in time         | the communicator
 *     ANYCCL_ERR_ABORTED           a rank called anyccl_comm_abort       | has failed
 *     ANYCCL_ERR_SYSTEM            the operating system refused          |
 *     ANYCCL_ERR_INTERNAL          a bug in anyccl                      /
 *
 * A communicator that has failed stays failed: the contents of receive buffers are undefined, and every later
 * call returns the same status. The program can still call anyccl_comm_shrink() to go on with the ranks that
 * are left, and then anyccl_comm_destroy().
 *
 * \{
 */

#ifndef ANYCCL_BASE_H
#define ANYCCL_BASE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* In front of each call whose status must not be ignored. */
#ifdef ANYCCL_ALLOW_UNUSED_STATUS
#define ANYCCL_NODISCARD
#elif defined(__cplusplus) ? __cplusplus >= 201703L : defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L
#define ANYCCL_NODISCARD [[nodiscard]]
#elif defined(__GNUC__)
#define ANYCCL_NODISCARD __attribute__((__warn_unused_result__))
#else
#define ANYCCL_NODISCARD
#endif

/* An enumeration has the size of an int, also with -fshort-enums, and may have values without a name. */
#if defined(__cplusplus) || (defined(__STDC_VERSION__) && __STDC_VERSION__ >= 202311L)
#define ANYCCL_ENUM_TYPE : int
#define ANYCCL_ENUM_SIZE
#elif defined(__GNUC__)
#define ANYCCL_ENUM_TYPE
#define ANYCCL_ENUM_SIZE __attribute__((__mode__(__SI__)))
#else
#define ANYCCL_ENUM_TYPE
#define ANYCCL_ENUM_SIZE
#endif

/** \name Statuses
 *  \{ */

/** Values of anyccl_status_t. They never change; later versions may add values. */
typedef enum anyccl_status ANYCCL_ENUM_TYPE {
    /** The call has succeeded. */
    ANYCCL_SUCCESS = 0,
    /** An argument is invalid. Nothing was sent and nothing has changed. */
    ANYCCL_ERR_INVALID_ARGUMENT = 1,
    /**
     * The call is not allowed now: before anyccl_init, after anyccl_finalize, or in a forked child. Nothing
     * was sent.
     */
    ANYCCL_ERR_INVALID_USAGE = 2,
    /** The call is defined, but not possible in this build or on this machine. Nothing was sent. */
    ANYCCL_ERR_UNSUPPORTED = 3,
    /** A rank died or closed its connection. The communicator has failed. */
    ANYCCL_ERR_PEER_LOST = 4,
    /** A rank did not arrive in time. The communicator has failed. */
    ANYCCL_ERR_TIMEOUT = 5,
    /** The ranks made different calls. The communicator has failed on all ranks. */
    ANYCCL_ERR_MISMATCH = 6,
    /** A rank called anyccl_comm_abort. The communicator has failed on all ranks. */
    ANYCCL_ERR_ABORTED = 7,
    /** The ranks could not find each other. There is no communicator. */
    ANYCCL_ERR_BOOTSTRAP = 8,
    /** The operating system refused a request. If the call was a collective, the communicator has failed. */
    ANYCCL_ERR_SYSTEM = 9,
    /** A bug in anyccl. Please report the message of anyccl_last_error(). */
    ANYCCL_ERR_INTERNAL = 10,
} ANYCCL_ENUM_SIZE anyccl_status;

/**
 * Result of a call: one of enum anyccl_status. After anything but ANYCCL_SUCCESS, anyccl_last_error() has
 * the message.
 */
typedef enum anyccl_status anyccl_status_t;

/**
 * Names a status in a few words.
 *
 * \param[in] status  Any number. One that is not a status is named "unknown status".
 * \returns A string that is always valid and never NULL. Do not free it.
 *
 * Local. anyccl_last_error() explains one particular failure. Replacement for ncclGetErrorString and
 * MPI_Error_string.
 */
const char *anyccl_status_string(int status);

/**
 * Gives the message of the last call that failed in this thread: which function, what was wrong, what is
 * accepted or which rank is missing.
 *
 * \returns A string that is never NULL, and empty while no call of this thread has failed. It is valid until
 *          the next failing call of this thread or the end of the thread. Do not free it.
 *
 * Local. Each thread has its own message; a successful call does not change it. Replacement for
 * ncclGetLastError.
 */
const char *anyccl_last_error(void);

/** \} */

/** \name Version
 *  \{ */

/** Major part of the version of this header. */
#define ANYCCL_VERSION_MAJOR 0
/** Minor part of the version of this header. */
#define ANYCCL_VERSION_MINOR 1
/** Patch part of the version of this header. */
#define ANYCCL_VERSION_PATCH 0
/** Version of this header as one number. anyccl_version() gives the library's. */
#define ANYCCL_VERSION (10000 * ANYCCL_VERSION_MAJOR + 100 * ANYCCL_VERSION_MINOR + ANYCCL_VERSION_PATCH)

/**
 * Gives the version of the library in use as one number: 10000 * major + 100 * minor + patch.
 *
 * \returns The number. ANYCCL_VERSION is the one of the header.
 *
 * Local. Replacement for ncclGetVersion and MPI_Get_library_version.
 */
int anyccl_version(void);

/**
 * Gives the version of the library in use, such as "0.1.0". The library may be newer than the header.
 *
 * \returns A string that is always valid and never NULL. Do not free it.
 *
 * Local.
 */
const char *anyccl_version_string(void);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_BASE_H */
