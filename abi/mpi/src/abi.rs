//! The description of a door's ABI: how it represents handles, numbers and statuses.
//!
//! Inside this crate everything has the form of the standard ABI (MPI 5.0, chapter 20). The door with that
//! ABI translates nothing, so its translation costs nothing. A door with another ABI looks up a few
//! constants.

use std::ffi::{c_int, c_void};

use crate::constants::{self, DISPLACEMENT_CURRENT, FILE_NULL, THREAD_SINGLE, UNWEIGHTED, WEIGHTS_EMPTY};
use crate::error::Class;
use crate::status::Status;

/// Types of objects for which a program has handles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Object {
    Comm,
    Datatype,
    Errhandler,
    Group,
    Info,
    Message,
    Op,
    Request,
    Session,
    Win,
}

/// Sets of numbers that differ between ABIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Numbers {
    /// A rank, `MPI_PROC_NULL`, `MPI_ANY_SOURCE`, `MPI_ROOT` or `MPI_UNDEFINED`.
    Rank,
    /// A tag or `MPI_ANY_TAG`.
    Tag,
    /// A key of attributes.
    Keyval,
    /// `MPI_THREAD_SINGLE` to `MPI_THREAD_MULTIPLE`.
    ThreadLevel,
    /// `MPI_COMM_TYPE_SHARED` and others.
    SplitType,
    /// `MPI_ORDER_C`, `MPI_ORDER_FORTRAN`.
    Order,
    /// `MPI_DISTRIBUTE_BLOCK` and others.
    Distribution,
    /// An argument of a distribution, or `MPI_DISTRIBUTE_DFLT_DARG`.
    DistributionArg,
    /// `MPI_TYPECLASS_INTEGER` and others.
    TypeClass,
    /// An error class, or a code that the program has added.
    ErrorCode,
    /// `MPI_COMBINER_NAMED` and others.
    Combiner,
    /// `MPI_IDENT`, `MPI_CONGRUENT`, `MPI_SIMILAR`, `MPI_UNEQUAL`.
    Comparison,
    /// `MPI_CART`, `MPI_GRAPH`, `MPI_DIST_GRAPH` or `MPI_UNDEFINED`.
    Topology,
    /// Bits of an access mode of files.
    AccessMode,
    /// `MPI_SEEK_SET`, `MPI_SEEK_CUR` or `MPI_SEEK_END`.
    Whence,
    /// `MPI_LOCK_EXCLUSIVE` or `MPI_LOCK_SHARED`.
    LockType,
    /// Bits of an assertion about the use of a window.
    Assertion,
    /// `MPI_WIN_FLAVOR_CREATE` and others.
    WinFlavor,
    /// `MPI_WIN_UNIFIED` or `MPI_WIN_SEPARATE`.
    WinModel,
    /// `MPI_T_VERBOSITY_USER_BASIC` and others.
    ToolVerbosity,
    /// `MPI_T_BIND_NO_OBJECT` and others.
    ToolBinding,
    /// `MPI_T_SCOPE_CONSTANT` and others.
    ToolScope,
    /// `MPI_T_PVAR_CLASS_STATE` and others.
    ToolClass,
}

/// Upper limits of strings that a function may write, without the zero at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum TextLimit {
    ErrorString,
    InfoKey,
    LibraryVersion,
    ObjectName,
    ProcessorName,
    /// A limit that the caller passes.
    Given(usize),
}

