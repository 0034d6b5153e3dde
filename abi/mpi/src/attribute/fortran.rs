//! Attributes for bindings of Fortran: integers instead of pointers, and callbacks through the binding.
//!
//! MPICH's own Fortran library calls these functions in `libmpi`. A value that Fortran has set is a pointer
//! to an integer in C. A value that C has set is an integer in Fortran (MPI 3.1, section 17.2.7).

use std::ffi::{c_int, c_void};

use super::calls::put_value;
use super::{CopyProxy, DeleteProxy, Keyval, Kind, Proxies, Value, predefined};
use crate::abi::{Abi, Numbers, Object};
use crate::arguments::{CommHandle, CopyFunction, DatatypeHandle, DeleteFunction, WinHandle, outcome};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::types::with_attributes;
use crate::win::Win;

/// Whether a caller takes pointers, as C does, or integers of the size of an address.
fn wants_pointer(form: c_int) -> bool {
    form == 0
}

/// Form of values in callbacks: integers of the size of an address.
const ADDRESS: c_int = 1;

type Copy<H> = unsafe extern "C" fn(
    usize,
    H,
    c_int,
    *mut c_void,
    c_int,
    *mut c_void,
    *mut *mut c_void,
    *mut c_int,
) -> c_int;
type Delete<H> = unsafe extern "C" fn(usize, H, c_int, c_int, *mut c_void, *mut c_void) -> c_int;

/// The handle of an object with attributes.
pub(crate) fn handle<A: Abi>(kind: Kind, object: u32) -> A::Handle {
    let of = match kind {
        Kind::Comm => Object::Comm,
        Kind::Datatype => Object::Datatype,
        Kind::Win => Object::Win,
    };
    A::handle(of, object)
}

/// # Safety
/// `proxy` is the address of a copy proxy, `function` that of the function that it calls.
unsafe fn copy<A: Abi>(
    proxy: usize,
    function: usize,
    of: (Kind, u32),
    keyval: i32,
    extra: *mut c_void,
    value: usize,
) -> Result<Option<usize>> {
    // SAFETY: promised by the caller.
    let proxy = unsafe { std::mem::transmute::<usize, Copy<A::Handle>>(proxy) };
    let (mut new, mut flag) = (std::ptr::null_mut(), 0);
    let (handle, keyval) = (handle::<A>(of.0, of.1), A::raw_number(Numbers::Keyval, keyval));
    let value = std::ptr::with_exposed_provenance_mut(value);
    // SAFETY: promised by the caller; both results outlive the call.
    let code = unsafe { proxy(function, handle, keyval, extra, ADDRESS, value, &raw mut new, &raw mut flag) };
    outcome::<A>(code, "copy function of an attribute")?;
    Ok((flag != 0).then(|| new.expose_provenance()))
}

/// # Safety
/// `proxy` is the address of a delete proxy, `function` that of the function that it calls.
unsafe fn delete<A: Abi>(
    proxy: usize,
    function: usize,
    of: (Kind, u32),
    keyval: i32,
    extra: *mut c_void,
    value: usize,
) -> Result<()> {
    // SAFETY: promised by the caller.
    let proxy = unsafe { std::mem::transmute::<usize, Delete<A::Handle>>(proxy) };
    let (handle, keyval) = (handle::<A>(of.0, of.1), A::raw_number(Numbers::Keyval, keyval));
    let value = std::ptr::with_exposed_provenance_mut(value);
    // SAFETY: promised by the caller.
    let code = unsafe { proxy(function, handle, keyval, ADDRESS, value, extra) };
    outcome::<A>(code, "delete function of an attribute")
}

/// Makes a key with functions that are called by `calls`. Returns its number.
pub(crate) fn make_key(
    kind: Kind,
    (copy, delete): (CopyFunction, DeleteFunction),
    extra: usize,
    calls: (CopyProxy, DeleteProxy),
) -> Result<i32> {
    let keyval = Keyval::make(kind, copy, delete, std::ptr::with_exposed_provenance_mut(extra));
    let made = super::KEYVALS.get(keyval.cast_unsigned())?.share();
    let _ = made.proxies.set(Proxies { copy: (0, calls.0), delete: (0, calls.1) });
    Ok(keyval)
}

