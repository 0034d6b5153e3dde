/* Objects as pickles. The head of _communicator/objects.py says in which messages they travel. */
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "fast_path.h"

/* As in objects.py. */
enum { SMALL = 1024, HEAD = 256, LENGTH_BYTES = 8 };
/* Attempts at a message of SMALL bytes for each look for another one, after which a message takes a longer way. */
enum { ATTEMPTS = 4 };
/* How long a receive polls for its message before it gives up. */
static const int64_t PATIENCE_NS = 100 * 1000;

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

/* Pickles an object. */
static PyObject *dump(const struct calls *calls, PyObject *object, char **bytes, Py_ssize_t *length)
{
    PyObject *content = PyObject_CallFunctionObjArgs(calls->python->dumps, object, calls->python->protocol, NULL);
    if (content != NULL && PyBytes_AsStringAndSize(content, bytes, length) < 0)
        Py_CLEAR(content);
    return content;
}

static PyObject *load(const struct calls *calls, PyObject *content)
{
    return PyObject_CallFunctionObjArgs(calls->python->loads, content, NULL);
}

static PyObject *load_part(const struct calls *calls, char *bytes, Py_ssize_t length)
{
    PyObject *view = PyMemoryView_FromMemory(bytes, length, PyBUF_READ);
    PyObject *object = view ? load(calls, view) : NULL;
    Py_XDECREF(view);
    return object;
}

/* Makes memory for `length` bytes. */
static PyObject *room(Py_ssize_t length, char **bytes)
{
    PyObject *made = PyBytes_FromStringAndSize(NULL, length);
    if (made != NULL)
        *bytes = PyBytes_AsString(made);
    return made;
}

/* Pickles an object as a message: a short pickle has zeros behind it, up to SMALL bytes. */
static PyObject *dump_message(const struct calls *calls, PyObject *object, char **bytes, Py_ssize_t *length)
{
    PyObject *content = dump(calls, object, bytes, length);
    if (content == NULL || *length >= SMALL)
        return content;
    char *padded;
    PyObject *message = room(SMALL, &padded);
    if (message != NULL) {
        memcpy(padded, *bytes, (size_t)*length);
        memset(padded + *length, 0, (size_t)(SMALL - *length));
        *bytes = padded;
        *length = SMALL;
    }
    Py_DECREF(content);
    return message;
}

/* Ends a call that uses an object. */
static int end_with(struct calls *calls, anyccl_status_t status, anyccl_request_t unfinished, PyObject *used)
{
    return end(calls, status, unfinished, NULL, (struct uses){{NULL, NULL}, used});
}

/* send(obj, dest, tag) */
METHOD(send_object)
{
    struct calls *calls = (struct calls *)self;
    int dest, tag, is_sent;
    char *bytes;
    Py_ssize_t length;
    anyccl_status_t status;
    anyccl_request_t unfinished;
    if (count != 3 || !read_int(arguments[1], 0, calls->size - 1, &dest) || !read_int(arguments[2], 0, INT_MAX, &tag))
        return not_served(calls);
    PyObject *content = dump_message(calls, arguments[0], &bytes, &length);
    if (content == NULL)
        return NULL;
    BLOCKING(calls, unfinished,
             status = calls->library->send(bytes, (size_t)length, ANYCCL_BYTE, dest, tag, calls->comm));
    is_sent = end_with(calls, status, unfinished, content);
    Py_DECREF(content);
    return is_sent ? Py_NewRef(Py_None) : NULL;
}

/* Receives the message that a probe has taken out, and unpickles it. */
static PyObject *receive_taken(struct calls *calls, anyccl_message_t taken, const anyccl_message_status_t *found)
{
    char *bytes;
    anyccl_request_t request = NULL;
    int done = 0;
    PyObject *object = NULL, *content = room((Py_ssize_t)found->bytes, &bytes);
    if (content == NULL)
        return NULL;
    anyccl_status_t status = calls->library->imrecv(bytes, found->count, found->datatype, &taken, &request);
    if (status == ANYCCL_SUCCESS)
        status = calls->library->test(&request, &done);
    if (end_with(calls, status, request, content)) {
        if (found->datatype == ANYCCL_BYTE) {
            object = load(calls, content);
        } else {
            Py_XDECREF(PyObject_CallFunction(calls->python->refuse_array, "iiii", found->source, found->tag,
                                             (int)found->datatype, calls->rank));
            forget_frames();
        }
    }
    Py_DECREF(content);
    return object;
}

