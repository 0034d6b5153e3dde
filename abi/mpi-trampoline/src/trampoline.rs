//! The ABI of MPItrampoline, version 2: the numbers of the standard ABI, and a status of 40 bytes.

use std::ffi::c_int;

use anyccl_mpi::abi::{Abi, Object};
use anyccl_mpi::constants::{FILE_NULL, THREAD_MULTIPLE};
use anyccl_mpi::error::Class;
use anyccl_mpi::status::Status;

/// The door with this ABI.
pub struct Door;

/// `MPIABI_Status`: 24 bytes of the library, then what programs read.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawStatus {
    bytes: i64,
    is_cancelled: c_int,
    unused: [c_int; 3],
    source: c_int,
    tag: c_int,
    error: c_int,
    padding: c_int,
}

const _: () = assert!(size_of::<RawStatus>() == 40);

impl Abi for Door {
    // The value is the number of the object.
    type Handle = usize;
    type File = usize;
    type Status = RawStatus;

    const NUMBER_BITS: u32 = 31;
    // That of MPItrampoline, whose headers programs include.
    const VERSION: (c_int, c_int) = (3, 1);
    const ABI_VERSION: (c_int, c_int) = (-1, -1);
    const NO_FILE_INTEGER: c_int = FILE_NULL.cast_signed();
    // JAX asks for MPI_THREAD_FUNNELED and calls from several threads.
    const LEAST_THREAD_LEVEL: i32 = THREAD_MULTIPLE;

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
        RawStatus {
            bytes: status.bytes,
            is_cancelled: c_int::from(status.is_cancelled),
            unused: [0; 3],
            source: status.source,
            tag: status.tag,
            error: status.error.map_or(before.error, |class| class.0),
            padding: 0,
        }
    }

    fn status(raw: &RawStatus) -> Status {
        Status {
            source: raw.source,
            tag: raw.tag,
            error: Some(Class(raw.error)),
            bytes: raw.bytes,
            is_cancelled: raw.is_cancelled != 0,
        }
    }
}