/// The ABI of a door. What is given here is the standard ABI's.
pub trait Abi: Sized + 'static {
    /// Handle of every object, except files.
    type Handle: Copy;
    /// Handle of a file.
    type File: Copy;
    /// `MPI_Status` in C.
    type Status: Copy;

    /// Bits of an object's number that a handle holds. The handle must not be negative as an `int`.
    const NUMBER_BITS: u32;
    /// Result of `MPI_Get_version`.
    const VERSION: (c_int, c_int);
    /// Result of `MPI_Abi_get_version`.
    const ABI_VERSION: (c_int, c_int);
    /// The lowest level of thread support that a program gets.
    const LEAST_THREAD_LEVEL: i32 = THREAD_SINGLE;
    /// The integer of `MPI_FILE_NULL`.
    const NO_FILE_INTEGER: c_int = 0;
    /// Index of the first request of a list: 1 in Fortran.
    const FIRST_INDEX: i32 = 0;
    /// `MPI_DISPLACEMENT_CURRENT`.
    const DISPLACEMENT_CURRENT: i64 = DISPLACEMENT_CURRENT;

    /// The handle of a file, or `MPI_FILE_NULL`.
    fn file(id: u32) -> Self::File;
    /// The number of a file, from a handle that `file` made.
    fn file_id(file: Self::File) -> u32;
    /// The integer that stands for a file.
    fn file_integer(id: u32) -> c_int {
        if id == FILE_NULL { Self::NO_FILE_INTEGER } else { id.cast_signed() }
    }
    /// The number of the file for which an integer stands.
    fn file_of_integer(integer: c_int) -> u32 {
        if integer == Self::NO_FILE_INTEGER { FILE_NULL } else { integer.cast_unsigned() }
    }
    /// The number of an object, from a predefined handle or one that `handle` made.
    fn id(object: Object, handle: Self::Handle) -> u32;
    /// The handle of an object.
    fn handle(object: Object, id: u32) -> Self::Handle;
    /// The integer that stands for an object: in the standard ABI, its number.
    fn integer(_object: Object, id: u32) -> c_int {
        id.cast_signed()
    }
    /// The number of the object for which an integer stands.
    fn of_integer(_object: Object, integer: c_int) -> u32 {
        integer.cast_unsigned()
    }
    /// Translates a number of the program to the standard ABI.
    #[inline(always)]
    fn number(_numbers: Numbers, raw: c_int) -> i32 {
        raw
    }
    /// Translates a number of the standard ABI for the program.
    #[inline(always)]
    fn raw_number(numbers: Numbers, number: i32) -> c_int {
        match numbers {
            // The standard has one class for processes that have ended, whatever the reason.
            Numbers::ErrorCode if number == Class::PROC_FAILED.0 => Class::PROC_ABORTED.0,
            _ => number,
        }
    }
    /// Translates an address of the program to the standard ABI: `MPI_IN_PLACE` and other sentinels differ.
    #[inline(always)]
    fn address(raw: usize) -> usize {
        raw
    }
    /// Whether the program passes `MPI_UNWEIGHTED`: the edges have no weights.
    fn is_unweighted(raw: *const c_int) -> bool {
        raw.addr() == UNWEIGHTED
    }
    /// Whether the program passes `MPI_WEIGHTS_EMPTY`: there are no edges.
    fn is_weights_empty(raw: *const c_int) -> bool {
        raw.addr() == WEIGHTS_EMPTY
    }
    /// Whether the program passes `MPI_T_PVAR_ALL_HANDLES`.
    fn is_all_tool_handles(raw: *const c_void) -> bool {
        raw.addr() == 1
    }
    /// Whether the program passes the sentinel that asks for no status.
    #[inline(always)]
    fn is_status_ignored(place: *const Self::Status) -> bool {
        place.is_null()
    }
    /// Translates a status for the program. Fields that `status` leaves open are taken from `before`.
    fn raw_status(status: &Status, before: &Self::Status) -> Self::Status;
    /// Translates a status of the program.
    fn status(raw: &Self::Status) -> Status;
    /// Upper limit of a string's length, without the zero at the end.
    fn limit(limit: TextLimit) -> usize {
        let with_zero = match limit {
            TextLimit::ErrorString => constants::MAX_ERROR_STRING,
            TextLimit::InfoKey => constants::MAX_INFO_KEY,
            TextLimit::LibraryVersion => constants::MAX_LIBRARY_VERSION_STRING,
            TextLimit::ObjectName => constants::MAX_OBJECT_NAME,
            TextLimit::ProcessorName => constants::MAX_PROCESSOR_NAME,
            TextLimit::Given(bytes) => bytes,
        };
        with_zero.saturating_sub(1)
    }
}
