// Copies of runs of bytes, each to several places: the kernel of broadcast, all_gather, all_to_all, gather
// and scatter.
//
// A block takes one tile after the other. Each tile lies in one segment, which the block finds by the number
// of the tile. What is read is written to every destination of the segment, so an all_gather reads each input
// only once.
#pragma once

#include "memory.h"

namespace anyccl {

// Tables of CopyArguments.
struct TableInMemory {
    ANYCCL_DEVICE u64 first_tile(const CopyArguments &arguments, u32 i)
    {
        return load<u64>(arguments.segment + sizeof(CopySegment) * i + 16);
    }
    ANYCCL_DEVICE CopySegment segment(const CopyArguments &arguments, u32 i)
    {
        const u64 at = arguments.segment + sizeof(CopySegment) * i;
        CopySegment segment = {load<u64>(at), load<u64>(at + 8), load<u64>(at + 16), load<u32>(at + 24),
                               load<u32>(at + 28)};
        return segment;
    }
    ANYCCL_DEVICE u64 destination(const CopyArguments &arguments, u32 i)
    {
        return load<u64>(arguments.destination + 8 * u64(i));
    }
};

// Tables of InlineCopyArguments.
struct TableInline {
    ANYCCL_DEVICE u64 first_tile(const InlineCopyArguments &arguments, u32 i)
    {
        return arguments.segment[i].first_tile;
    }
    ANYCCL_DEVICE CopySegment segment(const InlineCopyArguments &arguments, u32 i) { return arguments.segment[i]; }
    ANYCCL_DEVICE u64 destination(const InlineCopyArguments &arguments, u32 i) { return arguments.destination[i]; }
};

// Most vectors that a thread has in flight.
const u32 COPY_DEPTH = 4;

// Copies DEPTH vectors per thread, blockDim.x vectors apart, from `offset` on. ALIGNED: all addresses are
// multiples of 16.
template <class Table, u32 DEPTH, bool ALIGNED, class Arguments>
ANYCCL_DEVICE void copy_vectors(const Arguments &arguments, const CopySegment &segment, u64 offset)
{
    const u64 step = u64(blockDim.x) * 16;
    Vector v[DEPTH];
#pragma unroll
    for (u32 d = 0; d < DEPTH; d++) {
        const u64 from = segment.source + offset + d * step;
        v[d] = ALIGNED ? load_vector(from) : load_unaligned(from);
    }
#pragma unroll 1
    for (u32 k = 0; k < segment.destinations; k++) {
        const u64 to = Table::destination(arguments, segment.first_destination + k) + offset;
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (ALIGNED)
                store_vector(to + d * step, v[d]);
            else
                store_unaligned(to + d * step, v[d]);
        }
    }
}

template <class Table, class Arguments>
ANYCCL_DEVICE void copy_byte(const Arguments &arguments, const CopySegment &segment, u64 offset)
{
    const u8 byte = load<u8>(segment.source + offset);
#pragma unroll 1
    for (u32 k = 0; k < segment.destinations; k++)
        store<u8>(Table::destination(arguments, segment.first_destination + k) + offset, byte);
}

// The kernel.
template <class Table, class Arguments>
ANYCCL_DEVICE void copy_segments(const Arguments &arguments)
{
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < arguments.tiles; tile += gridDim.x) {
        // The last segment that begins with this tile or before.
        u32 low = 0, high = arguments.segments;
#pragma unroll 1
        while (high - low > 1) {
            const u32 middle = low + (high - low) / 2;
            if (Table::first_tile(arguments, middle) <= tile)
                low = middle;
            else
                high = middle;
        }
        const CopySegment segment = Table::segment(arguments, low);
        u64 differences = 0;
#pragma unroll 1
        for (u32 k = 0; k < segment.destinations; k++)
            differences |= Table::destination(arguments, segment.first_destination + k) ^ segment.source;
        // Bytes before the first aligned address of the source. They belong to the first tile.
        u64 head = (0 - segment.source) % 16;
        head = head < segment.bytes ? head : segment.bytes;
        const bool aligned = differences % 16 == 0;
        const u64 number = tile - segment.first_tile;
        const u64 begin = head + number * arguments.tile_bytes;
        if (number == 0 && threadIdx.x < head)
            copy_byte<Table>(arguments, segment, threadIdx.x);
        if (begin >= segment.bytes)
            continue;
        const u64 left = segment.bytes - begin;
        const u64 bytes = left < arguments.tile_bytes ? left : arguments.tile_bytes;
        const u64 vectors = bytes / 16, whole = u64(blockDim.x) * COPY_DEPTH;
        u64 done = 0;
        if (aligned) {
#pragma unroll 1
            for (; vectors - done >= whole; done += whole)
                copy_vectors<Table, COPY_DEPTH, true>(arguments, segment, begin + 16 * (done + threadIdx.x));
        }
#pragma unroll 1
        for (done += threadIdx.x; done < vectors; done += blockDim.x)
            copy_vectors<Table, 1, false>(arguments, segment, begin + 16 * done);
        const u64 rest = bytes % 16, from_end = blockDim.x - 1 - threadIdx.x;
        if (from_end < rest)
            copy_byte<Table>(arguments, segment, begin + 16 * vectors + from_end);
    }
}

}  // namespace anyccl
