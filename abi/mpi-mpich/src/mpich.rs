//! The MPICH ABI: handles are ints, `MPI_Status` has 20 bytes, and sentinels have other values than in the
//! standard ABI.
//!
//! An int handle has its kind in the top two bits: 1 is predefined, 2 is made by the program. The type of
//! object is in the next four bits, and a number below. An object that the program has made has the number
//! that `anyccl_mpi` gave it.

use std::ffi::{c_int, c_void};

use anyccl_mpi::abi::{Abi, Numbers, Object, TextLimit};
use anyccl_mpi::constants as c;
use anyccl_mpi::error::Class;
use anyccl_mpi::file::romio;
use anyccl_mpi::status::Status;
use anyccl_mpi::win::numbers::MPICH;

use crate::numbers::{COMBINERS, DATATYPES, ERRORS, KEYVALS, OPS, OTHERS, Pair, VERBOSITIES};
use crate::symbols::{MPI_T_PVAR_ALL_HANDLES, MPI_UNWEIGHTED, MPI_WEIGHTS_EMPTY};

/// The door with this ABI.
pub struct Door;

/// `MPI_Status`: 20 bytes.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct RawStatus {
    count_low: c_int,
    /// The cancelled flag is the lowest bit, the high part of the count lies above it.
    count_high_and_cancelled: c_int,
    source: c_int,
    tag: c_int,
    error: c_int,
}

const _: () = assert!(size_of::<RawStatus>() == 20);

/// Kind of handles of objects that the program has made.
const MADE: u32 = 2 << 30;
const NUMBER_BITS: u32 = 26;
const REQUEST_NULL: u32 = 0x2c00_0000;
const MESSAGE_NO_PROC: u32 = 0x6c00_0000;
/// `MPI_ERR_LASTCODE`: error codes of programs are larger.
const LAST_CODE: c_int = 0x3fff_ffff;

/// Bits of a handle that name the type of object. A message has those of a request.
const fn object_bits(object: Object) -> u32 {
    (match object {
        Object::Comm => 1,
        Object::Group => 2,
        Object::Datatype => 3,
        Object::Errhandler => 5,
        Object::Op => 6,
        Object::Info => 7,
        Object::Win => 8,
        Object::Request | Object::Message => 11,
        Object::Session => 14,
    }) << NUMBER_BITS
}

/// Datatypes by the lowest byte of a predefined handle, which is unique: handle and number.
static DATATYPE_NUMBERS: [(i32, u32); 256] = {
    let mut table = [(0, NOTHING); 256];
    // Entry 0 has no such handle.
    table[0].0 = 1;
    let mut at = 0;
    while at < DATATYPES.len() {
        let (number, raw) = DATATYPES[at];
        if raw > 0 {
            table[(raw & 0xff) as usize] = (raw, number);
        }
        at += 1;
    }
    table
};

/// Handles of datatypes by number, from `MPI_DATATYPE_NULL` on.
static DATATYPE_HANDLES: [i32; 256] = {
    let mut table = [0x0c00_0000; 256];
    let mut at = 0;
    while at < DATATYPES.len() {
        let (number, raw) = DATATYPES[at];
        table[(number - c::DATATYPE_NULL) as usize] = raw;
        at += 1;
    }
    table
};

fn find<T: Copy + PartialEq>(pairs: &[Pair<T>], raw: i32) -> Option<T> {
    pairs.iter().find(|(_, its)| *its == raw).map(|(number, _)| *number)
}

fn find_raw<T: Copy + PartialEq>(pairs: &[Pair<T>], number: T) -> Option<i32> {
    pairs.iter().find(|(its, _)| *its == number).map(|(_, raw)| *raw)
}

/// Number that names nothing in either ABI.
const NOTHING: u32 = u32::MAX;