/* Receives an object that comes soon. Gives NotServed if none comes. */
static PyObject *receive_soon(struct calls *calls, int source, int tag, anyccl_message_status_t *found)
{
    char *bytes;
    anyccl_status_t status = ANYCCL_SUCCESS;
    anyccl_message_t taken = NULL;
    const int is_exact = source != ANYCCL_ANY_SOURCE && tag != ANYCCL_ANY_TAG;
    int received = 0;
    PyObject *object = NULL, *content = room(SMALL, &bytes);
    if (content == NULL)
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    int64_t until = 0, now = 0;
    do {
        for (int attempt = 0; is_exact && attempt < ATTEMPTS && status == ANYCCL_SUCCESS && !received; attempt++)
            status = calls->library->try_recv(bytes, SMALL, ANYCCL_BYTE, source, tag, calls->comm, &received);
        if (status == ANYCCL_SUCCESS && !received)
            status = calls->library->improbe(source, tag, calls->comm, &taken, found);
        if (status != ANYCCL_SUCCESS || received || taken != NULL)
            break;
        now = now_ns();
        if (until == 0)
            until = now + PATIENCE_NS;
    } while (now < until);
    Py_END_ALLOW_THREADS
    if (status != ANYCCL_SUCCESS) {
        raise_status(calls, status);
    } else if (received) {
        *found = (anyccl_message_status_t){source, tag, ANYCCL_BYTE, 0, SMALL, SMALL};
        object = load(calls, content);
    } else {
        object = taken != NULL ? receive_taken(calls, taken, found) : not_served(calls);
    }
    Py_DECREF(content);
    return object;
}

/* Fills the Status of the caller, if there is one. Takes over `object`. */
static PyObject *with_status(const struct calls *calls, PyObject *object, PyObject *status,
                             const anyccl_message_status_t *found)
{
    if (object == NULL || object == calls->python->not_served || status == Py_None)
        return object;
    PyObject *made = status_of(calls, found), *value = made ? PyObject_GetAttr(made, calls->python->found) : NULL;
    if (value == NULL || PyObject_SetAttr(status, calls->python->found, value) < 0)
        Py_CLEAR(object);
    Py_XDECREF(value);
    Py_XDECREF(made);
    return object;
}

/* recv(source, tag, status) */
METHOD(recv_object)
{
    struct calls *calls = (struct calls *)self;
    int source, tag;
    anyccl_message_status_t found;
    if (count != 3 || !read_int(arguments[0], ANYCCL_ANY_SOURCE, calls->size - 1, &source) ||
        !read_int(arguments[1], ANYCCL_ANY_TAG, INT_MAX, &tag))
        return not_served(calls);
    return with_status(calls, receive_soon(calls, source, tag, &found), arguments[2], &found);
}

/* sendrecv(obj, dest, sendtag, source, recvtag, status): gives the object. If its message does not come soon, gives
 * (NotServed, request of the send or 0, what the send uses), and the receive has not begun. */
METHOD(sendrecv_object)
{
    struct calls *calls = (struct calls *)self;
    int dest, sendtag, source, recvtag;
    char *bytes;
    Py_ssize_t length;
    anyccl_status_t status;
    anyccl_request_t sending;
    anyccl_message_status_t found;
    if (count != 6 || !read_int(arguments[1], 0, calls->size - 1, &dest) ||
        !read_int(arguments[2], 0, INT_MAX, &sendtag) ||
        !read_int(arguments[3], ANYCCL_ANY_SOURCE, calls->size - 1, &source) ||
        !read_int(arguments[4], ANYCCL_ANY_TAG, INT_MAX, &recvtag))
        return not_served(calls);
    PyObject *object = NULL, *content = dump_message(calls, arguments[0], &bytes, &length);
    if (content == NULL)
        return NULL;
    STARTED(calls, sending,
            status = calls->library->send(bytes, (size_t)length, ANYCCL_BYTE, dest, sendtag, calls->comm));
    if (status != ANYCCL_SUCCESS) {
        end_with(calls, status, sending, content);
    } else {
        object = with_status(calls, receive_soon(calls, source, recvtag, &found), arguments[5], &found);
        if (object == calls->python->not_served) {
            Py_DECREF(object);
            object = Py_BuildValue("(OnO)", calls->python->not_served, (Py_ssize_t)sending, content);
        } else if (object == NULL) {
            leave(calls, sending, (struct uses){{NULL, NULL}, content});
        } else if (sending != NULL && !end_with(calls, ANYCCL_SUCCESS, sending, content)) {
            Py_CLEAR(object);
        }
    }
    Py_DECREF(content);
    return object;
}

static uint64_t length_in(const char *head)
{
    uint64_t length;
    memcpy(&length, head, sizeof length);
    return length;
}

/* Fills the first message of a collective: the length of the pickle, and the pickle if there is room. */
static void fill_head(char *head, const char *bytes, Py_ssize_t length)
{
    const uint64_t written = (uint64_t)length;
    memcpy(head, &written, sizeof written);
    if (length <= HEAD - LENGTH_BYTES)
        memcpy(head + LENGTH_BYTES, bytes, (size_t)length);
}

static int is_small(uint64_t length)
{
    return length <= HEAD - LENGTH_BYTES;
}

