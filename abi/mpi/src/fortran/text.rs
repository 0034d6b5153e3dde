//! Strings of Fortran. They have no zero at their end: compilers pass their lengths behind all arguments, and
//! blanks fill them.

use std::ffi::{CString, c_char};

use super::door::{Fortran, InFortran};
use crate::abi::Abi;
use crate::arguments::{InText, OutText, OutTextOrNull, TextPlace};
use crate::error::{Class, Error, Result};

/// A kind of argument that is a string in Fortran.
pub trait TextArgument<A: Abi> {
    /// The value that functions of this crate get.
    type Value;

    /// Translates a string of `len` characters; `name` is its name in MPI.
    ///
    /// # Safety
    /// `place` is NULL or has `len` characters.
    unsafe fn value(place: *mut c_char, len: usize, name: &'static str) -> Result<Self::Value>;
}

/// The characters of a string, without the blanks that MPI gives no meaning: those at the end, and in keys
/// and values of info objects those before, too.
fn meant<'a>(text: &'a [u8], name: &str) -> &'a [u8] {
    let end = text.iter().rposition(|byte| *byte != b' ').map_or(0, |last| last + 1);
    let text = &text[..end];
    match name {
        "key" | "value" => &text[text.iter().take_while(|byte| **byte == b' ').count()..],
        _ => text,
    }
}

impl<D: InFortran> TextArgument<Fortran<D>> for InText {
    type Value = CString;

    unsafe fn value(place: *mut c_char, len: usize, name: &'static str) -> Result<CString> {
        if place.is_null() && len > 0 {
            return Err(Error::new(Class::ARG, format!("the address of {name} is NULL")));
        }
        let text = match len {
            0 => &[],
            // SAFETY: promised by the caller; not NULL.
            len => unsafe { std::slice::from_raw_parts(place.cast::<u8>(), len) },
        };
        // A zero ends the string, as programs write it for functions of C.
        let text = text.split(|byte| *byte == 0).next().unwrap_or_default();
        Ok(CString::new(meant(text, name)).unwrap_or_default())
    }
}

impl<D: InFortran> TextArgument<Fortran<D>> for OutText {
    type Value = TextPlace;

    unsafe fn value(place: *mut c_char, len: usize, name: &'static str) -> Result<TextPlace> {
        if place.is_null() {
            return Err(Error::new(Class::ARG, format!("the address of {name} is NULL")));
        }
        // SAFETY: promised by the caller.
        Ok(unsafe { TextPlace::filled::<Fortran<D>>(place, len) })
    }
}

impl<D: InFortran> TextArgument<Fortran<D>> for OutTextOrNull {
    type Value = Option<TextPlace>;

    unsafe fn value(place: *mut c_char, len: usize, name: &'static str) -> Result<Option<TextPlace>> {
        // SAFETY: promised by the caller.
        unsafe { <OutText as TextArgument<Fortran<D>>>::value(place, len, name) }.map(Some)
    }
}

#[cfg(test)]
mod tests {
    use super::meant;

    #[test]
    fn blanks_at_the_end_have_no_meaning_and_in_info_objects_those_before_neither() {
        for (text, name, rest) in [
            ("  a b  ", "comm_name", "  a b"),
            ("  a b  ", "key", "a b"),
            ("   ", "value", ""),
            ("", "value", ""),
        ] {
            assert_eq!(meant(text.as_bytes(), name), rest.as_bytes());
        }
    }
}
