// The loops of a reduction.
//
// Each thread takes 16 bytes of the result at a time: it reads them of every input in the order of ranks,
// combines them in registers, and writes the result to every output. So the bits do not depend on the shape
// of the launch, on the count, or on where the buffers lie.
//
// - `fast` serves buffers whose addresses are equal modulo 16. Each thread has DEPTH to 2 * DEPTH loads in
// flight.
// - `careful` serves the others, scans, and what is left: one vector per thread, with the next input's in
// flight.
// - The units before the first whole vector and after the last one are taken one per thread, by `careful` as
// well.
#pragma once

#include "operators.h"

namespace anyccl {

// Makes units of numbers: one at a time, or four to a word.
template <class Op, u32 COUNT, bool WORDS>
struct Encoding {
    ANYCCL_DEVICE void encode(Vector &v, const typename Op::Wide *number, const Finish &finish)
    {
#pragma unroll
        for (u32 i = 0; i < COUNT; i++)
            Unit<typename Op::Bits>::set(v, i, Op::encode(number[i], finish));
    }
};

template <class Op, u32 COUNT>
struct Encoding<Op, COUNT, true> {
    ANYCCL_DEVICE void encode(Vector &v, const typename Op::Wide *number, const Finish &finish)
    {
#pragma unroll
        for (u32 i = 0; i < COUNT / 4; i++)
            v.word[i] = Op::encode_four(number + 4 * i, finish);
    }
};

// What becomes of the inputs: the accumulated numbers of `COUNT` units.
template <class Op, u32 COUNT>
struct Accumulator {
    typename Op::Wide number[COUNT];

    ANYCCL_MEMBER void clear()
    {
#pragma unroll
        for (u32 i = 0; i < COUNT; i++)
            number[i] = Op::identity();
    }

    ANYCCL_MEMBER void add(const Vector &v, typename Op::Factor factor, bool first)
    {
#pragma unroll
        for (u32 i = 0; i < COUNT; i++) {
            typename Op::Wide next = Op::decode(Unit<typename Op::Bits>::get(v, i), factor);
            number[i] = !bool(Op::HAS_IDENTITY) && first ? next : Op::combine(number[i], next);
        }
    }

    ANYCCL_MEMBER Vector result(const Finish &finish) const
    {
        Vector v = {{0, 0, 0, 0}};
        Encoding<Op, COUNT, Op::ENCODES_WORDS && COUNT >= 4>::encode(v, number, finish);
        return v;
    }
};

// A piece that one thread moves at any alignment: a whole vector, or one unit of it.
template <class Op>
struct WholeVector {
    typedef Accumulator<Op, Unit<typename Op::Bits>::PER_VECTOR> Numbers;
    ANYCCL_DEVICE Vector read(u64 address) { return load_unaligned(address); }
    ANYCCL_DEVICE void write(u64 address, const Vector &v) { store_unaligned(address, v); }
};

template <class Op>
struct SingleUnit {
    typedef Accumulator<Op, 1> Numbers;
    ANYCCL_DEVICE Vector read(u64 address) { return load_single<sizeof(typename Op::Bits)>(address); }
    ANYCCL_DEVICE void write(u64 address, const Vector &v) { store_single<sizeof(typename Op::Bits)>(address, v); }
};

// The part of the buffers that this launch, or this row of its blocks, reduces.
struct Area {
    u64 input_offset;  // in bytes
    u32 first_output, end_output;
};

// Reduces the piece at `offset` bytes. Reads input k + 1 before it writes a result of inputs 0..=k, because
// an exclusive scan in place writes that result over input k + 1.
template <class Op, class Piece>
ANYCCL_DEVICE void careful(const ReduceTable &table, const Area &area, u64 offset)
{
    const u32 inputs = table.inputs, form = table.form();
    typename Piece::Numbers numbers;
    numbers.clear();
    Vector piece = Piece::read(table.input(0) + area.input_offset + offset), next = piece;
#pragma unroll 1
    for (u32 k = 0; k < inputs; k++) {
        if (k + 1 < inputs)
            next = Piece::read(table.input(k + 1) + area.input_offset + offset);
        numbers.add(piece, Op::factor(table, k), k == 0);
        u32 first = area.first_output, end = k + 1 == inputs ? area.end_output : first;
        if (form >= FORM_INCLUSIVE_SCAN) {
            first = form == FORM_INCLUSIVE_SCAN ? k : k + 1;
            end = first < inputs ? first + 1 : first;
        }
        if (first < end) {
            const Finish finish = {form >= FORM_INCLUSIVE_SCAN ? k + 1 : table.divisor(), table.saturates()};
            Vector result = numbers.result(finish);
            if (k == 0 &&
                (inputs == 1 ? bool(Op::RAW_ALONE) : Op::RAW_FIRST && !(Op::MAY_SATURATE && finish.saturates)))
                result = piece;
#pragma unroll 1
            for (u32 m = first; m < end; m++)
                Piece::write(table.output(m) + offset, result);
        }
        piece = next;
    }
}

// Reduces DEPTH vectors per thread, blockDim.x vectors apart, from `offset` on. All addresses are multiples
// of 16 there. The vectors of the next input are loaded before those of this one are waited for.
template <class Op, u32 DEPTH>
ANYCCL_DEVICE void fast(const ReduceTable &table, const Area &area, u64 offset)
{
    const u32 inputs = table.inputs;
    const u64 step = u64(blockDim.x) * 16;
    typename WholeVector<Op>::Numbers numbers[DEPTH];
    Vector v[DEPTH], next[DEPTH];
    const u64 first = table.input(0) + area.input_offset + offset;
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++) {
        numbers[d].clear();
        v[d] = next[d] = load_vector(first + d * step);
    }
#pragma unroll 1
    for (u32 k = 0; k < inputs; k++) {
        if (k + 1 < inputs) {
            const u64 from = table.input(k + 1) + area.input_offset + offset;
#pragma unroll
            for (u32 d = 0; d < DEPTH; d++)
                next[d] = load_vector(from + d * step);
        }
        typename Op::Factor factor = Op::factor(table, k);
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            numbers[d].add(v[d], factor, k == 0);
            v[d] = next[d];
        }
    }
    const Finish finish = {table.divisor(), table.saturates()};
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++)
        v[d] = numbers[d].result(finish);