/* Broadcasts `length` bytes. */
static int broadcast_bytes(struct calls *calls, PyObject *owner, char *bytes, size_t length, int root)
{
    anyccl_status_t status;
    anyccl_request_t unfinished;
    BLOCKING(calls, unfinished,
             status = calls->library->broadcast(bytes, bytes, length, ANYCCL_BYTE, root, calls->comm));
    return end_with(calls, status, unfinished, owner);
}

/* bcast(obj, root) */
METHOD(bcast_object)
{
    struct calls *calls = (struct calls *)self;
    int root;
    char *head, *bytes = NULL;
    Py_ssize_t length = 0;
    if (count != 2 || !read_int(arguments[1], 0, calls->size - 1, &root))
        return not_served(calls);
    const int is_root = calls->rank == root;
    PyObject *object = NULL, *content = is_root ? dump(calls, arguments[0], &bytes, &length) : NULL;
    if (is_root && content == NULL)
        return NULL;
    PyObject *first = room(HEAD, &head);
    if (first == NULL)
        goto leave;
    memset(head, 0, HEAD);
    if (is_root)
        fill_head(head, bytes, length);
    if (!broadcast_bytes(calls, first, head, HEAD, root))
        goto leave;
    if (!is_small(length_in(head))) {
        if (!is_root && (content = room((Py_ssize_t)length_in(head), &bytes)) == NULL)
            goto leave;
        if (!broadcast_bytes(calls, content, bytes, (size_t)length_in(head), root))
            goto leave;
    }
    if (is_root)
        object = Py_NewRef(arguments[0]);
    else
        object = content ? load(calls, content) : load_part(calls, head + LENGTH_BYTES, (Py_ssize_t)length_in(head));
leave:
    Py_XDECREF(first);
    Py_XDECREF(content);
    return object;
}

/* Gathers pickles of which at least one is long. `heads` tells their lengths. */
static PyObject *gather_long(struct calls *calls, PyObject *mine, char *bytes, const char *heads)
{
    const size_t size = (size_t)calls->size;
    char *all, *numbers;
    Py_ssize_t total = 0;
    PyObject *list = NULL, *counts = room((Py_ssize_t)(size * sizeof(size_t)), &numbers);
    if (counts == NULL)
        return NULL;
    size_t *lengths = (size_t *)(void *)numbers;
    for (size_t rank = 0; rank < size; rank++)
        total += (Py_ssize_t)(lengths[rank] = length_in(heads + rank * HEAD));
    PyObject *rooms = room(total, &all), *used = rooms ? Py_BuildValue("(OOO)", mine, counts, rooms) : NULL;
    if (used != NULL) {
        anyccl_status_t status;
        anyccl_request_t unfinished;
        BLOCKING(calls, unfinished,
                 status = calls->library->all_gather_v(bytes, all, lengths, NULL, ANYCCL_BYTE, calls->comm));
        list = end_with(calls, status, unfinished, used) ? PyList_New(calls->size) : NULL;
        for (Py_ssize_t rank = 0; list != NULL && rank < calls->size; rank++) {
            PyObject *object = load_part(calls, all, (Py_ssize_t)lengths[rank]);
            all += lengths[rank];
            if (object == NULL || PyList_SetItem(list, rank, object) < 0)
                Py_CLEAR(list);
        }
    }
    Py_XDECREF(used);
    Py_XDECREF(rooms);
    Py_DECREF(counts);
    return list;
}

/* allgather(obj) */
METHOD(allgather_object)
{
    struct calls *calls = (struct calls *)self;
    char *bytes, *heads;
    Py_ssize_t length;
    int has_long = 0;
    anyccl_status_t status;
    anyccl_request_t unfinished;
    if (count != 1)
        return not_served(calls);
    PyObject *list = NULL, *content = dump(calls, arguments[0], &bytes, &length);
    if (content == NULL)
        return NULL;
    PyObject *first = room((Py_ssize_t)calls->size * HEAD, &heads);
    if (first == NULL)
        goto leave;
    char *mine = heads + (size_t)calls->rank * HEAD;
    memset(mine, 0, HEAD);
    fill_head(mine, bytes, length);
    BLOCKING(calls, unfinished, status = calls->library->all_gather(mine, heads, HEAD, ANYCCL_BYTE, calls->comm));
    if (!end_with(calls, status, unfinished, first))
        goto leave;
    for (Py_ssize_t rank = 0; rank < calls->size; rank++)
        has_long = has_long || !is_small(length_in(heads + rank * HEAD));
    if (has_long) {
        list = gather_long(calls, content, bytes, heads);
        goto leave;
    }
    list = PyList_New(calls->size);
    for (Py_ssize_t rank = 0; list != NULL && rank < calls->size; rank++) {
        char *head = heads + rank * HEAD;
        PyObject *object = load_part(calls, head + LENGTH_BYTES, (Py_ssize_t)length_in(head));
        if (object == NULL || PyList_SetItem(list, rank, object) < 0)
            Py_CLEAR(list);
    }
leave:
    Py_XDECREF(first);
    Py_DECREF(content);
    return list;
}
