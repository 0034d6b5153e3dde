//! The ABI of Open MPI: handles are addresses, `MPI_Status` has 24 bytes, and numbers are Open MPI's.
//!
//! A predefined handle is the address of an object that programs import ([`crate::objects`]). The handle of
//! an object that the program has made is no address: its upper bits are those that only the kernel's
//! addresses have. Below them are the type of object and the number that `anyccl_mpi` gave it. So a handle is
//! looked up and never followed.

use std::ffi::{c_int, c_void};

use anyccl_mpi::abi::{Abi, Numbers, Object, TextLimit};
use anyccl_mpi::constants as c;
use anyccl_mpi::error::Class;
use anyccl_mpi::file::romio;
use anyccl_mpi::status::Status;
use anyccl_mpi::win::numbers::OPEN_MPI;

use crate::numbers::{
    COMBINERS, DISTRIBUTIONS, ERRORS, KEYVALS, ORDERS, Pair, SPLIT_TYPES, THREAD_LEVELS, TYPE_CLASSES,
    VERBOSITIES,
};
use crate::objects::{NOTHING, by_address, by_number, ompi_mpi_comm_world, ompi_mpi_file_null};

/// The door with this ABI.
pub struct Door;

/// `MPI_Status`: 24 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawStatus {
    source: c_int,
    tag: c_int,
    error: c_int,
    is_cancelled: c_int,
    bytes: usize,
}

const _: () = assert!(size_of::<RawStatus>() == 24);

#[cfg(test)]
impl RawStatus {
    pub const fn with_error(error: c_int) -> RawStatus {
        RawStatus { source: 0, tag: 0, error, is_cancelled: 0, bytes: 0 }
    }
}

/// Upper half of handles of objects that the program has made: no program has such an address.
const MADE: usize = 0xffff_8000;
/// Numbers from this one on belong to objects that the program has made.
pub const FIRST_MADE: u32 = 0x1000;
/// `MPI_ERR_LASTCODE`: error codes of programs are larger.
const LAST_CODE: c_int = 92;
/// `MPI_ERR_OTHER`.
const OTHER: c_int = 16;
/// Added to classes that only Open MPI has, such as those of failed processes. The sums are no classes of the
/// standard ABI, and below the codes of programs.
const THEIRS: i32 = 0x2000;

/// Upper half of the handle of an open file.
const MADE_FILE: usize = MADE | 0x100;

/// Upper half of the handle of an object that the program has made.
#[inline(always)]
const fn made(object: Object) -> usize {
    MADE | (object as usize + 1)
}

fn find<T: Copy + PartialEq>(pairs: &[Pair<T>], raw: i32) -> Option<T> {
    pairs.iter().find(|(_, its)| *its == raw).map(|(number, _)| *number)
}

fn find_raw<T: Copy + PartialEq>(pairs: &[Pair<T>], number: T) -> Option<i32> {
    pairs.iter().find(|(its, _)| *its == number).map(|(_, raw)| *raw)
}

impl Abi for Door {
    type Handle = usize;
    type File = usize;
    type Status = RawStatus;

    const NUMBER_BITS: u32 = 31;
    const VERSION: (c_int, c_int) = (3, 1);
    // This ABI is not the standard one.
    const ABI_VERSION: (c_int, c_int) = (-1, -1);
    const DISPLACEMENT_CURRENT: i64 = romio::DISPLACEMENT_CURRENT;

    fn file(id: u32) -> usize {
        if id == c::FILE_NULL {
            (&raw const ompi_mpi_file_null).addr()
        } else {
            MADE_FILE << 32 | id as usize
        }
    }

    fn file_id(file: usize) -> u32 {
        if file == (&raw const ompi_mpi_file_null).addr() {
            return c::FILE_NULL;
        }
        if file >> 32 == MADE_FILE { file as u32 } else { NOTHING }
    }

    #[inline(always)]
    fn id(object: Object, handle: usize) -> u32 {
        if handle >> 32 == made(object) {
            let number = handle as u32;
            return if number >= FIRST_MADE { number } else { NOTHING };
        }
        if matches!(object, Object::Comm) && handle == (&raw const ompi_mpi_comm_world).addr() {
            return c::COMM_WORLD;
        }
        by_address(object, handle).map_or(NOTHING, |row| row.number)
    }

    #[inline(always)]
    fn handle(object: Object, id: u32) -> usize {
        if id >= FIRST_MADE {
            return made(object) << 32 | id as usize;
        }
        by_number(id).map_or(0, |row| row.handle())
    }

