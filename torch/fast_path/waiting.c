/* The end of blocking calls.
 *
 * A call returns after a tenth of a second, and what has not ended by then is a request. So Python can look at its
 * signals. After Ctrl-C the operation goes on, and its memory must live: both go to the list `left` of the
 * communicator, whose Python part takes them over. */
#include <stdlib.h>

#include "fast_path.h"

/* Owner of memory that an operation still uses. */
struct held {
    PyObject_HEAD
    struct memory *memory[2];
};

static void held_dealloc(PyObject *self)
{
    struct held *held = (struct held *)self;
    PyTypeObject *type = Py_TYPE(self);
    for (int i = 0; i < 2; i++) {
        if (held->memory[i] != NULL) {
            release(held->memory[i]);
            free(held->memory[i]);
        }
    }
    freefunc release_memory = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_memory(self);
    Py_DECREF(type);
}

PyObject *make_held_type(void)
{
    static PyType_Slot slots[] = {{Py_tp_dealloc, held_dealloc}, {0, NULL}};
    static PyType_Spec spec = {"anyccl._fast_path.Held", sizeof(struct held), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots};
    return PyType_FromSpec(&spec);
}

/* Makes an object that owns what `uses` has. Without memory for it, what is used stays for ever. */
static PyObject *hold(const struct calls *calls, struct uses uses)
{
    if (uses.object != NULL)
        return Py_NewRef(uses.object);
    PyTypeObject *type = (PyTypeObject *)calls->python->held_type;
    allocfunc allocate = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct held *held = (struct held *)allocate(type, 0);
    if (held == NULL)
        return NULL;
    for (int i = 0; i < 2; i++) {
        if (uses.memory[i] != NULL && (held->memory[i] = malloc(sizeof(struct memory))) != NULL)
            *held->memory[i] = *uses.memory[i];
    }
    return (PyObject *)held;
}

static void release_all(struct uses uses)
{
    for (int i = 0; i < 2; i++) {
        if (uses.memory[i] != NULL)
            release(uses.memory[i]);
    }
}

void leave(struct calls *self, anyccl_request_t request, struct uses uses)
{
    PyObject *type, *value, *trace;
    if (request == NULL) {
        release_all(uses);
        return;
    }
    PyErr_Fetch(&type, &value, &trace);
    PyObject *held = hold(self, uses);
    PyObject *pair = held ? Py_BuildValue("(nN)", (Py_ssize_t)request, held) : NULL;
    if (pair == NULL || PyList_Append(self->left, pair) < 0)
        PyErr_Clear();
    Py_XDECREF(pair);
    PyErr_Restore(type, value, trace);
}

void forget_frames(void)
{
    PyObject *type, *value, *trace;
    PyErr_Fetch(&type, &value, &trace);
    PyErr_NormalizeException(&type, &value, &trace);
    if (value != NULL)
        PyException_SetTraceback(value, Py_None);
    Py_XDECREF(trace);
    PyErr_Restore(type, value, NULL);
}

int raise_status(struct calls *self, anyccl_status_t status)
{
    PyObject *result = PyObject_CallFunction(self->python->raise_status, "ii", (int)status, self->rank);
    Py_XDECREF(result);
    forget_frames();
    return 0;
}

int end(struct calls *self, anyccl_status_t status, anyccl_request_t unfinished, anyccl_message_status_t *message,
        struct uses uses)
{
    int done = unfinished == NULL;
    while (!done && status == ANYCCL_SUCCESS) {
        if (PyErr_CheckSignals() < 0) {
            leave(self, unfinished, uses);
            return 0;
        }
        Py_BEGIN_ALLOW_THREADS
        status = self->library->wait_for(&unfinished, LIMIT_MS, &done, message);
        Py_END_ALLOW_THREADS
    }
    if (status != ANYCCL_SUCCESS) {
        raise_status(self, status);
        if (unfinished != NULL) {
            /* The wait was refused, for example in a forked child. */
            leave(self, unfinished, uses);
            return 0;
        }
    }
    release_all(uses);
    return status == ANYCCL_SUCCESS;
}
