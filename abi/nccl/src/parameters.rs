//! NCCL's parameters by their keys. They are the environment variables of [`crate::variables`], with the
//! values that are set.
//!
//! In NCCL a parameter that is not set has a default. Here it has none: its text is empty, and reading it as
//! a number fails.

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::str::FromStr;

use anyccl_edge::Out;
use anyccl_edge::check::{self, invalid, not_null};
use anyccl_engine::base::{Error, Result};
use anyccl_engine::log_line;

use crate::types::ncclParamHandle_t;
use crate::variables::{self, NAMES};

/// The name of a parameter. Its handle is the index in the table plus one.
fn by_handle(handle: ncclParamHandle_t) -> Result<&'static CStr> {
    match handle.addr().checked_sub(1).and_then(|at| NAMES.get(at)) {
        Some(name) => Ok(name),
        None => invalid("h", format!("{handle:p}, which ncclParamBind has not given")),
    }
}

/// # Safety
/// A `key` that is not NULL is terminated.
unsafe fn index_of(key: *const c_char) -> Result<usize> {
    not_null(key, "key")?;
    // SAFETY: not NULL; passed on from our caller.
    let key = unsafe { CStr::from_ptr(key) };
    match NAMES.iter().position(|name| *name == key) {
        Some(at) => Ok(at),
        None => {
            invalid("key", format!("\"{}\"; ncclParamGetAllParameterKeys has all", key.to_string_lossy()))
        }
    }
}

fn text_of(name: &CStr) -> String {
    variables::value(&name.to_string_lossy()).unwrap_or_default()
}

/// Keeps a text until the next query of this kind on this thread.
fn keep(place: &'static std::thread::LocalKey<RefCell<CString>>, text: &str) -> Result<*const c_char> {
    let text = CString::new(text).map_err(|_| Error::Internal("a zero byte in a variable".into()))?;
    place
        .try_with(|place| {
            place.replace(text);
            place.borrow().as_ptr()
        })
        .map_err(|_| Error::InvalidUsage("the thread is ending".into()))
}

/// ncclParamBind.
pub unsafe fn bind(out: *mut ncclParamHandle_t, key: *const c_char) -> Result<()> {
    // SAFETY: the caller promises a writable handle or NULL.
    let place = unsafe { Out::new(out, "out") }?;
    // SAFETY: the caller promises a terminated text or NULL.
    let at = unsafe { index_of(key) }?;
    place.set(std::ptr::without_provenance_mut(at + 1));
    Ok(())
}

/// ncclParamGetI8 and the other functions for numbers.
pub unsafe fn get_number<T: FromStr>(h: ncclParamHandle_t, out: *mut T) -> Result<()> {
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(out, "out") }?;
    let name = by_handle(h)?;
    let text = text_of(name);
    let Ok(number) = text.trim().parse() else {
        let got = format!("{} is \"{text}\", no number of this type", name.to_string_lossy());
        return invalid("h", got);
    };
    place.set(number);
    Ok(())
}

/// ncclParamGetStr.
pub unsafe fn get_text(h: ncclParamHandle_t, out: *mut *const c_char) -> Result<()> {
    thread_local! {
        static KEPT: RefCell<CString> = RefCell::default();
    }
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(out, "out") }?;
    place.set(keep(&KEPT, &text_of(by_handle(h)?))?);
    Ok(())
}

/// ncclParamGet: copies the bytes of the text.
pub unsafe fn get_bytes(
    h: ncclParamHandle_t,
    out: *mut c_void,
    maxLen: c_int,
    len: *mut c_int,
) -> Result<()> {
    // SAFETY: the caller promises a writable number or NULL.
    let place = unsafe { Out::new(len, "len") }?;
    not_null(out, "out")?;
    let text = text_of(by_handle(h)?);
    let room = usize::try_from(maxLen).unwrap_or(0);
    if text.len() > room {
        return invalid("maxLen", format!("{maxLen}; the value has {} bytes", text.len()));
    }
    // SAFETY: the caller promises `maxLen` writable bytes, and the text is no longer.
    unsafe { std::ptr::copy_nonoverlapping(text.as_ptr(), out.cast(), text.len()) };
    place.set(check::int(text.len() as u32)?);
    Ok(())
}

/// ncclParamGetParameter.
pub unsafe fn get_by_key(key: *const c_char, value: *mut *const c_char, valueLen: *mut c_int) -> Result<()> {
    thread_local! {
        static KEPT: RefCell<CString> = RefCell::default();
    }
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(value, "value") }?;
    // SAFETY: the caller promises a writable number or NULL.
    let length = unsafe { Out::new(valueLen, "valueLen") }?;
    // SAFETY: the caller promises a terminated text or NULL.
    let at = unsafe { index_of(key) }?;
    let text = text_of(NAMES[at]);
    place.set(keep(&KEPT, &text)?);
    length.set(check::int(text.len() as u32)?);
    Ok(())
}

/// ncclParamGetAllParameterKeys.
pub unsafe fn get_keys(table: *mut *mut *const c_char, tableLen: *mut c_int) -> Result<()> {
    thread_local! {
        static KEPT: RefCell<Vec<*const c_char>> = RefCell::default();
    }
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(table, "table") }?;
    // SAFETY: the caller promises a writable number or NULL.
    let length = unsafe { Out::new(tableLen, "tableLen") }?;
    let keys = KEPT.try_with(|kept| {
        let mut kept = kept.borrow_mut();
        *kept = NAMES.iter().map(|name| name.as_ptr()).collect();
        kept.as_mut_ptr()
    });
    place.set(keys.map_err(|_| Error::InvalidUsage("the thread is ending".into()))?);
    length.set(check::int(NAMES.len() as u32)?);
    Ok(())
}

/// ncclParamDumpAll.
pub unsafe fn dump_all() {
    for name in NAMES {
        log_line!(Info, "{} = \"{}\"", name.to_string_lossy(), text_of(name));
    }
}
