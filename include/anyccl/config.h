/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Settings of a communicator, and log lines.
 *
 * \defgroup chapter_config Settings and log
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

/** Values of anyccl_log_level_t. They never change. Each level includes the ones above it. */
typedef enum anyccl_log_level ANYCCL_ENUM_TYPE {
    /**
     * For settings only: the level of an earlier setting, else of the variable ANYCCL_LOG, else
     * ANYCCL_LOG_WARN.
     */
    ANYCCL_LOG_DEFAULT = 0,
    /** For settings only: no line is written. */
    ANYCCL_LOG_OFF = 1,
    /** A call or a connection has failed. */
    ANYCCL_LOG_ERROR = 2,
    /** Something is unusual, but works. */
    ANYCCL_LOG_WARN = 3,
    /** One line for each communicator: what it uses. */
    ANYCCL_LOG_INFO = 4,
    /** Decisions and connections. */
    ANYCCL_LOG_DEBUG = 5,
} ANYCCL_ENUM_SIZE anyccl_log_level;

/** Importance of a log line: one of enum anyccl_log_level. */
typedef enum anyccl_log_level anyccl_log_level_t;

/**
 * Function of the program that receives log lines.
 *
 * \param[in] level  ANYCCL_LOG_ERROR to ANYCCL_LOG_DEBUG.
 * \param[in] line   Text without a newline. Valid during the call only.
 * \param[in] user   Pointer that was given to anyccl_set_log_callback().
 *
 * The library calls it inside anyccl calls, in any thread, and in several threads at once: it must be
 * thread-safe. It must not call anyccl. It must return: an exception or a longjmp that leaves it ends the
 * process.
 */
typedef void (*anyccl_log_callback_t)(anyccl_log_level_t level, const char *line, void *user);

/**
 * Sends every log line of this process to a function instead of standard error.
 *
 * \param[in] callback  Kept until it is replaced. NULL: standard error again. When the call returns, the
 *                      previous callback is not running and is not called again.
 * \param[in] user      Kept and passed to the callback. The library does not use it. May be NULL.
 * \returns ANYCCL_SUCCESS.
 *
 * Local. Allowed at any time, also before anyccl_init(). ANYCCL_LOG or the settings choose the level.
 */
anyccl_status_t anyccl_set_log_callback(anyccl_log_callback_t callback, void *user);

/** \} */

/** \name Settings
 *  \{ */

/** Value of `timeout_ms` for a wait without a limit. */
#define ANYCCL_TIMEOUT_NEVER -1

/** Values of anyccl_wire_t. They never change. */
typedef enum anyccl_wire ANYCCL_ENUM_TYPE {
    /** The format of the communicator from which one is made, else that of ANYCCL_WIRE. */
    ANYCCL_WIRE_DEFAULT = 0,
    /** Full width: as the numbers are. */
    ANYCCL_WIRE_FULL = 1,
    /** bfloat16: 2 bytes for each float32. */
    ANYCCL_WIRE_BF16 = 2,
    /** float8_e4m3, with a scale for each 256 numbers: about 1 byte. */
    ANYCCL_WIRE_F8 = 3,
    /** 8-bit integers, with a scale for each 256 numbers: about 1 byte. */
    ANYCCL_WIRE_INT8_BLOCK = 4,
} ANYCCL_ENUM_SIZE anyccl_wire;

/** Format in which sums travel between hosts: one of enum anyccl_wire. */
typedef enum anyccl_wire anyccl_wire_t;

/**
 * Settings of one communicator.
 *
 * Start from ANYCCL_CONFIG_INIT and change what matters: a member that is 0 or NULL means the default. Later
 * versions append members.
 */
typedef struct anyccl_config_t {
    /**
     * sizeof(anyccl_config_t) in the program. If it is smaller than the library's, the missing members have
     * their defaults. If it is larger, the members that the library does not know must be 0.
     */
    size_t struct_size;
    /** Name of the communicator in messages and log lines, UTF-8. Copied. NULL: "world" or "comm". */
    const char *name;
    /**
     * Longest time that a call waits without progress, in milliseconds. 0: the value of ANYCCL_TIMEOUT_MS.
     * ANYCCL_TIMEOUT_NEVER: no limit.
     */
    int64_t timeout_ms;
    /**
     * Level of the log lines that are written, for the whole process. ANYCCL_LOG_DEFAULT: the level of an
     * earlier setting, else the value of ANYCCL_LOG.
     */
    anyccl_log_level_t log_level;
    /**
     * 1: the communicator is made for memory of GPUs. Each collective then has its buffers on GPUs, on all
     * ranks, or on none. Where the ranks share a host, one of them carries out collectives on GPU memory for
     * all (docs/gpu.md). The same on all ranks. ANYCCL_DEVICE_WAY, if set, decides instead. 0: it may have
     * both kinds of memory in one call. A communicator that is made from another one is like that one.
     */
    int for_devices;
    /**
     * Network interfaces for TCP, UTF-8, in the syntax of ANYCCL_SOCKET_IFNAME: "eth0", "=eth0,ib0",
     * "^docker". Copied. NULL: the value of that variable.
     */
    const char *interface;
    /**
     * Engine that serves the calls, UTF-8, in the syntax of ANYCCL_BACKEND: "mpi", "cpu:oneccl|mpi|builtin".
     * Copied. The same on all ranks. NULL: the value of that variable.
     */
    const char *backend;
    /**
     * 1: reductions of floating-point numbers have fixed bits. With the same inputs among as many ranks,
     * each element has the same bits in every call. The length of the message, the algorithm, the
     * transport, the hosts and the form of the call do not matter (docs/reliability.md). -1: they need not
     * have. 0: as the communicator from which it is made, else the value of ANYCCL_DETERMINISTIC. The same
     * on all ranks.
     */
    int deterministic;
    /**
     * Format in which sums and averages of floats travel between hosts, one of enum anyccl_wire
     * (docs/wire.md). ANYCCL_WIRE_DEFAULT: as in the communicator from which it is made, else the value of
     * ANYCCL_WIRE. The same on all ranks. Formats other than ANYCCL_WIRE_FULL are refused where reductions
     * have fixed bits.
     */
    anyccl_wire_t wire;
} anyccl_config_t;

/** Initial value of an anyccl_config_t: `anyccl_config_t config = ANYCCL_CONFIG_INIT;` */
#define ANYCCL_CONFIG_INIT {sizeof(anyccl_config_t), 0, 0, ANYCCL_LOG_DEFAULT, 0, 0, 0, 0, ANYCCL_WIRE_DEFAULT}

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_CONFIG_H */
