/* anyccl: collective communication behind one C ABI.
 *
 * Made from abi/native by `cargo xtask header`. Do not edit.
 *
 * Conventions
 *   Every call returns a status, or a value that cannot fail. After a failure anyccl_last_error() has the
 *   sentence. An out-parameter is written only on ANYCCL_SUCCESS, if it does not say otherwise. Counts are
 *   elements; bytes are called bytes. Pointers are borrowed for the call, if they do not say otherwise;
 *   buffers are host memory of any alignment. A call that is "local" talks to no other rank. Every call
 *   may be made from any thread; what may not run at the same time is said.
 *
 * Collectives
 *   All ranks of a communicator make the same calls in the same order, with the same count, datatype,
 *   operator and root. Several threads may use one communicator when the program fixes the order of their
 *   calls; else give each a communicator of its own. Send and receive buffer must not overlap, except in
 *   place, as each call defines it; each rank decides for itself. A count of 0 is a call like any other;
 *   its buffers may be NULL. A call may return before the other ranks have made it, and may wait until
 *   they do. A rank that is behind keeps what others send ahead, about 16 MiB (and one message) of each
 *   sender in each communicator; then the sender waits. So a program is right if it would be right with
 *   calls that wait for all ranks.
 *
 * Ranks that make different calls
 *   Every rank gets ANYCCL_ERR_MISMATCH and a sentence that names both calls: at once where this rank
 *   receives something that contradicts its call, after a tenth of a second where the ranks wait for each
 *   other. A call whose part on this rank is complete before that can be known returns ANYCCL_SUCCESS:
 *   that of a root of broadcast or scatter, which receives nothing; of a rank that only sends in reduce or
 *   gather; of a rank of broadcast or scatter to which its own root has sent; of any rank where the count
 *   is 0. Then the next call of the communicator that meets the difference returns the error, at the
 *   latest anyccl_finalize or anyccl_comm_destroy: there the ranks compare all calls that they have made.
 *   A communicator that was made from another is left by each rank alone. A rank may have left it before
 *   the difference could be known. That rank gets the error when the communicator ends that the left one
 *   was made from, directly or not: by anyccl_finalize or a collective anyccl_comm_destroy. A rank
 *   may wait in a call that another one has left without making: it gets ANYCCL_ERR_PEER_LOST.
 *
 * Messages
 *   A send names a rank and a tag, a receive names them too or says "any" (ANYCCL_ANY_SOURCE,
 *   ANYCCL_ANY_TAG). A message goes to the oldest receive that accepts it, and a receive takes the oldest
 *   message that it accepts; each communicator has messages of its own. A receive may have more room than
 *   the message needs.
 *
 * Failures of a collective or a message
 *   ANYCCL_ERR_INVALID_ARGUMENT  refused on this rank, nothing was sent, the communicator works on
 *   ANYCCL_ERR_INVALID_USAGE     no world, an unusable handle, a forked child: as above
 *   ANYCCL_ERR_UNSUPPORTED       not possible here: as above
 *   ANYCCL_ERR_MISMATCH          the ranks made different calls             \
 *   ANYCCL_ERR_PEER_LOST         a rank died                                 | the communicator has failed: receive
 *   ANYCCL_ERR_TIMEOUT           a rank did not come                         | buffers are undefined, every later call
 *   ANYCCL_ERR_ABORTED           a rank called anyccl_comm_abort             | returns the same status; what is left is
 *   ANYCCL_ERR_SYSTEM            the operating system refused something      | anyccl_comm_destroy, and before it
 *   ANYCCL_ERR_INTERNAL          a bug                                      /  anyccl_comm_shrink, to go on
 *
 * fork
 *   A child of fork cannot use what its parent made: its calls return ANYCCL_ERR_INVALID_USAGE and touch
 *   nothing. It keeps no connection of its parent open, so the other ranks learn of the parent's death
 *   though the child lives.
 *
 * Apart from C and C++ itself nothing is needed: C99, C++11 and later. */


#ifndef ANYCCL_ANYCCL_H
#define ANYCCL_ANYCCL_H

#include <stddef.h>
#include <stdint.h>

/* The version of this header; anyccl_version() gives the library's. */
#define ANYCCL_VERSION_MAJOR 0
#define ANYCCL_VERSION_MINOR 1
#define ANYCCL_VERSION_PATCH 0
#define ANYCCL_VERSION (10000 * ANYCCL_VERSION_MAJOR + 100 * ANYCCL_VERSION_MINOR + ANYCCL_VERSION_PATCH)

/**
 * `timeout_ms` of a wait without a deadline.
 */
#define ANYCCL_TIMEOUT_NEVER -1

/**
 * Bytes of anyccl_unique_id_t.
 */
#define ANYCCL_UNIQUE_ID_BYTES 128

/**
 * A color for anyccl_comm_split: this rank takes part in the call, and is in none of the communicators.
 */
#define ANYCCL_COLOR_NONE -1

/**
 * Bytes that a callback of a store may write its message to, the final zero included.
 */
#define ANYCCL_STORE_MESSAGE_BYTES 512

/**
 * A callback of a store answers: done.
 */
#define ANYCCL_STORE_OK 0

/**
 * A callback of a store answers: the key was not set in time.
 */
#define ANYCCL_STORE_TIMEOUT 1

/**
 * Bytes that hold any address that anyccl_unique_id_exchange_by_file gives, the final zero included.
 */
#define ANYCCL_ADDRESS_BYTES 46

/**
 * Source of a receive or a probe that accepts any rank.
 */
#define ANYCCL_ANY_SOURCE -1

/**
 * Tag of a receive or a probe that accepts any tag.
 */
#define ANYCCL_ANY_TAG -1

/**
 * The values of anyccl_status_t. They never change; later versions may have more.
 */
typedef enum anyccl_status {
    /**
     * The call did what was asked.
     */
    ANYCCL_SUCCESS = 0,
    /**
     * An argument is one that this call never accepts. Nothing was sent, nothing has changed.
     */
    ANYCCL_ERR_INVALID_ARGUMENT = 1,
    /**
     * The call is not allowed now: before init, after finalize, in a forked child. Nothing was sent.
     */
    ANYCCL_ERR_INVALID_USAGE = 2,
    /**
     * Defined, but not possible in this build or on this machine. Nothing was sent.
     */
    ANYCCL_ERR_UNSUPPORTED = 3,
    /**
     * A rank died or closed its connection. The communicator has failed.
     */
    ANYCCL_ERR_PEER_LOST = 4,
    /**
     * Not every rank arrived in time. The communicator has failed.
     */
    ANYCCL_ERR_TIMEOUT = 5,
    /**
     * The ranks made different calls. The communicator has failed, on all ranks.
     */
    ANYCCL_ERR_MISMATCH = 6,
    /**
     * Some rank called anyccl_comm_abort. The communicator has failed, on all ranks.
     */
    ANYCCL_ERR_ABORTED = 7,
    /**
     * The ranks could not find each other. There is no communicator.
     */
    ANYCCL_ERR_BOOTSTRAP = 8,
    /**
     * The operating system refused something. In a collective: the communicator has failed.
     */
    ANYCCL_ERR_SYSTEM = 9,
    /**
     * A bug in anyccl; please report the sentence of anyccl_last_error().
     */
    ANYCCL_ERR_INTERNAL = 10,
} anyccl_status;

/**
 * The values of anyccl_datatype_t. They never change.
 */
typedef enum anyccl_datatype {
    /**
     * int8_t
     */
    ANYCCL_INT8 = 0,
    /**
     * uint8_t
     */
    ANYCCL_UINT8 = 1,
    /**
     * int16_t
     */
    ANYCCL_INT16 = 2,
    /**
     * uint16_t
     */
    ANYCCL_UINT16 = 3,
    /**
     * int32_t
     */
    ANYCCL_INT32 = 4,
    /**
     * uint32_t
     */
    ANYCCL_UINT32 = 5,
    /**
     * int64_t
     */
    ANYCCL_INT64 = 6,
    /**
     * uint64_t
     */
    ANYCCL_UINT64 = 7,
    /**
     * IEEE 754 half precision, _Float16
     */
    ANYCCL_FLOAT16 = 8,
    /**
     * bfloat16: the upper half of a float
     */
    ANYCCL_BFLOAT16 = 9,
    /**
     * float
     */
    ANYCCL_FLOAT32 = 10,
    /**
     * double
     */
    ANYCCL_FLOAT64 = 11,
    /**
     * 8 bits: 4 of exponent, 3 of mantissa, no infinity (OCP E4M3). Reductions are done in float and rounded
     * once, at their end; a result beyond 448 is NaN
     */
    ANYCCL_FLOAT8_E4M3 = 12,
    /**
     * 8 bits: 5 of exponent, 2 of mantissa (OCP E5M2). Reductions are done in float and rounded once, at
     * their end; a result beyond 57344 is infinite
     */
    ANYCCL_FLOAT8_E5M2 = 13,
    /**
     * bool; any non-zero byte is true
     */
    ANYCCL_BOOL = 14,
    /**
     * float _Complex
     */
    ANYCCL_COMPLEX64 = 15,
    /**
     * double _Complex
     */
    ANYCCL_COMPLEX128 = 16,
    /**
     * A byte without a meaning: moved, and combined by the bitwise operators only
     */
    ANYCCL_BYTE = 17,
} anyccl_datatype;

/**
 * The values of anyccl_reduce_op_t. They never change.
 *
 * Integers take all of them. Floats take sum, product, min, max, avg. Complex numbers take sum, product,
 * avg. bool takes all but avg; sum, max and bor are "or" there, product, min and band are "and". byte takes
 * band, bor, bxor.
 */
typedef enum anyccl_reduce_op {
    /**
     * Integers wrap around.
     */
    ANYCCL_SUM = 0,
    /**
     * Integers wrap around.
     */
    ANYCCL_PRODUCT = 1,
    /**
     * The least contribution.
     */
    ANYCCL_MIN = 2,
    /**
     * The greatest contribution.
     */
    ANYCCL_MAX = 3,
    /**
     * The sum divided by the number of ranks; integers truncate towards zero.
     */
    ANYCCL_AVG = 4,
    /**
     * Bitwise and.
     */
    ANYCCL_BAND = 5,
    /**
     * Bitwise or.
     */
    ANYCCL_BOR = 6,
    /**
     * Bitwise exclusive or.
     */
    ANYCCL_BXOR = 7,
    /**
     * Logical and: 1 where every contribution is not 0, else 0. A single rank keeps its elements as they
     * are.
     */
    ANYCCL_LAND = 8,
    /**
     * Logical or: 1 where some contribution is not 0, else 0. As above for a single rank.
     */
    ANYCCL_LOR = 9,
    /**
     * Logical exclusive or: 1 where an odd number of contributions is not 0, else 0. As above.
     */
    ANYCCL_LXOR = 10,
} anyccl_reduce_op;

/**
 * The values of anyccl_scalar_t. They never change.
 */
typedef enum anyccl_scalar {
    /**
     * When the operator is made.
     */
    ANYCCL_SCALAR_IMMEDIATE = 0,
    /**
     * At the beginning of each call that uses the operator.
     */
    ANYCCL_SCALAR_DEFERRED = 1,
} anyccl_scalar;

/**
 * The values of anyccl_log_level_t. Each includes the ones above it.
 */
typedef enum anyccl_log_level {
    /**
     * In a configuration: what an earlier one has named, else what ANYCCL_LOG says, else ANYCCL_LOG_WARN. No
     * line has this level.
     */
    ANYCCL_LOG_DEFAULT = 0,
    /**
     * In a configuration: nothing is written. No line has this level.
     */
    ANYCCL_LOG_OFF = 1,
    /**
     * Something failed.
     */
    ANYCCL_LOG_ERROR = 2,
    /**
     * Something is odd but goes on.
     */
    ANYCCL_LOG_WARN = 3,
    /**
     * One line per communicator: what is in use.
     */
    ANYCCL_LOG_INFO = 4,
    /**
     * Choices and connections.
     */
    ANYCCL_LOG_DEBUG = 5,
} anyccl_log_level;

/**
 * What anyccl_comm_t points to, for the compiler's type check only.
 */
typedef struct anyccl_comm anyccl_comm;

/**
 * What anyccl_graph_t points to, for the compiler's type check only.
 */
typedef struct anyccl_graph anyccl_graph;

/**
 * What anyccl_message_t points to, for the compiler's type check only.
 */
typedef struct anyccl_message anyccl_message;

/**
 * What anyccl_request_t points to, for the compiler's type check only.
 */
typedef struct anyccl_request anyccl_request;

/**
 * What became of a call: one of enum anyccl_status. Everything but ANYCCL_SUCCESS leaves a sentence for
 * anyccl_last_error().
 */
typedef enum anyccl_status anyccl_status_t;

/**
 * How important a log line is: one of enum anyccl_log_level.
 */
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
 * Settings of one communicator. Start from ANYCCL_CONFIG_INIT and change what matters: a member that is 0 or
 * NULL has its default. Later versions append members; struct_size tells which ones the program knows.
 */
