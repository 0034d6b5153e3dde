/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Settings of a communicator, and log lines.
 *
 * \defgroup config Settings and log
 *
 * A communicator takes its settings from an anyccl_config_t, and from environment variables where a member is
 * 0 or NULL. Log lines go to standard error, or to a function of the program.
 *
 * \code{.c}
 * anyccl_config_t config = ANYCCL_CONFIG_INIT;
 * config.name = "halo";
 * config.timeout_ms = 60 * 1000;
 * anyccl_comm_t halo;
 * ANYCCL_CHECK(anyccl_comm_dup(ANYCCL_WORLD, &config, &halo));
 * ANYCCL_CHECK(anyccl_barrier(halo));
 * ANYCCL_CHECK(anyccl_comm_destroy(halo));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_CONFIG_H
#define ANYCCL_CONFIG_H

#include <stddef.h>
#include <stdint.h>
#include <anyccl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Log lines
 *  \{ */

/** The values of anyccl_log_level_t. Each includes the ones above it. */
typedef enum anyccl_log_level {
    /**
     * In a configuration: what an earlier one has named, else what ANYCCL_LOG says, else ANYCCL_LOG_WARN. No
     * line has this level.
     */
    ANYCCL_LOG_DEFAULT = 0,
    /** In a configuration: nothing is written. No line has this level. */
    ANYCCL_LOG_OFF = 1,
    /** Something failed. */
    ANYCCL_LOG_ERROR = 2,
    /** Something is odd but goes on. */
    ANYCCL_LOG_WARN = 3,
    /** One line per communicator: what is in use. */
    ANYCCL_LOG_INFO = 4,
    /** Choices and connections. */
    ANYCCL_LOG_DEBUG = 5,
} anyccl_log_level;

/** How important a log line is: one of enum anyccl_log_level. */
typedef int anyccl_log_level_t;

/**
 * Receives one log line.
 *
 * \param level  [in] ANYCCL_LOG_ERROR to ANYCCL_LOG_DEBUG.
 * \param line   [in] The text, without a newline. Valid during the call only.
 * \param user   [in] What was given to anyccl_set_log_callback.
 *
 * Called on whichever thread has something to say, from inside an anyccl call, several threads at once: it
 * must be thread-safe. It must not call any anyccl function, and must return: an exception or longjmp that
 * leaves it ends the process.
 */
typedef void (*anyccl_log_callback_t)(anyccl_log_level_t level, const char *line, void *user);

/**
 * Sends every log line of this process to `callback` instead of standard error.
 *
 * \param callback  [in] Kept until it is replaced; NULL goes back to standard error. When this call returns,
 *                  the one before it is not running and will not be called again.
 * \param user      [in] Kept; passed to each call, never read. May be NULL.
 * \returns ANYCCL_SUCCESS.
 *
 * Local. Any thread, at any time, also before anyccl_init. The level is set by ANYCCL_LOG or the
 * configuration.
 */
anyccl_status_t anyccl_set_log_callback(anyccl_log_callback_t callback, void *user);

/** \} */

/** \name Settings
 *  \{ */

/** `timeout_ms` of a wait without a deadline. */
#define ANYCCL_TIMEOUT_NEVER -1

/**
 * Settings of one communicator. Start from ANYCCL_CONFIG_INIT and change what matters: a member that is 0 or
 * NULL has its default. Later versions append members; struct_size tells which ones the program knows.
 */
typedef struct anyccl_config_t {
    /**
     * sizeof(anyccl_config_t) in the program. Smaller than the library's: the missing members have their
     * defaults. Larger: accepted when the members that the library does not know are all 0.
     */
    size_t struct_size;
    /** What messages call the communicator, UTF-8; copied. NULL: "world" or "comm". */
    const char *name;
    /**
     * Deadline of every wait, in milliseconds. 0: what ANYCCL_TIMEOUT_MS says. ANYCCL_TIMEOUT_NEVER: none.
     */
    int64_t timeout_ms;
    /**
     * Which log lines are written, for the whole process. ANYCCL_LOG_DEFAULT: what was named before, else
     * what ANYCCL_LOG says.
     */
    anyccl_log_level_t log_level;
    /** Must be 0. */
    int reserved;
    /**
     * Interfaces for TCP, UTF-8, in the syntax of ANYCCL_SOCKET_IFNAME: "eth0", "=eth0,ib0", "^docker";
     * copied. NULL: what that variable says.
     */
    const char *interface;
    /**
     * Which engine serves calls, UTF-8, in the syntax of ANYCCL_BACKEND: "mpi", "cpu:oneccl|mpi|builtin";
     * copied. The same on all ranks. NULL: what that variable says.
     */
    const char *backend;
} anyccl_config_t;

/** Initial value of an anyccl_config_t: `anyccl_config_t config = ANYCCL_CONFIG_INIT;` */
#define ANYCCL_CONFIG_INIT {sizeof(anyccl_config_t), 0, 0, ANYCCL_LOG_DEFAULT, 0, 0, 0}

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_CONFIG_H */
