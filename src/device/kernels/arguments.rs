//! Parameters and tables of the kernels: the structures of `arguments.h`.
//!
//! Addresses are those that the GPU uses. The host cannot read what lies there.

use std::mem::offset_of;

/// Most inputs, and most outputs, of one launch.
pub const MOST_RANKS: usize = 64;

/// The parameter of every reduction and of the copy: where its table is.
///
/// The host may enqueue the kernel before it knows the addresses of buffers. An earlier operation of the
/// stream then copies the table into memory of the GPU.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TableArgument {
    /// Address of a [`ReduceArguments`], [`PremulSumArguments`] or [`CopyArguments`]: a multiple of 16.
    /// Nobody writes the table while the kernel runs. A table of zero bytes means that there is nothing to
    /// do.
    pub table: u64,
}

/// Which result of a reduction goes to which output.
#[repr(u32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Every output gets the reduction of all inputs.
    All = 0,
    /// Output k gets part k of the reduction of all inputs.
    Parts = 1,
    /// Output k gets the reduction of inputs 0 to k. There are as many outputs as inputs.
    InclusiveScan = 2,
    /// Output k gets the reduction of the inputs before k. Nothing is written to output 0.
    ExclusiveScan = 3,
}

/// A reduction of several buffers. An output is exactly one of the inputs, or overlaps none. With
/// [`Form::Parts`], output k is exactly part k of an input, or overlaps none.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ReduceArguments {
    /// Addresses of the inputs, in the order of ranks.
    pub input: [u64; MOST_RANKS],
    /// Addresses of the outputs.
    pub output: [u64; MOST_RANKS],
    /// With [`Form::Parts`], part k is the units from `part[k]` to `part[k + 1]` of each input.
    pub part: [u64; MOST_RANKS + 1],
    /// Units of each input. [`Form::Parts`] uses `part` instead.
    pub count: u64,
    /// Number of inputs. 0: nothing is written.
    pub inputs: u32,
    /// Number of outputs.
    pub outputs: u32,
    /// A [`Form`], as its number.
    pub form: u32,
    /// Divisor of an average. Scans divide by the number of inputs that are in the result instead.
    pub divisor: u32,
    /// Not 0: 8-bit floats become the largest finite number where they would overflow.
    pub saturates: u32,
    /// Unused.
    pub padding: u32,
}

/// A scalar in the datatype of the elements, in its first bytes.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub struct Scalar(pub [u8; 16]);

/// A premultiplied sum: input k is multiplied by scalar k first.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct PremulSumArguments {
    /// The sum.
    pub reduce: ReduceArguments,
    /// Addresses of scalars that the GPU reads when the kernel runs. 0: `scalar` holds it.
    pub scalar_address: [u64; MOST_RANKS],
    /// The scalars whose address is 0.
    pub scalar: [Scalar; MOST_RANKS],
}

/// A run of bytes that is copied to several destinations, which overlap neither it nor each other. One of
/// them may be the run itself. A segment without any other destination is not read.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CopySegment {
    /// Address of the bytes.
    pub source: u64,
    /// Number of bytes.
    pub bytes: u64,
    /// Tiles of all segments before this one. A segment has `bytes` / `tile_bytes` tiles, rounded up.
    pub first_tile: u64,
    /// Index of its first destination in the table of destinations.
    pub first_destination: u32,
    /// Number of its destinations, which may be 0.
    pub destinations: u32,
}

/// Copies of segments. They lie in memory that the GPU can read, and nobody writes them meanwhile.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CopyArguments {
    /// Address of the [`CopySegment`]s, a multiple of 8.
    pub segment: u64,
    /// Address of the table of destinations, a multiple of 8.
    pub destination: u64,
    /// Tiles of all segments.
    pub tiles: u64,
    /// Number of segments.
    pub segments: u32,
    /// Bytes that a block copies at a time: a multiple of 16.
    pub tile_bytes: u32,
}

/// An addition to a counter of 32 bits in memory of the GPU.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CounterArguments {
    /// Address of the counter.
    pub counter: u64,
    /// What is added, modulo 2^32.
    pub amount: u32,
    /// Unused.
    pub padding: u32,
}

/// Addresses of words of 32 bits in pinned memory, for a wait.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WaitArguments {
    /// The kernel waits until it is not 0.
    pub word: u64,
    /// The kernel sets it to 1 at its end.
    pub passed: u64,
}

const _: () = assert!(size_of::<TableArgument>() == 8);
const _: () = assert!(size_of::<ReduceArguments>() == 1576);
// The kernels read what all reductions have at the same offset.
const _: () = assert!(offset_of!(PremulSumArguments, reduce) == 0);
const _: () = assert!(size_of::<PremulSumArguments>() == 3120);
const _: () = assert!(size_of::<CopySegment>() == 32);
const _: () = assert!(size_of::<CopyArguments>() == 32);
const _: () = assert!(size_of::<CounterArguments>() == 16);

impl ReduceArguments {
    /// A reduction without buffers.
    pub const EMPTY: ReduceArguments = ReduceArguments {
        input: [0; MOST_RANKS],
        output: [0; MOST_RANKS],
        part: [0; MOST_RANKS + 1],
        count: 0,
        inputs: 0,
        outputs: 0,
        form: Form::All as u32,
        divisor: 1,
        saturates: 0,
        padding: 0,
    };
}

impl PremulSumArguments {
    /// A premultiplied sum without buffers.
    pub const EMPTY: PremulSumArguments = PremulSumArguments {
        reduce: ReduceArguments::EMPTY,
        scalar_address: [0; MOST_RANKS],
        scalar: [Scalar([0; 16]); MOST_RANKS],
    };
}
