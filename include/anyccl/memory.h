/* Generated from abi/native by `cargo xtask header`. Do not edit. */

/**
 * \file
 * \brief Memory that the other ranks of the host can read, and memory of devices.
 *
 * \defgroup chapter_memory Memory
 *
 * The other ranks of the host read memory of anyccl_mem_alloc() where it is, which saves a copy of every large
 * message. Calls accept any other memory, too.
 *
 * \code{.c}
 * void *memory;
 * size_t count = 100000;
 * ANYCCL_CHECK(anyccl_mem_alloc(count * sizeof(float), &memory));
 * float *values = memory;
 * for (size_t i = 0; i < count; i++)
 *     values[i] = 1;
 * ANYCCL_CHECK(anyccl_all_reduce(values, values, count, ANYCCL_FLOAT32, ANYCCL_SUM,
 *                                ANYCCL_WORLD));
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
 * \param[in]  bytes  Size; 0 gives NULL.
 * \param[out] ptr    First byte. Owned by the caller; release with anyccl_mem_free().
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is NULL; ANYCCL_ERR_SYSTEM when there is not
 *          enough memory.
 *
 * Local. It needs no communicator, and serves all of them, made before or after.
 *
 * The program uses the memory like any other. Calls accept it, or any part of it, for any buffer. It saves
 * time for sends from 8 KiB on: out of place, or in an in-place call that sends each element once. The other
 * ranks may use other memory. Over TCP it makes no difference.
 *
 * The content is undefined at first. The address is aligned to 64 bytes, and from 4096 bytes on to 4096. The
 * pages exist when the call returns: allocate once, not for each call. Other processes of the job can use
 * the memory at any time: put no secret into it. After fork, parent and child share it, as with MAP_SHARED.
 * Replacement for MPI_Alloc_mem and ncclMemAlloc.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mem_alloc(size_t bytes, void **ptr);

/** Values of anyccl_mem_kind_t. They never change. */
typedef enum anyccl_mem_kind ANYCCL_ENUM_TYPE {
    /** Host memory that the other ranks of this host read where it is, as anyccl_mem_alloc() gives it. */
    ANYCCL_MEM_SHARED = 0,
    /** Memory of a CUDA device, as cudaMalloc() gives it. */
    ANYCCL_MEM_DEVICE = 1,
    /** Memory of a CUDA device that other processes can map. Sizes are rounded up, usually to 2 MiB. */
    ANYCCL_MEM_DEVICE_EXPORTABLE = 2,
} ANYCCL_ENUM_SIZE anyccl_mem_kind;

/** Kind of memory: one of enum anyccl_mem_kind. */
typedef enum anyccl_mem_kind anyccl_mem_kind_t;

/**
 * Allocates memory of a kind.
 *
 * \param[in]  bytes  Size; 0 gives NULL.
 * \param[in]  kind   One of enum anyccl_mem_kind.
 * \param[out] ptr    First byte. Owned by the caller; release with anyccl_mem_free().
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is NULL or kind is none of the enum;
 *          ANYCCL_ERR_UNSUPPORTED when there is no CUDA driver, or when it cannot share memory;
 *          ANYCCL_ERR_SYSTEM when there is not enough memory.
 *
 * Local. It needs no communicator, and serves all of them, made after it. See docs/gpu.md for calls on
 * memory of a device.
 *
 * Memory of a device belongs to the device that is current in this thread, or to device 0 if none is. The
 * content is undefined. The memory lives until it is freed, or until the process ends. As cudaMalloc() and
 * cudaFree(), the functions may wait for all work of the device: call them while no stream of this thread
 * waits for a call that another rank has still to make. They may be called while a stream records a graph,
 * which has nothing of them.
 *
 * Calls accept device memory of any origin. Exportable memory is the kind that processes on devices with
 * peer access can use without copies. Replacement for ncclMemAlloc.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mem_alloc_kind(size_t bytes, anyccl_mem_kind_t kind, void **ptr);

/**
 * Frees memory of anyccl_mem_alloc() or anyccl_mem_alloc_kind().
 *
 * \param[in] ptr  Taken. NULL: nothing happens.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr is not such memory, or no longer;
 *          ANYCCL_ERR_INVALID_USAGE while a part of it is registered, or in a child of fork for memory of
 *          its parent. After these two, nothing has changed. ANYCCL_ERR_SYSTEM when the CUDA driver fails.
 *
 * Local. No call may be using the memory. If one does, its result is undefined on the ranks that read the
 * memory; nothing else happens to them. Replacement for MPI_Free_mem and ncclMemFree.
 */
anyccl_status_t anyccl_mem_free(void *ptr);

