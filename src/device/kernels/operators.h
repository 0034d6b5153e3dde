// Operators of reductions: how a unit becomes a number, how two numbers combine, and how the result becomes a
// unit.
//
// An operator `Op` has:
//   Bits                      the unit as it lies in memory
//   Wide                      the number that is accumulated
//   decode(bits, factor)      the number of a unit
//   combine(a, b)
//   encode(wide, finish)     the unit of a result
//   identity()                combine(identity(), x) is x, where HAS_IDENTITY
//   factor(table, rank)       what the units of an input are multiplied by, where Op is a premultiplied sum
//   encode_four(wide, finish)  a word of four units, where ENCODES_WORDS
//   RAW_ALONE                 a launch with one input copies it
//   RAW_FIRST                 the result of input 0 in a scan of several inputs is that input, bit by bit
#pragma once

#include "tables.h"

namespace anyccl {

// What happens to a result.
struct Finish {
    u32 divisor;
    u32 saturates;
};

struct NoFactor {};

// What all operators share but premultiplied sums.
struct Plain {
    typedef NoFactor Factor;
    enum : bool { HAS_IDENTITY = true };
    enum : bool { ENCODES_WORDS = false };
    enum : bool { MAY_SATURATE = false };
    enum : bool { RAW_ALONE = true };
    enum : bool { RAW_FIRST = true };
    ANYCCL_DEVICE NoFactor factor(const ReduceTable &, u32) { return NoFactor(); }
};

// The scalar of a rank.
template <class Bits>
ANYCCL_DEVICE Bits scalar_of(const ReduceTable &table, u32 rank)
{
    return Unit<Bits>::get(table.scalar<sizeof(Bits)>(rank), 0);
}

}  // namespace anyccl
