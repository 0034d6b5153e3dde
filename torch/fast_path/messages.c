/* Messages of buffers. */
#include "fast_path.h"

PyObject *status_of(const struct calls *calls, const anyccl_message_status_t *message)
{
    PyObject *found =
        Py_BuildValue("(iinniO)", message->source, message->tag, (Py_ssize_t)message->count, (Py_ssize_t)message->bytes,
                      (int)message->datatype, message->cancelled ? Py_True : Py_False);
    PyObject *status = found ? PyType_GenericNew((PyTypeObject *)calls->python->status, NULL, NULL) : NULL;
    if (status != NULL && PyObject_SetAttr(status, calls->python->found, found) < 0)
        Py_CLEAR(status);
    Py_XDECREF(found);
    return status;
}

/* send(buf, dest, tag) */
METHOD(send_buffer)
{
    struct calls *calls = (struct calls *)self;
    struct memory memory;
    int dest, tag;
    anyccl_status_t status;
    anyccl_request_t unfinished;
    if (count != 3 || !read_int(arguments[1], 0, calls->size - 1, &dest) || !read_int(arguments[2], 0, INT_MAX, &tag) ||
        !look(arguments[0], 0, &memory))
        return not_served(calls);
    BLOCKING(calls, unfinished,
             status = calls->library->send(memory.address, memory.count, memory.datatype, dest, tag, calls->comm));
    return end(calls, status, unfinished, NULL, (struct uses){{&memory, NULL}, NULL}) ? Py_NewRef(Py_None) : NULL;
}

/* recv(buf, source, tag): gives the Status. */
METHOD(recv_buffer)
{
    struct calls *calls = (struct calls *)self;
    struct memory memory;
    int source, tag;
    anyccl_status_t status;
    anyccl_request_t unfinished;
    anyccl_message_status_t message;
    if (count != 3 || !read_int(arguments[1], ANYCCL_ANY_SOURCE, calls->size - 1, &source) ||
        !read_int(arguments[2], ANYCCL_ANY_TAG, INT_MAX, &tag) || !look(arguments[0], 1, &memory))
        return not_served(calls);
    BLOCKING(calls, unfinished,
             status = calls->library->recv(memory.address, memory.count, memory.datatype, source, tag, calls->comm,
                                           &message));
    return end(calls, status, unfinished, &message, (struct uses){{&memory, NULL}, NULL}) ? status_of(calls, &message)
                                                                                          : NULL;
}

/* sendrecv(sendbuf, dest, sendtag, recvbuf, source, recvtag): gives the Status. */
METHOD(sendrecv_buffer)
{
    struct calls *calls = (struct calls *)self;
    struct memory send, recv;
    int dest, sendtag, source, recvtag;
    anyccl_status_t status;
    anyccl_request_t unfinished, sending;
    anyccl_message_status_t message;
    if (count != 6 || !read_int(arguments[1], 0, calls->size - 1, &dest) ||
        !read_int(arguments[2], 0, INT_MAX, &sendtag) ||
        !read_int(arguments[4], ANYCCL_ANY_SOURCE, calls->size - 1, &source) ||
        !read_int(arguments[5], ANYCCL_ANY_TAG, INT_MAX, &recvtag) || !look(arguments[0], 0, &send))
        return not_served(calls);
    if (!look(arguments[3], 1, &recv)) {
        release(&send);
        return not_served(calls);
    }
    const struct uses sent = {{&send, NULL}, NULL}, received = {{&recv, NULL}, NULL};
    STARTED(calls, sending,
            status = calls->library->send(send.address, send.count, send.datatype, dest, sendtag, calls->comm));
    if (status != ANYCCL_SUCCESS) {
        release(&recv);
        return end(calls, status, NULL, NULL, sent) ? Py_NewRef(Py_None) : NULL;
    }
    BLOCKING(calls, unfinished,
             status =
                 calls->library->recv(recv.address, recv.count, recv.datatype, source, recvtag, calls->comm, &message));
    if (!end(calls, status, unfinished, &message, received)) {
        leave(calls, sending, sent);
        return NULL;
    }
    return end(calls, status, sending, NULL, sent) ? status_of(calls, &message) : NULL;
}
