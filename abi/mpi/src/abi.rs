//! What a door says of its ABI: how it represents handles, numbers, statuses.
//!
//! Inside this crate everything is represented as in the standard ABI (MPI 5.0, chapter 20). The door of that
//! ABI translates by doing nothing, so it costs nothing; another one looks up a few constants.

use std::ffi::c_int;

use crate::status::Status;

/// Kinds of objects that a program has handles of.
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

/// Sets of numbers that ABIs choose differently.
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
}

/// Longest strings that a function may write, without the zero at the end.
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

/// The ABI of a door.
pub trait Abi: Sized + 'static {
    /// Handle of every object but files.
    type Handle: Copy;
    /// Handle of a file.
    type File: Copy;
    /// `MPI_Status` in C.
    type Status: Copy;

    /// `MPI_FILE_NULL`.
    const NO_FILE: Self::File;
    /// What `MPI_Get_version` answers.
    const VERSION: (c_int, c_int);
    /// What `MPI_Abi_get_version` answers.
    const ABI_VERSION: (c_int, c_int);

    /// The number of an object: a predefined one, or what `handle` made the handle of.
    fn id(object: Object, handle: Self::Handle) -> u32;
    /// The handle of an object.
    fn handle(object: Object, id: u32) -> Self::Handle;
    /// The number in the standard ABI of a number from the program.
    fn number(numbers: Numbers, raw: c_int) -> i32;
    /// The number for the program of one in the standard ABI.
    fn raw_number(numbers: Numbers, number: i32) -> c_int;
    /// The standard's address for an address from the program: `MPI_IN_PLACE` and others differ.
    fn address(raw: usize) -> usize;
    /// Whether the program wants no weights (`MPI_UNWEIGHTED`), or passes none (`MPI_WEIGHTS_EMPTY`).
    fn is_unweighted(raw: *const c_int) -> bool;
    /// See [`Abi::is_unweighted`].
    fn is_weights_empty(raw: *const c_int) -> bool;
    /// Whether the program wants no status.
    fn is_status_ignored(place: *const Self::Status) -> bool;
    /// The status that the program sees. What `status` leaves open is as in `before`.
    fn raw_status(status: &Status, before: &Self::Status) -> Self::Status;
    /// The status from the program.
    fn status(raw: &Self::Status) -> Status;
    /// Longest string, without the zero at the end.
    fn limit(limit: TextLimit) -> usize;
}
