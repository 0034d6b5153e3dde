/* Collectives of buffers with blocks of one length. The arguments are those of the methods of the Communicator. */
#include "fast_path.h"

/* A collective that is being put together. */
struct collective {
    struct calls *calls;
    struct memory send, recv;
    int has_send, has_recv;
    anyccl_reduce_op_t op;
    int root;
};

static struct collective begin(PyObject *self)
{
    struct collective call;
    call.calls = (struct calls *)self;
    call.has_send = call.has_recv = call.root = 0;
    call.op = ANYCCL_SUM;
    return call;
}

static PyObject *give_up(struct collective *call)
{
    if (call->has_send)
        release(&call->send);
    if (call->has_recv)
        release(&call->recv);
    return not_served(call->calls);
}

static int read_op(struct collective *call, PyObject *object)
{
    int op;
    if ((PyObject *)Py_TYPE(object) != call->calls->python->reduce_op || !read_int(object, 0, 255, &op))
        return 0;
    call->op = (anyccl_reduce_op_t)op;
    return 1;
}

static int read_root(struct collective *call, PyObject *object)
{
    return read_int(object, 0, call->calls->size - 1, &call->root);
}

static int is_root(const struct collective *call)
{
    return call->calls->rank == call->root;
}

static int look_at_recv(struct collective *call, PyObject *object)
{
    return call->has_recv = look(object, 1, &call->recv);
}

static int look_at_send(struct collective *call, PyObject *object)
{
    return call->has_send = look(object, 0, &call->send);
}

/* Both buffers, with `times` as many elements in the send buffer as in the receive buffer, or the reverse. */
static int fit(const struct collective *call, size_t send_times, size_t recv_times)
{
    return call->send.datatype == call->recv.datatype && call->send.count * send_times == call->recv.count * recv_times;
}

/* Looks at both buffers of a call that reads and writes the same number of elements. */
static int look_at_pair(struct collective *call, PyObject *send, PyObject *recv)
{
    if (!look_at_recv(call, recv))
        return 0;
    if (send == call->calls->python->in_place) {
        /* Without an owner: only recv is released. */
        call->send = call->recv;
        return 1;
    }
    return look_at_send(call, send) && fit(call, 1, 1);
}

static PyObject *finish(struct collective *call, anyccl_status_t status, anyccl_request_t unfinished)
{
    struct uses uses = {{call->has_send ? &call->send : NULL, call->has_recv ? &call->recv : NULL}, NULL};
    return end(call->calls, status, unfinished, NULL, uses) ? Py_NewRef(Py_None) : NULL;
}

#define RUN(function, ...)                                                                                             \
    do {                                                                                                               \
        anyccl_status_t status;                                                                                        \
        anyccl_request_t unfinished;                                                                                   \
        BLOCKING(call.calls, unfinished, status = call.calls->library->function(__VA_ARGS__, call.calls->comm));       \
        return finish(&call, status, unfinished);                                                                      \
    } while (0)

METHOD(all_reduce)
{
    struct collective call = begin(self);
    if (count != 3 || !read_op(&call, arguments[2]) || !look_at_pair(&call, arguments[0], arguments[1]))
        return give_up(&call);
    RUN(all_reduce, call.send.address, call.recv.address, call.recv.count, call.recv.datatype, call.op);
}

METHOD(scan)
{
    struct collective call = begin(self);
    if (count != 3 || !read_op(&call, arguments[2]) || !look_at_pair(&call, arguments[0], arguments[1]))
        return give_up(&call);
    RUN(scan, call.send.address, call.recv.address, call.recv.count, call.recv.datatype, call.op);
}

METHOD(exscan)
{
    struct collective call = begin(self);
    if (count != 3 || !read_op(&call, arguments[2]) || !look_at_pair(&call, arguments[0], arguments[1]))
        return give_up(&call);
    RUN(exscan, call.send.address, call.recv.address, call.recv.count, call.recv.datatype, call.op);
}

