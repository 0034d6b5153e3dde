//! Functions that a GPU's driver does not have: with them a test asks and changes the double while it runs.

use std::ffi::{c_char, c_int};

use crate::argument::{In, Out};
use crate::status::Status;
use crate::{delays, faults, init, stream};

/// Writes the counts of live objects into `size` bytes, such as `allocations=0 bytes=0`.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDoubleLiveObjects(text: Out<c_char>, size: usize) -> Status {
    text.write_text(&init::line(), size).into()
}

/// Replaces `CUDA_DOUBLE_FAIL`, `CUDA_DOUBLE_FAIL_STICKY` and `CUDA_DOUBLE_IGNORE` from now on, and counts
/// calls from zero again. NULL is an empty list.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDoubleSetFaults(fail: In<c_char>, sticky: c_int, ignore: In<c_char>) -> Status {
    faults::replace(fail.text().unwrap_or(""), sticky != 0, ignore.text().unwrap_or(""));
    Status::SUCCESS
}

/// Replaces `CUDA_DOUBLE_SEED` for streams that begin to work from now on.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDoubleSetSeed(seed: u64) -> Status {
    delays::set_seed(seed);
    Status::SUCCESS
}

/// Makes the `number`-th operation from now on that runs in any stream an illegal access, as
/// `CUDA_DOUBLE_CORRUPT` does; none if `number` is zero.
#[unsafe(no_mangle)]
pub extern "C" fn cudaDoubleCorrupt(number: u64) -> Status {
    stream::corrupt_operation(number);
    Status::SUCCESS
}