#[cold]
fn predefined(object: Object, handle: c_int) -> u32 {
    match (object, handle.cast_unsigned()) {
        (Object::Request, REQUEST_NULL) => c::REQUEST_NULL,
        (Object::Message, REQUEST_NULL) => c::MESSAGE_NULL,
        (Object::Message, MESSAGE_NO_PROC) => c::MESSAGE_NO_PROC,
        // Pair types with an int are predefined, but have handles as if the program had made them.
        (Object::Datatype, _) => find(DATATYPES, handle).or(find(OTHERS, handle)).unwrap_or(NOTHING),
        (Object::Op, _) => find(OPS, handle).or(find(OTHERS, handle)).unwrap_or(NOTHING),
        _ => find(OTHERS, handle).unwrap_or(NOTHING),
    }
}

#[cold]
fn predefined_handle(object: Object, id: u32) -> c_int {
    match (object, id) {
        (Object::Request, _) | (Object::Message, c::MESSAGE_NULL) => REQUEST_NULL.cast_signed(),
        (Object::Message, _) => MESSAGE_NO_PROC.cast_signed(),
        (Object::Op, _) => find_raw(OPS, id).or(find_raw(OTHERS, id)).unwrap_or(0),
        _ => find_raw(OTHERS, id).unwrap_or(0),
    }
}

impl Abi for Door {
    type Handle = c_int;
    type File = usize;
    type Status = RawStatus;

    const NUMBER_BITS: u32 = NUMBER_BITS;
    const VERSION: (c_int, c_int) = (5, 0);
    // This ABI is not the standard one.
    const ABI_VERSION: (c_int, c_int) = (-1, -1);
    const DISPLACEMENT_CURRENT: i64 = romio::DISPLACEMENT_CURRENT;

    // A pointer that is never followed: its value is the number of the file.
    fn file(id: u32) -> usize {
        if id == c::FILE_NULL { 0 } else { id as usize }
    }

    fn file_id(file: usize) -> u32 {
        if file == 0 { c::FILE_NULL } else { u32::try_from(file).unwrap_or(NOTHING) }
    }

    #[inline(always)]
    fn id(object: Object, handle: c_int) -> u32 {
        let bits = handle.cast_unsigned();
        let id = bits & ((1 << NUMBER_BITS) - 1);
        if bits & !((1 << NUMBER_BITS) - 1) == MADE | object_bits(object) && id >= 0x1000 {
            return id;
        }
        if matches!(object, Object::Datatype) {
            let (raw, number) = DATATYPE_NUMBERS[(bits & 0xff) as usize];
            if raw == handle {
                return number;
            }
        }
        if matches!(object, Object::Comm) && handle == 0x4400_0000 {
            return c::COMM_WORLD;
        }
        predefined(object, handle)
    }

    #[inline(always)]
    fn handle(object: Object, id: u32) -> c_int {
        if id >= 0x1000 {
            return (MADE | object_bits(object) | id).cast_signed();
        }
        if matches!(object, Object::Datatype) {
            return DATATYPE_HANDLES[(id.wrapping_sub(c::DATATYPE_NULL) & 0xff) as usize];
        }
        predefined_handle(object, id)
    }

    fn integer(object: Object, id: u32) -> c_int {
        Door::handle(object, id)
    }

    fn of_integer(object: Object, integer: c_int) -> u32 {
        Door::id(object, integer)
    }

