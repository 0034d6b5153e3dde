#include "values.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "check.h"

/* The format of a small float. */
struct format {
    int exponent_bits, mantissa_bits;
};

static struct format format_of(ncclDataType_t datatype)
{
    switch (datatype) {
    case ncclFloat16:
        return (struct format){5, 10};
    case ncclBfloat16:
        return (struct format){8, 7};
    case ncclFloat8e4m3:
        return (struct format){4, 3};
    case ncclFloat8e5m2:
        return (struct format){5, 2};
    default:
        return (struct format){0, 0};
    }
}

static double decode(struct format format, unsigned bits)
{
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const unsigned mantissa = bits & ((1u << format.mantissa_bits) - 1);
    const int exponent = (int)(bits >> format.mantissa_bits) & ((1 << format.exponent_bits) - 1);
    const int sign = (int)(bits >> (format.exponent_bits + format.mantissa_bits)) & 1;
    const double fraction = ldexp(mantissa, -format.mantissa_bits);
    const double value = exponent == 0 ? ldexp(fraction, 1 - bias) : ldexp(1 + fraction, exponent - bias);
    return sign ? -value : value;
}

/* Returns the bits of `value`, which must be zero or a positive normal number of the format. */
static unsigned encode(struct format format, double value)
{
    int exponent;
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    if (value == 0)
        return 0;
    const double fraction = frexp(value, &exponent) * 2 - 1;
    const double mantissa = ldexp(fraction, format.mantissa_bits);
    CHECK(mantissa == floor(mantissa) && exponent - 1 + bias > 0);
    return (unsigned)(exponent - 1 + bias) << format.mantissa_bits | (unsigned)mantissa;
}

size_t bytes_of(ncclDataType_t datatype)
{
    static const size_t bytes[ncclNumTypes] = {1, 1, 4, 4, 8, 8, 2, 4, 8, 2, 1, 1};
    return bytes[datatype];
}

int is_float(ncclDataType_t datatype)
{
    return datatype >= ncclFloat16;
}

double contribution(ncclDataType_t datatype, int rank, size_t index)
{
    /* At every fifth index all ranks contribute the same, which tells product from minimum, and sum from maximum. */
    const size_t seed = (size_t)(rank * rank) * ((index + 2) % 5) + index * 2 + index / 7;
    /* A sum of eight contributions must be exact in an 8-bit float, which has three significant bits, and a product
     * in an 8-bit integer. */
    if (is_float(datatype))
        return (double)(bytes_of(datatype) == 1 ? seed % 2 : 1 + seed % 2);
    return (double)(rank < 6 ? seed % 3 : seed % 2);
}

double combined(ncclDataType_t datatype, ncclRedOp_t op, int size, size_t index)
{
    double result = contribution(datatype, 0, index);
    for (int rank = 1; rank < size; rank++) {
        const double next = contribution(datatype, rank, index);
        switch (op) {
        case ncclProd:
            result *= next;
            break;
        case ncclMax:
            result = fmax(result, next);
            break;
        case ncclMin:
            result = fmin(result, next);
            break;
        default:
            result += next;
        }
    }
    if (op == ncclAvg)
        result = is_float(datatype) ? result / size : floor(result / size);
    return result;
}

double load(ncclDataType_t datatype, const void *array, size_t index)
{
    const char *place = (const char *)array + index * bytes_of(datatype);
    int8_t i8;
    uint8_t u8;
    uint16_t u16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    uint64_t u64;
    float f32;
    double f64;
    switch (datatype) {
    case ncclInt8:
        return memcpy(&i8, place, sizeof i8), i8;
    case ncclUint8:
        return memcpy(&u8, place, sizeof u8), u8;
    case ncclInt32:
        return memcpy(&i32, place, sizeof i32), i32;
    case ncclUint32:
        return memcpy(&u32, place, sizeof u32), u32;
    case ncclInt64:
        return memcpy(&i64, place, sizeof i64), (double)i64;
    case ncclUint64:
        return memcpy(&u64, place, sizeof u64), (double)u64;
    case ncclFloat32:
        return memcpy(&f32, place, sizeof f32), f32;
    case ncclFloat64:
        return memcpy(&f64, place, sizeof f64), f64;
    case ncclFloat16:
    case ncclBfloat16:
        return memcpy(&u16, place, sizeof u16), decode(format_of(datatype), u16);
    default:
        return memcpy(&u8, place, sizeof u8), decode(format_of(datatype), u8);
    }
}

void store(ncclDataType_t datatype, void *array, size_t index, double value)
{
    char *place = (char *)array + index * bytes_of(datatype);
    const int64_t integer = (int64_t)value;
    const float f32 = (float)value;
    uint16_t u16;
    uint8_t u8;
    switch (datatype) {
    case ncclFloat32:
        memcpy(place, &f32, sizeof f32);
        break;
    case ncclFloat64:
        memcpy(place, &value, sizeof value);
        break;
    case ncclFloat16:
    case ncclBfloat16:
        u16 = (uint16_t)encode(format_of(datatype), value);
        memcpy(place, &u16, sizeof u16);
        break;
    case ncclFloat8e4m3:
    case ncclFloat8e5m2:
        u8 = (uint8_t)encode(format_of(datatype), value);
        memcpy(place, &u8, sizeof u8);
        break;
    default: /* Little endian: the first bytes of an integer are its lowest. */
        memcpy(place, &integer, bytes_of(datatype));
    }
}

int is_right(ncclDataType_t datatype, ncclRedOp_t op, int size, double expected, double found)
{
    const int is_exact = op != ncclAvg || !is_float(datatype) || (size & (size - 1)) == 0;
    if (is_exact)
        return expected == found;
    return fabs(expected - found) <= 0.13 * expected;
}
