//! MPI's functions on info objects.

use std::ffi::{CStr, CString, c_char, c_void};

use super::{INFOS, Pairs, object, start};
use crate::abi::TextLimit;
use crate::arguments::{InfoHandle, InputOutput, Output, TextPlace};
use crate::constants::{INFO_ENV, INFO_NULL};
use crate::error::{Class, Error, Result};

/// A key or a value from the program.
fn text(text: &CString, class: Class) -> Result<&str> {
    text.to_str().map_err(|_| Error::new(class, "a key or a value that is not UTF-8"))
}

fn key(key: &CString) -> Result<&str> {
    text(key, Class::INFO_KEY)
}

/// `MPI_Info_create`.
pub unsafe fn create(info: Output<InfoHandle>) -> Result<()> {
    info.set(Pairs::default().handle());
    Ok(())
}

/// `MPI_Info_dup`.
pub unsafe fn dup(info: InfoHandle, newinfo: Output<InfoHandle>) -> Result<()> {
    newinfo.set(Pairs::of_handle(info)?.handle());
    Ok(())
}

/// `MPI_Info_free`.
pub unsafe fn free(info: InputOutput<InfoHandle>) -> Result<()> {
    match info.get().0 {
        INFO_NULL | INFO_ENV => return Err(Error::new(Class::INFO, "a predefined info object is not freed")),
        id => INFOS.remove(id)?,
    };
    info.set(InfoHandle::NULL);
    Ok(())
}

/// `MPI_Info_set`.
pub unsafe fn set(info: InfoHandle, name: CString, value: CString) -> Result<()> {
    let object = object(info)?;
    object.0.lock().set(key(&name)?, text(&value, Class::INFO_VALUE)?)
}

/// `MPI_Info_delete`.
pub unsafe fn delete(info: InfoHandle, name: CString) -> Result<()> {
    let object = object(info)?;
    object.0.lock().remove(key(&name)?)
}

/// `MPI_Info_get`.
pub unsafe fn get(
    info: InfoHandle,
    name: CString,
    valuelen: i32,
    value: TextPlace,
    flag: Output<bool>,
) -> Result<()> {
    let pairs = Pairs::of_handle(info)?;
    let room = usize::try_from(valuelen)
        .map_err(|_| Error::new(Class::ARG, format!("valuelen is {valuelen}, less than 0")))?;
    let found = pairs.get(key(&name)?);
    if let Some(found) = found {
        // In this function the zero at the end is additional.
        value.put(found.as_bytes(), TextLimit::Given(room + 1));
    }
    flag.set(found.is_some());
    Ok(())
}

/// `MPI_Info_get_string`.
pub unsafe fn get_string(
    info: InfoHandle,
    name: CString,
    buflen: InputOutput<i32>,
    value: Option<TextPlace>,
    flag: Output<bool>,
) -> Result<()> {
    string(info, &name, buflen, value, flag, true)
}

/// Reads a value of any length. `counts_zero`: the length counts the zero at the end.
pub fn string(
    info: InfoHandle,
    name: &CString,
    buflen: InputOutput<i32>,
    value: Option<TextPlace>,
    flag: Output<bool>,
    counts_zero: bool,
) -> Result<()> {
    let pairs = Pairs::of_handle(info)?;
    let room = usize::try_from(buflen.get())
        .map_err(|_| Error::new(Class::ARG, format!("buflen is {}, less than 0", buflen.get())))?;
    let found = pairs.get(key(name)?);
    if let Some(found) = found {
        if room > 0 {
            let value = value.ok_or_else(|| Error::new(Class::ARG, "value is NULL"))?;
            value.put(found.as_bytes(), TextLimit::Given(room));
        }
        buflen.set(found.len() as i32 + i32::from(counts_zero));
    }
    flag.set(found.is_some());
    Ok(())
}

/// `MPI_Info_get_nkeys`.
pub unsafe fn get_nkeys(info: InfoHandle, nkeys: Output<i32>) -> Result<()> {
    nkeys.set(Pairs::of_handle(info)?.iter().len() as i32);
    Ok(())
}

/// `MPI_Info_get_nthkey`.
pub unsafe fn get_nthkey(info: InfoHandle, n: i32, key: TextPlace) -> Result<()> {
    let pairs = Pairs::of_handle(info)?;
    let found = usize::try_from(n).ok().and_then(|n| pairs.iter().nth(n));
    let (found, _) = found.ok_or_else(|| {
        Error::new(Class::ARG, format!("n is {n}; the object has {} keys", pairs.iter().len()))
    })?;
    key.put(found.as_bytes(), TextLimit::InfoKey);
    Ok(())
}

/// `MPI_Info_get_valuelen`.
pub unsafe fn get_valuelen(
    info: InfoHandle,
    name: CString,
    valuelen: Output<i32>,
    flag: Output<bool>,
) -> Result<()> {
    let pairs = Pairs::of_handle(info)?;
    let found = pairs.get(key(&name)?);
    if let Some(found) = found {
        valuelen.set(found.len() as i32);
    }
    flag.set(found.is_some());
    Ok(())
}

/// `MPI_Info_create_env`.
pub unsafe fn create_env(argc: i32, argv: *mut c_void, info: Output<InfoHandle>) -> Result<()> {
    let arguments = argv.cast_const().cast::<*const c_char>();
    let count = if arguments.is_null() { 0 } else { usize::try_from(argc).unwrap_or(0) };
    let mut texts = Vec::with_capacity(count);
    for at in 0..count {
        // SAFETY: the program passes `argc` strings.
        let argument = unsafe { arguments.wrapping_add(at).read() };
        if argument.is_null() {
            break;
        }
        // SAFETY: not NULL, and the program passes strings with a zero at their end.
        texts.push(unsafe { CStr::from_ptr(argument) }.to_string_lossy().into_owned());
    }
    info.set(start::of_arguments(&texts).handle());
    Ok(())
}
