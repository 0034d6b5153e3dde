/* The module anyccl._fast_path. */
#include <stddef.h>

#include "fast_path.h"

#include <structmember.h>

/* What one import of the module uses. */
struct state {
    struct library library;
    struct python python;
};

PyObject *not_served(const struct calls *calls)
{
    return Py_NewRef(calls->python->not_served);
}

static PyObject *calls_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    Py_ssize_t handle;
    int rank, size;
    (void)named;
    if (!PyArg_ParseTuple(arguments, "nii", &handle, &rank, &size))
        return NULL;
    const struct state *state = PyType_GetModuleState(type);
    if (state == NULL || state->python.found == NULL) {
        PyErr_SetString(PyExc_RuntimeError, "anyccl._fast_path.bind() has not been called");
        return NULL;
    }
    struct calls *self = (struct calls *)PyType_GenericNew(type, NULL, NULL);
    if (self == NULL)
        return NULL;
    self->library = &state->library;
    self->python = &state->python;
    self->comm = (anyccl_comm_t)handle;
    self->rank = rank;
    self->size = size;
    self->left = PyList_New(0);
    if (self->left == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static int calls_traverse(PyObject *self, visitproc visit, void *arg)
{
    Py_VISIT(Py_TYPE(self));
    Py_VISIT(((struct calls *)self)->left);
    return 0;
}

static void calls_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    PyObject_GC_UnTrack(self);
    Py_XDECREF(((struct calls *)self)->left);
    freefunc release_memory = (freefunc)PyType_GetSlot(type, Py_tp_free);
    release_memory(self);
    Py_DECREF(type);
}

#define FAST(name, function, text) {name, (PyCFunction)(void (*)(void))function, METH_FASTCALL, text}
static PyMethodDef calls_methods[] = {
    FAST("all_reduce", all_reduce, "Allreduce(sendbuf, recvbuf, op)"),
    FAST("reduce", reduce, "Reduce(sendbuf, recvbuf, op, root)"),
    FAST("broadcast", broadcast, "Bcast(buf, root)"),
    FAST("all_gather", all_gather, "Allgather(sendbuf, recvbuf)"),
    FAST("gather", gather, "Gather(sendbuf, recvbuf, root)"),
    FAST("scatter", scatter, "Scatter(sendbuf, recvbuf, root)"),
    FAST("reduce_scatter_block", reduce_scatter_block, "Reduce_scatter_block(sendbuf, recvbuf, op)"),
    FAST("all_to_all", all_to_all, "Alltoall(sendbuf, recvbuf)"),
    FAST("scan", scan, "Scan(sendbuf, recvbuf, op)"),
    FAST("exscan", exscan, "Exscan(sendbuf, recvbuf, op)"),
    FAST("barrier", barrier, "Barrier()"),
    FAST("send_buffer", send_buffer, "Send(buf, dest, tag)"),
    FAST("recv_buffer", recv_buffer, "Recv(buf, source, tag); returns the Status"),
    FAST("sendrecv_buffer", sendrecv_buffer,
         "Sendrecv(sendbuf, dest, sendtag, recvbuf, source, recvtag); returns the Status"),
    FAST("send_object", send_object, "send(obj, dest, tag)"),
    FAST("recv_object", recv_object, "recv(source, tag, status)"),
    FAST("sendrecv_object", sendrecv_object, "sendrecv(obj, dest, sendtag, source, recvtag, status)"),
    FAST("bcast_object", bcast_object, "bcast(obj, root)"),
    FAST("allgather_object", allgather_object, "allgather(obj)"),
    {NULL, NULL, 0, NULL},
};

static PyMemberDef calls_members[] = {
    {"left", T_OBJECT, offsetof(struct calls, left), READONLY, "Operations whose wait was interrupted"},
    {NULL, 0, 0, 0, NULL},
};