METHOD(reduce)
{
    struct collective call = begin(self);
    if (count != 4 || !read_op(&call, arguments[2]) || !read_root(&call, arguments[3]))
        return give_up(&call);
    if (!is_root(&call)) {
        if (!look_at_send(&call, arguments[0]))
            return give_up(&call);
        RUN(reduce, call.send.address, NULL, call.send.count, call.send.datatype, call.op, call.root);
    }
    if (!look_at_pair(&call, arguments[0], arguments[1]))
        return give_up(&call);
    RUN(reduce, call.send.address, call.recv.address, call.recv.count, call.recv.datatype, call.op, call.root);
}

METHOD(broadcast)
{
    struct collective call = begin(self);
    if (count != 2 || !read_root(&call, arguments[1]))
        return give_up(&call);
    if (!(is_root(&call) ? look_at_send(&call, arguments[0]) : look_at_recv(&call, arguments[0])))
        return give_up(&call);
    const struct memory *buffer = call.has_send ? &call.send : &call.recv;
    /* The root's buffer is not written to: its call is in place. */
    RUN(broadcast, buffer->address, buffer->address, buffer->count, buffer->datatype, call.root);
}

METHOD(all_gather)
{
    struct collective call = begin(self);
    if (count != 2 || !look_at_recv(&call, arguments[1]))
        return give_up(&call);
    const size_t size = (size_t)call.calls->size, each = call.recv.count / size;
    if (arguments[0] == call.calls->python->in_place) {
        if (each * size != call.recv.count)
            return give_up(&call);
        call.send.address = call.recv.address + (size_t)call.calls->rank * each * call.recv.item_bytes;
    } else if (!look_at_send(&call, arguments[0]) || !fit(&call, size, 1)) {
        return give_up(&call);
    }
    RUN(all_gather, call.send.address, call.recv.address, each, call.recv.datatype);
}

METHOD(gather)
{
    struct collective call = begin(self);
    if (count != 3 || !read_root(&call, arguments[2]) || !look_at_send(&call, arguments[0]))
        return give_up(&call);
    if (!is_root(&call))
        RUN(gather, call.send.address, NULL, call.send.count, call.send.datatype, call.root);
    if (!look_at_recv(&call, arguments[1]) || !fit(&call, (size_t)call.calls->size, 1))
        return give_up(&call);
    RUN(gather, call.send.address, call.recv.address, call.send.count, call.recv.datatype, call.root);
}

METHOD(scatter)
{
    struct collective call = begin(self);
    if (count != 3 || !read_root(&call, arguments[2]) || !look_at_recv(&call, arguments[1]))
        return give_up(&call);
    if (!is_root(&call))
        RUN(scatter, NULL, call.recv.address, call.recv.count, call.recv.datatype, call.root);
    if (!look_at_send(&call, arguments[0]) || !fit(&call, 1, (size_t)call.calls->size))
        return give_up(&call);
    RUN(scatter, call.send.address, call.recv.address, call.recv.count, call.recv.datatype, call.root);
}

METHOD(reduce_scatter_block)
{
    struct collective call = begin(self);
    if (count != 3 || !read_op(&call, arguments[2]) || !look_at_recv(&call, arguments[1]))
        return give_up(&call);
    if (!look_at_send(&call, arguments[0]) || !fit(&call, 1, (size_t)call.calls->size))
        return give_up(&call);
    RUN(reduce_scatter, call.send.address, call.recv.address, call.recv.count, call.recv.datatype, call.op);
}

METHOD(all_to_all)
{
    struct collective call = begin(self);
    if (count != 2 || !look_at_pair(&call, arguments[0], arguments[1]))
        return give_up(&call);
    const size_t size = (size_t)call.calls->size, each = call.recv.count / size;
    if (each * size != call.recv.count)
        return give_up(&call);
    RUN(all_to_all, call.send.address, call.recv.address, each, call.recv.datatype);
}

METHOD(barrier)
{
    struct collective call = begin(self);
    (void)arguments;
    if (count != 0)
        return give_up(&call);
    anyccl_status_t status;
    anyccl_request_t unfinished;
    BLOCKING(call.calls, unfinished, status = call.calls->library->barrier(call.calls->comm));
    return finish(&call, status, unfinished);
}
