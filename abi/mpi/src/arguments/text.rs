//! Strings in C, as arguments: those that a function reads, and places into which it writes one.

use std::ffi::{CStr, CString, c_char};

use super::element::present;
use super::kind::{Kind, null};
use crate::abi::{Abi, TextLimit};
use crate::error::Result;

/// A string that is read.
pub struct InText;

impl<A: Abi> Kind<A> for InText {
    type C = *const c_char;
    type Value = CString;

    unsafe fn value(raw: *const c_char, name: &'static str) -> Result<CString> {
        if raw.is_null() {
            return Err(null(name));
        }
        // SAFETY: not NULL, and the program passes a string with a zero at its end.
        Ok(unsafe { CStr::from_ptr(raw) }.to_owned())
    }
}

/// Memory into which a string is written.
pub struct OutText;

/// A place for a string. The door's [`Abi`] says how long the string may be.
pub struct TextPlace {
    place: *mut c_char,
    limit: fn(TextLimit) -> usize,
    /// The length of the place, if blanks fill it and no zero ends the string: in Fortran.
    filled: Option<usize>,
}

impl TextPlace {
    /// A place of `len` characters that blanks fill.
    ///
    /// # Safety
    /// So many characters may be written there until the MPI function returns.
    pub(crate) unsafe fn filled<A: Abi>(place: *mut c_char, len: usize) -> TextPlace {
        TextPlace { place, limit: A::limit, filled: Some(len) }
    }

    /// Writes as much of `text` as fits, and a zero or blanks. Returns the number of bytes of the text.
    pub fn put(&self, text: &[u8], limit: TextLimit) -> i32 {
        let len = text.len().min((self.limit)(limit));
        if let Some(room) = self.filled {
            let len = len.min(room);
            // SAFETY: promised to `filled`.
            unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.place, len) };
            // SAFETY: as above.
            unsafe { std::ptr::write_bytes(self.place.wrapping_add(len), b' ', room - len) };
            return len as i32;
        }
        // SAFETY: the program passes memory for as many bytes as the limit says, and for the zero.
        unsafe { std::ptr::copy_nonoverlapping(text.as_ptr().cast(), self.place, len) };
        // SAFETY: as above.
        unsafe { self.place.wrapping_add(len).write(0) };
        len as i32
    }
}

impl<A: Abi> Kind<A> for OutText {
    type C = *mut c_char;
    type Value = TextPlace;

    unsafe fn value(raw: *mut c_char, name: &'static str) -> Result<TextPlace> {
        Ok(TextPlace { place: present(raw, name)?, limit: A::limit, filled: None })
    }
}

/// Memory into which a string is written, or NULL.
pub struct OutTextOrNull;

impl<A: Abi> Kind<A> for OutTextOrNull {
    type C = *mut c_char;
    type Value = Option<TextPlace>;

    unsafe fn value(raw: *mut c_char, _: &'static str) -> Result<Option<TextPlace>> {
        Ok((!raw.is_null()).then_some(TextPlace { place: raw, limit: A::limit, filled: None }))
    }
}