    #[inline(always)]
    #[expect(clippy::too_many_lines, reason = "a table, with a few lines for each kind of number")]
    fn number(numbers: Numbers, raw: c_int) -> i32 {
        match numbers {
            Numbers::Rank => match raw {
                -2 => c::ANY_SOURCE,
                -1 => c::PROC_NULL,
                -3 => c::ROOT,
                // These values have a meaning in the standard ABI only.
                -4 => -5,
                rank => rank,
            },
            Numbers::Tag => match raw {
                -1 => c::ANY_TAG,
                -2 => -1,
                tag => tag,
            },
            Numbers::Keyval => find(KEYVALS, raw).unwrap_or(raw),
            Numbers::ThreadLevel => match raw {
                ..=0 => c::THREAD_SINGLE,
                1 => c::THREAD_FUNNELED,
                2 => c::THREAD_SERIALIZED,
                _ => c::THREAD_MULTIPLE,
            },
            Numbers::SplitType => match raw {
                1 => c::COMM_TYPE_SHARED,
                2 => c::COMM_TYPE_HW_GUIDED,
                3 => c::COMM_TYPE_HW_UNGUIDED,
                4 => c::COMM_TYPE_RESOURCE_GUIDED,
                other => other,
            },
            Numbers::Order => match raw {
                56 => c::ORDER_C,
                57 => c::ORDER_FORTRAN,
                _ => 0,
            },
            Numbers::Distribution => match raw {
                121 => c::DISTRIBUTE_BLOCK,
                122 => c::DISTRIBUTE_CYCLIC,
                123 => c::DISTRIBUTE_NONE,
                _ => 0,
            },
            Numbers::DistributionArg => {
                if raw == -49767 {
                    c::DISTRIBUTE_DFLT_DARG
                } else {
                    raw
                }
            }
            Numbers::TypeClass => match raw {
                1 => c::TYPECLASS_REAL,
                2 => c::TYPECLASS_INTEGER,
                3 => c::TYPECLASS_COMPLEX,
                _ => 0,
            },
            Numbers::ErrorCode if raw >= LAST_CODE => raw - LAST_CODE + Class::LASTCODE.0,
            Numbers::ErrorCode => find(ERRORS, raw).map_or(raw, |class| class.0),
            Numbers::Combiner => find(COMBINERS, raw).unwrap_or(0),
            Numbers::Comparison => raw + c::IDENT,
            Numbers::Topology => match raw {
                1 => c::GRAPH,
                2 => c::CART,
                3 => c::DIST_GRAPH,
                other => other,
            },
            Numbers::AccessMode => romio::access_mode(raw),
            Numbers::Whence => romio::whence(raw),
            Numbers::ToolVerbosity => find(VERBOSITIES, raw).unwrap_or(0),
            Numbers::ToolBinding => raw - 9700 + c::T_BIND_NO_OBJECT,
            Numbers::ToolScope => raw - 60438 + c::T_SCOPE_CONSTANT,
            Numbers::ToolClass => raw.saturating_sub(240).saturating_add(c::T_PVAR_CLASS_STATE),
            Numbers::LockType | Numbers::Assertion | Numbers::WinFlavor | Numbers::WinModel => {
                MPICH.number(numbers, raw)
            }
        }
    }

    #[inline(always)]
    #[expect(clippy::too_many_lines, reason = "a table, with a few lines for each kind of number")]
    fn raw_number(numbers: Numbers, number: i32) -> c_int {
        match numbers {
            Numbers::Rank => match number {
                c::ANY_SOURCE => -2,
                c::PROC_NULL => -1,
                c::ROOT => -3,
                rank => rank,
            },
            Numbers::Tag => {
                if number == c::ANY_TAG {
                    -1
                } else {
                    number
                }
            }
            Numbers::Keyval => find_raw(KEYVALS, number).unwrap_or(number),
            Numbers::ThreadLevel => match number {
                c::THREAD_SINGLE => 0,
                c::THREAD_FUNNELED => 1,
                c::THREAD_SERIALIZED => 2,
                _ => 3,
            },
            Numbers::SplitType => match number {
                c::COMM_TYPE_SHARED => 1,
                c::COMM_TYPE_HW_GUIDED => 2,
                c::COMM_TYPE_HW_UNGUIDED => 3,
                c::COMM_TYPE_RESOURCE_GUIDED => 4,
                other => other,
            },
            Numbers::Order => {
                if number == c::ORDER_C {
                    56
                } else {
                    57
                }
            }
            Numbers::Distribution => match number {
                c::DISTRIBUTE_BLOCK => 121,
                c::DISTRIBUTE_CYCLIC => 122,
                _ => 123,
            },
            Numbers::DistributionArg => {
                if number == c::DISTRIBUTE_DFLT_DARG {
                    -49767
                } else {
                    number
                }
            }
            Numbers::TypeClass => match number {
                c::TYPECLASS_REAL => 1,
                c::TYPECLASS_INTEGER => 2,
                _ => 3,
            },
            Numbers::ErrorCode if number >= Class::LASTCODE.0 => number - Class::LASTCODE.0 + LAST_CODE,
            // Numbers that are no class in either ABI stay as they are.
            Numbers::ErrorCode if number > Class::ABI.0 => find_raw(ERRORS, Class(number)).unwrap_or(number),
            // Classes that MPI 3.1 does not have become "other".
            Numbers::ErrorCode => find_raw(ERRORS, Class(number)).unwrap_or(15),
            Numbers::Combiner => find_raw(COMBINERS, number).unwrap_or(0),
            Numbers::Comparison => number - c::IDENT,
            Numbers::Topology => match number {
                c::GRAPH => 1,
                c::CART => 2,
                c::DIST_GRAPH => 3,
                other => other,
            },
            Numbers::AccessMode => romio::raw_access_mode(number),
            Numbers::Whence => romio::raw_whence(number),
            Numbers::ToolVerbosity => find_raw(VERBOSITIES, number).unwrap_or(0),
            Numbers::ToolBinding => number - c::T_BIND_NO_OBJECT + 9700,
            Numbers::ToolScope => number - c::T_SCOPE_CONSTANT + 60438,
            Numbers::ToolClass => number - c::T_PVAR_CLASS_STATE + 240,
            Numbers::LockType | Numbers::Assertion | Numbers::WinFlavor | Numbers::WinModel => {
                MPICH.raw_number(numbers, number)
            }
        }
    }

