// The tables of the kernels, read from memory of the GPU.
//
// What a kernel does stands in a table, because it is launched on a stream before the host knows the addresses.
// An earlier operation of the stream writes the table. Nobody writes it while the kernel runs, so all threads
// read it through the L1 cache.
#pragma once

#include "memory.h"

namespace anyccl {

template <class T>
ANYCCL_DEVICE T read_constant(const T *place)
{
    return load_constant<T>((u64)place);
}

// Reads a field, or an element of one, of a structure at an address.
#define ANYCCL_READ(Structure, address, field) read_constant(&((const Structure *)(address))->field)

// A table of ReduceArguments, or of PremulSumArguments, which begin with them. What the loops need often is in
// registers. More of it there would spill on Volta.
struct ReduceTable {
    u64 address;
    u32 inputs;
    u32 outputs;

    ANYCCL_DEVICE ReduceTable at(u64 address)
    {
        ReduceTable table = {address, ANYCCL_READ(ReduceArguments, address, inputs),
                             ANYCCL_READ(ReduceArguments, address, outputs)};
        return table;
    }
    ANYCCL_MEMBER u32 form() const { return ANYCCL_READ(ReduceArguments, address, form); }
    ANYCCL_MEMBER u32 divisor() const { return ANYCCL_READ(ReduceArguments, address, divisor); }
    ANYCCL_MEMBER u32 saturates() const { return ANYCCL_READ(ReduceArguments, address, saturates); }
    ANYCCL_MEMBER u64 input(u32 k) const { return ANYCCL_READ(ReduceArguments, address, input[k]); }
    ANYCCL_MEMBER u64 output(u32 m) const { return ANYCCL_READ(ReduceArguments, address, output[m]); }
    ANYCCL_MEMBER u64 part(u32 k) const { return ANYCCL_READ(ReduceArguments, address, part[k]); }
    ANYCCL_MEMBER u64 count() const { return ANYCCL_READ(ReduceArguments, address, count); }

    // The scalar of a premultiplied sum, as the lowest bytes of a vector.
    template <u32 BYTES>
    ANYCCL_MEMBER Vector scalar(u32 k) const
    {
        const u64 elsewhere = ANYCCL_READ(PremulSumArguments, address, scalar_address[k]);
        if (elsewhere != 0)
            return load_single<BYTES>(elsewhere);
        Vector v = {{0, 0, 0, 0}};
#pragma unroll
        for (u32 i = 0; 4 * i < BYTES; i++)
            v.word[i] = ANYCCL_READ(PremulSumArguments, address, scalar[k].word[i]);
        return v;
    }
};

// A table of CopyArguments.
struct CopyTable {
    u64 segments_at;
    u64 destinations_at;
    u64 tiles;
    u32 segments;
    u32 tile_bytes;

    ANYCCL_DEVICE CopyTable at(u64 address)
    {
        CopyTable table = {ANYCCL_READ(CopyArguments, address, segment),
                           ANYCCL_READ(CopyArguments, address, destination), ANYCCL_READ(CopyArguments, address, tiles),
                           ANYCCL_READ(CopyArguments, address, segments),
                           ANYCCL_READ(CopyArguments, address, tile_bytes)};
        return table;
    }
    ANYCCL_MEMBER u64 first_tile(u32 i) const
    {
        return ANYCCL_READ(CopySegment, segments_at + sizeof(CopySegment) * u64(i), first_tile);
    }
    ANYCCL_MEMBER CopySegment segment(u32 i) const
    {
        const u64 address = segments_at + sizeof(CopySegment) * u64(i);
        CopySegment segment = {ANYCCL_READ(CopySegment, address, source), ANYCCL_READ(CopySegment, address, bytes),
                               ANYCCL_READ(CopySegment, address, first_tile),
                               ANYCCL_READ(CopySegment, address, first_destination),
                               ANYCCL_READ(CopySegment, address, destinations)};
        return segment;
    }
    // Destination k of a segment.
    ANYCCL_MEMBER u64 destination(const CopySegment &segment, u32 k) const
    {
        return load_constant<u64>(destinations_at + 8 * u64(segment.first_destination + k));
    }
};

}  // namespace anyccl
