/* The module anyccl._fast_path. */
#include <stddef.h>

#include "fast_path.h"

#include <structmember.h>

struct library library;
struct python python;

PyObject *not_served(void)
{
    return Py_NewRef(python.not_served);
}

static PyObject *calls_new(PyTypeObject *type, PyObject *arguments, PyObject *named)
{
    Py_ssize_t handle;
    int rank, size;
    (void)named;
    if (!PyArg_ParseTuple(arguments, "nii", &handle, &rank, &size))
        return NULL;
    struct calls *self = (struct calls *)PyType_GenericNew(type, NULL, NULL);
    if (self == NULL)
        return NULL;
    self->comm = (anyccl_comm_t)handle;
    self->rank = rank;
    self->size = size;
    self->left = PyList_New(0);
    if (self->left == NULL)
        Py_CLEAR(self);
    return (PyObject *)self;
}

static void calls_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
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
    {Py_tp_methods, calls_methods},
    {Py_tp_members, calls_members},
    {Py_tp_doc,
     "Calls(handle, rank, size): frequent calls on a communicator. A method that returns NotServed has done nothing."},
    {0, NULL},
};
static PyType_Spec calls_spec = {"anyccl._fast_path.Calls", sizeof(struct calls), 0, Py_TPFLAGS_DEFAULT, calls_slots};

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

/* bind(addresses, objects): what this module uses. */
static PyObject *bind(PyObject *module, PyObject *arguments)
{
    PyObject *addresses, *objects;
    (void)module;
    if (!PyArg_ParseTuple(arguments, "O!O!", &PyDict_Type, &addresses, &PyDict_Type, &objects))
        return NULL;
#define BIND(function)                                                                                                 \
    if ((library.function = (__typeof__(library.function))address_in(addresses, "anyccl_" #function)) == NULL)         \
        return NULL;
    LIBRARY_FUNCTIONS(BIND)
#undef BIND
    const struct {
        const char *name;
        PyObject **place;
    } wanted[] = {
        {"in_place", &python.in_place},     {"reduce_op", &python.reduce_op},
        {"dumps", &python.dumps},           {"loads", &python.loads},
        {"protocol", &python.protocol},     {"raise_status", &python.raise_status},
        {"not_served", &python.not_served}, {"refuse_array", &python.refuse_array},
        {"status", &python.status},         {"found", &python.found},
    };
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        PyObject *object = PyDict_GetItemString(objects, wanted[i].name);
        if (object == NULL)
            return PyErr_Format(PyExc_KeyError, "%s", wanted[i].name);
        Py_XDECREF(*wanted[i].place);
        *wanted[i].place = Py_NewRef(object);
    }
    Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"bind", bind, METH_VARARGS, "bind(addresses, objects): tells what this module uses."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    "anyccl._fast_path",
    "Frequent calls of anyccl without ctypes.",
    -1,
    functions,
    NULL,
    NULL,
    NULL,
    NULL,
};

PyMODINIT_FUNC PyInit__fast_path(void)
{
    PyObject *module = PyModule_Create(&definition);
    PyObject *type = module ? PyType_FromSpec(&calls_spec) : NULL;
    held_type = type ? make_held_type() : NULL;
    if (held_type == NULL || PyModule_AddObjectRef(module, "Calls", type) < 0)
        Py_CLEAR(module);
    Py_XDECREF(type);
    return module;
}
