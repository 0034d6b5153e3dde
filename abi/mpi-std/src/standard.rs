//! The standard ABI (MPI 5.0, chapter 20): the numbers of `anyccl_mpi`, unchanged.

use std::ffi::c_int;

use anyccl_mpi::abi::{Abi, Object};
use anyccl_mpi::constants as c;
use anyccl_mpi::error::Class;
use anyccl_mpi::status::Status;

/// The door with this ABI.
pub struct Door;

/// `MPI_Status`: 32 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawStatus {
    source: c_int,
    tag: c_int,
    error: c_int,
    /// Bytes, low and high word; whether it was cancelled; two unused words.
    internal: [c_int; 5],
}

const _: () = assert!(size_of::<RawStatus>() == 32);

impl Abi for Door {
    // A pointer that is never followed: its value is the number of the object.
    type Handle = usize;
    type File = usize;
    type Status = RawStatus;

    const NUMBER_BITS: u32 = 31;
    const VERSION: (c_int, c_int) = (5, 0);
    const ABI_VERSION: (c_int, c_int) = (1, 0);
    const NO_FILE_INTEGER: c_int = c::FILE_NULL.cast_signed();

    fn file(id: u32) -> usize {
        id as usize
    }

    fn file_id(file: usize) -> u32 {
        u32::try_from(file).unwrap_or(u32::MAX)
    }

    #[inline(always)]
    fn id(_: Object, handle: usize) -> u32 {
        u32::try_from(handle).unwrap_or(u32::MAX)
    }

    #[inline(always)]
    fn handle(_: Object, id: u32) -> usize {
        id as usize
    }

    #[inline]
    fn raw_status(status: &Status, before: &RawStatus) -> RawStatus {
        let bytes = status.bytes.cast_unsigned();
        RawStatus {
            source: status.source,
            tag: status.tag,
            error: status.error.map_or(before.error, |class| class.0),
            internal: [
                bytes as u32 as c_int,
                (bytes >> 32) as u32 as c_int,
                c_int::from(status.is_cancelled),
                0,
                0,
            ],
        }
    }

    fn status(raw: &RawStatus) -> Status {
        let [low, high, cancelled, ..] = raw.internal;
        Status {
            source: raw.source,
            tag: raw.tag,
            error: Some(Class(raw.error)),
            bytes: (u64::from(low.cast_unsigned()) | u64::from(high.cast_unsigned()) << 32).cast_signed(),
            is_cancelled: cancelled != 0,
        }
    }
}