static PyType_Slot calls_slots[] = {
    {Py_tp_new, calls_new},
    {Py_tp_dealloc, calls_dealloc},
    {Py_tp_traverse, calls_traverse},
    {Py_tp_methods, calls_methods},
    {Py_tp_members, calls_members},
    {Py_tp_doc,
     "Calls(handle, rank, size): frequent calls on a communicator. A method that returns NotServed has done nothing."},
    {0, NULL},
};
static PyType_Spec calls_spec = {"anyccl._fast_path.Calls", sizeof(struct calls), 0,
                                 Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC, calls_slots};

/* Looks a function of the library up in a dict of addresses. */
static void *address_in(PyObject *addresses, const char *name)
{
    PyObject *address = PyDict_GetItemString(addresses, name);
    if (address == NULL) {
        PyErr_Format(PyExc_KeyError, "%s", name);
        return NULL;
    }
    return PyLong_AsVoidPtr(address);
}

/* Takes an object out of a dict, in the place of an earlier one. */
static int take_object(PyObject *objects, const char *name, PyObject **place)
{
    PyObject *object = PyDict_GetItemString(objects, name), *earlier = *place;
    if (object == NULL) {
        PyErr_Format(PyExc_KeyError, "%s", name);
        return 0;
    }
    *place = Py_NewRef(object);
    Py_XDECREF(earlier);
    return 1;
}

/* bind(addresses, objects): what this module uses. */
static PyObject *bind(PyObject *module, PyObject *arguments)
{
    struct state *state = PyModule_GetState(module);
    PyObject *addresses, *objects;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyDict_Type, &addresses, &PyDict_Type, &objects))
        return NULL;
#define BIND(function)                                                                                                 \
    if ((state->library.function = (__typeof__(state->library.function))address_in(addresses, "anyccl_" #function)) == \
        NULL)                                                                                                          \
        return NULL;
    LIBRARY_FUNCTIONS(BIND)
#undef BIND
#define TAKE(name)                                                                                                     \
    if (!take_object(objects, #name, &state->python.name))                                                             \
        return NULL;
    PYTHON_OBJECTS(TAKE)
#undef TAKE
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"bind", bind, METH_VARARGS, "bind(addresses, objects): tells what this module uses."},
    {NULL, NULL, 0, NULL},
};

/* Adds the type of the calls to a new module. */
static int fill(PyObject *module)
{
    struct state *state = PyModule_GetState(module);
    state->python.held_type = make_held_type();
    PyObject *type = state->python.held_type ? PyType_FromModuleAndSpec(module, &calls_spec, NULL) : NULL;
    const int result = type ? PyModule_AddObjectRef(module, "Calls", type) : -1;
    Py_XDECREF(type);
    return result;
}

static int traverse(PyObject *module, visitproc visit, void *arg)
{
    const struct state *state = PyModule_GetState(module);
    if (state == NULL)
        return 0;
#define VISIT(name) Py_VISIT(state->python.name);
    PYTHON_OBJECTS(VISIT)
#undef VISIT
    Py_VISIT(state->python.held_type);
    return 0;
}

static void free_state(void *module)
{
    const struct state *state = PyModule_GetState(module);
    if (state == NULL)
        return;
#define DROP(name) Py_XDECREF(state->python.name);
    PYTHON_OBJECTS(DROP)
#undef DROP
    Py_XDECREF(state->python.held_type);
}

static PyModuleDef_Slot slots[] = {{Py_mod_exec, fill}, {0, NULL}};

/* Without m_clear: a call that runs while the collector works on a cycle still finds its objects. Every cycle goes
 * through a dict, which the collector clears. */
static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "anyccl._fast_path",
    "Frequent calls of anyccl without ctypes.",
    sizeof(struct state),
    functions,
    slots,
    traverse,
    NULL,
    free_state,
};

PyMODINIT_FUNC PyInit__fast_path(void)
{
    return PyModuleDef_Init(&definition);
}