#pragma unroll 1
    for (u32 m = area.first_output; m < area.end_output; m++) {
        const u64 to = table.output(m) + offset;
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++)
            store_vector(to + d * step, v[d]);
    }
}

// Whether vectors that begin at `offset` of any buffer begin at a multiple of 16.
ANYCCL_DEVICE bool all_aligned(const ReduceTable &table, const Area &area, u64 offset)
{
    u32 low_bits = 0;
#pragma unroll 1
    for (u32 k = 0; k < table.inputs; k++)
        low_bits |= u32(table.input(k) + area.input_offset + offset);
#pragma unroll 1
    for (u32 m = area.first_output; m < area.end_output; m++)
        low_bits |= u32(table.output(m) + offset);
    return low_bits % 16 == 0;
}

// The kernel. `Op` works on vectors, and `Single` on the units at the ends, which `count` counts.
template <class Op, u32 DEPTH, class Single = Op>
ANYCCL_DEVICE void reduce(u64 address)
{
    const ReduceTable table = ReduceTable::at(address);
    const u64 unit = sizeof(typename Single::Bits);
    // All of them are loaded before the first one is waited for, though most forms have no parts.
    const u64 first_input = table.input(0), begin = table.part(blockIdx.y), end = table.part(blockIdx.y + 1);
    const u32 form = table.form();
    Area area = {0, 0, table.outputs};
    u64 bytes = table.count() * unit;
    if (form == FORM_PARTS) {
        area.input_offset = begin * unit;
        area.first_output = blockIdx.y;
        area.end_output = blockIdx.y + 1;
        bytes = end * unit - area.input_offset;
    }
    // A table of zeros, too, means that there is nothing to do.
    if (bytes == 0 || table.inputs == 0)
        return;
    // Units before the first vector: until an aligned address of input 0, if a unit begins there.
    u64 head = (0 - (first_input + area.input_offset)) % 16;
    head = head % unit != 0 ? 0 : head < bytes ? head : bytes;
    const u64 vectors = (bytes - head) / 16, tail = head + 16 * vectors;

    const u64 threads = u64(gridDim.x) * blockDim.x, thread = u64(blockIdx.x) * blockDim.x + threadIdx.x;
    u64 done = 0;
    if (form <= FORM_PARTS && table.inputs > 1 && all_aligned(table, area, head)) {
        const u64 whole = threads * DEPTH, mine = u64(blockIdx.x) * blockDim.x * DEPTH + threadIdx.x;
#pragma unroll 1
        for (; vectors - done >= whole; done += whole)
            fast<Op, DEPTH>(table, area, head + 16 * (done + mine));
    }
#pragma unroll 1
    for (done += thread; done < vectors; done += threads)
        careful<Op, WholeVector<Op>>(table, area, head + 16 * done);
    // The last threads take the ends, because the first ones have the most vectors.
    const u64 singles = (head + bytes - tail) / unit, from_end = threads - 1 - thread;
#pragma unroll 1
    for (u64 i = from_end; i < singles; i += threads)
        careful<Single, SingleUnit<Single>>(table, area, i * unit < head ? i * unit : tail + i * unit - head);
}

}  // namespace anyccl
