/* The fast path of the Python package: frequent calls from Python to libanyccl without ctypes.
 *
 *   module.c       the module anyccl._fast_path, and the functions of the library
 *   memory.c       an object of Python as address, number of elements and datatype
 *   waiting.c      blocking calls, without the GIL, that Ctrl-C can interrupt
 *   collectives.c  Allreduce and the like
 *   messages.c     Send, Recv, Sendrecv
 *   objects.c      bcast, allgather, send, recv and sendrecv of pickles
 *
 * A method serves a call only if nothing about it is unusual: memory with the buffer protocol, an operator of the
 * library, ranks and tags that are ints. Otherwise it does nothing and returns NotServed, and the Python code
 * makes the call from the beginning. So each error of an argument has its message in one place.
 *
 * All is in the limited API of CPython 3.11, the first that has the buffer protocol. One file serves all later
 * versions. libanyccl is not linked: module.c gets the addresses of its functions from ctypes, so both use the same
 * library.
 *
 * Nothing here belongs to the process. Each import of the module has a state of its own, in the same interpreter or in
 * another one. A communicator keeps the state of the import that made it.
 */
#ifndef ANYCCL_FAST_PATH_H
#define ANYCCL_FAST_PATH_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030B0000
#include <Python.h>

#include <anyccl/anyccl.h>

/* A function of the library that this module calls, by its name without anyccl_. */
/* clang-format off */
#define LIBRARY_FUNCTIONS(F) \
    F(all_reduce) F(reduce) F(broadcast) F(all_gather) F(gather) F(scatter) F(reduce_scatter) F(all_to_all) F(scan) \
    F(exscan) F(barrier) F(all_gather_v) F(send) F(recv) F(try_recv) F(improbe) F(imrecv) F(test) F(wait_for) \
    F(set_blocking_limit)
/* clang-format on */

struct library {
#define DECLARE(name) __typeof__(anyccl_##name) *name;
    LIBRARY_FUNCTIONS(DECLARE)
#undef DECLARE
};

/* An object of Python that this module uses, by its name in bind(). */
/* clang-format off */
#define PYTHON_OBJECTS(F) \
    F(in_place) F(reduce_op) F(dumps) F(loads) F(protocol) F(raise_status) F(not_served) F(refuse_array) F(status) \
    F(found)
/* clang-format on */

struct python {
#define DECLARE(name) PyObject *name;
    PYTHON_OBJECTS(DECLARE)
#undef DECLARE
    /* Type of the owner of memory that an interrupted operation uses. */
    PyObject *held_type;
};

/* The calls of one communicator: anyccl._fast_path.Calls. */
struct calls {
    PyObject_HEAD
    /* Parts of the state of the module, which lives as long as the type of this object. */
    const struct library *library;
    const struct python *python;
    anyccl_comm_t comm;
    int rank, size;
    /* List of (request, what it uses) of operations whose wait was interrupted. */
    PyObject *left;
};

/* Memory of an object, which it keeps until release(). */
struct memory {
    Py_buffer view;
    char *address;
    size_t count, item_bytes;
    anyccl_datatype_t datatype;
};

/* Looks an object up. Returns whether it has memory that can be used as it is; no exception is set. */
int look(PyObject *object, int is_written, struct memory *memory);
void release(struct memory *memory);

/* Reads an int. Returns whether the object is an int of that range; no exception is set. */
int read_int(PyObject *object, int least, int most, int *number);

/* Result of a method that did nothing. */
PyObject *not_served(const struct calls *calls);

static inline void set_limit(const struct calls *calls, int64_t limit_ms, anyccl_request_t *unfinished)
{
    /* Only wrong arguments are refused. */
    const anyccl_status_t status = calls->library->set_blocking_limit(limit_ms, unfinished);
    (void)status;
}

/* A blocking call of the library: BLOCKING(calls, unfinished, status = calls->library->barrier(comm)). It may leave a
 * request. STARTED leaves one if the call cannot end at once, and makes no request otherwise. */
#define LIMIT_MS 100
#define BLOCKING(calls, unfinished, call) LIMITED(LIMIT_MS, calls, unfinished, call)
#define STARTED(calls, unfinished, call) LIMITED(0, calls, unfinished, call)
#define LIMITED(limit_ms, calls, unfinished, call)                                                                     \
    do {                                                                                                               \
        (unfinished) = NULL;                                                                                           \
        Py_BEGIN_ALLOW_THREADS                                                                                         \
        set_limit(calls, limit_ms, &(unfinished));                                                                     \
        call;                                                                                                          \
        set_limit(calls, ANYCCL_TIMEOUT_NEVER, NULL);                                                                  \
        Py_END_ALLOW_THREADS                                                                                           \
    } while (0)

/* What an operation uses: up to two pieces of memory, or an object. It is left to `left` if Ctrl-C interrupts. */
struct uses {
    struct memory *memory[2];
    PyObject *object;
};

/* Ends a blocking call: waits for what is unfinished, raises what has failed. Returns whether all is well. After an
 * interrupted wait the memory belongs to `left`; otherwise it is released here. */
int end(struct calls *self, anyccl_status_t status, anyccl_request_t unfinished, anyccl_message_status_t *message,
        struct uses uses);
/* Leaves an operation, whose wait was interrupted, to `left`. NULL: there is none, and its memory is released. */
void leave(struct calls *self, anyccl_request_t request, struct uses uses);
/* Drops the traceback of the exception that is set: the frames of the functions of Python that have raised it. */
void forget_frames(void);
int raise_status(struct calls *self, anyccl_status_t status);
PyObject *make_held_type(void);

#define METHOD(name) PyObject *name(PyObject *self, PyObject *const *arguments, Py_ssize_t count)
METHOD(all_reduce);
METHOD(reduce);
METHOD(broadcast);
METHOD(all_gather);
METHOD(gather);
METHOD(scatter);
METHOD(reduce_scatter_block);
METHOD(all_to_all);
METHOD(scan);
METHOD(exscan);
METHOD(barrier);
METHOD(send_buffer);
METHOD(recv_buffer);
METHOD(sendrecv_buffer);
METHOD(send_object);
METHOD(recv_object);
METHOD(sendrecv_object);
METHOD(bcast_object);
METHOD(allgather_object);

/* Makes anyccl.Status of what is known of a message. */
PyObject *status_of(const struct calls *calls, const anyccl_message_status_t *message);

#endif