    #[inline(always)]
    fn address(raw: usize) -> usize {
        const BUFFER_AUTOMATIC: usize = usize::MAX - 1;
        match raw {
            usize::MAX => c::IN_PLACE,
            BUFFER_AUTOMATIC => c::BUFFER_AUTOMATIC,
            // What the standard ABI takes for sentinels are addresses here, though of nothing.
            c::IN_PLACE | c::BUFFER_AUTOMATIC => 4,
            _ => raw,
        }
    }

    fn is_unweighted(raw: *const c_int) -> bool {
        std::ptr::eq(raw, MPI_UNWEIGHTED.0)
    }

    fn is_all_tool_handles(raw: *const c_void) -> bool {
        raw.addr() == MPI_T_PVAR_ALL_HANDLES.0.addr()
    }

    fn is_weights_empty(raw: *const c_int) -> bool {
        std::ptr::eq(raw, MPI_WEIGHTS_EMPTY.0)
    }

    #[inline(always)]
    fn is_status_ignored(place: *const RawStatus) -> bool {
        place.addr() == 1
    }

    #[inline]
    fn raw_status(status: &Status, before: &RawStatus) -> RawStatus {
        let high = (status.bytes >> 32) as c_int;
        RawStatus {
            count_low: status.bytes as c_int,
            count_high_and_cancelled: high << 1 | c_int::from(status.is_cancelled),
            source: Door::raw_number(Numbers::Rank, status.source),
            tag: Door::raw_number(Numbers::Tag, status.tag),
            error: status.error.map_or(before.error, |class| Door::raw_number(Numbers::ErrorCode, class.0)),
        }
    }

    fn status(raw: &RawStatus) -> Status {
        let high = i64::from(raw.count_high_and_cancelled.cast_unsigned() >> 1);
        Status {
            source: Door::number(Numbers::Rank, raw.source),
            tag: Door::number(Numbers::Tag, raw.tag),
            error: Some(Class(Door::number(Numbers::ErrorCode, raw.error))),
            bytes: high << 32 | i64::from(raw.count_low.cast_unsigned()),
            is_cancelled: raw.count_high_and_cancelled & 1 != 0,
        }
    }

    fn limit(limit: TextLimit) -> usize {
        match limit {
            TextLimit::ErrorString => 511,
            TextLimit::InfoKey => 255,
            TextLimit::LibraryVersion => 8191,
            TextLimit::ObjectName | TextLimit::ProcessorName => 127,
            TextLimit::Given(bytes) => bytes.saturating_sub(1),
        }
    }
}
