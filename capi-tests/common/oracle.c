#include "oracle.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

static int is_float(anyccl_datatype_t datatype)
{
    return datatype >= ANYCCL_FLOAT16 && datatype <= ANYCCL_FLOAT8_E5M2;
}

static int is_complex(anyccl_datatype_t datatype)
{
    return datatype == ANYCCL_COMPLEX64 || datatype == ANYCCL_COMPLEX128;
}

struct number contribution(anyccl_datatype_t datatype, int rank, size_t index)
{
    /* Chosen so that operators differ in the results of few elements. At every fifth index all ranks contribute the
     * same, which tells bxor from bor. */
    const size_t seed = (size_t)(rank * rank) * ((index + 2) % 5) + index * 2 + index / 7;
    struct number value = {0, 0};
    if (datatype == ANYCCL_BOOL)
        value.re = (double)(seed % 2);
    else if (is_float(datatype))
        value.re = (double)(1 + seed % 2);
    else
        value.re = (double)(seed % 3);
    /* No contribution is zero: the sign of a zero product depends on the order of the factors. */
    if (is_complex(datatype)) {
        value.re = (double)(1 + seed % 2);
        value.im = 1;
    }
    return value;
}

static struct number combine(anyccl_datatype_t datatype, anyccl_reduce_op_t op, struct number a, struct number b)
{
    struct number result = {0, 0};
    const long long x = (long long)a.re, y = (long long)b.re;

    /* On bool, arithmetic is logic. */
    if (datatype == ANYCCL_BOOL) {
        if (op == ANYCCL_SUM || op == ANYCCL_MAX || op == ANYCCL_BOR)
            op = ANYCCL_LOR;
        else if (op == ANYCCL_PRODUCT || op == ANYCCL_MIN || op == ANYCCL_BAND)
            op = ANYCCL_LAND;
        else if (op == ANYCCL_BXOR)
            op = ANYCCL_LXOR;
    }
    switch (op) {
    case ANYCCL_SUM:
    case ANYCCL_AVG:
        result.re = a.re + b.re;
        result.im = a.im + b.im;
        break;
    case ANYCCL_PRODUCT:
        result.re = a.re * b.re - a.im * b.im;
        result.im = a.re * b.im + a.im * b.re;
        break;
    case ANYCCL_MIN:
        result.re = a.re < b.re ? a.re : b.re;
        break;
    case ANYCCL_MAX:
        result.re = a.re > b.re ? a.re : b.re;
        break;
    case ANYCCL_BAND:
        result.re = (double)(x & y);
        break;
    case ANYCCL_BOR:
        result.re = (double)(x | y);
        break;
    case ANYCCL_BXOR:
        result.re = (double)(x ^ y);
        break;
    case ANYCCL_LAND:
        result.re = x && y;
        break;
    case ANYCCL_LOR:
        result.re = x || y;
        break;
    case ANYCCL_LXOR:
        result.re = !x != !y;
        break;
    default:
        CHECK(!"an operator that the oracle knows");
    }
    return result;
}

struct number combined(anyccl_datatype_t datatype, anyccl_reduce_op_t op, int size, size_t index)
{
    struct number result = contribution(datatype, 0, index);
    for (int rank = 1; rank < size; rank++)
        result = combine(datatype, op, result, contribution(datatype, rank, index));
    /* A logical operator gives 0 or 1, also with a single contribution. */
    if (size == 1 && (op == ANYCCL_LAND || op == ANYCCL_LOR || op == ANYCCL_LXOR))
        return contribution(datatype, 0, index);
    if (op == ANYCCL_AVG) {
        result.re /= size;
        result.im /= size;
        if (!is_float(datatype) && !is_complex(datatype))
            result.re = trunc(result.re);
    }
    return result;
}

int is_exact(anyccl_datatype_t datatype, anyccl_reduce_op_t op, int size)
{
    const int divides = op == ANYCCL_AVG && (is_float(datatype) || is_complex(datatype));
    return !divides || (size & (size - 1)) == 0;
}

/* The bits of a positive number in a float format, which must hold it exactly. */
static unsigned float_bits(double value, int exponent_bits, int mantissa_bits)
{
    int exponent;
    const double fraction = frexp(value, &exponent); /* value = fraction * 2^exponent, fraction in [0.5, 1) */
    const double mantissa = ldexp(2 * fraction - 1, mantissa_bits);
    const int bias = (1 << (exponent_bits - 1)) - 1;
    CHECK(value > 0 && mantissa == trunc(mantissa));
    return ((unsigned)(exponent - 1 + bias) << mantissa_bits) | (unsigned)mantissa;
}

#define STORE(type, value)                                                                                             \
    do {                                                                                                               \
        const type element_ = (type)(value);                                                                           \
        memcpy(place, &element_, sizeof element_);                                                                     \
    } while (0)

void store(anyccl_datatype_t datatype, void *array, size_t index, struct number value)
{
    unsigned char *place = (unsigned char *)array + index * anyccl_datatype_bytes(datatype);
    switch (datatype) {
    case ANYCCL_INT8:
        STORE(int8_t, value.re);
        break;
    case ANYCCL_UINT8:
    case ANYCCL_BOOL:
    case ANYCCL_BYTE:
        STORE(uint8_t, value.re);
        break;
    case ANYCCL_INT16:
        STORE(int16_t, value.re);
        break;
    case ANYCCL_UINT16:
        STORE(uint16_t, value.re);
        break;
    case ANYCCL_INT32:
        STORE(int32_t, value.re);
        break;
    case ANYCCL_UINT32:
        STORE(uint32_t, value.re);
        break;
    case ANYCCL_INT64:
        STORE(int64_t, value.re);
        break;
    case ANYCCL_UINT64:
        STORE(uint64_t, value.re);
        break;
    case ANYCCL_FLOAT16:
        STORE(uint16_t, float_bits(value.re, 5, 10));
        break;
    case ANYCCL_BFLOAT16:
        STORE(uint16_t, float_bits(value.re, 8, 7));
        break;
    case ANYCCL_FLOAT8_E4M3:
        STORE(uint8_t, float_bits(value.re, 4, 3));
        break;
    case ANYCCL_FLOAT8_E5M2:
        STORE(uint8_t, float_bits(value.re, 5, 2));
        break;
    case ANYCCL_FLOAT32:
        STORE(float, value.re);
        break;
    case ANYCCL_FLOAT64:
        STORE(double, value.re);
        break;
    case ANYCCL_COMPLEX64:
        STORE(float, value.re);
        place += sizeof(float);
        STORE(float, value.im);
        break;
    case ANYCCL_COMPLEX128:
        STORE(double, value.re);
        place += sizeof(double);
        STORE(double, value.im);
        break;
    default:
        CHECK(!"a datatype that the oracle knows");
    }
}
