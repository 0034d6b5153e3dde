//! The functions that the loader calls, as rtld-audit(7) has them.
//!
//! All but the first are called with the loader's lock held, so by one thread at a time.
//!
//! The loader keeps a number, the *cookie*, per library: at first the address of the library's [`LinkMap`].
//! Our own libraries get a number up to [`LAST_OURS`] instead: what those ask for is not changed, since the
//! NCCL or MPI of somebody else may be what they want.

use std::ffi::{CStr, OsStr, c_char, c_long, c_uint};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;
use std::{process, thread};

use anyccl_launch_report::{Event, Reporter};

use crate::name::{is_engine, is_function};
use crate::state::{AuditState, Mode, prepare, state};

/// The newest version of this interface that is known here (glibc 2.35). What is used of it is in version 1,
/// too.
const NEWEST: c_uint = 2;
/// Flag of `la_objsearch`: the name is the one that the program, or a library, has in its file.
const LA_SER_ORIG: c_uint = 1;
/// Flag of `la_objopen`: report when a function of this library is found for somebody; when one is found for
/// this library.
const LA_FLG_BINDTO: c_uint = 1;
const LA_FLG_BINDFROM: c_uint = 2;
/// Cookies of libraries of anyccl are 1 + their position in the state. No addresses.
const LAST_OURS: usize = 16;
/// How often a stopped process looks whether its launcher is still there.
const LOOK: Duration = Duration::from_millis(100);

/// The beginning of what the loader knows about a library: `struct link_map` of link.h.
#[repr(C)]
pub struct LinkMap {
    address: usize,
    name: *const c_char,
}

/// A symbol as ELF has it.
#[repr(C)]
pub struct Symbol {
    name: u32,
    info: u8,
    other: u8,
    section: u16,
    value: usize,
    size: u64,
}

/// The first call: which version of the interface this library has. 0: none, unload it.
#[unsafe(no_mangle)]
pub extern "C" fn la_version(offered: c_uint) -> c_uint {
    if prepare().is_some() { offered.min(NEWEST) } else { 0 }
}

/// Somebody asks for the library `name`. Answers the name to look for instead.
///
/// # Safety
/// The loader calls this: `name` is a string, `cookie` that of the library that asks.
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
    // What is preloaded is named by its path, what was linked is not.
    state.is_linked.fetch_or(!asked.to_bytes().contains(&b'/'), Ordering::Relaxed);
    match state.door_for(asked.to_bytes()) {
        // The loader only reads it, and it is never freed.
        Some(door) if state.mode == Mode::Take && !by_ours => door.path.as_ptr().cast_mut(),
        _ => unchanged,
    }
}

/// A library has been mapped. Answers of which bindings to tell.
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
    let from_all = if state.mode == Mode::Probe { LA_FLG_BINDFROM } else { 0 };
    if is_ours || is_engine(path) {
        // SAFETY: the loader passes the place of the cookie, writable for this hook.
        unsafe { cookie.write(1 + own.unwrap_or(0)) };
    }
    // What our library has asked for is its own affair.
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
        // Of the others it is enough to know who looks up their functions by hand. Only those would be slower
        // for it.
        _ if !is_ours => LA_FLG_BINDTO,
        _ => 0,
    }
}

/// The function `name` of a library was found for another one. Answers its address.
///
/// # Safety
/// The loader calls this: `symbol` is a copy of the symbol, the cookies are those of the library that asked
/// and of the one that has it, `name` is a string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_symbind64(
    symbol: *const Symbol,
    _index: c_uint,
    user: *const usize,
    library: *const usize,
    _flags: *mut c_uint,
    name: *const c_char,
) -> usize {
    // SAFETY: the loader passes the symbol, in which it has put the address that was found.
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
    // SAFETY: these are cookies of libraries that are there.
    let (is_ours, library) = (library <= LAST_OURS, unsafe { path_of(state, library) });
    // SAFETY: as above.
    let user = unsafe { path_of(state, user) };
    // Such a library calls itself through the loader, and ours may have wanted another: neither is a user.
    if state.is_library(library) && !state.is_library(user) {
        let heard = tell(state, Event::Bound, library, Some(user).filter(|user| !user.is_empty()));
        if state.mode == Mode::Probe || (heard && !is_ours) {
            stop(state);
        }
    }
    address
}

/// The program is complete and is going to start.
///
/// # Safety
/// The loader calls this, with the cookie of the program.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn la_preinit(_cookie: *mut usize) {
    let Some(state) = state() else { return };
    // A program that calls it without a table of addresses (`-fno-plt`) has been bound without a word to us.
    // The first that was loaded has served it.
    if state.mode == Mode::Probe
        && state.is_linked.load(Ordering::Relaxed)
        && let Some(library) = state.first.get()
    {
        tell(state, Event::Bound, library, None);
        stop(state);
    }
}

/// A name of the loader's; the program itself has an empty one or none.
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
/// The library is there, and its cookie as the loader or `la_objopen` has made it.
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

/// Whether somebody hears it. Where nobody does, the program goes on.
fn tell(state: &AuditState, what: Event, library: &[u8], user: Option<&[u8]>) -> bool {
    let path = |bytes| Path::new(OsStr::from_bytes(bytes));
    state.reporter.as_ref().is_some_and(|reporter| reporter.tell(what, path(library), user.map(path)).is_ok())
}

/// Keeps this process from its work until the launcher has ended it, or has ended itself.
fn stop(state: &AuditState) -> ! {
    while state.reporter.as_ref().is_some_and(Reporter::has_listener) {
        thread::sleep(LOOK);
    }
    process::exit(1)
}

// As ELF has it.
const _: () = assert!(size_of::<Symbol>() == 24);
