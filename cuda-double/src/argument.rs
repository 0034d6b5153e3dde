//! Arguments that are pointers to memory of the caller.
//!
//! The exported functions take these types in the place of raw pointers; they look the same in C. What they
//! read and write is what the caller of a C function promises: NULL, or valid memory of the right type.

use std::ffi::{CStr, c_char};

use crate::status::{Result, Status};

/// A place for a result.
#[repr(transparent)]
pub struct Out<T>(*mut T);

impl<T> Out<T> {
    /// The place `place`, for callers in Rust.
    pub fn to(place: &mut T) -> Out<T> {
        Out(place)
    }

    /// NULL.
    pub fn null() -> Out<T> {
        Out(std::ptr::null_mut())
    }

    /// The place at `address`, which the caller of a C function gave.
    pub fn at(address: usize) -> Out<T> {
        Out(address as *mut T)
    }

    /// Writes `value`; NULL is an error.
    pub fn set(self, value: T) -> Result {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        self.set_if_asked(value);
        Ok(())
    }

    /// Writes `value`, unless the pointer is NULL.
    pub fn set_if_asked(self, value: T) {
        if !self.0.is_null() {
            // SAFETY: not NULL, so the caller of the C function promised a place for a T. It may be unaligned
            // where a buffer of bytes is filled.
            unsafe { self.0.write_unaligned(value) }
        }
    }

    /// The place of element `index` of an array; NULL stays NULL.
    pub fn element(&self, index: usize) -> Out<T> {
        if self.0.is_null() { Out::null() } else { Out(self.0.wrapping_add(index)) }
    }

    /// Whether the pointer is NULL.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// What stands at the place before the result is written; NULL is an error.
    pub fn value(&self) -> Result<T>
    where
        T: Copy,
    {
        In(self.0.cast_const()).get()
    }
}

/// Something to read, or an array.
#[repr(transparent)]
pub struct In<T>(*const T);

impl<T: Copy> In<T> {
    /// The value `value`, for callers in Rust.
    pub fn from(value: &T) -> In<T> {
        In(value)
    }

    /// The array `values`, for callers in Rust.
    pub fn array(values: &[T]) -> In<T> {
        In(values.as_ptr())
    }

    /// NULL.
    pub const fn null() -> In<T> {
        In(std::ptr::null())
    }

    /// What lies at `address`, which the caller of a C function gave.
    pub fn at(address: usize) -> In<T> {
        In(std::ptr::with_exposed_provenance(address))
    }

    /// Whether the pointer is NULL.
    pub fn is_null(&self) -> bool {
        self.0.is_null()
    }

    /// The address.
    pub fn address(&self) -> usize {
        self.0 as usize
    }

    /// The value; NULL is an error.
    pub fn get(&self) -> Result<T> {
        self.element(0)
    }

    /// Element `index` of an array; NULL is an error.
    pub fn element(&self, index: usize) -> Result<T> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not NULL, so the caller of the C function promised at least `index + 1` elements.
        Ok(unsafe { self.0.wrapping_add(index).read_unaligned() })
    }
}

impl In<c_char> {
    /// The text `text`, for callers in Rust.
    pub fn text_of(text: &CStr) -> In<c_char> {
        In(text.as_ptr())
    }

    /// The text; NULL and bytes that are no UTF-8 are errors.
    pub fn text(&self) -> Result<&str> {
        if self.0.is_null() {
            return Err(Status::INVALID_VALUE);
        }
        // SAFETY: not NULL, so the caller of the C function promised a string that ends with a zero.
        let text = unsafe { CStr::from_ptr(self.0) };
        text.to_str().map_err(|_| Status::INVALID_VALUE)
    }
}

impl Out<c_char> {
    /// Writes `text` and a zero into `size` bytes; a longer text is cut.
    pub fn write_text(self, text: &str, size: usize) -> Result {
        if self.0.is_null() || size == 0 {
            return Err(Status::INVALID_VALUE);
        }
        let kept = text.len().min(size - 1);
        for (index, byte) in text.bytes().take(kept).chain([0]).enumerate() {
            self.element(index).set(byte as c_char)?;
        }
        Ok(())
    }
}
