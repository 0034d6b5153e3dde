/* Objects of Python as the library sees them: only those with the buffer protocol, contiguous, of a known type. */
#include <string.h>

#include "fast_path.h"

static anyccl_datatype_t by_bytes(Py_ssize_t bytes, int is_signed)
{
    switch (bytes) {
    case 1: return is_signed ? ANYCCL_INT8 : ANYCCL_UINT8;
    case 2: return is_signed ? ANYCCL_INT16 : ANYCCL_UINT16;
    case 4: return is_signed ? ANYCCL_INT32 : ANYCCL_UINT32;
    case 8: return is_signed ? ANYCCL_INT64 : ANYCCL_UINT64;
    default: return -1;
    }
}

/* The same as _arrays/datatypes.py says, for a little-endian machine. -1: another type. */
static anyccl_datatype_t by_format(const char *format, Py_ssize_t bytes)
{
    if (format == NULL)
        return ANYCCL_UINT8;
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    if (format[0] == 'Z' && format[1] != '\0' && format[2] == '\0')
        return format[1] == 'f' ? ANYCCL_COMPLEX64 : format[1] == 'd' ? ANYCCL_COMPLEX128 : -1;
    if (format[0] == '\0' || format[1] != '\0')
        return -1;
    if (strchr("bhilqn", *format))
        return by_bytes(bytes, 1);
    if (strchr("BHILQN", *format))
        return by_bytes(bytes, 0);
    switch (*format) {
    case 'd': return ANYCCL_FLOAT64;
    case 'f': return ANYCCL_FLOAT32;
    case 'e': return ANYCCL_FLOAT16;
    case '?': return ANYCCL_BOOL;
    case 'c': return ANYCCL_BYTE;
    case 'F': return ANYCCL_COMPLEX64;
    case 'D': return ANYCCL_COMPLEX128;
    default: return -1;
    }
}

int look(PyObject *object, int is_written, struct memory *memory)
{
    const int flags = PyBUF_ND | PyBUF_FORMAT | (is_written ? PyBUF_WRITABLE : 0);
    if (!PyObject_CheckBuffer(object))
        return 0;
    /* Memory that is not contiguous, or not writable, is refused here. */
    if (PyObject_GetBuffer(object, &memory->view, flags) < 0) {
        PyErr_Clear();
        return 0;
    }
    memory->address = memory->view.buf;
    memory->item_bytes = (size_t)memory->view.itemsize;
    memory->datatype = by_format(memory->view.format, memory->view.itemsize);
    if ((int)memory->datatype < 0 || memory->item_bytes == 0) {
        release(memory);
        return 0;
    }
    memory->count = (size_t)memory->view.len / memory->item_bytes;
    return 1;
}

void release(struct memory *memory)
{
    PyBuffer_Release(&memory->view);
}

int read_int(PyObject *object, int least, int most, int *number)
{
    if (!PyLong_Check(object))
        return 0;
    const long value = PyLong_AsLong(object);
    if (value == -1 && PyErr_Occurred())
        PyErr_Clear();
    if (value < least || value > most)
        return 0;
    *number = (int)value;
    return 1;
}