/** \} */

/** \name Registration
 *  \{ */

/**
 * Registers memory of the program that calls are going to use. Calls accept memory that is not registered,
 * too.
 *
 * \param[in]  ptr     First byte. The memory must stay valid until anyccl_mem_deregister(). NULL when bytes
 *                     is 0.
 * \param[in]  bytes   Size of the range, which may begin anywhere; 0 registers nothing.
 * \param[out] shared  1 where the other ranks of this host read the memory where it is, as memory of
 *                     anyccl_mem_alloc(); else 0. May be NULL.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when some of the range is not mapped, cannot be read,
 *          or belongs to anyccl_mem_alloc() without lying in one live allocation; ANYCCL_ERR_SYSTEM when
 *          there are no pages for it. After these two, nothing is registered.
 *
 * Local. It needs no communicator, and serves all of them. In memory of anyccl_mem_alloc(), the allocation
 * cannot be freed until all its registered parts are deregistered. Other memory gets its pages now, so that
 * no call waits for them; messages are sent from it as before, because no other process can map it.
 *
 * The content does not change. Ranges may overlap, and may be registered several times. A child of fork has
 * registered nothing. Replacement for ncclCommRegister.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mem_register(const void *ptr, size_t bytes, int *shared);

/**
 * Ends a registration, once for each anyccl_mem_register().
 *
 * \param[in] ptr    As it was registered.
 * \param[in] bytes  As it was registered; 0: nothing happens.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when exactly this range is not registered, or no
 *          longer.
 *
 * Local. Calls may be using the memory. Memory that is not of anyccl_mem_alloc() may already be unmapped.
 * Replacement for ncclCommDeregister.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mem_deregister(const void *ptr, size_t bytes);

/** \} */

/** \name Memory of other ranks of the host
 *  \{ */

/** Size of anyccl_mem_handle_t. */
#define ANYCCL_MEM_HANDLE_BYTES 64

/**
 * Name of memory of anyccl_mem_alloc(), for the other ranks of the host.
 *
 * Its bytes may be sent to the other ranks by any means.
 */
typedef struct anyccl_mem_handle_t {
    /** Opaque content. */
    unsigned char bytes[ANYCCL_MEM_HANDLE_BYTES];
} anyccl_mem_handle_t;

/**
 * Makes a handle by which the other ranks of this host read and write memory of this one.
 *
 * \param[in]  ptr     First byte, anywhere in memory of anyccl_mem_alloc().
 * \param[in]  bytes   Size of the range, at least 1.
 * \param[out] handle  Name of the range.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when handle is NULL, or when the range is not part of
 *          one live allocation of anyccl_mem_alloc() in this process.
 *
 * Local. The handle is valid until the memory is freed. Free it only when no rank uses what it has imported:
 * what that rank wrote would come into other memory of this process. anyccl_mem_register() keeps memory from
 * being freed. Replacement for the exchange inside of MPI_Win_create.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mem_export(const void *ptr, size_t bytes, struct anyccl_mem_handle_t *handle);

/**
 * Maps memory of another rank of this host, for reading and writing.
 *
 * \param[in]  handle  From anyccl_mem_export(), made by this or another process.
 * \param[out] ptr     First byte of the range. Borrowed from its owner; release with anyccl_mem_release().
 * \param[out] bytes   Size of the range, as its owner has exported it. May be NULL.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when handle or ptr is NULL, or the handle is invalid;
 *          ANYCCL_ERR_UNSUPPORTED when the owner is on another host, or when this process has no
 *          communicator in which a rank of it and one of the owner are connected through shared memory;
 *          ANYCCL_ERR_SYSTEM when it cannot be mapped.
 *
 * Local. The memory is the owner's own: both see what the other one writes, in the order that atomic
 * operations establish, as between threads. The mapping outlives the communicators. A child of fork does not
 * inherit it. Replacement for MPI_Win_shared_query.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mem_import(const struct anyccl_mem_handle_t *handle, void **ptr, size_t *bytes);

/**
 * Ends the use of imported memory, once for each anyccl_mem_import().
 *
 * \param[in] ptr  From anyccl_mem_import(). NULL: nothing happens.
 * \returns ANYCCL_SUCCESS; ANYCCL_ERR_INVALID_ARGUMENT when ptr was not imported, or no longer is.
 *
 * Local. The memory stays with its owner, who may have freed it already.
 */
ANYCCL_NODISCARD
anyccl_status_t anyccl_mem_release(void *ptr);

/** \} */

#ifdef __cplusplus
} /* extern "C" */
#endif

/** \} */

#endif /* ANYCCL_MEMORY_H */
