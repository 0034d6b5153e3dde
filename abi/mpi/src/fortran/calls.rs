//! Functions that have other arguments in Fortran than in C: the start, attributes, and what MPI 1 declared
//! with INTEGERs.

use std::ffi::{CString, c_int};

use super::keys::{self, Word};
use crate::abi::Abi;
use crate::arguments::{
    CommHandle, DatatypeHandle, InfoHandle, InputOutput, Output, SessionHandle, TextPlace, WinHandle,
};
use crate::attribute::{Kind, fortran};
use crate::environment;
use crate::error::Result;
use crate::info;
use crate::p2p::buffered;
use crate::session;

/// Form of values of attributes: integers of the size of an address.
const INTEGER: c_int = 1;

/// `MPI_INIT`.
pub unsafe fn init<A: Abi>() -> Result<()> {
    // SAFETY: the arguments are not used.
    unsafe { environment::init::<A>(std::ptr::null_mut(), std::ptr::null_mut()) }
}

/// `MPI_INIT_THREAD`.
pub unsafe fn init_thread<A: Abi>(required: i32, provided: Output<i32>) -> Result<()> {
    // SAFETY: the first arguments are not used.
    unsafe { environment::init_thread::<A>(std::ptr::null_mut(), std::ptr::null_mut(), required, provided) }
}

/// `MPI_BUFFER_DETACH`: Fortran has no pointer in which the buffer could be given back.
pub unsafe fn buffer_detach((): (), size: Output<i64>) -> Result<()> {
    let mut buffer = std::ptr::null_mut::<u8>();
    // SAFETY: the place is one for a pointer.
    unsafe { buffered::buffer_detach((&raw mut buffer).cast(), size) }
}

/// `MPI_INFO_CREATE_ENV`.
pub unsafe fn info_create_env(made: Output<InfoHandle>) -> Result<()> {
    // SAFETY: there are no arguments of a program.
    unsafe { info::calls::create_env(0, std::ptr::null_mut(), made) }
}

/// `MPI_INFO_GET_STRING`: the length does not count a zero at the end, which Fortran's strings have not.
pub unsafe fn info_get_string(
    info: InfoHandle,
    key: CString,
    buflen: InputOutput<i32>,
    value: TextPlace,
    flag: Output<bool>,
) -> Result<()> {
    info::calls::string(info, &key, buflen, Some(value), flag, false)
}

/// `MPI_SESSION_GET_NTH_PSET`: the length does not count a zero, either.
pub unsafe fn session_get_nth_pset(
    session: SessionHandle,
    info: InfoHandle,
    n: i32,
    length: InputOutput<i32>,
    name: TextPlace,
) -> Result<()> {
    session::calls::nth_pset(session, info, n, length, Some(name), false)
}

/// What a function that makes a key writes and reads.
macro_rules! creations {
    ($($(#[$doc:meta])* $name:ident: $kind:ident, $word:ty, $extra:ty;)*) => {$(
        $(#[$doc])*
        pub unsafe fn $name<A: Abi<Handle = c_int>>(
            copy: usize,
            delete: usize,
            keyval: Output<i32>,
            extra: $extra,
        ) -> Result<()> {
            keyval.set(keys::create::<A, $word>(Kind::$kind, copy, delete, <$word>::of(extra as usize))?);
            Ok(())
        }
    )*};
}

creations! {
    /// `MPI_KEYVAL_CREATE`.
    keyval_create: Comm, c_int, i32;
    /// `MPI_COMM_CREATE_KEYVAL`.
    comm_create_keyval: Comm, isize, i64;
    /// `MPI_TYPE_CREATE_KEYVAL`.
    type_create_keyval: Datatype, isize, i64;
    /// `MPI_WIN_CREATE_KEYVAL`.
    win_create_keyval: Win, isize, i64;
}

/// Calls `get` with a place for an attribute. Passes on what it finds.
///
/// # Safety
/// `get` writes an address to its first argument and a flag to its second, or neither.
unsafe fn found(
    value: &Output<i64>,
    flag: &Output<bool>,
    get: impl FnOnce(*mut isize, *mut c_int) -> Result<()>,
) -> Result<()> {
    let (mut word, mut is_set) = (0, 0);
    get(&raw mut word, &raw mut is_set)?;
    flag.set(is_set != 0);
    if is_set != 0 {
        value.set(word as i64);
    }
    Ok(())
}

/// `MPI_COMM_GET_ATTR`, `MPI_ATTR_GET`.
pub unsafe fn comm_get<A: Abi>(
    comm: CommHandle,
    keyval: i32,
    value: Output<i64>,
    flag: Output<bool>,
) -> Result<()> {
    // SAFETY: the places are those that the function writes.
    let get = |word: *mut isize, is_set| unsafe {
        fortran::comm_get::<A>(comm, keyval, word.cast(), is_set, INTEGER)
    };
    // SAFETY: as above.
    unsafe { found(&value, &flag, get) }
}

/// `MPI_TYPE_GET_ATTR`.
pub unsafe fn type_get(
    datatype: DatatypeHandle,
    keyval: i32,
    value: Output<i64>,
    flag: Output<bool>,
) -> Result<()> {
    // SAFETY: the places are those that the function writes.
    let get = |word: *mut isize, is_set| unsafe {
        fortran::type_get(datatype, keyval, word.cast(), is_set, INTEGER)
    };
    // SAFETY: as above.
    unsafe { found(&value, &flag, get) }
}

/// `MPI_WIN_GET_ATTR`.
pub unsafe fn win_get<A: Abi>(
    win: WinHandle,
    keyval: i32,
    value: Output<i64>,
    flag: Output<bool>,
) -> Result<()> {
    // SAFETY: the places are those that the function writes.
    let get = |word: *mut isize, is_set| unsafe {
        fortran::win_get::<A>(win, keyval, word.cast(), is_set, INTEGER)
    };
    // SAFETY: as above.
    unsafe { found(&value, &flag, get) }
}

fn pointer(value: i64) -> *mut std::ffi::c_void {
    std::ptr::with_exposed_provenance_mut(value as usize)
}

/// `MPI_COMM_SET_ATTR`, `MPI_ATTR_PUT`.
pub unsafe fn comm_set(comm: CommHandle, keyval: i32, value: i64) -> Result<()> {
    fortran::comm_set(comm, keyval, pointer(value), INTEGER)
}

/// `MPI_TYPE_SET_ATTR`.
pub unsafe fn type_set(datatype: DatatypeHandle, keyval: i32, value: i64) -> Result<()> {
    fortran::type_set(datatype, keyval, pointer(value), INTEGER)
}

/// `MPI_WIN_SET_ATTR`.
pub unsafe fn win_set(win: WinHandle, keyval: i32, value: i64) -> Result<()> {
    fortran::win_set(win, keyval, pointer(value), INTEGER)
}
