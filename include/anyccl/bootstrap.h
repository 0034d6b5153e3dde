/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Finding the other ranks by a store or a file.
 *
 * \defgroup chapter_bootstrap Bootstrap without a launcher
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

/** Return value of a store callback: success. */
#define ANYCCL_STORE_OK 0

/** Return value of a store callback: the key was not set in time. */
#define ANYCCL_STORE_TIMEOUT 1

/** Bytes that a store callback may write its error message to, the final zero included. */
#define ANYCCL_STORE_MESSAGE_BYTES 512

/**
 * Store callback that sets a value and replaces an earlier one.
 *
 * \param[in]  context  Context of the store.
 * \param[in]  key      ASCII string.
 * \param[in]  value    Any bytes.
 * \param[in]  bytes    Length of value; below 4096.
 * \param[out] message  Room for ANYCCL_STORE_MESSAGE_BYTES, empty at first: why the call failed, UTF-8 with
 *                      a final zero.
 * \returns ANYCCL_STORE_OK; any other value is a failure.
 *
 * It runs in the thread that called anyccl, and may block it. It must not call anyccl. It must return: an
 * exception or a longjmp that leaves it ends the process.
 */
typedef int (*anyccl_store_set_t)(void *context, const char *key, const void *value, size_t bytes, char *message);

/**
 * Store callback that waits until a key is set and gives its value. The rules of anyccl_store_set_t apply.
 *
 * \param[in]  context     Context of the store.
 * \param[in]  key         ASCII string.
 * \param[in]  timeout_ms  Longest time to wait, at least 0.
 * \param[out] value       Room for the value.
 * \param[in]  capacity    Bytes of that room.
 * \param[out] bytes       Length of the value. A value longer than capacity is a failure.
 * \param[out] message     As for anyccl_store_set_t.
 * \returns ANYCCL_STORE_OK; ANYCCL_STORE_TIMEOUT when the key was not set in time; any other value is a
 *          failure.
 */
typedef int (*anyccl_store_get_t)(void *context,
                                  const char *key,
                                  int64_t timeout_ms,
                                  void *value,
                                  size_t capacity,
                                  size_t *bytes,
                                  char *message);

/** Key/value store of the program, such as PyTorch's. Start from ANYCCL_STORE_INIT and set both callbacks. */
typedef struct anyccl_store_t {
    /** sizeof(anyccl_store_t) in the program. Later versions append members. */
    size_t struct_size;
    /** Pointer that is passed to the callbacks. The library does not use it. May be NULL. */
    void *context;
    /** Sets a value. Required. */
    anyccl_store_set_t set;
    /** Waits for a value. Required. */
    anyccl_store_get_t get;
} anyccl_store_t;

/** Initial value of an anyccl_store_t: `anyccl_store_t store = ANYCCL_STORE_INIT;` */
#define ANYCCL_STORE_INIT {sizeof(anyccl_store_t), 0, 0, 0}

/**
 * Joins the communicator of the ranks that share a store.
 *
 * Rank 0 sets one value, which has its address and a secret. The other ranks get it, and get it again if the
 * value was left over from an earlier communicator. All other communication uses connections of the library.
 *
 * \param[in]  store   Used during the call only. Any process that can read it may join. It serves one
 *                     communicator at a time: where several are created at once, give each a key prefix of
 *                     its own.
 * \param[in]  size    Number of ranks, at least 1. The same on every rank.
 * \param[in]  rank    Rank of the caller, 0 to size-1. Each rank exactly once.
 * \param[in]  config  Settings. NULL: the defaults.
 * \param[out] comm    Owned by the caller; release with anyccl_comm_destroy().
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for NULL, a number out of range, a store without its
 *          callbacks or an invalid config; ANYCCL_ERR_BOOTSTRAP when a callback failed (its message is part
 *          of the error) or the ranks did not find each other; ANYCCL_ERR_TIMEOUT, ANYCCL_ERR_PEER_LOST,
 *          ANYCCL_ERR_SYSTEM.
 *
 * Collective over the ranks of the new communicator. The call blocks until all ranks have joined, at most
 * for the timeout. It does not need anyccl_init().
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_comm_create_with_store(const struct anyccl_store_t *store,
                                              int size,
                                              int rank,
                                              const struct anyccl_config_t *config,
                                              anyccl_comm_t *comm);

/** \} */

/** \name A file
 *  \{ */

/** Room for any address that anyccl_unique_id_exchange_by_file() gives, the final zero included. */
#define ANYCCL_ADDRESS_BYTES 46

/**
 * Gives all ranks a unique id and the address of rank 0, by a file on a file system that all ranks see.
 *
 * Rank 0 makes the id and replaces the file in one step; only this user can read it. The other ranks wait
 * for the file. A file that an earlier run has left does no harm. A rank believes an address only when a
 * process there proves that it knows a secret from the file.
 *
 * \param[in]  path     Path of the file. The same file on every rank.
 * \param[in]  size     Number of ranks, the same on every rank. 0: unknown. The file then stays where it is,
 *                      and rank 0 does not wait: its process must live until the others have arrived.
 * \param[in]  rank     Rank of the caller, below size unless size is 0. Each rank exactly once.
 * \param[in]  config   Settings, of which timeout and interface are used. NULL: the defaults.
 * \param[out] id       The id, the same on all ranks, for anyccl_comm_create(). May be NULL.
 * \param[out] address  Numeric address of rank 0, with a final zero; room for ANYCCL_ADDRESS_BYTES. On rank
 *                      0 its best address, on the others one that has answered. Use it for MASTER_ADDR. May
 *                      be NULL.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT for a number out of range, an invalid config, or a
 *          path that is NULL or a folder; ANYCCL_ERR_TIMEOUT (the message names the missing ranks, or what
 *          was found in the file); ANYCCL_ERR_BOOTSTRAP, ANYCCL_ERR_SYSTEM.
 *
 * Collective over the ranks if size is not 0: the call blocks until all ranks have arrived, at most for the
 * timeout. Rank 0 then answers the ranks that join, as after anyccl_get_unique_id().
 */
ANYCCL_NODISCARD
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