typedef struct anyccl_config_t {
    /**
     * sizeof(anyccl_config_t) in the program. Smaller than the library's: the missing members have their
     * defaults. Larger: accepted when the members that the library does not know are all 0.
     */
    size_t struct_size;
    /**
     * What messages call the communicator, UTF-8; copied. NULL: "world" or "comm".
     */
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
    /**
     * Must be 0.
     */
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

/**
 * A communicator. Plain to copy and compare, of no use to follow: a handle that was destroyed is recognised
 * and refused. NULL, which is ANYCCL_WORLD, means the communicator of the whole job.
 */
typedef struct anyccl_comm *anyccl_comm_t;

/**
 * The name of a communicator to be. Plain bytes: copy them to the other ranks by any means. They contain the
 * job's secret; whoever has them may join.
 */
typedef struct anyccl_unique_id_t {
    /**
     * Not to be interpreted.
     */
    unsigned char bytes[ANYCCL_UNIQUE_ID_BYTES];
} anyccl_unique_id_t;

/**
 * Sets a value in a store, in place of one that may be there.
 *
 * \param context  [in]  What the store has as its context.
 * \param key      [in]  ASCII.
 * \param value    [in]  Any bytes.
 * \param bytes    [in]  Length of value; below 4096.
 * \param message  [out] Room for ANYCCL_STORE_MESSAGE_BYTES: why it failed, UTF-8 with a final zero. Empty
 *                 at first.
 * \returns ANYCCL_STORE_OK; anything else is a failure.
 *
 * Called on the thread that called anyccl, which it may block. It must not call any anyccl function, and
 * must return: an exception or longjmp that leaves it ends the process.
 */
typedef int (*anyccl_store_set_t)(void *context, const char *key, const void *value, size_t bytes, char *message);

/**
 * Waits until a key is set in a store, and gives its value.
 *
 * \param context     [in]  What the store has as its context.
 * \param key         [in]  ASCII.
 * \param timeout_ms  [in]  Longest time to wait, at least 0.
 * \param value       [out] Room for the value.
 * \param capacity    [in]  Bytes of that room.
 * \param bytes       [out] Length of the value. One that has no room is a failure.
 * \param message     [out] See anyccl_store_set_t.
 * \returns ANYCCL_STORE_OK; ANYCCL_STORE_TIMEOUT when the key was not set in time; anything else is a
 *          failure.
 *
 * See anyccl_store_set_t.
 */
typedef int (*anyccl_store_get_t)(void *context,
                                  const char *key,
                                  int64_t timeout_ms,
                                  void *value,
                                  size_t capacity,
                                  size_t *bytes,
                                  char *message);

/**
 * A key/value store of the caller's, such as PyTorch's. Start from ANYCCL_STORE_INIT.
 */
typedef struct anyccl_store_t {
    /**
     * sizeof(anyccl_store_t) in the program. Later versions append members.
     */
    size_t struct_size;
    /**
     * Passed to each call, never read. May be NULL.
     */
    void *context;
    /**
     * Needed.
     */
    anyccl_store_set_t set;
    /**
     * Needed.
     */
    anyccl_store_get_t get;
} anyccl_store_t;

/**
 * Type of one buffer element: one of enum anyccl_datatype.
 */
typedef int anyccl_datatype_t;

/**
 * When the scalar of a premultiplied sum is read: one of enum anyccl_scalar.
 */
typedef int anyccl_scalar_t;

/**
 * How contributions are combined: one of enum anyccl_reduce_op, or what anyccl_op_create or
 * anyccl_op_create_premul_sum gave.
 */
typedef int anyccl_reduce_op_t;

/**
 * Combines elements: inout[i] = in[i] op inout[i].
 *
 * \param in        [in] count elements, the left operands. Not to be changed.
 * \param inout     [in,out] count elements, the right operands, then the results. Apart from in.
 * \param count     [in] Elements: those of the call, or some of them. At least 1.
 * \param datatype  [in] That of the call.
 * \param context   [in] What was given to anyccl_op_create.
 *
 * Both arrays are aligned for the datatype and used by nobody else during the call. Called on a thread that
 * is inside an anyccl call on a communicator in which the operator is used, not always the one that made the
 * call; several threads may be in it at once when several communicators use it. It must be associative.
 * While it runs, other threads wait for the communicator. It must return: one that never does blocks its
 * rank for ever, an exception that leaves it ends the process, longjmp out of it is undefined. It must not
 * call anyccl: such a call returns ANYCCL_ERR_INVALID_USAGE.
 */
typedef void (*anyccl_reduce_function_t)(const void *in,
                                         void *inout,
                                         size_t count,
                                         anyccl_datatype_t datatype,
                                         void *context);

/**
 * The neighbours of this rank in a graph over a communicator. Belongs to one rank; a handle that was
 * destroyed is recognised and refused.
 */
typedef struct anyccl_graph *anyccl_graph_t;

/**
 * A started operation. It completes once, and wait or test sets it to NULL then. Its buffers belong to the
 * library until that moment: a send buffer may be read, a receive buffer neither read nor written.
 *
 * One from a function whose name ends in _init is persistent: anyccl_start starts it, wait and test leave it
 * as it is when a run has ended, and anyccl_request_free sets it to NULL. Before and between its runs it has
 * ended for every call that waits or tests, and its buffers are the program's.
 */
typedef struct anyccl_request *anyccl_request_t;

/**
 * What is known of a message. Its members never change.
 */
typedef struct anyccl_message_status_t {
    /**
     * The rank that sent it.
     */
    int source;
    /**
     * The tag that it was sent with.
     */
    int32_t tag;
    /**
     * The datatype that it was sent with.
     */
    anyccl_datatype_t datatype;
    /**
     * 1: the receive was cancelled, there was no message, and the other members say nothing. Else 0.
     */
    int cancelled;
    /**
     * Elements that were sent: at most what the receive has room for.
     */
    size_t count;
    /**
     * Bytes that were sent: count times the size of the datatype.
     */
    size_t bytes;
} anyccl_message_status_t;

/**
 * A message that was found by anyccl_mprobe or anyccl_improbe: no other receive gets it. It is received
 * once, and the handle is NULL then.
 */
typedef struct anyccl_message *anyccl_message_t;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Names a status in a few words, for messages.
 *
 * \param status  [in] Any number; one that is no status is named "unknown status".
 * \returns A text that is always valid and never NULL. Not to be freed.
 *
 * Local. Any thread. Replacement for ncclGetErrorString and MPI_Error_string; the sentence about one failure
 * is anyccl_last_error().
 */
const char *anyccl_status_string(int status);

/**
 * Gives the sentence about the last call that failed in this thread: which function, what was wrong, what is
 * accepted or who is missing.
 *
 * \returns A text that is never NULL, empty when nothing has failed in this thread yet. Not to be freed;
 *          valid until the next failing call of this thread or the end of the thread. Copy it to keep it.
 *
 * Local. Each thread has its own; a successful call leaves it alone. Replacement for ncclGetLastError.
 */
const char *anyccl_last_error(void);

/**
 * Gives the version of the library in use, which may be newer than the header: "0.1.0".
 *
 * \returns A text that is always valid and never NULL. Not to be freed.
 *
 * Local. Any thread.
 */
const char *anyccl_version_string(void);

/**
 * Gives the version of the library in use as a number: 10000 * major + 100 * minor + patch.
 *
 * \returns The number; compare with ANYCCL_VERSION, which is the header's.
 *
 * Local. Any thread. Replacement for ncclGetVersion and MPI_Get_library_version.
 */
int anyccl_version(void);

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

/**
 * Joins the job that the environment describes, with all defaults: anyccl_init_with(NULL).
 *
 * \returns See anyccl_init_with.
 *
 * Collective. The call blocks. Replacement for MPI_Init_thread with MPI_THREAD_MULTIPLE.
 */
anyccl_status_t anyccl_init(void);

/**
 * Joins the job that the environment describes: the one of `anyccl run`, of ANYCCL_RANK, ANYCCL_WORLD_SIZE
 * and ANYCCL_STORE, of torchrun, of an mpiexec (MPICH, Intel MPI, Open MPI), or of srun; docs/starting.md
 * tells more. Where it describes none, the world is this process alone.
 *
 * \param config  [in] Read during the call. NULL: all defaults.
 * \returns ANYCCL_SUCCESS, also when the world is there already: config is then ignored;
 *          ANYCCL_ERR_INVALID_ARGUMENT for a config or a variable that cannot be understood;
 *          ANYCCL_ERR_INVALID_USAGE after anyccl_finalize, or in a child of a process that has a world;
 *          ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did not find each other;
 *          ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
 *
 * Collective over all processes of the job. The call blocks until all have come, at most for the configured
 * time. Any thread; threads that call it at once get the same world.
 */
anyccl_status_t anyccl_init_with(const struct anyccl_config_t *config);

/**
 * Leaves the world.
 *
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_USAGE without a world, in a forked child, or while a call or
 *          request of the world is unfinished: in these cases nothing has changed. ANYCCL_ERR_MISMATCH when
 *          the ranks have made different calls, in the world or in a communicator that was made from it, and
 *          no call of this rank has said so. Any other status tells why the ranks could not part in good
 *          order. After ANYCCL_ERR_MISMATCH or any other status the world has ended.
 *
 * Collective. The call blocks until all ranks have come here. It is local when the world has failed. Other
 * communicators are not concerned. Afterwards ANYCCL_WORLD is refused, and the process cannot enter the
 * world again. Replacement for MPI_Finalize.
 */
anyccl_status_t anyccl_finalize(void);

/**
 * Says whether this process is in the world: after anyccl_init, before anyccl_finalize.
 *
 * \param flag  [out] 1 or 0. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when flag is NULL.
 *
 * Local. Any thread. The answer is 0 in a forked child. Replacement for MPI_Initialized and MPI_Finalized.
 */
anyccl_status_t anyccl_is_initialized(int *flag);

/**
 * Gives this process's rank in the world.
 *
 * \param rank  [out] 0 to world size - 1. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL; ANYCCL_ERR_INVALID_USAGE without a
 *          world, or in a forked child.
 *
 * Local. Any thread. Replacement for MPI_Comm_rank of MPI_COMM_WORLD.
 */
anyccl_status_t anyccl_rank(int *rank);

/**
 * Gives the number of ranks in the world.
 *
 * \param size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_rank.
 *
 * Local. Any thread. Replacement for MPI_Comm_size of MPI_COMM_WORLD.
 */
anyccl_status_t anyccl_world_size(int *size);

/**
 * Gives this process's position among the ranks of the world on its host, for choosing a device or core.
 *
 * \param local_rank  [out] 0 to local size - 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_local_rank(int *local_rank);

/**
 * Gives the number of ranks of the world on this host, this one included.
 *
 * \param local_size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_local_size(int *local_size);

/**
 * Gives a handle of the world, for code that takes a communicator and compares handles. To pass the world to
 * a call, ANYCCL_WORLD is enough.
 *
 * \param comm  [out] Borrowed: valid until anyccl_finalize, refused by anyccl_comm_destroy. Written only on
 *              ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is NULL; ANYCCL_ERR_INVALID_USAGE without a
 *          world, or in a forked child.
 *
 * Local. Any thread. Every call gives the same handle.
 */
anyccl_status_t anyccl_world(anyccl_comm_t *comm);

/**
 * Makes a new id. One rank calls it, and gives the bytes to all ranks of the communicator to be, itself
 * included.
 *
 * \param id  [out] Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when id is NULL or a variable cannot be understood;
 *          ANYCCL_ERR_SYSTEM when no socket could be opened.
 *
 * Local. Any thread. This process then answers the ranks that come, until all have come or the deadline has
 * passed: it must live that long. One id names one communicator. Replacement for ncclGetUniqueId.
 */
anyccl_status_t anyccl_get_unique_id(struct anyccl_unique_id_t *id);

/**
 * Joins the communicator that an id names.
 *
 * \param id      [in] The same bytes on every rank. Read during the call.
 * \param size    [in] Number of ranks, the same on every rank; at least 1.
 * \param rank    [in] This rank: 0 to size-1, each exactly once.
 * \param config  [in] Read during the call. NULL: all defaults.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
 *                ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, numbers out of range, an id that is none or
 *          a config that cannot be understood; ANYCCL_ERR_BOOTSTRAP or ANYCCL_ERR_TIMEOUT when the ranks did
 *          not find each other; ANYCCL_ERR_PEER_LOST, ANYCCL_ERR_SYSTEM.
 *
 * Collective over the ranks of the new communicator. The call blocks until all have come, at most for the
 * configured time. Ranks may be processes or threads: then each thread makes its own. Any thread.
 * The call is independent of anyccl_init. Replacement for ncclCommInitRank.
 */
anyccl_status_t anyccl_comm_create(const struct anyccl_unique_id_t *id,
                                   int size,
                                   int rank,
                                   const struct anyccl_config_t *config,
                                   anyccl_comm_t *comm);

/**
 * Gives this rank's position in a communicator.
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param rank  [out] 0 to size-1. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when rank is NULL or comm is no communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. Any thread. Replacement for MPI_Comm_rank and ncclCommUserRank.
 */
anyccl_status_t anyccl_comm_rank(anyccl_comm_t comm, int *rank);

/**
 * Gives the number of ranks in a communicator.
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_comm_rank.
 *
 * Local. Any thread. Replacement for MPI_Comm_size and ncclCommCount.
 */
anyccl_status_t anyccl_comm_size(anyccl_comm_t comm, int *size);

/**
 * Gives this rank's position among the ranks of the communicator on the same host.
 *
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param local_rank  [out] 0 to local size - 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_comm_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_comm_local_rank(anyccl_comm_t comm, int *local_rank);

/**
 * Gives the number of ranks of the communicator on the same host, this one included.
 *
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param local_size  [out] At least 1. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_comm_rank.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_comm_local_size(anyccl_comm_t comm, int *local_size);

/**
 * Asks whether a communicator has failed, and why.
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS when it works; else the status that its calls have returned since it failed, and
 *          anyccl_last_error() has the sentence. ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator.
 *
 * Local. Any thread. A failure stays: all calls return it; the communicator can only be shrunk and
 * destroyed. Replacement for ncclCommGetAsyncError.
 */
anyccl_status_t anyccl_comm_failure(anyccl_comm_t comm);

/**
 * Changes how long calls may go without progress.
 *
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param timeout_ms  [in] Milliseconds, at least 1; or ANYCCL_TIMEOUT_NEVER. Each rank's own affair.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator or the number is out of
 *          range; ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. Any thread. The limit counts for calls that begin and requests that are started afterwards.
 * Communicators that were made from this one keep their own.
 */
anyccl_status_t anyccl_comm_set_timeout(anyccl_comm_t comm, int64_t timeout_ms);

/**
 * Fails a communicator on all its ranks.
 *
 * \param comm  [in] Borrowed: still to be destroyed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator;
 *          ANYCCL_ERR_INVALID_USAGE without a world, or in a forked child.
 *
 * Local. The call does not wait for the others. Any thread, also while others are blocked in calls of comm:
 * these return ANYCCL_ERR_ABORTED at once, on this rank and, as soon as they hear of it, on all others.
 * Replacement for ncclCommAbort, which destroys as well, and MPI_Abort, which ends processes.
 */
anyccl_status_t anyccl_comm_abort(anyccl_comm_t comm);

/**
 * Leaves a communicator.
 *
 * \param comm  [in] Taken: afterwards the handle is refused everywhere. NULL and ANYCCL_COMM_NONE are
 *              accepted and do nothing.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when comm is no communicator any more, or the one
 *          that anyccl_world gave; ANYCCL_ERR_INVALID_USAGE while a call or a request of comm is unfinished,
 *          or in a forked child. In these cases nothing has changed. ANYCCL_ERR_MISMATCH when the ranks have
 *          made different calls and no call of this rank has said so: in comm, or, where this call is
 *          collective, in a communicator that was made from comm and destroyed. Any other status tells why
 *          the ranks could not part in good order. After ANYCCL_ERR_MISMATCH or any other status the
 *          communicator is destroyed.
 *
 * For a communicator of anyccl_comm_create the call is collective: it blocks until all ranks have come here,
 * so that none of them takes the end of another for its death. For one that was made from another (split,
 * dup, shrink ...) the call is local: a rank that still waits for this one in a call gets
 * ANYCCL_ERR_PEER_LOST. It is local, too, when the communicator has failed; requests that are still open may
 * then be waited for afterwards. Connections are closed with the last communicator that uses them.
 * Replacement for ncclCommDestroy and MPI_Comm_free.
 */
anyccl_status_t anyccl_comm_destroy(anyccl_comm_t comm);

/**
 * Splits a communicator: ranks that pass the same color come together.
 *
 * \param parent  [in] Borrowed; it works on as before. ANYCCL_WORLD: the whole job.
 * \param color   [in] 0 or more; or ANYCCL_COLOR_NONE.
 * \param key     [in] Ranks are numbered in ascending order of it, equal ones in the order of their ranks in
 *                parent.
 * \param config  [in] Read during the call. NULL: the parent's timeout, and a name made from the parent's.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(); ANYCCL_COMM_NONE where color
 *                is ANYCCL_COLOR_NONE. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a color below ANYCCL_COLOR_NONE, a NULL comm, a
 *          parent that is none or a config that cannot be understood, all before anything is sent; else as a
 *          collective of parent.
 *
 * Collective over parent. The new communicator uses the parent's connections, so this costs about as much as
 * an all_gather of 32 bytes. It may outlive its parent. Any thread. Replacement for MPI_Comm_split and
 * ncclCommSplit.
 */
anyccl_status_t anyccl_comm_split(anyccl_comm_t parent,
                                  int color,
                                  int key,
                                  const struct anyccl_config_t *config,
                                  anyccl_comm_t *comm);

/**
 * Splits a communicator by hosts: the ranks that share this rank's memory come together, in the order of
 * their ranks.
 *
 * \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
 *                ANYCCL_SUCCESS.
 * \returns See anyccl_comm_split.
 *
 * Collective over parent. Any thread. Replacement for MPI_Comm_split_type with MPI_COMM_TYPE_SHARED.
 */
anyccl_status_t anyccl_comm_split_by_host(anyccl_comm_t parent,
                                          const struct anyccl_config_t *config,
                                          anyccl_comm_t *comm);

/**
 * Makes a communicator of the same ranks with a context of its own: what goes on in one is not seen in the
 * other.
 *
 * \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
 *                ANYCCL_SUCCESS.
 * \returns See anyccl_comm_split.
 *
 * Collective over parent. Any thread. Replacement for MPI_Comm_dup.
 */
anyccl_status_t anyccl_comm_dup(anyccl_comm_t parent, const struct anyccl_config_t *config, anyccl_comm_t *comm);

/**
 * Makes a communicator of some ranks.
 *
 * \param parent  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param ranks   [in] count ranks of parent, each at most once; the first becomes rank 0, and so on. The
 *                same on every rank of parent, members or not. Read during the call.
 * \param count   [in] 0 to the size of parent. With 0, ranks may be NULL.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(); ANYCCL_COMM_NONE on a rank
 *                that is not in the list. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for ranks that are none, or are listed twice, before
 *          anything is sent; ANYCCL_ERR_MISMATCH, on all ranks, when the lists differ: nothing is made then,
 *          and parent works on; else as anyccl_comm_split.
 *
 * Collective over parent. Any thread. Replacement for MPI_Comm_create and torch.distributed.new_group.
 */
anyccl_status_t anyccl_comm_create_from_ranks(anyccl_comm_t parent,
                                              const int *ranks,
                                              int count,
                                              const struct anyccl_config_t *config,
                                              anyccl_comm_t *comm);

/**
 * Goes on after a failure: makes a communicator of those ranks that are still there.
 *
 * \param parent  [in] Borrowed. It may have failed, and still has to be destroyed. ANYCCL_WORLD: the whole
 *                job.
 * \param config  [in] See anyccl_comm_split.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Its ranks are in the order
 *                of their ranks in parent. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_TIMEOUT when a rank that lives has not called it in time, which the
 *          sentence names; ANYCCL_ERR_ABORTED when the others go on without this rank.
 *
 * Collective over those ranks of parent whose processes have not ended and that have not destroyed it. All
 * of them get the same ranks, also when more of them die during the call. What was under way in parent is
 * not continued. Any thread. Replacement for MPIX_Comm_shrink of User-Level Failure Mitigation and
 * ncclCommShrink.
 */
anyccl_status_t anyccl_comm_shrink(anyccl_comm_t parent, const struct anyccl_config_t *config, anyccl_comm_t *comm);

/**
 * Joins the communicator of the ranks that share a store.
 *
 * Rank 0 sets one value, with its address and a secret of the job; the others get it, again if what they got
 * was left over from a communicator before. Everything else goes over anyccl's own connections.
 *
 * \param store   [in] Used during the call only. Whoever can read it may join. It is for one communicator at
 *                a time: give each its own prefix where several are made at once.
 * \param size    [in] Number of ranks, the same on every rank; at least 1.
 * \param rank    [in] This rank: 0 to size-1, each exactly once.
 * \param config  [in] Read during the call. NULL: all defaults.
 * \param comm    [out] Owned by the caller; release with anyccl_comm_destroy(). Written only on
 *                ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, numbers out of range, a store without its
 *          callbacks or a config that cannot be understood; ANYCCL_ERR_BOOTSTRAP when a callback failed,
 *          with its message, or the ranks did not find each other; ANYCCL_ERR_TIMEOUT, ANYCCL_ERR_PEER_LOST,
 *          ANYCCL_ERR_SYSTEM.
 *
 * Collective over the ranks of the new communicator. The call blocks until all have come, at most for the
 * configured time. Any thread. The call is independent of anyccl_init.
 */
anyccl_status_t anyccl_comm_create_with_store(const struct anyccl_store_t *store,
                                              int size,
                                              int rank,
                                              const struct anyccl_config_t *config,
                                              anyccl_comm_t *comm);

/**
 * Exchanges a unique id, which rank 0 makes, by a file on a file system that all ranks see; tells where rank
 * 0 is.
 *
 * Rank 0 writes the file, whole or not at all, readable by this user only, in place of whatever is there;
 * the others wait for it. A file that an earlier run has left is never believed: a rank believes only an
 * address at which a process proves to know a secret from the file.
 *
 * \param path     [in]  The same file on every rank. Terminated; copied.
 * \param size     [in]  Number of ranks, the same on every rank. 0: not known; then the file stays where it
 *                 is, and rank 0 does not wait: its process must live until the others have come.
 * \param rank     [in]  This rank, each exactly once; below size, if that is known.
 * \param config   [in]  Read during the call: timeout and interface count. NULL: all defaults.
 * \param id       [out] The same on all ranks: for anyccl_comm_create. May be NULL. Written only on
 *                 ANYCCL_SUCCESS.
 * \param address  [out] Numeric address of rank 0, terminated, room for ANYCCL_ADDRESS_BYTES: on rank 0 the
 *                 best of its own, elsewhere one that has answered. For MASTER_ADDR. May be NULL. Written
 *                 only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for numbers out of range, a path that is NULL or
 *          names a folder, a config that cannot be understood; ANYCCL_ERR_TIMEOUT, with who has not come or
 *          what was found in the file; ANYCCL_ERR_BOOTSTRAP, ANYCCL_ERR_SYSTEM.
 *
 * Collective over the ranks, if their number is known: the call blocks until all have come, at most for the
 * configured time. Any thread. Rank 0 answers for the id as after anyccl_get_unique_id.
 */
anyccl_status_t anyccl_unique_id_exchange_by_file(const char *path,
                                                  int size,
                                                  int rank,
                                                  const struct anyccl_config_t *config,
                                                  struct anyccl_unique_id_t *id,
                                                  char *address);

/**
 * Gives the bytes of one element.
 *
 * \param datatype  [in] Any number.
 * \returns 1 to 16; 0 when it is no datatype.
 *
 * Local. Any thread. Replacement for MPI_Type_size.
 */
size_t anyccl_datatype_bytes(anyccl_datatype_t datatype);

/**
 * Names a datatype as messages do: "float32".
 *
 * \param datatype  [in] Any number; one that is no datatype is named "unknown".
 * \returns A text that is always valid and never NULL. Not to be freed.
 *
 * Local. Any thread. Replacement for MPI_Type_get_name.
 */
const char *anyccl_datatype_name(anyccl_datatype_t datatype);

/**
 * Makes an operator that multiplies this rank's contribution by a scalar and then sums.
 *
 *     rank 0  scalar 2, send a0 a1
 *     rank 1  scalar 3, send b0 b1     =>     2*a0+3*b0  2*a1+3*b1
 *
 * \param scalar    [in] One element. Read now, or in each call: then it stays valid and unchanged as long as
 *                  the operator is in use. Ranks may have different ones.
 * \param datatype  [in] One of enum anyccl_datatype, but bool and byte. The operator serves only this one.
 * \param when      [in] One of enum anyccl_scalar.
 * \param op        [out] A number of this process, 1024 or more, for the calls that take an
 *                  anyccl_reduce_op_t, on any communicator. Owned by the caller; release with
 *                  anyccl_op_destroy(). Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, or a datatype that
 *          has no sum; ANYCCL_ERR_UNSUPPORTED after a billion operators.
 *
 * Local. Any thread. Products are rounded to the datatype before they are summed; integers wrap around. The
 * send buffer is not changed, except in place. In a call, all ranks use such an operator, each its own: a
 * sum on one rank and a premultiplied sum on another are ANYCCL_ERR_MISMATCH. Replacement for
 * ncclRedOpCreatePreMulSum.
 */
anyccl_status_t anyccl_op_create_premul_sum(const void *scalar,
                                            anyccl_datatype_t datatype,
                                            anyccl_scalar_t when,
                                            anyccl_reduce_op_t *op);

/**
 * Makes an operator of a function.
 *
 * \param function     [in] Combines elements; see anyccl_reduce_function_t. Every rank gives its own, to the
 *                     same effect.
 * \param context      [in] Handed to the function. May be NULL; stays valid as long as the operator is in
 *                     use.
 * \param commutative  [in] Not 0: a op b and b op a are the same, bit by bit, if ranks are to get the same
 *                     bits. 0: the contributions are combined in the order of the ranks, rank 0 leftmost;
 *                     the call is slower.
 * \param op           [out] A number of this process, 1024 or more, for the calls that take an
 *                     anyccl_reduce_op_t, on any communicator and with any datatype. Owned by the caller;
 *                     release with anyccl_op_destroy(). Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when function or op is NULL; ANYCCL_ERR_UNSUPPORTED
 *          after a billion operators.
 *
 * Local. Any thread. In a call, all ranks use such an operator, all with the same word on commutativity;
 * else they get ANYCCL_ERR_MISMATCH. That their functions do the same cannot be seen. Replacement for
 * MPI_Op_create.
 */
anyccl_status_t anyccl_op_create(anyccl_reduce_function_t function,
                                 void *context,
                                 int commutative,
                                 anyccl_reduce_op_t *op);

/**
 * Gives up an operator.
 *
 * \param op  [in] Taken: from anyccl_op_create or anyccl_op_create_premul_sum. The number is not used again.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when op is builtin, destroyed, or made by a parent
 *          before a fork.
 *
 * Local. Any thread. Operations that were started with it still use it, and what it was made of, until they
 * have ended; persistent ones until they are freed. Replacement for ncclRedOpDestroy and MPI_Op_free.
 */
anyccl_status_t anyccl_op_destroy(anyccl_reduce_op_t op);

/**
 * Names an operator as messages do: "sum".
 *
 * \param op  [in] Any number; one that is no operator is named "unknown". One that the program has made is
 *            named "premul_sum", "commutative callback" or "ordered callback".
 * \returns A text that is always valid and never NULL. Not to be freed.
 *
 * Local. Any thread.
 */
const char *anyccl_reduce_op_name(anyccl_reduce_op_t op);

/**
 * Says whether an operator is defined on a datatype.
 *
 * \param op         [in] One of enum anyccl_reduce_op, or one that the program has made.
 * \param datatype   [in] One of enum anyccl_datatype.
 * \param supported  [out] 1 or 0. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when a number is out of range or supported is NULL.
 *
 * Local. Any thread.
 */
anyccl_status_t anyccl_is_supported(anyccl_reduce_op_t op, anyccl_datatype_t datatype, int *supported);

/**
 * Says with which ranks this rank exchanges, and checks that they say the same.
 *
 * \param sources            [in] The ranks that send to this one. A rank may be there more than once, and
 *                           this one, too.
 * \param source_count       [in] How many. NULL goes with 0.
 * \param destinations       [in] The ranks that this one sends to.
 * \param destination_count  [in] How many. NULL goes with 0.
 * \param comm               [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param graph              [out] Owned by the caller; release with anyccl_graph_destroy(). Written only on
 *                           ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT on every rank when some rank sends to one that does
 *          not receive from it, or the other way round: the sentence names both, and comm works on;
 *          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent; any other status
 *          when comm has failed: see "Collectives" at the top of this header.
 *
 * Collective. The call blocks until all ranks have come. Replacement for MPI_Dist_graph_create_adjacent.
 */
anyccl_status_t anyccl_graph_create(const int *sources,
                                    size_t source_count,
                                    const int *destinations,
                                    size_t destination_count,
                                    anyccl_comm_t comm,
                                    anyccl_graph_t *graph);

/**
 * Gives up a graph.
 *
 * \param graph  [in] Taken. NULL: nothing happens.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when it is no graph.
 *
 * Local. Before or after its communicator is destroyed. Exchanges that were started go on.
 */
anyccl_status_t anyccl_graph_destroy(anyccl_graph_t graph);

/**
 * Combines the elements of all ranks; every rank gets the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  S0 S1
 *     rank 1  b0 b1     =>    rank 1  S0 S1      Sk = ak op bk op ck
 *     rank 2  c0 c1           rank 2  S0 S1
 *
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements.
 * \param count     [in] Elements of each buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The result has the same bits on every rank and
 * in every run. In place: send == recv. Any other overlap is refused. Replacement for MPI_Allreduce and
 * ncclAllReduce.
 */
anyccl_status_t anyccl_all_reduce(const void *send,
                                  void *recv,
                                  size_t count,
                                  anyccl_datatype_t datatype,
                                  anyccl_reduce_op_t op,
                                  anyccl_comm_t comm);

/**
 * Starts an all_reduce and returns at once.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_all_reduce; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iallreduce.
 */
anyccl_status_t anyccl_iall_reduce(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Combines the elements of all ranks; the root gets the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  - -
 *     rank 1  b0 b1     =>    rank 1  S0 S1      root 1; Sk = ak op bk op ck
 *     rank 2  c0 c1           rank 2  - -
 *
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements at the root. Not used elsewhere: may be NULL.
 * \param count     [in] Elements of each buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param root      [in] 0 to size-1. The same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
 * the others have come. In place: send == recv at the root. Any other overlap is refused. Replacement for
 * MPI_Reduce and ncclReduce.
 */
anyccl_status_t anyccl_reduce(const void *send,
                              void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_reduce_op_t op,
                              int root,
                              anyccl_comm_t comm);

/**
 * Starts a reduce and returns at once.
 *
 * \param send, recv, count, datatype, op, root, comm  See anyccl_reduce; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ireduce.
 */
anyccl_status_t anyccl_ireduce(const void *send,
                               void *recv,
                               size_t count,
                               anyccl_datatype_t datatype,
                               anyccl_reduce_op_t op,
                               int root,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/**
 * Copies the elements of the root to every rank.
 *
 *     before  send            after  recv
 *     rank 0  - -             rank 0  b0 b1
 *     rank 1  b0 b1     =>    rank 1  b0 b1      root 1
 *     rank 2  - -             rank 2  b0 b1
 *
 * \param send      [in] count elements at the root. Not used elsewhere: may be NULL, or recv.
 * \param recv      [out] count elements.
 * \param count     [in] Elements of each buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param root      [in] 0 to size-1. The same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The root may return before the others have
 * come. In place: send == recv. So one pointer, given twice on every rank, does what MPI_Bcast does. Any
 * other overlap is refused. Replacement for MPI_Bcast and ncclBroadcast.
 */
anyccl_status_t anyccl_broadcast(const void *send,
                                 void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm);

/**
 * Starts a broadcast and returns at once.
 *
 * \param send, recv, count, datatype, root, comm  See anyccl_broadcast; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ibcast.
 */
anyccl_status_t anyccl_ibroadcast(const void *send,
                                  void *recv,
                                  size_t count,
                                  anyccl_datatype_t datatype,
                                  int root,
                                  anyccl_comm_t comm,
                                  anyccl_request_t *request);

/**
 * Collects the elements of all ranks, in the order of ranks, on every rank.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0 a1 b0 b1 c0 c1
 *     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1
 *     rank 2  c0 c1           rank 2  a0 a1 b0 b1 c0 c1
 *
 * \param send        [in] send_count elements. Read only.
 * \param recv        [out] size * send_count elements.
 * \param send_count  [in] Elements that each rank sends. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv + rank * send_count
 * elements. Any other overlap is refused. Replacement for MPI_Allgather and ncclAllGather.
 */
anyccl_status_t anyccl_all_gather(const void *send,
                                  void *recv,
                                  size_t send_count,
                                  anyccl_datatype_t datatype,
                                  anyccl_comm_t comm);

/**
 * Starts an all_gather and returns at once.
 *
 * \param send, recv, send_count, datatype, comm  See anyccl_all_gather; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iallgather.
 */
anyccl_status_t anyccl_iall_gather(const void *send,
                                   void *recv,
                                   size_t send_count,
                                   anyccl_datatype_t datatype,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Collects the elements of all ranks, in the order of ranks, at the root.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  -
 *     rank 1  b0 b1     =>    rank 1  a0 a1 b0 b1 c0 c1      root 1
 *     rank 2  c0 c1           rank 2  -
 *
 * \param send        [in] send_count elements. Read only.
 * \param recv        [out] size * send_count elements at the root. Not used elsewhere: may be NULL.
 * \param send_count  [in] Elements that each rank sends. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param root        [in] 0 to size-1. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
 * the others have come. In place: send == recv + root * send_count elements at the root. Any other overlap
 * is refused. Replacement for MPI_Gather and ncclGather.
 */
anyccl_status_t anyccl_gather(const void *send,
                              void *recv,
                              size_t send_count,
                              anyccl_datatype_t datatype,
                              int root,
                              anyccl_comm_t comm);

/**
 * Starts a gather and returns at once.
 *
 * \param send, recv, send_count, datatype, root, comm  See anyccl_gather; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Igather.
 */
anyccl_status_t anyccl_igather(const void *send,
                               void *recv,
                               size_t send_count,
                               anyccl_datatype_t datatype,
                               int root,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/**
 * Deals the elements of the root out to all ranks, in the order of ranks.
 *
 *     before  send                        after  recv
 *     rank 0  -                           rank 0  a0 a1
 *     rank 1  a0 a1 b0 b1 c0 c1     =>    rank 1  b0 b1      root 1
 *     rank 2  -                           rank 2  c0 c1
 *
 * \param send        [in] size * recv_count elements at the root. Not used elsewhere: may be NULL.
 * \param recv        [out] recv_count elements.
 * \param recv_count  [in] Elements that each rank receives. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param root        [in] 0 to size-1. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The root may return before the others have
 * come. In place: recv == send + root * recv_count elements at the root. Any other overlap is refused.
 * Replacement for MPI_Scatter and ncclScatter.
 */
anyccl_status_t anyccl_scatter(const void *send,
                               void *recv,
                               size_t recv_count,
                               anyccl_datatype_t datatype,
                               int root,
                               anyccl_comm_t comm);

/**
 * Starts a scatter and returns at once.
 *
 * \param send, recv, recv_count, datatype, root, comm  See anyccl_scatter; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iscatter.
 */
anyccl_status_t anyccl_iscatter(const void *send,
                                void *recv,
                                size_t recv_count,
                                anyccl_datatype_t datatype,
                                int root,
                                anyccl_comm_t comm,
                                anyccl_request_t *request);

/**
 * Combines the elements of all ranks; every rank gets its part of the result.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  S0
 *     rank 1  b0 b1 b2  =>    rank 1  S1         Sk = ak op bk op ck; recv_count 1
 *     rank 2  c0 c1 c2        rank 2  S2
 *
 * \param send        [in] size * recv_count elements. Read only.
 * \param recv        [out] recv_count elements.
 * \param recv_count  [in] Elements that each rank receives. The same on every rank.
 * \param datatype    [in] One of enum anyccl_datatype. The same on every rank.
 * \param op          [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param comm        [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: recv == send + rank * recv_count
 * elements. The rest of send is left as it was. Any other overlap is refused. Replacement for
 * MPI_Reduce_scatter_block and ncclReduceScatter.
 */
anyccl_status_t anyccl_reduce_scatter(const void *send,
                                      void *recv,
                                      size_t recv_count,
                                      anyccl_datatype_t datatype,
                                      anyccl_reduce_op_t op,
                                      anyccl_comm_t comm);

/**
 * Starts a reduce_scatter and returns at once.
 *
 * \param send, recv, recv_count, datatype, op, comm  See anyccl_reduce_scatter; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ireduce_scatter_block.
 */
anyccl_status_t anyccl_ireduce_scatter(const void *send,
                                       void *recv,
                                       size_t recv_count,
                                       anyccl_datatype_t datatype,
                                       anyccl_reduce_op_t op,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Sends part k of every rank to rank k, where the parts lie in the order of the ranks they come from.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  a0 b0 c0
 *     rank 1  b0 b1 b2  =>    rank 1  a1 b1 c1      count_per_rank 1
 *     rank 2  c0 c1 c2        rank 2  a2 b2 c2
 *
 * \param send            [in] size * count_per_rank elements. Read only.
 * \param recv            [out] size * count_per_rank elements.
 * \param count_per_rank  [in] Elements for each rank. The same on every rank.
 * \param datatype        [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm            [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
 * refused. Replacement for MPI_Alltoall and ncclAlltoAll.
 */
anyccl_status_t anyccl_all_to_all(const void *send,
                                  void *recv,
                                  size_t count_per_rank,
                                  anyccl_datatype_t datatype,
                                  anyccl_comm_t comm);

/**
 * Starts an all_to_all and returns at once.
 *
 * \param send, recv, count_per_rank, datatype, comm  See anyccl_all_to_all; the buffers belong to the
 *        library until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ialltoall.
 */
anyccl_status_t anyccl_iall_to_all(const void *send,
                                   void *recv,
                                   size_t count_per_rank,
                                   anyccl_datatype_t datatype,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Collects the elements of all ranks on every rank; ranks may have different numbers of them.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0 a1 c0
 *     rank 1  -         =>    rank 1  a0 a1 c0         recv_counts 2 0 1
 *     rank 2  c0              rank 2  a0 a1 c0
 *
 * \param send         [in] recv_counts[rank] elements. Read only.
 * \param recv         [out] For each rank r, recv_counts[r] elements from element recv_displs[r] on. What
 *                     lies between these blocks is left alone.
 * \param recv_counts  [in] size numbers of elements. The same on every rank.
 * \param recv_displs  [in] size numbers of elements; NULL: the blocks lie one after the other. Each rank's
 *                     own affair.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv + recv_displs[rank]
 * elements. Any other overlap is refused, also among the blocks of recv. Replacement for MPI_Allgatherv.
 */
anyccl_status_t anyccl_all_gather_v(const void *send,
                                    void *recv,
                                    const size_t *recv_counts,
                                    const size_t *recv_displs,
                                    anyccl_datatype_t datatype,
                                    anyccl_comm_t comm);

/**
 * Starts an all_gather_v and returns at once.
 *
 * \param send, recv, recv_counts, recv_displs, datatype, comm  See anyccl_all_gather_v; the
 *        buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iallgatherv.
 */
anyccl_status_t anyccl_iall_gather_v(const void *send,
                                     void *recv,
                                     const size_t *recv_counts,
                                     const size_t *recv_displs,
                                     anyccl_datatype_t datatype,
                                     anyccl_comm_t comm,
                                     anyccl_request_t *request);

/**
 * Prepares an all_gather_v that is started later, and often.
 *
 * \param send, recv, recv_counts, recv_displs, datatype, comm  See anyccl_all_gather_v; the buffers belong
 *        to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Allgatherv_init.
 */
anyccl_status_t anyccl_all_gather_v_init(const void *send,
                                         void *recv,
                                         const size_t *recv_counts,
                                         const size_t *recv_displs,
                                         anyccl_datatype_t datatype,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

/**
 * Collects the elements of all ranks at the root; ranks may have different numbers of them.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  -
 *     rank 1  -         =>    rank 1  a0 a1 c0         root 1, recv_counts 2 0 1
 *     rank 2  c0              rank 2  -
 *
 * \param send         [in] send_count elements. Read only.
 * \param recv         [out] At the root: for each rank r, recv_counts[r] elements from element
 *                     recv_displs[r] on. What lies between these blocks is left alone. Not used elsewhere:
 *                     may be NULL.
 * \param send_count   [in] Elements that this rank sends: what the root has in recv_counts for it.
 * \param recv_counts  [in] At the root: size numbers of elements. Not used elsewhere: may be NULL.
 * \param recv_displs  [in] At the root: size numbers of elements; NULL: the blocks lie one after the other.
 *                     Not used elsewhere.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param root         [in] 0 to size-1. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. A rank that is not the root may return before
 * the others have come. Where the root expects another number of elements than a rank sends, both are named
 * by ANYCCL_ERR_MISMATCH on every rank. In place: send == recv + recv_displs[root] elements at the root. Any
 * other overlap is refused. Replacement for MPI_Gatherv.
 */
anyccl_status_t anyccl_gather_v(const void *send,
                                void *recv,
                                size_t send_count,
                                const size_t *recv_counts,
                                const size_t *recv_displs,
                                anyccl_datatype_t datatype,
                                int root,
                                anyccl_comm_t comm);

/**
 * Starts a gather_v and returns at once.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, root, comm  See anyccl_gather_v; the
 *        buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Igatherv.
 */
anyccl_status_t anyccl_igather_v(const void *send,
                                 void *recv,
                                 size_t send_count,
                                 const size_t *recv_counts,
                                 const size_t *recv_displs,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Prepares a gather_v that is started later, and often.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, root, comm  See anyccl_gather_v; the
 *        buffers belong to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Gatherv_init.
 */
anyccl_status_t anyccl_gather_v_init(const void *send,
                                     void *recv,
                                     size_t send_count,
                                     const size_t *recv_counts,
                                     const size_t *recv_displs,
                                     anyccl_datatype_t datatype,
                                     int root,
                                     anyccl_comm_t comm,
                                     anyccl_request_t *request);

/**
 * Cuts the elements of the root into parts of different lengths, one for each rank.
 *
 *     before  send            after  recv
 *     rank 0  -               rank 0  b0 b1
 *     rank 1  b0 b1 b2  =>    rank 1  -                root 1, send_counts 2 0 1
 *     rank 2  -               rank 2  b2
 *
 * \param send         [in] At the root: for each rank r, send_counts[r] elements from element send_displs[r]
 *                     on. Read only. Not used elsewhere: may be NULL.
 * \param recv         [out] recv_count elements.
 * \param send_counts  [in] At the root: size numbers of elements. Not used elsewhere: may be NULL.
 * \param send_displs  [in] At the root: size numbers of elements; NULL: the blocks lie one after the other.
 *                     Not used elsewhere.
 * \param recv_count   [in] Elements that this rank receives: what the root has in send_counts for it.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param root         [in] 0 to size-1. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. The root may return before the others have
 * come. Where a rank expects another number of elements than the root sends, both are named by
 * ANYCCL_ERR_MISMATCH on every rank. In place: recv == send + send_displs[root] elements at the root. Any
 * other overlap is refused. Replacement for MPI_Scatterv.
 */
anyccl_status_t anyccl_scatter_v(const void *send,
                                 void *recv,
                                 const size_t *send_counts,
                                 const size_t *send_displs,
                                 size_t recv_count,
                                 anyccl_datatype_t datatype,
                                 int root,
                                 anyccl_comm_t comm);

/**
 * Starts a scatter_v and returns at once.
 *
 * \param send, recv, send_counts, send_displs, recv_count, datatype, root, comm  See anyccl_scatter_v;
 *        the buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iscatterv.
 */
anyccl_status_t anyccl_iscatter_v(const void *send,
                                  void *recv,
                                  const size_t *send_counts,
                                  const size_t *send_displs,
                                  size_t recv_count,
                                  anyccl_datatype_t datatype,
                                  int root,
                                  anyccl_comm_t comm,
                                  anyccl_request_t *request);

/**
 * Prepares a scatter_v that is started later, and often.
 *
 * \param send, recv, send_counts, send_displs, recv_count, datatype, root, comm  See anyccl_scatter_v; the
 *        buffers belong to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Scatterv_init.
 */
anyccl_status_t anyccl_scatter_v_init(const void *send,
                                      void *recv,
                                      const size_t *send_counts,
                                      const size_t *send_displs,
                                      size_t recv_count,
                                      anyccl_datatype_t datatype,
                                      int root,
                                      anyccl_comm_t comm,
                                      anyccl_request_t *request);

/**
 * Combines the elements of all ranks; every rank gets a part of the result, of a length of its own.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  S0 S1
 *     rank 1  b0 b1 b2  =>    rank 1  -          Sk = ak op bk op ck; recv_counts 2 0 1
 *     rank 2  c0 c1 c2        rank 2  S2
 *
 * \param send         [in] As many elements as all recv_counts together, part by part. Read only.
 * \param recv         [out] recv_counts[rank] elements.
 * \param recv_counts  [in] size numbers of elements. The same on every rank.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param op           [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: recv is this rank's part of send;
 * the rest of send is left as it was. Any other overlap is refused. Replacement for MPI_Reduce_scatter.
 */
anyccl_status_t anyccl_reduce_scatter_v(const void *send,
                                        void *recv,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_reduce_op_t op,
                                        anyccl_comm_t comm);

/**
 * Starts a reduce_scatter_v and returns at once.
 *
 * \param send, recv, recv_counts, datatype, op, comm  See anyccl_reduce_scatter_v; the
 *        buffers belong to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ireduce_scatter.
 */
anyccl_status_t anyccl_ireduce_scatter_v(const void *send,
                                         void *recv,
                                         const size_t *recv_counts,
                                         anyccl_datatype_t datatype,
                                         anyccl_reduce_op_t op,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

/**
 * Prepares a reduce_scatter_v that is started later, and often.
 *
 * \param send, recv, recv_counts, datatype, op, comm  See anyccl_reduce_scatter_v; the buffers belong to
 *        the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Reduce_scatter_init.
 */
anyccl_status_t anyccl_reduce_scatter_v_init(const void *send,
                                             void *recv,
                                             const size_t *recv_counts,
                                             anyccl_datatype_t datatype,
                                             anyccl_reduce_op_t op,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/**
 * Every rank sends every rank a part of its own, of any length.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1 a2        rank 0  a0 b0        send_counts of rank 0: 1 2
 *     rank 1  b0        =>    rank 1  a1 a2        send_counts of rank 1: 1 0
 *
 * \param send         [in] For each rank r, send_counts[r] elements from element send_displs[r] on. Read
 *                     only.
 * \param recv         [out] For each rank r, recv_counts[r] elements from element recv_displs[r] on. What
 *                     lies between these blocks is left alone.
 * \param send_counts  [in] size numbers of elements.
 * \param send_displs  [in] size numbers of elements; NULL: the blocks lie one after the other.
 * \param recv_counts  [in] size numbers of elements: recv_counts[r] here is send_counts of this rank there.
 * \param recv_displs  [in] size numbers of elements; NULL: the blocks lie one after the other.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. Where a rank expects another number of
 * elements than another one sends, both are named by ANYCCL_ERR_MISMATCH on every rank. In place: a block of
 * send is identical with the block of recv from the same rank, address and length. Any other overlap is
 * refused, also among the blocks of recv. Replacement for MPI_Alltoallv.
 */
anyccl_status_t anyccl_all_to_all_v(const void *send,
                                    void *recv,
                                    const size_t *send_counts,
                                    const size_t *send_displs,
                                    const size_t *recv_counts,
                                    const size_t *recv_displs,
                                    anyccl_datatype_t datatype,
                                    anyccl_comm_t comm);

/**
 * Starts an all_to_all_v and returns at once.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, comm  See
 *        anyccl_all_to_all_v; the buffers belong to the library until the request has ended, the arrays do
 *        not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ialltoallv.
 */
anyccl_status_t anyccl_iall_to_all_v(const void *send,
                                     void *recv,
                                     const size_t *send_counts,
                                     const size_t *send_displs,
                                     const size_t *recv_counts,
                                     const size_t *recv_displs,
                                     anyccl_datatype_t datatype,
                                     anyccl_comm_t comm,
                                     anyccl_request_t *request);

/**
 * Prepares an all_to_all_v that is started later, and often.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, comm  See
 *        anyccl_all_to_all_v; the buffers belong to the library during each run, arrays only during this
 *        call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Alltoallv_init.
 */
anyccl_status_t anyccl_all_to_all_v_init(const void *send,
                                         void *recv,
                                         const size_t *send_counts,
                                         const size_t *send_displs,
                                         const size_t *recv_counts,
                                         const size_t *recv_displs,
                                         anyccl_datatype_t datatype,
                                         anyccl_comm_t comm,
                                         anyccl_request_t *request);

/**
 * Every rank sends every rank a part of its own, each in memory of its own: lists of tensors.
 *
 * \param sends        [in] size pointers: sends[r] has send_counts[r] elements for rank r. Read only. A
 *                     pointer to no elements may be NULL.
 * \param recvs        [out] size pointers: recvs[r] takes recv_counts[r] elements from rank r. A pointer to
 *                     no elements may be NULL.
 * \param send_counts  [in] size numbers of elements.
 * \param recv_counts  [in] size numbers of elements: recv_counts[r] here is send_counts of this rank there.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. Where a rank expects another number of
 * elements than another one sends, both are named by ANYCCL_ERR_MISMATCH on every rank. In place: sends[r]
 * == recvs[r], with the same count. Any other overlap is refused. Other ranks may call anyccl_all_to_all_v
 * instead. Replacement for torch.distributed's all_to_all.
 */
anyccl_status_t anyccl_all_to_all_list(const void *const *sends,
                                       void *const *recvs,
                                       const size_t *send_counts,
                                       const size_t *recv_counts,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm);

/**
 * Starts an all_to_all_list and returns at once.
 *
 * \param sends, recvs, send_counts, recv_counts, datatype, comm  See anyccl_all_to_all_list; the
 *        memory belongs to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ialltoallw.
 */
anyccl_status_t anyccl_iall_to_all_list(const void *const *sends,
                                        void *const *recvs,
                                        const size_t *send_counts,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/**
 * Prepares an all_to_all_list that is started later, and often.
 *
 * \param sends, recvs, send_counts, recv_counts, datatype, comm  See anyccl_all_to_all_list; the buffers
 *        belong to the library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own.
 */
anyccl_status_t anyccl_all_to_all_list_init(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *send_counts,
                                            const size_t *recv_counts,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/**
 * Collects the elements of all ranks on every rank, the elements of each rank in memory of their own.
 *
 * \param send         [in] recv_counts[rank] elements. Read only.
 * \param recvs        [out] size pointers: recvs[r] takes recv_counts[r] elements from rank r. A pointer to
 *                     no elements may be NULL.
 * \param recv_counts  [in] size numbers of elements. The same on every rank.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recvs[rank]. Any other
 * overlap is refused. Other ranks may call anyccl_all_gather_v instead. Replacement for torch.distributed's
 * all_gather.
 */
anyccl_status_t anyccl_all_gather_list(const void *send,
                                       void *const *recvs,
                                       const size_t *recv_counts,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm);

/**
 * Starts an all_gather_list and returns at once.
 *
 * \param send, recvs, recv_counts, datatype, comm  See anyccl_all_gather_list; the
 *        memory belongs to the library until the request has ended, the arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 */
anyccl_status_t anyccl_iall_gather_list(const void *send,
                                        void *const *recvs,
                                        const size_t *recv_counts,
                                        anyccl_datatype_t datatype,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/**
 * Prepares an all_gather_list that is started later, and often.
 *
 * \param send, recvs, recv_counts, datatype, comm  See anyccl_all_gather_list; the buffers belong to the
 *        library during each run, arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own.
 */
anyccl_status_t anyccl_all_gather_list_init(const void *send,
                                            void *const *recvs,
                                            const size_t *recv_counts,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/**
 * Sends the same elements to every destination in a graph, and receives those of every source.
 *
 * \param send         [in] send_count elements. Read only.
 * \param recv         [out] For each source, as many elements as recv_counts says, from its recv_displs on,
 *                     in the order of the sources. What lies between these blocks is left alone.
 * \param send_count   [in] Elements that this rank sends: what its destinations have in recv_counts for it.
 * \param recv_counts  [in] A number of elements for each source: what that rank has for this one.
 * \param recv_displs  [in] A number of elements for each source; NULL: the blocks lie one after the other.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param graph        [in] Borrowed. From anyccl_graph_create over comm.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective over comm, also for ranks without neighbours. The call blocks until this rank's part is done.
 * Where a rank expects another number of elements than its neighbour sends, both are named by
 * ANYCCL_ERR_MISMATCH on every rank. Buffers must not overlap. Replacement for MPI_Neighbor_allgatherv.
 */
anyccl_status_t anyccl_neighbor_all_gather_v(const void *send,
                                             void *recv,
                                             size_t send_count,
                                             const size_t *recv_counts,
                                             const size_t *recv_displs,
                                             anyccl_datatype_t datatype,
                                             anyccl_graph_t graph,
                                             anyccl_comm_t comm);

/**
 * Starts a neighbor_all_gather_v and returns at once.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_gather_v; the buffers belong to the library until the request has ended, the
 *        arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ineighbor_allgatherv.
 */
anyccl_status_t anyccl_ineighbor_all_gather_v(const void *send,
                                              void *recv,
                                              size_t send_count,
                                              const size_t *recv_counts,
                                              const size_t *recv_displs,
                                              anyccl_datatype_t datatype,
                                              anyccl_graph_t graph,
                                              anyccl_comm_t comm,
                                              anyccl_request_t *request);

/**
 * Prepares a neighbor_all_gather_v that is started later, and often.
 *
 * \param send, recv, send_count, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_gather_v; the buffers belong to the library during each run, arrays only during
 *        this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Neighbor_allgatherv_init.
 */
anyccl_status_t anyccl_neighbor_all_gather_v_init(const void *send,
                                                  void *recv,
                                                  size_t send_count,
                                                  const size_t *recv_counts,
                                                  const size_t *recv_displs,
                                                  anyccl_datatype_t datatype,
                                                  anyccl_graph_t graph,
                                                  anyccl_comm_t comm,
                                                  anyccl_request_t *request);

/**
 * Sends every destination in a graph a part of its own, and receives one from every source.
 *
 * \param send         [in] For each destination, as many elements as send_counts says, from its send_displs
 *                     on, in the order of the destinations. Read only.
 * \param recv         [out] For each source, as many elements as recv_counts says, from its recv_displs on,
 *                     in the order of the sources. What lies between these blocks is left alone.
 * \param send_counts  [in] A number of elements for each destination.
 * \param send_displs  [in] A number of elements for each destination; NULL: the blocks lie one after the
 *                     other.
 * \param recv_counts  [in] A number of elements for each source: what that rank has for this one.
 * \param recv_displs  [in] A number of elements for each source; NULL: the blocks lie one after the other.
 * \param datatype     [in] One of enum anyccl_datatype. The same on every rank.
 * \param graph        [in] Borrowed. From anyccl_graph_create over comm.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective over comm, also for ranks without neighbours. The call blocks until this rank's part is done.
 * Where a rank expects another number of elements than its neighbour sends, both are named by
 * ANYCCL_ERR_MISMATCH on every rank. Buffers must not overlap. Replacement for MPI_Neighbor_alltoallv.
 */
anyccl_status_t anyccl_neighbor_all_to_all_v(const void *send,
                                             void *recv,
                                             const size_t *send_counts,
                                             const size_t *send_displs,
                                             const size_t *recv_counts,
                                             const size_t *recv_displs,
                                             anyccl_datatype_t datatype,
                                             anyccl_graph_t graph,
                                             anyccl_comm_t comm);

/**
 * Starts a neighbor_all_to_all_v and returns at once.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_to_all_v; the buffers belong to the library until the request has ended, the
 *        arrays do not.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ineighbor_alltoallv.
 */
anyccl_status_t anyccl_ineighbor_all_to_all_v(const void *send,
                                              void *recv,
                                              const size_t *send_counts,
                                              const size_t *send_displs,
                                              const size_t *recv_counts,
                                              const size_t *recv_displs,
                                              anyccl_datatype_t datatype,
                                              anyccl_graph_t graph,
                                              anyccl_comm_t comm,
                                              anyccl_request_t *request);

/**
 * Prepares a neighbor_all_to_all_v that is started later, and often.
 *
 * \param send, recv, send_counts, send_displs, recv_counts, recv_displs, datatype, graph, comm  See
 *        anyccl_neighbor_all_to_all_v; the buffers belong to the library during each run, arrays only during
 *        this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Neighbor_alltoallv_init.
 */
anyccl_status_t anyccl_neighbor_all_to_all_v_init(const void *send,
                                                  void *recv,
                                                  const size_t *send_counts,
                                                  const size_t *send_displs,
                                                  const size_t *recv_counts,
                                                  const size_t *recv_displs,
                                                  anyccl_datatype_t datatype,
                                                  anyccl_graph_t graph,
                                                  anyccl_comm_t comm,
                                                  anyccl_request_t *request);

/**
 * Combines the elements of ranks 0 to r on every rank r.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  a0             a1
 *     rank 1  b0 b1     =>    rank 1  a0 op b0       a1 op b1
 *     rank 2  c0 c1           rank 2  a0 op b0 op c0 a1 op b1 op c1
 *
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements.
 * \param count     [in] Elements of either buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 *                  ANYCCL_AVG: the average of ranks 0 to r.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
 * refused. Replacement for MPI_Scan.
 */
anyccl_status_t anyccl_scan(const void *send,
                            void *recv,
                            size_t count,
                            anyccl_datatype_t datatype,
                            anyccl_reduce_op_t op,
                            anyccl_comm_t comm);

/**
 * Starts a scan and returns at once.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_scan; the buffers belong to the library until
 *        the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iscan.
 */
anyccl_status_t anyccl_iscan(const void *send,
                             void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             anyccl_reduce_op_t op,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Prepares a scan that is started later, and often.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_scan, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Scan_init.
 */
anyccl_status_t anyccl_scan_init(const void *send,
                                 void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 anyccl_reduce_op_t op,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Combines the elements of ranks 0 to r-1 on every rank r.
 *
 *     before  send            after  recv
 *     rank 0  a0 a1           rank 0  as it was
 *     rank 1  b0 b1     =>    rank 1  a0             a1
 *     rank 2  c0 c1           rank 2  a0 op b0       a1 op b1
 *
 * \param send      [in] count elements. Read only.
 * \param recv      [out] count elements. Left alone on rank 0, before which there is nobody: may be NULL
 *                  there.
 * \param count     [in] Elements of either buffer. The same on every rank.
 * \param datatype  [in] One of enum anyccl_datatype. The same on every rank.
 * \param op        [in] One of enum anyccl_reduce_op that accepts datatype. The same on every rank.
 *                  ANYCCL_AVG: the average of ranks 0 to r-1.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until this rank's part is done. In place: send == recv. Any other overlap is
 * refused. Replacement for MPI_Exscan.
 */
anyccl_status_t anyccl_exscan(const void *send,
                              void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_reduce_op_t op,
                              anyccl_comm_t comm);

/**
 * Starts an exscan and returns at once.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_exscan; the buffers belong to the library
 *        until the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Iexscan.
 */
anyccl_status_t anyccl_iexscan(const void *send,
                               void *recv,
                               size_t count,
                               anyccl_datatype_t datatype,
                               anyccl_reduce_op_t op,
                               anyccl_comm_t comm,
                               anyccl_request_t *request);

/**
 * Prepares an exscan that is started later, and often.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_exscan, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Exscan_init.
 */
anyccl_status_t anyccl_exscan_init(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Waits until every rank has come here.
 *
 *     rank 0  ----------|
 *     rank 1  ---|......|   =>   all go on
 *     rank 2  -------|..|
 *
 * \param comm  [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Collectives" at the top of this
 *          header.
 *
 * Collective. The call blocks until all have come. What a rank did before it, the others see after it.
 * Replacement for MPI_Barrier.
 */
anyccl_status_t anyccl_barrier(anyccl_comm_t comm);

/**
 * Starts a barrier and returns at once; the request ends when every rank has come.
 *
 * \param comm     See anyccl_barrier.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed. What becomes of the operation is
 *          told by anyccl_wait or anyccl_test.
 *
 * Collective. The call does not block. The ranks of a communicator start their operations in the same order.
 * Replacement for MPI_Ibarrier.
 */
anyccl_status_t anyccl_ibarrier(anyccl_comm_t comm, anyccl_request_t *request);

/**
 * Waits for a message, and leaves it there to be received.
 *
 * \param source  [in] The rank that sends, or ANYCCL_ANY_SOURCE.
 * \param tag     [in] Its tag, or ANYCCL_ANY_TAG.
 * \param comm    [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param status  [out] What is known of the message: its count tells how much room it needs. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call blocks until a message has come that anyccl_recv with the same arguments would get. Where several
 * threads receive, another one may get it first: use anyccl_mprobe. Not inside of a batch. Replacement for
 * MPI_Probe.
 */
anyccl_status_t anyccl_probe(int source, int32_t tag, anyccl_comm_t comm, struct anyccl_message_status_t *status);

/**
 * Asks whether a message has come.
 *
 * \param source, tag, comm  See anyccl_probe.
 * \param found   [out] 1: anyccl_recv with the same arguments would get a message at once. Else 0.
 * \param status  [out] What is known of the message. Left alone when there is none. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call does not block; moves the operations of its communicator on. Replacement for MPI_Iprobe.
 */
anyccl_status_t anyccl_iprobe(int source,
                              int32_t tag,
                              anyccl_comm_t comm,
                              int *found,
                              struct anyccl_message_status_t *status);

/**
 * Waits for a message and takes it out: only who has its handle can receive it.
 *
 * \param source, tag, comm  See anyccl_probe.
 * \param message  [out] Owned by the caller until anyccl_mrecv or anyccl_imrecv takes it.
 * \param status   [out] What is known of the message. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call blocks until a message has come. Not inside of a batch. Replacement for MPI_Mprobe.
 */
anyccl_status_t anyccl_mprobe(int source,
                              int32_t tag,
                              anyccl_comm_t comm,
                              anyccl_message_t *message,
                              struct anyccl_message_status_t *status);

/**
 * Takes a message out if one has come.
 *
 * \param source, tag, comm  See anyccl_probe.
 * \param message  [out] Owned by the caller until anyccl_mrecv or anyccl_imrecv takes it. NULL: no such
 *                 message has come.
 * \param status   [out] What is known of the message. Left alone when there is none. May be NULL.
 * \returns See anyccl_recv.
 *
 * The call does not block; moves the operations of its communicator on. Replacement for MPI_Improbe.
 */
anyccl_status_t anyccl_improbe(int source,
                               int32_t tag,
                               anyccl_comm_t comm,
                               anyccl_message_t *message,
                               struct anyccl_message_status_t *status);

/**
 * Receives a message that was taken out before.
 *
 * \param recv      [out] Room for count elements.
 * \param count     [in] Elements that there is room for.
 * \param datatype  [in] One of enum anyccl_datatype, the sender's.
 * \param message   [in,out] From anyccl_mprobe or anyccl_improbe. Taken: NULL afterwards, if the arguments
 *                  are valid.
 * \param status    [out] What is known of the message. May be NULL. Inside of a batch it is written at its
 *                  end.
 * \returns See anyccl_recv; ANYCCL_ERR_INVALID_ARGUMENT when message is NULL or is none.
 *
 * The call blocks until the elements are there. Replacement for MPI_Mrecv.
 */
anyccl_status_t anyccl_mrecv(void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             anyccl_message_t *message,
                             struct anyccl_message_status_t *status);

/**
 * Starts the receive of a message that was taken out before, and returns at once.
 *
 * \param recv, count, datatype, message  See anyccl_mrecv; the buffer must not be used until the request
 *                                        has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_irecv; ANYCCL_ERR_INVALID_ARGUMENT when message is NULL or is none.
 *
 * The call does not block. Replacement for MPI_Imrecv.
 */
anyccl_status_t anyccl_imrecv(void *recv,
                              size_t count,
                              anyccl_datatype_t datatype,
                              anyccl_message_t *message,
                              anyccl_request_t *request);

/**
 * Sends elements to one rank.
 *
 *     rank 0  anyccl_send(x, 2, ..., peer 2, tag 7)      x0 x1 ----+
 *     rank 2  anyccl_recv(y, 2, ..., source 0, tag 7)              +--> y0 y1
 *
 * \param send      [in] count elements. Read only.
 * \param count     [in] Elements: at most what the receive has room for.
 * \param datatype  [in] One of enum anyccl_datatype, the same on both sides.
 * \param peer      [in] The rank that receives: 0 to size-1.
 * \param tag       [in] Name of the message, 0 or more.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; any other status when comm has failed: see "Failures" at the top of this header.
 *
 * The call blocks until send may be changed, which may be before or after the receiver has come: do not rely
 * on either. Two ranks that send to each other first may wait for ever; use anyccl_sendrecv, anyccl_isend or
 * a batch. A message goes to the oldest receive that accepts its sender and tag, and a receive takes the
 * oldest message: so messages of one rank with one tag are received in the order in which they were started.
 * Threads of a rank may send and receive at the same time. Replacement for MPI_Send and ncclSend.
 */
anyccl_status_t anyccl_send(const void *send,
                            size_t count,
                            anyccl_datatype_t datatype,
                            int peer,
                            int32_t tag,
                            anyccl_comm_t comm);

/**
 * Sends elements to one rank, and waits until it receives them.
 *
 * \param send, count, datatype, peer, tag, comm  See anyccl_send.
 * \returns See anyccl_send.
 *
 * The call blocks until a receive has met the message, and send may be changed. Replacement for MPI_Ssend.
 */
anyccl_status_t anyccl_ssend(const void *send,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int peer,
                             int32_t tag,
                             anyccl_comm_t comm);

/**
 * Receives elements from one rank, or from any.
 *
 * \param recv      [out] Room for count elements. What a shorter message does not fill stays as it is.
 * \param count     [in] Elements that there is room for.
 * \param datatype  [in] One of enum anyccl_datatype, the same on both sides.
 * \param source    [in] The rank that sends: 0 to size-1, or ANYCCL_ANY_SOURCE.
 * \param tag       [in] The tag of the message, or ANYCCL_ANY_TAG.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param status    [out] What is known of the message: from whom, which tag, how many elements. May be NULL.
 *                  Inside of a batch it is written at its end.
 * \returns See anyccl_send; ANYCCL_ERR_MISMATCH, on both sides, when the message is longer than the room for
 *          it or of another datatype.
 *
 * The call blocks until the elements are there. Replacement for MPI_Recv and ncclRecv.
 */
anyccl_status_t anyccl_recv(void *recv,
                            size_t count,
                            anyccl_datatype_t datatype,
                            int source,
                            int32_t tag,
                            anyccl_comm_t comm,
                            struct anyccl_message_status_t *status);

/**
 * Starts a send and returns at once.
 *
 * \param send, count, datatype, peer, tag, comm  See anyccl_send; the buffer must not be changed until
 *        the request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; the status of the failure when comm has failed.
 *
 * The call does not block. The request ends when the buffer may be changed. Replacement for MPI_Isend.
 */
anyccl_status_t anyccl_isend(const void *send,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int peer,
                             int32_t tag,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Starts a send that ends when it is received, and returns at once.
 *
 * \param send, count, datatype, peer, tag, comm, request  See anyccl_isend.
 * \returns See anyccl_isend.
 *
 * The call does not block. The request ends when a receive has met the message and the buffer may be
 * changed. Replacement for MPI_Issend.
 */
anyccl_status_t anyccl_issend(const void *send,
                              size_t count,
                              anyccl_datatype_t datatype,
                              int peer,
                              int32_t tag,
                              anyccl_comm_t comm,
                              anyccl_request_t *request);

/**
 * Starts a receive and returns at once.
 *
 * \param recv, count, datatype, source, tag, comm  See anyccl_recv; the buffer must not be used until the
 *        request has ended.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it; anyccl_wait_message
 *                 tells what was received. Written only on ANYCCL_SUCCESS.
 * \returns See anyccl_isend; ANYCCL_ERR_MISMATCH when a message that has come already is longer than the
 *          room for it or of another datatype: comm has failed then.
 *
 * The call does not block. The request ends when the elements are there. Replacement for MPI_Irecv.
 */
anyccl_status_t anyccl_irecv(void *recv,
                             size_t count,
                             anyccl_datatype_t datatype,
                             int source,
                             int32_t tag,
                             anyccl_comm_t comm,
                             anyccl_request_t *request);

/**
 * Sends elements to one rank and receives elements from one, at the same time.
 *
 * \param send, send_count, send_datatype, peer, send_tag  See anyccl_send.
 * \param recv, recv_count, recv_datatype, source, recv_tag  See anyccl_recv. recv and send do not
 *         overlap.
 * \param comm    [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \param status  [out] What is known of the message that was received. May be NULL.
 * \returns See anyccl_recv. When an argument is refused, nothing was sent.
 *
 * The call blocks until both are done. Ranks may call it in a ring, or any two of each other: nobody waits
 * for ever. Its messages are met by any other send and receive as well. Replacement for MPI_Sendrecv.
 */
anyccl_status_t anyccl_sendrecv(const void *send,
                                size_t send_count,
                                anyccl_datatype_t send_datatype,
                                int peer,
                                int32_t send_tag,
                                void *recv,
                                size_t recv_count,
                                anyccl_datatype_t recv_datatype,
                                int source,
                                int32_t recv_tag,
                                anyccl_comm_t comm,
                                struct anyccl_message_status_t *status);

/**
 * Combines the elements of all ranks, for each buffer of a list; every rank gets the results.
 *
 *     rank 0  a0 a1 | b0 | c0 c1 c2           S0 S1 | T0 | U0 U1 U2
 *     rank 1  a0 a1 | b0 | c0 c1 c2    =>     S0 S1 | T0 | U0 U1 U2
 *
 * \param sends        [in] As many pointers as there are buffers: where counts[i] elements are read.
 * \param recvs        [out] As many pointers: where counts[i] elements are written. recvs[i] == sends[i]: in
 *                     place.
 * \param counts       [in] Elements of each buffer, the same on every rank. 0 is allowed.
 * \param buffers      [in] Length of the three arrays, the same on every rank. 0: they may be NULL.
 * \param datatype     [in] One of enum anyccl_datatype, the same on every rank.
 * \param op           [in] See anyccl_all_reduce.
 * \param comm         [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns See anyccl_all_reduce. The list of counts is part of what ranks must agree on: where it differs,
 *          every rank gets ANYCCL_ERR_MISMATCH and a sentence that names both lists by their number of
 *          buffers and a hash.
 *
 * Collective. The call blocks until all buffers are done. Gives what anyccl_all_reduce on each buffer gives,
 * up to the order in which floats are summed, in fewer messages: small buffers are packed together, large
 * ones go side by side. The arrays themselves are read during the call only. Buffers must not overlap each
 * other, but for in place. Replacement for ncclGroupStart ... ncclGroupEnd around many small calls, and
 * torch.distributed.all_reduce_coalesced.
 */
anyccl_status_t anyccl_all_reduce_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            anyccl_reduce_op_t op,
                                            anyccl_comm_t comm);

/**
 * Starts an all_reduce of a list of buffers and returns at once.
 *
 * \param sends, recvs, counts, buffers, datatype, op, comm  See anyccl_all_reduce_coalesced; the buffers
 *        belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_iall_reduce.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_iall_reduce_coalesced(const void *const *sends,
                                             void *const *recvs,
                                             const size_t *counts,
                                             size_t buffers,
                                             anyccl_datatype_t datatype,
                                             anyccl_reduce_op_t op,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/**
 * Prepares an all_reduce_coalesced that is started later, and often.
 *
 * \param sends, recvs, counts, buffers, datatype, op, comm  See anyccl_all_reduce_coalesced; the buffers
 *        belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_all_reduce_coalesced_init(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_reduce_op_t op,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/**
 * Gives all ranks the elements of the root, for each buffer of a list.
 *
 * \param sends     [in] At the root: counts[i] elements each. Elsewhere not used, may be NULL.
 * \param recvs     [out] counts[i] elements each. At the root, recvs[i] == sends[i] is in place.
 * \param counts, buffers, datatype  [in] See anyccl_all_reduce_coalesced.
 * \param root      [in] The rank that sends, the same on every rank.
 * \param comm      [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns See anyccl_all_reduce_coalesced.
 *
 * Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
 */
anyccl_status_t anyccl_broadcast_coalesced(const void *const *sends,
                                           void *const *recvs,
                                           const size_t *counts,
                                           size_t buffers,
                                           anyccl_datatype_t datatype,
                                           int root,
                                           anyccl_comm_t comm);

/**
 * Starts a broadcast of a list of buffers and returns at once.
 *
 * \param sends, recvs, counts, buffers, datatype, root, comm  See anyccl_broadcast_coalesced; the buffers
 *        belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_ibroadcast.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_ibroadcast_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            int root,
                                            anyccl_comm_t comm,
                                            anyccl_request_t *request);

/**
 * Prepares a broadcast_coalesced that is started later, and often.
 *
 * \param sends, recvs, counts, buffers, datatype, root, comm  See anyccl_broadcast_coalesced; the buffers
 *        belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_broadcast_coalesced_init(const void *const *sends,
                                                void *const *recvs,
                                                const size_t *counts,
                                                size_t buffers,
                                                anyccl_datatype_t datatype,
                                                int root,
                                                anyccl_comm_t comm,
                                                anyccl_request_t *request);

/**
 * Gives all ranks the elements of every rank, for each buffer of a list.
 *
 * \param sends        [in] send_counts[i] elements each.
 * \param recvs        [out] size * send_counts[i] elements each, in the order of the ranks. In place:
 *                     sends[i] == recvs[i] + rank * send_counts[i] elements.
 * \param send_counts  [in] Elements that each rank gives for each buffer, the same on every rank.
 * \param buffers, datatype, comm  [in] See anyccl_all_reduce_coalesced.
 * \returns See anyccl_all_reduce_coalesced.
 *
 * Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
 */
anyccl_status_t anyccl_all_gather_coalesced(const void *const *sends,
                                            void *const *recvs,
                                            const size_t *send_counts,
                                            size_t buffers,
                                            anyccl_datatype_t datatype,
                                            anyccl_comm_t comm);

/**
 * Starts an all_gather of a list of buffers and returns at once.
 *
 * \param sends, recvs, send_counts, buffers, datatype, comm  See anyccl_all_gather_coalesced; the buffers
 *        belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_iall_gather.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_iall_gather_coalesced(const void *const *sends,
                                             void *const *recvs,
                                             const size_t *send_counts,
                                             size_t buffers,
                                             anyccl_datatype_t datatype,
                                             anyccl_comm_t comm,
                                             anyccl_request_t *request);

/**
 * Prepares an all_gather_coalesced that is started later, and often.
 *
 * \param sends, recvs, send_counts, buffers, datatype, comm  See anyccl_all_gather_coalesced; the buffers
 *        belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_all_gather_coalesced_init(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *send_counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/**
 * Combines the elements of all ranks and gives each rank its block, for each buffer of a list.
 *
 * \param sends        [in] size * recv_counts[i] elements each: a block per rank.
 * \param recvs        [out] recv_counts[i] elements each: block number rank of the result. In place:
 *                     recvs[i] == sends[i] + rank * recv_counts[i] elements.
 * \param recv_counts  [in] Elements that each rank gets of each buffer, the same on every rank.
 * \param buffers, datatype, op, comm  [in] See anyccl_all_reduce_coalesced.
 * \returns See anyccl_all_reduce_coalesced.
 *
 * Collective. The call blocks until all buffers are done, in few messages as anyccl_all_reduce_coalesced.
 */
anyccl_status_t anyccl_reduce_scatter_coalesced(const void *const *sends,
                                                void *const *recvs,
                                                const size_t *recv_counts,
                                                size_t buffers,
                                                anyccl_datatype_t datatype,
                                                anyccl_reduce_op_t op,
                                                anyccl_comm_t comm);

/**
 * Starts a reduce_scatter of a list of buffers and returns at once.
 *
 * \param sends, recvs, recv_counts, buffers, datatype, op, comm  See anyccl_reduce_scatter_coalesced; the
 *        buffers belong to the library until the request has ended, the arrays only during this call.
 * \param request  [out] Owned by the caller until anyccl_wait or anyccl_test takes it. Written only on
 *                 ANYCCL_SUCCESS.
 * \returns See anyccl_ireduce_scatter.
 *
 * Collective. The call does not block, but packs small buffers now. The results of packed ones are there
 * when the request has ended.
 */
anyccl_status_t anyccl_ireduce_scatter_coalesced(const void *const *sends,
                                                 void *const *recvs,
                                                 const size_t *recv_counts,
                                                 size_t buffers,
                                                 anyccl_datatype_t datatype,
                                                 anyccl_reduce_op_t op,
                                                 anyccl_comm_t comm,
                                                 anyccl_request_t *request);

/**
 * Prepares a reduce_scatter_coalesced that is started later, and often.
 *
 * \param sends, recvs, recv_counts, buffers, datatype, op, comm  See anyccl_reduce_scatter_coalesced; the
 *        buffers belong to the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_reduce_scatter_coalesced_init(const void *const *sends,
                                                     void *const *recvs,
                                                     const size_t *recv_counts,
                                                     size_t buffers,
                                                     anyccl_datatype_t datatype,
                                                     anyccl_reduce_op_t op,
                                                     anyccl_comm_t comm,
                                                     anyccl_request_t *request);

/**
 * Gives all ranks the root's parameters.
 *
 *     rank 0 (root)  w0 w1 | b0           w0 w1 | b0
 *     rank 1         x0 x1 | c0    =>     w0 w1 | b0
 *
 * \param buffers    [in,out] number pointers. At the root read, elsewhere written. None is NULL where its
 *                   count is not 0.
 * \param counts     [in] Elements of each, the same on every rank.
 * \param datatypes  [in] One of enum anyccl_datatype for each, the same on every rank; they may differ from
 *                   each other.
 * \param number     [in] Length of the three arrays, the same on every rank. 0: they may be NULL.
 * \param root       [in] The rank whose parameters all get, the same on every rank.
 * \param comm       [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE when nothing was sent and
 *          comm works on; ANYCCL_ERR_MISMATCH when the lists of the ranks differ; any other status when comm
 *          has failed.
 *
 * Collective. The call blocks until all are there. Few messages, as anyccl_broadcast_coalesced. This is the
 * first step of PyTorch's DistributedDataParallel.
 */
anyccl_status_t anyccl_sync_params(void *const *buffers,
                                   const size_t *counts,
                                   const anyccl_datatype_t *datatypes,
                                   size_t number,
                                   int root,
                                   anyccl_comm_t comm);

/**
 * Sums gradients over all ranks; every rank gets the sums.
 *
 *     rank 0  a0 a1 | NULL | c0           a0+x0 a1+x1 | NULL | c0+z0
 *     rank 1  x0 x1 | NULL | z0    =>     a0+x0 a1+x1 | NULL | c0+z0
 *
 * \param buffers    [in,out] number pointers. NULL: this rank has no gradient there, which is in order when
 *                   no rank has one.
 * \param counts     [in] Elements of each, the same on every rank, also where a buffer is NULL.
 * \param datatypes  [in] One of enum anyccl_datatype for each, with a sum; the same on every rank. They may
 *                   differ from each other.
 * \param number     [in] Length of the three arrays, the same on every rank. 0: they may be NULL.
 * \param comm       [in] Borrowed. ANYCCL_WORLD: the whole job.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT on every rank, with a sentence that names buffer and
 *          ranks, when a buffer is NULL on some ranks only: then no buffer has changed and comm works on;
 *          ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE for what was wrong on this rank alone,
 *          when nothing was sent and comm works on; ANYCCL_ERR_MISMATCH when the lists of the ranks differ;
 *          any other status when comm has failed.
 *
 * Collective. The call blocks until all are there. The ranks compare by a small message which buffers they
 * have; then the buffers travel in few messages, as by anyccl_all_reduce_coalesced. The results are sums,
 * not averages: divide by the size where the mean is wanted.
 */
anyccl_status_t anyccl_sum_grads(void *const *buffers,
                                 const size_t *counts,
                                 const anyccl_datatype_t *datatypes,
                                 size_t number,
                                 anyccl_comm_t comm);

/**
 * Prepares anyccl_sync_params for many runs.
 *
 * \param buffers, counts, datatypes, number, root, comm  See anyccl_sync_params; the buffers belong to
 *        the library during each run, the arrays only during this call.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, which packs small buffers when it is started.
 */
anyccl_status_t anyccl_sync_params_init(void *const *buffers,
                                        const size_t *counts,
                                        const anyccl_datatype_t *datatypes,
                                        size_t number,
                                        int root,
                                        anyccl_comm_t comm,
                                        anyccl_request_t *request);

/**
 * Prepares the sum of a list of buffers over all ranks for many runs.
 *
 * \param buffers, counts, datatypes, number, comm  See anyccl_sum_grads; the buffers belong to the
 *        library during each run, the arrays only during this call. None may be NULL, unless its count is 0:
 *        which ranks have a buffer cannot be found out without them.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own, on all ranks by requests of this function:
 * anyccl_sum_grads is another call, which compares what ranks have first.
 */
anyccl_status_t anyccl_sum_grads_init(void *const *buffers,
                                      const size_t *counts,
                                      const anyccl_datatype_t *datatypes,
                                      size_t number,
                                      anyccl_comm_t comm,
                                      anyccl_request_t *request);

/**
 * Begins a batch: calls of this thread up to anyccl_batch_end are started together.
 *
 * \returns ANYCCL_SUCCESS.
 *
 * Local, of this thread. Inside of a batch, collectives, also of lists, and sends and receives do not block,
 * on any communicator: each returns as soon as it is started, and its buffers, and the status of a receive,
 * belong to the library until the end of the batch. So calls that need each other may stand in any order:
 *
 *     anyccl_batch_begin();
 *     anyccl_send(mine, 1000, ANYCCL_FLOAT32, peer, 0, comm);
 *     anyccl_recv(theirs, 1000, ANYCCL_FLOAT32, peer, 0, comm, NULL);
 *     anyccl_batch_end();
 *
 * Batches may be nested; the outermost end counts. Replacement for ncclGroupStart.
 */
anyccl_status_t anyccl_batch_begin(void);

/**
 * Ends a batch: waits until everything that was called inside of it is done.
 *
 * \returns ANYCCL_SUCCESS when all calls have succeeded; else the first failure, after all have ended. A
 *          call with an argument that was refused has returned that at once; it is told here again, and the
 *          other calls of the batch are not touched by it. ANYCCL_ERR_INVALID_USAGE without a batch.
 *
 * The call blocks, at most for the communicators' timeouts; the end of an inner batch does not. Requests
 * that calls inside of the batch have given out are waited for by anyccl_wait, as ever. Replacement for
 * ncclGroupEnd.
 */
anyccl_status_t anyccl_batch_end(void);

/**
 * Prepares an all_reduce that is started later, and often.
 *
 * \param send, recv, count, datatype, op, comm  See anyccl_all_reduce; the buffers belong to the library
 *        during each run. An operator that the program has made may be destroyed before the request is
 *        freed.
 * \param request  [out] Persistent: see anyccl_request_t. Owned by the caller; release with
 *                 anyccl_request_free(). Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT, ANYCCL_ERR_INVALID_USAGE or ANYCCL_ERR_UNSUPPORTED
 *          as for anyccl_all_reduce.
 *
 * Local: arguments are checked, nothing is sent. Each run is a collective call of its own, which ranks may
 * as well make by anyccl_all_reduce or anyccl_iall_reduce. Replacement for MPI_Allreduce_init.
 */
anyccl_status_t anyccl_all_reduce_init(const void *send,
                                       void *recv,
                                       size_t count,
                                       anyccl_datatype_t datatype,
                                       anyccl_reduce_op_t op,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Prepares a reduce that is started later, and often.
 *
 * \param send, recv, count, datatype, op, root, comm  See anyccl_reduce, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Reduce_init.
 */
anyccl_status_t anyccl_reduce_init(const void *send,
                                   void *recv,
                                   size_t count,
                                   anyccl_datatype_t datatype,
                                   anyccl_reduce_op_t op,
                                   int root,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Prepares a broadcast that is started later, and often.
 *
 * \param send, recv, count, datatype, root, comm  See anyccl_broadcast, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Bcast_init.
 */
anyccl_status_t anyccl_broadcast_init(const void *send,
                                      void *recv,
                                      size_t count,
                                      anyccl_datatype_t datatype,
                                      int root,
                                      anyccl_comm_t comm,
                                      anyccl_request_t *request);

/**
 * Prepares an all_gather that is started later, and often.
 *
 * \param send, recv, send_count, datatype, comm  See anyccl_all_gather, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Allgather_init.
 */
anyccl_status_t anyccl_all_gather_init(const void *send,
                                       void *recv,
                                       size_t send_count,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Prepares a gather that is started later, and often.
 *
 * \param send, recv, send_count, datatype, root, comm  See anyccl_gather, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Gather_init.
 */
anyccl_status_t anyccl_gather_init(const void *send,
                                   void *recv,
                                   size_t send_count,
                                   anyccl_datatype_t datatype,
                                   int root,
                                   anyccl_comm_t comm,
                                   anyccl_request_t *request);

/**
 * Prepares a scatter that is started later, and often.
 *
 * \param send, recv, recv_count, datatype, root, comm  See anyccl_scatter, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Scatter_init.
 */
anyccl_status_t anyccl_scatter_init(const void *send,
                                    void *recv,
                                    size_t recv_count,
                                    anyccl_datatype_t datatype,
                                    int root,
                                    anyccl_comm_t comm,
                                    anyccl_request_t *request);

/**
 * Prepares a reduce_scatter that is started later, and often.
 *
 * \param send, recv, recv_count, datatype, op, comm  See anyccl_reduce_scatter, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Reduce_scatter_block_init.
 */
anyccl_status_t anyccl_reduce_scatter_init(const void *send,
                                           void *recv,
                                           size_t recv_count,
                                           anyccl_datatype_t datatype,
                                           anyccl_reduce_op_t op,
                                           anyccl_comm_t comm,
                                           anyccl_request_t *request);

/**
 * Prepares an all_to_all that is started later, and often.
 *
 * \param send, recv, count_per_rank, datatype, comm  See anyccl_all_to_all, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Alltoall_init.
 */
anyccl_status_t anyccl_all_to_all_init(const void *send,
                                       void *recv,
                                       size_t count_per_rank,
                                       anyccl_datatype_t datatype,
                                       anyccl_comm_t comm,
                                       anyccl_request_t *request);

/**
 * Prepares a barrier that is started later, and often.
 *
 * \param comm     [in] See anyccl_barrier.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run is a collective call of its own. Replacement for MPI_Barrier_init.
 */
anyccl_status_t anyccl_barrier_init(anyccl_comm_t comm, anyccl_request_t *request);

/**
 * Prepares a send that is started later, and often.
 *
 * \param send, count, datatype, peer, tag, comm  See anyccl_send, during each run.
 * \param request  [out] See anyccl_all_reduce_init.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run sends a message of its own, for any receive. Replacement for MPI_Send_init.
 */
anyccl_status_t anyccl_send_init(const void *send,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int peer,
                                 int32_t tag,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Prepares a receive that is started later, and often.
 *
 * \param recv, count, datatype, source, tag, comm  See anyccl_recv, during each run.
 * \param request  [out] See anyccl_all_reduce_init. anyccl_wait_message tells of the message of each run.
 * \returns See anyccl_all_reduce_init.
 *
 * Local. Each run gets a message, however that was sent. Replacement for MPI_Recv_init.
 */
anyccl_status_t anyccl_recv_init(void *recv,
                                 size_t count,
                                 anyccl_datatype_t datatype,
                                 int source,
                                 int32_t tag,
                                 anyccl_comm_t comm,
                                 anyccl_request_t *request);

/**
 * Waits for the end of an operation.
 *
 * \param request  [in,out] Taken: NULL afterwards, whatever became of the operation. A request that is NULL
 *                 already has ended: success.
 * \returns The status of the operation, as its blocking form returns it; ANYCCL_ERR_INVALID_ARGUMENT when
 *          request is NULL or is no request; ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or
 *          in a forked child. In these cases *request is left alone.
 *
 * The call blocks, at most for the communicator's timeout. Other threads may wait for other requests
 * meanwhile. Replacement for MPI_Wait.
 */
anyccl_status_t anyccl_wait(anyccl_request_t *request);

/**
 * Waits for the end of a send or receive, and tells what is known of its message.
 *
 * \param request  [in,out] See anyccl_wait.
 * \param status   [out] What was received or sent. Left alone when request was NULL, and when it was no send
 *                 or receive. May be NULL.
 * \returns See anyccl_wait.
 *
 * The call blocks, at most for the communicator's timeout. Replacement for MPI_Wait with a status.
 */
anyccl_status_t anyccl_wait_message(anyccl_request_t *request, struct anyccl_message_status_t *status);

/**
 * Asks whether an operation has ended, and moves the operations of its communicator on.
 *
 * \param request  [in,out] Taken when the operation has ended: NULL then, also when it failed. A request
 *                 that is NULL already has ended.
 * \param done     [out] 1 when it has ended, else 0. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; the status of the operation when it has ended with a failure; else as
 *          anyccl_wait.
 *
 * Local. The call does not wait. Call it again, or anyccl_wait: nothing moves an operation on but calls on
 * its communicator. Replacement for MPI_Test.
 */
anyccl_status_t anyccl_test(anyccl_request_t *request, int *done);

/**
 * Asks whether a send or receive has ended, and tells what is known of its message.
 *
 * \param request  [in,out] See anyccl_test.
 * \param done     [out] See anyccl_test.
 * \param status   [out] See anyccl_wait_message; left alone while the operation has not ended. May be
 *                 NULL.
 * \returns See anyccl_test.
 *
 * Local. The call does not wait. Replacement for MPI_Test with a status.
 */
anyccl_status_t anyccl_test_message(anyccl_request_t *request, int *done, struct anyccl_message_status_t *status);

/**
 * Waits for the end of an operation, but no longer than for a given time.
 *
 * \param request     [in,out] Taken when the operation has ended: NULL then, also when it failed. Else left
 *                    alone: it can be waited for again.
 * \param timeout_ms  [in] Longest time to wait: 0 or more, or ANYCCL_TIMEOUT_NEVER, as anyccl_wait_message
 *                    waits.
 * \param done        [out] 1 when it has ended, else 0. Written only on ANYCCL_SUCCESS.
 * \param status      [out] See anyccl_wait_message; left alone while the operation has not ended. May be
 *                    NULL.
 * \returns ANYCCL_SUCCESS, also when the time was over first; the status of the operation when it has ended
 *          with a failure; ANYCCL_ERR_INVALID_ARGUMENT for a timeout_ms below -1; else as anyccl_wait.
 *
 * The call blocks, at most for that time: for programs that have something else to look after now and then.
 * The communicator's timeout counts on from one such wait to the next.
 */
anyccl_status_t anyccl_wait_for(anyccl_request_t *request,
                                int64_t timeout_ms,
                                int *done,
                                struct anyccl_message_status_t *status);

/**
 * Asks for the end of a receive that has met no message yet.
 *
 * \param request  [in] Borrowed: it must still be waited for. NULL: nothing happens.
 * \returns ANYCCL_SUCCESS, whether the receive was cancelled or not: anyccl_wait_message tells, by the
 *          member cancelled of its status. ANYCCL_ERR_INVALID_ARGUMENT when request is none;
 *          ANYCCL_ERR_INVALID_USAGE when another thread waits for it, or in a forked child.
 *
 * Local. The call does not wait. A send or a collective is not cancelled. Replacement for MPI_Cancel.
 */
anyccl_status_t anyccl_cancel(anyccl_request_t request);

/**
 * Waits for the end of several operations, of one or several communicators.
 *
 * \param count     [in] Number of requests. 0: nothing happens.
 * \param requests  [in,out] count requests, each taken as by anyccl_wait: NULL afterwards. Entries that are
 *                  NULL are skipped. May be NULL when count is 0.
 * \returns ANYCCL_SUCCESS when all have succeeded; else the first failure in the order of the array, after
 *          all have ended. ANYCCL_ERR_INVALID_ARGUMENT when an entry is no request, ANYCCL_ERR_INVALID_USAGE
 *          when one is given twice or used by another thread, or in a forked child: then none was waited
 *          for.
 *
 * The call blocks, at most for the communicators' timeouts. Replacement for MPI_Waitall.
 */
anyccl_status_t anyccl_wait_all(size_t count, anyccl_request_t *requests);

/**
 * Starts a persistent operation.
 *
 * \param request  [in] Borrowed: from a function whose name ends in _init.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is no request; ANYCCL_ERR_INVALID_USAGE
 *          when it is not persistent, under way, used by another thread, or in a forked child; the status of
 *          the failure when its communicator has failed.
 *
 * The call does not block. In the order of operations on the communicator it counts from here on, not from
 * its making. Its buffers belong to the library until anyccl_wait or anyccl_test has seen the end.
 * Replacement for MPI_Start.
 */
anyccl_status_t anyccl_start(anyccl_request_t request);

/**
 * Starts several persistent operations, in the order of the array.
 *
 * \param count     [in] Number of requests. 0: nothing happens.
 * \param requests  [in] count requests, as for anyccl_start, of one or several communicators. NULL is not
 *                  skipped. May be NULL when count is 0.
 * \returns See anyccl_start; when it is ANYCCL_ERR_INVALID_ARGUMENT or ANYCCL_ERR_INVALID_USAGE, none was
 *          started.
 *
 * The call does not block. Replacement for MPI_Startall.
 */
anyccl_status_t anyccl_start_all(size_t count, anyccl_request_t *requests);

/**
 * Gives up a persistent operation.
 *
 * \param request  [in,out] Taken: NULL afterwards. A request that is NULL already is nothing to free.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when request is NULL or is no request;
 *          ANYCCL_ERR_INVALID_USAGE when it is under way, not persistent (wait for it instead), used by
 *          another thread, or in a forked child. In these cases nothing has changed.
 *
 * Local. Its communicator cannot be destroyed before. Replacement for MPI_Request_free.
 */
anyccl_status_t anyccl_request_free(anyccl_request_t *request);

/**
 * Waits for the end of one of several operations, of one or several communicators.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in,out] The one that has ended is taken as by anyccl_wait. Entries that are NULL, and
 *                  persistent ones that are not under way, are skipped. May be NULL when count is 0.
 * \param index     [out] Its place in the array; ANYCCL_NO_INDEX when all are skipped. Also written when the
 *                  operation failed.
 * \returns The status of that operation, as its blocking form returns it; ANYCCL_SUCCESS when all are
 *          skipped; ANYCCL_ERR_INVALID_ARGUMENT when an entry is no request or index is NULL,
 *          ANYCCL_ERR_INVALID_USAGE when one is given twice or used by another thread, or in a forked child:
 *          then nothing was waited for, and index is left alone.
 *
 * The call blocks, at most until the timeout of one of the communicators; a rank that waits long sleeps,
 * however many communicators there are. Of several that have ended, the first in the array. Replacement for
 * MPI_Waitany.
 */
anyccl_status_t anyccl_wait_any(size_t count, anyccl_request_t *requests, size_t *index);

/**
 * Waits until at least one of several operations has ended, of one or several communicators, and takes none.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in] Borrowed. Entries are skipped as by anyccl_wait_any. May be NULL when count is 0.
 * \returns ANYCCL_SUCCESS, also when what has ended has failed, and when all are skipped;
 *          ANYCCL_ERR_INVALID_ARGUMENT and ANYCCL_ERR_INVALID_USAGE as by anyccl_wait_any.
 *
 * The call blocks as anyccl_wait_any. For one thread that looks after the requests of many: anyccl_test and
 * anyccl_test_message tell then which have ended, and how. The time that an operation goes without progress
 * counts on from one such wait to the next.
 */
anyccl_status_t anyccl_wait_ready(size_t count, anyccl_request_t *requests);

/**
 * Waits until at least one of several operations has ended, of one or several communicators; takes all that
 * have by then.
 *
 * \param count     [in] Number of requests, and room in indices and statuses.
 * \param requests  [in,out] Those that have ended are taken as by anyccl_wait. Entries are skipped as by
 *                  anyccl_wait_any.
 * \param ended     [out] How many have ended: 0 only when all are skipped.
 * \param indices   [out] Their places in the array, ascending.
 * \param statuses  [out] How each has ended, in the order of indices. May be NULL.
 * \returns ANYCCL_SUCCESS when these have succeeded, or none is under way; else the first failure in the
 *          order of indices. For a refusal as by anyccl_wait_any nothing was waited for or written; else
 *          everything is written.
 *
 * The call blocks as anyccl_wait_any. Replacement for MPI_Waitsome.
 */
anyccl_status_t anyccl_wait_some(size_t count,
                                 anyccl_request_t *requests,
                                 size_t *ended,
                                 size_t *indices,
                                 anyccl_status_t *statuses);

/**
 * Asks whether several operations have all ended, and moves those of their communicators on.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in,out] When all have ended, each is taken as by anyccl_wait; else none is. Entries that
 *                  are NULL have ended. May be NULL when count is 0.
 * \param done      [out] 1 when all have ended, else 0. Also written when an operation failed.
 * \returns ANYCCL_SUCCESS; when all have ended, the first failure in the order of the array; else as
 *          anyccl_wait_any.
 *
 * Local. The call does not wait. Replacement for MPI_Testall.
 */
anyccl_status_t anyccl_test_all(size_t count, anyccl_request_t *requests, int *done);

/**
 * Asks whether one of several operations has ended, and moves those of their communicators on.
 *
 * \param count     [in] Number of requests.
 * \param requests  [in,out] One that has ended is taken as by anyccl_wait. Entries are skipped as by
 *                  anyccl_wait_any.
 * \param index     [out] Its place in the array; ANYCCL_NO_INDEX when none has ended or all are skipped.
 *                  Also written when the operation failed.
 * \param done      [out] 1 when one has ended or all are skipped, else 0. Also written when the operation
 *                  failed.
 * \returns ANYCCL_SUCCESS; the status of the operation that has ended; else as anyccl_wait_any.
 *
 * Local. The call does not wait. Replacement for MPI_Testany.
 */
anyccl_status_t anyccl_test_any(size_t count, anyccl_request_t *requests, size_t *index, int *done);

/**
 * Allocates memory that the other ranks of this host read where it is: a message in it is not copied on its
 * way.
 *
 * \param bytes  [in] Any number; 0 gives NULL.
 * \param ptr    [out] The first byte. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is NULL; ANYCCL_ERR_SYSTEM when there is not
 *          so much memory.
 *
 * Local. Any thread; needs no communicator, and serves all of them, made before or after. Such memory is
 * ordinary memory to the program. Calls take it, or any part of it, for any of their buffers; it pays for
 * what is sent, from 8 KiB on, out of place or in an in-place call that sends each element once. Calls of
 * other ranks may use other memory. Over TCP it is memory like any other. Its content is undefined at first.
 * Aligned to 64 bytes, from 4096 bytes on to
 * 4096. The pages are there when the call returns: allocate once, not per call. Other processes of the same
 *       job can
 * read it at any time: put no secret into it.
 * After fork parent and child share it, as with MAP_SHARED. Replacement for MPI_Alloc_mem and ncclMemAlloc.
 */
anyccl_status_t anyccl_mem_alloc(size_t bytes, void **ptr);

/**
 * Frees memory of anyccl_mem_alloc.
 *
 * \param ptr  [in] Taken. What anyccl_mem_alloc gave; NULL is nothing to free.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is not, or no longer, such memory;
 *          ANYCCL_ERR_INVALID_USAGE in a child of fork for memory of its parent. In these cases nothing has
 *          changed.
 *
 * Local. Any thread. No call may be using the memory; where one does, its result is undefined on the ranks
 * that read it, and nothing else happens to them. ANYCCL_ERR_INVALID_USAGE while a part of it is registered
 * (anyccl_mem_register): nothing is freed. Replacement for MPI_Free_mem and ncclMemFree.
 */
anyccl_status_t anyccl_mem_free(void *ptr);

/**
 * Says that calls are going to use this memory, which the program has from anywhere. A hint: calls take
 * memory that is not registered, too.
 *
 * \param ptr     [in] Kept, not owned, until anyccl_mem_deregister. NULL when bytes is 0.
 * \param bytes   [in] Any number, from any address; 0 registers nothing.
 * \param shared  [out] 1 where the other ranks of this host read the memory where it is, as that of
 *                anyccl_mem_alloc; else 0. NULL when not wanted. Written only on ANYCCL_SUCCESS.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when some of the memory is not mapped or cannot be
 *          read, or when it lies where anyccl_mem_alloc's memory is, but not in one live allocation;
 *          ANYCCL_ERR_SYSTEM when there are no pages for it. In these cases nothing is registered.
 *
 * What it does depends on the memory. In memory of anyccl_mem_alloc, all or a part: the allocation cannot be
 * freed until all its parts are deregistered. Other memory gets its pages now, as if each had been touched,
 * so that no call waits for them; messages out of it go the way they went before, since no other process can
 * map it. Its bytes are not changed. Ranges may overlap, and may be registered several times. Local. Any
 * thread; needs no communicator, and serves all. A child of fork has registered nothing. Replacement for
 * ncclCommRegister.
 */
anyccl_status_t anyccl_mem_register(const void *ptr, size_t bytes, int *shared);

/**
 * Ends a registration.
 *
 * \param ptr    [in] As it was registered.
 * \param bytes  [in] As it was registered; 0 is nothing to end.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when exactly this range is not, or no longer,
 *          registered.
 *
 * Once for each anyccl_mem_register. Local. Any thread, whether calls use the memory or not; other memory
 * than that of anyccl_mem_alloc may be gone already. Replacement for ncclCommDeregister.
 */
anyccl_status_t anyccl_mem_deregister(const void *ptr, size_t bytes);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

/* The communicator of the whole job, wherever a communicator is asked for. */
#define ANYCCL_WORLD ((anyccl_comm_t)0)

/* No communicator: what a rank gets that is not in the one that others get. */
#define ANYCCL_COMM_NONE ((anyccl_comm_t)1)

/* Where an anyccl_request_t begins and ends. */
#define ANYCCL_REQUEST_NULL ((anyccl_request_t)0)

/* Not the place of any request: what anyccl_wait_any and anyccl_test_any give when there is nothing to
 * wait for. */
#define ANYCCL_NO_INDEX ((size_t)-1)

/* Where an anyccl_config_t begins: anyccl_config_t config = ANYCCL_CONFIG_INIT; */
#define ANYCCL_CONFIG_INIT {sizeof(anyccl_config_t), 0, 0, ANYCCL_LOG_DEFAULT, 0, 0, 0}

/* Where an anyccl_store_t begins: anyccl_store_t store = ANYCCL_STORE_INIT; */
#define ANYCCL_STORE_INIT {sizeof(anyccl_store_t), 0, 0, 0}

#endif  /* ANYCCL_ANYCCL_H */
