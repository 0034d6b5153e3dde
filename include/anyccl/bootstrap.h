/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Finding the other ranks by a store or a file.
 *
 * \defgroup bootstrap Bootstrap without a launcher
 *
 * Programs that anyccl_init() cannot serve bring their ranks together themselves: by a key/value store that
 * they have already, or by a file that all ranks can see.
 *
 * \code{.c}
 * char path[64], address[ANYCCL_ADDRESS_BYTES];
 * snprintf(path, sizeof path, "./anyccl-id-%d", size);
 * anyccl_unique_id_t id;
 * anyccl_comm_t comm;
 * ANYCCL_CHECK(anyccl_unique_id_exchange_by_file(path, size, rank, NULL, &id, address));
 * ANYCCL_CHECK(anyccl_comm_create(&id, size, rank, NULL, &comm));
 * ANYCCL_CHECK(anyccl_comm_destroy(comm));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_BOOTSTRAP_H
#define ANYCCL_BOOTSTRAP_H

#include <stddef.h>
#include <stdint.h>
#include <anyccl/base.h>
#include <anyccl/comm.h>
#include <anyccl/config.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name A store of the program
 *  \{ */

/** A callback of a store answers: done. */
#define ANYCCL_STORE_OK 0

/** A callback of a store answers: the key was not set in time. */
#define ANYCCL_STORE_TIMEOUT 1

/** Bytes that a callback of a store may write its message to, the final zero included. */
#define ANYCCL_STORE_MESSAGE_BYTES 512

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

/** A key/value store of the caller's, such as PyTorch's. Start from ANYCCL_STORE_INIT. */
typedef struct anyccl_store_t {
    /** sizeof(anyccl_store_t) in the program. Later versions append members. */
    size_t struct_size;
    /** Passed to each call, never read. May be NULL. */
    void *context;
    /** Needed. */
    anyccl_store_set_t set;
    /** Needed. */
    anyccl_store_get_t get;
} anyccl_store_t;

/** Initial value of an anyccl_store_t: `anyccl_store_t store = ANYCCL_STORE_INIT;` */
#define ANYCCL_STORE_INIT {sizeof(anyccl_store_t), 0, 0, 0}

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

/** \} */

/** \name A file
 *  \{ */

/** Bytes that hold any address that anyccl_unique_id_exchange_by_file gives, the final zero included. */
#define ANYCCL_ADDRESS_BYTES 46

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

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_BOOTSTRAP_H */
