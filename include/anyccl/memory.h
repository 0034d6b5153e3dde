/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Memory that the other ranks of the host can read.
 *
 * \defgroup memory Memory
 *
 * Any memory can be a buffer. The other ranks of the host read memory of anyccl_mem_alloc() where it is, which
 * saves a copy of every large message.
 *
 * \code{.c}
 * void *memory;
 * size_t count = 100000;
 * ANYCCL_CHECK(anyccl_mem_alloc(count * sizeof(float), &memory));
 * float *values = memory;
 * for (size_t i = 0; i < count; i++)
 *     values[i] = 1;
 * ANYCCL_CHECK(anyccl_all_reduce(values, values, count, ANYCCL_FLOAT32, ANYCCL_SUM, ANYCCL_WORLD));
 * assert(values[count - 1] == (float)size);
 * ANYCCL_CHECK(anyccl_mem_free(memory));
 * \endcode
 *
 * \{
 */

#ifndef ANYCCL_MEMORY_H
#define ANYCCL_MEMORY_H

#include <stddef.h>
#include <anyccl/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** \name Allocation
 *  \{ */

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

/** \} */

/** \name Registration
 *  \{ */

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

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_MEMORY_H */
