// Parameters and tables of the kernels, as the host lays them out. arguments.rs has the same structures; a test
// compares the offsets.
//
// Addresses are integers, because the host that fills them in cannot read what lies there.
#pragma once

namespace anyccl {

typedef signed char i8;
typedef unsigned char u8;
typedef short i16;
typedef unsigned short u16;
typedef int i32;
typedef unsigned int u32;
typedef long long i64;
typedef unsigned long long u64;

static_assert(sizeof(u16) == 2 && sizeof(u32) == 4 && sizeof(u64) == 8, "the kernels need integers of these widths");

// Most inputs, and most outputs, of one launch.
const u32 MOST_RANKS = 64;

// Which result goes to which output.
enum Form : u32 {
    // Every output gets the reduction of all inputs.
    FORM_ALL = 0,
    // Output k gets part k of the reduction of all inputs. `gridDim.y` is the number of parts.
    FORM_PARTS = 1,
    // Output k gets the reduction of inputs 0..=k.
    FORM_INCLUSIVE_SCAN = 2,
    // Output k gets the reduction of inputs 0..k. Nothing is written to output 0.
    FORM_EXCLUSIVE_SCAN = 3,
};

// The parameter of a reduction or copy.
struct TableArgument {
    // Address of the table in memory that the GPU can read: a multiple of 16. Nobody writes the table while the
    // kernel runs. Zeros mean that there is nothing to do.
    u64 table;
};

// The parameters of a wait: addresses of words in pinned memory.
struct WaitArguments {
    // The host writes it while the kernel runs.
    u64 word;
    // The kernel sets it at its end.
    u64 passed;
};

// A reduction of `inputs` buffers to `outputs` buffers. An output is exactly one of the inputs, or overlaps
// none.
struct ReduceArguments {
    u64 input[MOST_RANKS];
    u64 output[MOST_RANKS];
    // FORM_PARTS: part k is the units from part[k] to part[k + 1] of each input.
    u64 part[MOST_RANKS + 1];
    // Units of each input; FORM_PARTS uses `part` instead.
    u64 count;
    u32 inputs;
    u32 outputs;
    // A value of Form.
    u32 form;
    // Averages divide by it. Scans divide by the number of inputs that are in the result instead.
    u32 divisor;
    // Not 0: 8-bit floats become the largest finite number where they would overflow.
    u32 saturates;
    u32 padding;
};

// A scalar in the datatype of the elements, in the first bytes.
struct alignas(16) Scalar {
    u32 word[4];
};

// A premultiplied sum: input k is multiplied by scalar k first.
struct PremulSumArguments {
    ReduceArguments reduce;
    // Address of scalar k in memory that the GPU reads when the kernel runs; 0: `scalar[k]` holds it.
    u64 scalar_address[MOST_RANKS];
    Scalar scalar[MOST_RANKS];
};

// A run of bytes that is copied to several places. One of them may be the run itself.
struct CopySegment {
    u64 source;
    u64 bytes;
    // Tiles of all segments before this one. A segment has bytes / tile_bytes tiles, rounded up.
    u64 first_tile;
    // Its destinations are destination[first_destination ..][.. destinations].
    u32 first_destination;
    u32 destinations;
};

// Copies of the segments of a table in memory that the GPU can read.
struct CopyArguments {
    // Address of the CopySegments. Some may have no bytes, or no other destination than their source.
    u64 segment;
    // Address of the addresses of the destinations.
    u64 destination;
    // Tiles of all segments.
    u64 tiles;
    u32 segments;
    // Bytes that a block copies at a time: a multiple of 16.
    u32 tile_bytes;
};

// An addition to a counter of 32 bits.
struct CounterArguments {
    u64 counter;
    u32 amount;
    u32 padding;
};

}  // namespace anyccl