    #[inline(always)]
    fn number(numbers: Numbers, raw: c_int) -> i32 {
        match numbers {
            Numbers::Rank => match raw {
                -2 => c::PROC_NULL,
                // This value has a meaning in the standard ABI only.
                -3 => -5,
                rank => rank,
            },
            Numbers::Tag => match raw {
                -1 => c::ANY_TAG,
                -2 => -1,
                tag => tag,
            },
            Numbers::Keyval => key(raw),
            Numbers::ThreadLevel => match raw {
                ..=0 => c::THREAD_SINGLE,
                level => find(THREAD_LEVELS, level).unwrap_or(c::THREAD_MULTIPLE),
            },
            Numbers::SplitType => find(SPLIT_TYPES, raw).unwrap_or(raw),
            Numbers::Order => find(ORDERS, raw).unwrap_or(0),
            Numbers::Distribution => find(DISTRIBUTIONS, raw).unwrap_or(0),
            Numbers::DistributionArg => match raw {
                -1 => c::DISTRIBUTE_DFLT_DARG,
                argument => argument,
            },
            Numbers::TypeClass => find(TYPE_CLASSES, raw).unwrap_or(0),
            // A status may have any number here, because most calls leave its error alone.
            Numbers::ErrorCode if raw >= LAST_CODE => (raw - LAST_CODE).saturating_add(Class::LASTCODE.0),
            Numbers::ErrorCode => find(ERRORS, raw).map_or(THEIRS + raw, |class| class.0),
            Numbers::Combiner => find(COMBINERS, raw).unwrap_or(0),
            Numbers::Comparison => raw + c::IDENT,
            Numbers::Topology => match raw {
                1..=3 => raw - 1 + c::CART,
                other => other,
            },
            Numbers::AccessMode => romio::access_mode(raw),
            Numbers::Whence => romio::whence(raw),
            Numbers::ToolVerbosity => find(VERBOSITIES, raw).unwrap_or(0),
            Numbers::ToolBinding => raw + c::T_BIND_NO_OBJECT,
            Numbers::ToolScope => raw + c::T_SCOPE_CONSTANT,
            Numbers::ToolClass => raw.saturating_add(c::T_PVAR_CLASS_STATE),
            Numbers::LockType | Numbers::Assertion | Numbers::WinFlavor | Numbers::WinModel => {
                OPEN_MPI.number(numbers, raw)
            }
        }
    }

    #[inline(always)]
    fn raw_number(numbers: Numbers, number: i32) -> c_int {
        match numbers {
            Numbers::Rank => match number {
                c::PROC_NULL => -2,
                rank => rank,
            },
            Numbers::Tag => match number {
                c::ANY_TAG => -1,
                tag => tag,
            },
            Numbers::Keyval => find_raw(KEYVALS, number).unwrap_or(number),
            Numbers::ThreadLevel => find_raw(THREAD_LEVELS, number).unwrap_or(3),
            Numbers::SplitType => find_raw(SPLIT_TYPES, number).unwrap_or(number),
            Numbers::Order => find_raw(ORDERS, number).unwrap_or(0),
            Numbers::Distribution => find_raw(DISTRIBUTIONS, number).unwrap_or(2),
            Numbers::DistributionArg => match number {
                c::DISTRIBUTE_DFLT_DARG => -1,
                argument => argument,
            },
            Numbers::TypeClass => find_raw(TYPE_CLASSES, number).unwrap_or(0),
            Numbers::ErrorCode if number >= Class::LASTCODE.0 => number - Class::LASTCODE.0 + LAST_CODE,
            Numbers::ErrorCode if number >= THEIRS => number - THEIRS,
            // Open MPI has no code for some classes of MPI 5.0.
            Numbers::ErrorCode => find_raw(ERRORS, Class(number)).unwrap_or(OTHER),
            Numbers::Combiner => find_raw(COMBINERS, number).unwrap_or(0),
            Numbers::Comparison => number - c::IDENT,
            Numbers::Topology => match number {
                c::CART..=c::DIST_GRAPH => number - c::CART + 1,
                other => other,
            },
            Numbers::AccessMode => romio::raw_access_mode(number),
            Numbers::Whence => romio::raw_whence(number),
            Numbers::ToolVerbosity => find_raw(VERBOSITIES, number).unwrap_or(0),
            Numbers::ToolBinding => number - c::T_BIND_NO_OBJECT,
            Numbers::ToolScope => number - c::T_SCOPE_CONSTANT,
            Numbers::ToolClass => number - c::T_PVAR_CLASS_STATE,
            Numbers::LockType | Numbers::Assertion | Numbers::WinFlavor | Numbers::WinModel => {
                OPEN_MPI.raw_number(numbers, number)
            }
        }
    }

    #[inline(always)]
    fn address(raw: usize) -> usize {
        // MPI_BOTTOM and MPI_IN_PLACE are those of the standard ABI.
        raw
    }

    fn is_unweighted(raw: *const c_int) -> bool {
        raw.addr() == 2
    }

    fn is_all_tool_handles(raw: *const c_void) -> bool {
        raw.addr() == usize::MAX
    }

    fn is_weights_empty(raw: *const c_int) -> bool {
        raw.addr() == 3
    }

    #[inline(always)]
    fn is_status_ignored(place: *const RawStatus) -> bool {
        place.is_null()
    }

    #[inline]
    fn raw_status(status: &Status, before: &RawStatus) -> RawStatus {
        RawStatus {
            source: Door::raw_number(Numbers::Rank, status.source),
            tag: Door::raw_number(Numbers::Tag, status.tag),
            error: status.error.map_or(before.error, |class| Door::raw_number(Numbers::ErrorCode, class.0)),
            is_cancelled: c_int::from(status.is_cancelled),
            bytes: status.bytes as usize,
        }
    }

    fn status(raw: &RawStatus) -> Status {
        Status {
            source: Door::number(Numbers::Rank, raw.source),
            tag: Door::number(Numbers::Tag, raw.tag),
            error: Some(Class(Door::number(Numbers::ErrorCode, raw.error))),
            bytes: raw.bytes as i64,
            is_cancelled: raw.is_cancelled != 0,
        }
    }

    fn limit(limit: TextLimit) -> usize {
        match limit {
            TextLimit::InfoKey => 35,
            TextLimit::ObjectName => 63,
            TextLimit::ErrorString | TextLimit::LibraryVersion | TextLimit::ProcessorName => 255,
            TextLimit::Given(bytes) => bytes.saturating_sub(1),
        }
    }
}

/// A key of attributes. Open MPI's are small numbers; those of the standard ABI mean nothing here.
fn key(raw: c_int) -> i32 {
    match find(KEYVALS, raw) {
        Some(key) => key,
        None if raw < FIRST_MADE.cast_signed() => c::KEYVAL_INVALID,
        None => raw,
    }
}
