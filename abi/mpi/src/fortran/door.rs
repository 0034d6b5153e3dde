//! The ABI of Fortran that belongs to an ABI of C.

use std::ffi::c_int;
use std::marker::PhantomData;

use crate::abi::{Abi, Numbers, Object, TextLimit};
use crate::status::Status;

/// Addresses that have a meaning in Fortran. They are those of common blocks of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sentinels {
    /// `MPI_BOTTOM`.
    pub bottom: usize,
    /// `MPI_IN_PLACE`.
    pub in_place: usize,
    /// `MPI_STATUS_IGNORE`.
    pub status_ignore: usize,
    /// `MPI_STATUSES_IGNORE`.
    pub statuses_ignore: usize,
    /// `MPI_UNWEIGHTED`.
    pub unweighted: usize,
    /// `MPI_WEIGHTS_EMPTY`.
    pub weights_empty: usize,
    /// `MPI_BUFFER_AUTOMATIC`, or 0.
    pub buffer_automatic: usize,
}

/// What an ABI has for Fortran.
pub trait InFortran: Abi {
    /// The number of the object for which an INTEGER stands.
    fn of_fortran(object: Object, integer: c_int) -> u32;
    /// The INTEGER that stands for an object.
    fn fortran(object: Object, id: u32) -> c_int;
    /// The addresses that have a meaning. The loader decides them, so they are no constants.
    fn sentinels() -> Sentinels;
    /// A key of attributes from Fortran, as it is in C.
    fn keyval(raw: c_int) -> c_int {
        raw
    }
    /// A key of attributes for Fortran, from that of C.
    fn raw_keyval(keyval: c_int) -> c_int {
        keyval
    }
}

/// The ABI of Fortran that belongs to `D`.
pub struct Fortran<D>(PhantomData<D>);

/// A status whose address is a multiple of that of an INTEGER, and no more.
#[repr(C, packed(4))]
#[derive(Clone, Copy)]
pub struct Packed<S: Copy>(S);

impl<D: InFortran> Abi for Fortran<D> {
    type Handle = c_int;
    type File = c_int;
    type Status = Packed<D::Status>;

    const NUMBER_BITS: u32 = D::NUMBER_BITS;
    const VERSION: (c_int, c_int) = D::VERSION;
    const ABI_VERSION: (c_int, c_int) = D::ABI_VERSION;
    const LEAST_THREAD_LEVEL: i32 = D::LEAST_THREAD_LEVEL;
    const NO_FILE_INTEGER: c_int = D::NO_FILE_INTEGER;
    const DISPLACEMENT_CURRENT: i64 = D::DISPLACEMENT_CURRENT;
    const FIRST_INDEX: i32 = 1;

    fn file(id: u32) -> c_int {
        D::file_integer(id)
    }

    fn file_id(file: c_int) -> u32 {
        D::file_of_integer(file)
    }

    fn id(object: Object, handle: c_int) -> u32 {
        D::of_fortran(object, handle)
    }

    fn handle(object: Object, id: u32) -> c_int {
        D::fortran(object, id)
    }

    fn number(numbers: Numbers, raw: c_int) -> i32 {
        match numbers {
            Numbers::Keyval => D::number(numbers, D::keyval(raw)),
            _ => D::number(numbers, raw),
        }
    }

    fn raw_number(numbers: Numbers, number: i32) -> c_int {
        match numbers {
            Numbers::Keyval => D::raw_keyval(D::raw_number(numbers, number)),
            _ => D::raw_number(numbers, number),
        }
    }

    fn is_unweighted(raw: *const c_int) -> bool {
        raw.addr() == D::sentinels().unweighted
    }

    fn is_weights_empty(raw: *const c_int) -> bool {
        raw.addr() == D::sentinels().weights_empty
    }

    fn is_status_ignored(place: *const Packed<D::Status>) -> bool {
        let Sentinels { status_ignore, statuses_ignore, .. } = D::sentinels();
        place.is_null() || place.addr() == status_ignore || place.addr() == statuses_ignore
    }

    fn raw_status(status: &Status, before: &Packed<D::Status>) -> Packed<D::Status> {
        let before = before.0;
        Packed(D::raw_status(status, &before))
    }

    fn status(raw: &Packed<D::Status>) -> Status {
        let raw = raw.0;
        D::status(&raw)
    }

    /// The length of the program's string is the other limit: see [`super::text`].
    fn limit(limit: TextLimit) -> usize {
        match limit {
            TextLimit::Given(bytes) => bytes,
            other => D::limit(other),
        }
    }
}
