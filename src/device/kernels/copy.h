// Copies of runs of bytes, each to several places: the kernel of broadcast, all_gather, all_to_all, gather
// and scatter.
//
// A block takes one tile after the other. Each tile lies in one segment, which the block finds by the number
// of the tile. What is read is written to every destination of the segment, so an all_gather reads each input
// only once.
#pragma once

#include "tables.h"

namespace anyccl {

// Most vectors that a thread has in flight.
const u32 COPY_DEPTH = 4;

// Copies DEPTH vectors per thread, blockDim.x vectors apart, from `offset` on. ALIGNED: all addresses are
// multiples of 16.
template <u32 DEPTH, bool ALIGNED>
ANYCCL_DEVICE void copy_vectors(const CopyTable &table, const CopySegment &segment, u64 offset)
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
        const u64 to = table.destination(segment, k) + offset;
#pragma unroll
        for (u32 d = 0; d < DEPTH; d++) {
            if (ALIGNED)
                store_vector(to + d * step, v[d]);
            else
                store_unaligned(to + d * step, v[d]);
        }
    }
}

ANYCCL_DEVICE void copy_byte(const CopyTable &table, const CopySegment &segment, u64 offset)
{
    const u8 byte = load<u8>(segment.source + offset);
#pragma unroll 1
    for (u32 k = 0; k < segment.destinations; k++)
        store<u8>(table.destination(segment, k) + offset, byte);
}

// The kernel.
ANYCCL_DEVICE void copy_segments(u64 address)
{
    const CopyTable table = CopyTable::at(address);
#pragma unroll 1
    for (u64 tile = blockIdx.x; tile < table.tiles; tile += gridDim.x) {
        // The last segment that begins with this tile or before.
        u32 low = 0, high = table.segments;
#pragma unroll 1
        while (high - low > 1) {
            const u32 middle = low + (high - low) / 2;
            if (table.first_tile(middle) <= tile)
                low = middle;
            else
                high = middle;
        }
        const CopySegment segment = table.segment(low);
        u64 differences = 0;
#pragma unroll 1
        for (u32 k = 0; k < segment.destinations; k++)
            differences |= table.destination(segment, k) ^ segment.source;
        if (differences == 0) {
            // There is no other place than the source. The next tile is the first one of another segment.
            const u64 end = low + 1 < table.segments ? table.first_tile(low + 1) : table.tiles;
#pragma unroll 1
            while (tile + gridDim.x < end)
                tile += gridDim.x;
            continue;
        }
        // Bytes before the first aligned address of the source. They belong to the first tile.
        u64 head = (0 - segment.source) % 16;
        head = head < segment.bytes ? head : segment.bytes;
        const bool aligned = differences % 16 == 0;
        const u64 number = tile - segment.first_tile;
        const u64 begin = head + number * table.tile_bytes;
        if (number == 0 && threadIdx.x < head)
            copy_byte(table, segment, threadIdx.x);
        if (begin >= segment.bytes)
            continue;
        const u64 left = segment.bytes - begin;
        const u64 bytes = left < table.tile_bytes ? left : table.tile_bytes;
        const u64 vectors = bytes / 16, whole = u64(blockDim.x) * COPY_DEPTH;
        u64 done = 0;
        if (aligned) {
#pragma unroll 1
            for (; vectors - done >= whole; done += whole)
                copy_vectors<COPY_DEPTH, true>(table, segment, begin + 16 * (done + threadIdx.x));
        }
#pragma unroll 1
        for (done += threadIdx.x; done < vectors; done += blockDim.x)
            copy_vectors<1, false>(table, segment, begin + 16 * done);
        const u64 rest = bytes % 16, from_end = blockDim.x - 1 - threadIdx.x;
        if (from_end < rest)
            copy_byte(table, segment, begin + 16 * vectors + from_end);
    }
}

}  // namespace anyccl
