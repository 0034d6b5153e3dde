//! The functions that the loader calls, as rtld-audit(7) defines them.
//!
//! The loader holds its lock while it calls them, except the first one. So one thread at a time runs them.
//!
//! The loader keeps a number, the *cookie*, per library. It begins as the address of the library's
//! [`LinkMap`]. Our own libraries get a number up to [`LAST_OURS`] instead. Requests of our own libraries are
//! not changed, because they may want a foreign NCCL or MPI.

use std::ffi::{CStr, OsStr, c_char, c_long, c_uint};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{process, thread};

use anyccl_launch_report::{Event, Reporter};

use crate::name::{is_engine, is_function};
use crate::state::{AuditState, Mode, prepare, state};

/// The newest version of this interface that is known here (glibc 2.35). The parts in use exist in version 1,
/// too.
const NEWEST: c_uint = 2;
/// Flag of `la_objsearch`: the name is the one in the file of the program or of a library.
const LA_SER_ORIG: c_uint = 1;
/// Flags of `la_objopen`: report when a function of this library is bound for another one; report when a
/// function is bound for this library.
const LA_FLG_BINDTO: c_uint = 1;
const LA_FLG_BINDFROM: c_uint = 2;
/// Cookies of anyccl's libraries are 1 + their index in the state. They are no addresses.
const LAST_OURS: usize = 16;
/// How often a stopped process checks whether its launcher still exists.
const LOOK: Duration = Duration::from_millis(100);

/// The first fields of the loader's record of a library: `struct link_map` of link.h.
#[repr(C)]
pub struct LinkMap {
    address: usize,
    name: *const c_char,
}

/// A symbol in ELF's form.
#[repr(C)]
pub struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: usize,
    size: u64,
}

/// The first call. Returns the version of the interface that this library has; 0 makes the loader unload it.
#[unsafe(no_mangle)]
pub extern "C" fn la_version(offered: c_uint) -> c_uint {
    if prepare().is_some() { offered.min(NEWEST) } else { 0 }
}

/// Called when a library `name` is requested. Returns the name to look for instead.
///
/// # Safety
/// The loader calls this: `name` is a string, `cookie` belongs to the library that makes the request.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objsearch(name: *const c_char, cookie: *mut usize, flag: c_uint) -> *mut c_char {
    let unchanged = name.cast_mut();
    let Some(state) = state() else { return unchanged };
    // SAFETY: the loader passes a string that lives as long as this call.
    let asked = unsafe { CStr::from_ptr(name) };
    if flag != LA_SER_ORIG || !state.is_library(asked.to_bytes()) {
        return unchanged;
    }
    // SAFETY: the loader passes the place of a cookie, which only it and these hooks touch, under its lock.
    let by_ours = unsafe { cookie.read() } <= LAST_OURS;
    state.is_wanted.store(by_ours, Ordering::Relaxed);
    // Preloaded libraries are named by their path, linked ones are not.
    state.is_linked.fetch_or(!asked.to_bytes().contains(&b'/'), Ordering::Relaxed);
    match state.door_for(asked.to_bytes()) {
        // The loader only reads it, and it is never freed.
        Some(door) if state.mode == Mode::Take && !by_ours => door.path.as_ptr().cast_mut(),
        _ => unchanged,
    }
}

/// Called when a library has been mapped. Returns the flags of the bindings to report.
///
/// # Safety
/// The loader calls this: `map` is its record of the library, `cookie` the library's.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_objopen(map: *const LinkMap, _namespace: c_long, cookie: *mut usize) -> c_uint {
    let Some(state) = state() else { return 0 };
    // SAFETY: the loader passes its record, complete by now.
    let name = unsafe { (*map).name };
    // SAFETY: the name in it is a string, as long as the library is there.
    let path = unsafe { text(name) };
    let own = state.own(path).filter(|_| state.is_library(path));
    let is_ours = own.is_some();
    let led_to = if is_ours { None } else { state.led_to(path) };
    let from_all = if state.mode == Mode::Probe { LA_FLG_BINDFROM } else { 0 };
    if is_ours || is_engine(path) {
        // SAFETY: the loader passes the place of the cookie, writable for this hook.
        unsafe { cookie.write(1 + own.unwrap_or(0)) };
    }
    if let Some(door) = led_to {
        // The library that it needs is reported when that is mapped.
        // SAFETY: as above.
        unsafe { cookie.write(1 + door) };
        return from_all;
    }
    // Requests of our own library are its own affair.
    if !state.is_library(path) || (!is_ours && state.is_wanted.swap(false, Ordering::Relaxed)) {
        return from_all;
    }
    let heard = tell(state, Event::Loaded, path, None);
    if !is_ours && heard && matches!(state.mode, Mode::Take | Mode::Only) {
        stop(state);
    }
    state.first.get_or_init(|| path.to_vec());
    match state.mode {
        Mode::Probe => from_all | LA_FLG_BINDTO,
        // For other libraries it is enough to know which of them look up functions by hand. Only such
        // look-ups become slower.
        _ if !is_ours => LA_FLG_BINDTO,
        _ => 0,
    }
}