/// Sets the functions of a binding that call the functions of a key from now on.
pub fn set_proxies<A: Abi>(keyval: i32, copy_proxy: usize, delete_proxy: usize) -> Result<()> {
    let keyval = super::KEYVALS.get(keyval.cast_unsigned())?.share();
    let proxies = Proxies { copy: (copy_proxy, copy::<A>), delete: (delete_proxy, delete::<A>) };
    // A key belongs to one binding.
    let _ = keyval.proxies.set(proxies);
    Ok(())
}

/// A value from a caller.
fn value_of(form: c_int, value: *mut c_void) -> Value {
    let word = value.expose_provenance();
    if wants_pointer(form) { Value::Pointer(word) } else { Value::Integer(word.into()) }
}

/// `MPII_Comm_set_attr`.
pub fn comm_set(comm: CommHandle, keyval: i32, value: *mut c_void, form: c_int) -> Result<()> {
    let comm = Comm::from_handle(comm)?.share();
    comm.attributes.set_value(comm.id, keyval, Kind::Comm, value_of(form, value))
}

/// `MPII_Type_set_attr`.
pub fn type_set(datatype: DatatypeHandle, keyval: i32, value: *mut c_void, form: c_int) -> Result<()> {
    let value = value_of(form, value);
    with_attributes(datatype, |attributes| attributes.set_value(datatype.0, keyval, Kind::Datatype, value))
}

/// `MPII_Win_set_attr`.
pub fn win_set(win: WinHandle, keyval: i32, value: *mut c_void, form: c_int) -> Result<()> {
    let win = Win::from_handle(win)?;
    let set = win.attributes.set_value(win.id, keyval, Kind::Win, value_of(form, value));
    set.map_err(|error| error.on_win(win.id))
}

/// The form in which a caller sees a value.
fn seen(form: c_int, value: &Value) -> *mut c_void {
    if wants_pointer(form) { value.pointer() } else { std::ptr::with_exposed_provenance_mut(value.word()) }
}

/// `MPII_Comm_get_attr`.
///
/// # Safety
/// A pointer may be written to `place`, an int to `flag`.
pub unsafe fn comm_get<A: Abi>(
    comm: CommHandle,
    keyval: i32,
    place: *mut c_void,
    flag: *mut c_int,
    form: c_int,
) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    let found = match predefined::value::<A>(keyval) {
        Ok(found) if wants_pointer(form) => found.map(|(_, address)| address.cast()),
        Ok(found) => found.map(|(value, _)| std::ptr::with_exposed_provenance_mut(value as isize as usize)),
        Err(()) => comm.attributes.get_value(keyval, Kind::Comm)?.map(|value| seen(form, &value)),
    };
    // SAFETY: passed on from our caller.
    unsafe { put(place, found, flag) }
}

/// `MPII_Type_get_attr`.
///
/// # Safety
/// A pointer may be written to `place`, an int to `flag`.
pub unsafe fn type_get(
    datatype: DatatypeHandle,
    keyval: i32,
    place: *mut c_void,
    flag: *mut c_int,
    form: c_int,
) -> Result<()> {
    let found = with_attributes(datatype, |attributes| attributes.get_value(keyval, Kind::Datatype))?;
    // SAFETY: passed on from our caller.
    unsafe { put(place, found.map(|value| seen(form, &value)), flag) }
}

/// `MPII_Win_get_attr`.
///
/// # Safety
/// A pointer may be written to `place`, an int to `flag`.
pub unsafe fn win_get<A: Abi>(
    win: WinHandle,
    keyval: i32,
    place: *mut c_void,
    flag: *mut c_int,
    form: c_int,
) -> Result<()> {
    let win = Win::from_handle(win)?;
    let found = match win.predefined::<A>(keyval) {
        Some(address) if wants_pointer(form) => Some(address),
        Some(_) => win.predefined_word::<A>(keyval).map(std::ptr::with_exposed_provenance_mut),
        None => win.attributes.get_value(keyval, Kind::Win)?.map(|value| seen(form, &value)),
    };
    // SAFETY: passed on from our caller.
    unsafe { put(place, found, flag) }
}

/// # Safety
/// A pointer may be written to `place`, an int to `flag`.
unsafe fn put(place: *mut c_void, found: Option<*mut c_void>, flag: *mut c_int) -> Result<()> {
    if flag.is_null() {
        return Err(Error::new(Class::ARG, "flag is NULL"));
    }
    // SAFETY: promised by the caller.
    unsafe { put_value(place, found) }?;
    // SAFETY: promised by the caller; not NULL.
    unsafe { flag.write(c_int::from(found.is_some())) };
    Ok(())
}