/// Called when the function `name` of a library was bound for another one. Returns its address.
///
/// # Safety
/// Only the loader calls this. `symbol` is a copy of the symbol, and `name` is a string. The cookies belong
/// to the library that made the request and to the one that has the function.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_symbind64(
    symbol: *const Symbol,
    _index: c_uint,
    user: *const usize,
    library: *const usize,
    _flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the loader passes the symbol, which holds the address that it found.
    let address = unsafe { (*symbol).value };
    let Some(state) = state() else { return address };
    // SAFETY: the loader passes a string.
    let function = unsafe { CStr::from_ptr(name) };
    // SAFETY: the loader passes the places of two cookies; this is the first.
    let user = unsafe { user.read() };
    // SAFETY: as above, the second.
    let library = unsafe { library.read() };
    if !is_function(state.facade, function.to_bytes()) {
        return address;
    }
    // SAFETY: these are cookies of libraries that are loaded.
    let (is_ours, library) = (library <= LAST_OURS, unsafe { path_of(state, library) });
    // SAFETY: as above.
    let user = unsafe { path_of(state, user) };
    // Such a library binds its own functions through the loader, and our library may have wanted another one:
    // neither counts as a user.
    if state.is_library(library) && !state.is_library(user) {
        let heard = tell(state, Event::Bound, library, Some(user).filter(|user| !user.is_empty()));
        if state.mode == Mode::Probe || (heard && !is_ours) {
            stop(state);
        }
    }
    address
}

/// Called when the program is complete and about to start.
///
/// # Safety
/// The loader calls this, with the cookie of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_preinit(_cookie: *mut usize) {
    let Some(state) = state() else { return };
    // A program that calls the library without a table of addresses (`-fno-plt`) has been bound without a
    // call of these hooks. Then the first library that was loaded serves it.
    if state.mode == Mode::Probe
        && state.is_linked.load(Ordering::Relaxed)
        && let Some(library) = state.first.get()
    {
        tell(state, Event::Bound, library, None);
        stop(state);
    }
}

/// A name in the loader's records; the program itself has an empty name or none.
///
/// # Safety
/// `name` is NULL or a string that lives for `'a`.
unsafe fn text<'a>(name: *const c_char) -> &'a [u8] {
    if name.is_null() {
        return b"";
    }
    // SAFETY: a string, by our caller's promise.
    unsafe { CStr::from_ptr(name) }.to_bytes()
}

/// The path of the library with this cookie.
///
/// # Safety
/// The library is loaded, and its cookie is as the loader or `la_objopen` has made it.
unsafe fn path_of(state: &AuditState, cookie: usize) -> &[u8] {
    if cookie <= LAST_OURS {
        return state.doors.get(cookie.wrapping_sub(1)).map_or(b"", |door| door.path.to_bytes());
    }
    let map = cookie as *const LinkMap;
    // SAFETY: every other cookie is still the address of the loader's record.
    let name = unsafe { (*map).name };
    // SAFETY: the name in it is a string, as long as the library is there.
    unsafe { text(name) }
}

/// Reports to the launcher. Returns whether a launcher receives it; without one, the program goes on.
fn tell(state: &AuditState, what: Event, library: &[u8], user: Option<&[u8]>) -> bool {
    let path = |bytes| Path::new(OsStr::from_bytes(bytes));
    state.reporter.as_ref().is_some_and(|reporter| reporter.tell(what, path(library), user.map(path)).is_ok())
}

/// Keeps this process from running until the launcher has ended it, or has ended itself.
fn stop(state: &AuditState) -> ! {
    while state.reporter.as_ref().is_some_and(Reporter::has_listener) {
        thread::sleep(LOOK);
    }
    process::exit(1)
}

// The size in ELF.
const _: () = assert!(size_of::<Symbol>() == 24);
