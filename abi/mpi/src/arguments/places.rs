//! Places in the program's memory: single values and arrays that are read, written, or both.
//!
//! A place has functions of its ABI that read and write a value. The rest of the crate sees only values,
//! whatever their size in the ABI.

use std::ffi::c_void;

use super::kind::null;
use crate::error::Result;

/// A pointer to which a value is written.
pub struct Output<T> {
    place: *mut c_void,
    write: unsafe fn(*mut c_void, T),
}

impl<T> Output<T> {
    /// The place of the argument `name`. Refuses NULL.
    ///
    /// # Safety
    /// `write` may be called with `place` until the MPI function returns.
    pub(super) unsafe fn new(
        place: *mut c_void,
        name: &'static str,
        write: unsafe fn(*mut c_void, T),
    ) -> Result<Output<T>> {
        if place.is_null() { Err(null(name)) } else { Ok(Output { place, write }) }
    }

    /// Writes the value.
    #[inline]
    pub fn set(&self, value: T) {
        // SAFETY: promised to `new`.
        unsafe { (self.write)(self.place, value) }
    }
}

/// A pointer through which a value is read and written.
pub struct InputOutput<T> {
    out: Output<T>,
    read: unsafe fn(*const c_void) -> T,
}

impl<T> InputOutput<T> {
    /// The place of the argument `name`. Refuses NULL.
    ///
    /// # Safety
    /// `read` and `write` may be called with `place` until the MPI function returns.
    pub(super) unsafe fn new(
        place: *mut c_void,
        name: &'static str,
        read: unsafe fn(*const c_void) -> T,
        write: unsafe fn(*mut c_void, T),
    ) -> Result<InputOutput<T>> {
        // SAFETY: passed on from our caller.
        Ok(InputOutput { out: unsafe { Output::new(place, name, write) }?, read })
    }

    /// Reads the value.
    #[inline]
    pub fn get(&self) -> T {
        // SAFETY: promised to `new`.
        unsafe { (self.read)(self.out.place) }
    }

    /// Writes the value.
    #[inline]
    pub fn set(&self, value: T) {
        self.out.set(value);
    }
}

/// An array that is read.
#[derive(Clone, Copy)]
pub struct Inputs<T> {
    place: *const c_void,
    name: &'static str,
    read: unsafe fn(*const c_void, usize) -> T,
}

impl<T> Inputs<T> {
    /// The array of the argument `name`. NULL passes here; [`Inputs::check`] refuses it for a length above 0.
    ///
    /// # Safety
    /// Until the MPI function returns, `read` may be called with `place` and each position below the length
    /// that MPI documents. NULL stands for an array of length 0.
    pub(super) unsafe fn new(
        place: *const c_void,
        name: &'static str,
        read: unsafe fn(*const c_void, usize) -> T,
    ) -> Inputs<T> {
        Inputs { place, name, read }
    }

    /// Reads the first `len` elements. MPI must document an array of at least `len` elements.
    pub fn read(&self, len: usize) -> Result<Vec<T>> {
        self.check(len)?;
        // SAFETY: promised to `new`.
        Ok((0..len).map(|at| unsafe { (self.read)(self.place, at) }).collect())
    }

    /// Reads an element below the length that was passed to [`Inputs::check`].
    #[inline]
    pub fn get(&self, at: usize) -> T {
        // SAFETY: promised to `new`; the place is not NULL, because `check` was called.
        unsafe { (self.read)(self.place, at) }
    }

    /// Refuses NULL for a `len` above 0.
    #[inline]
    pub fn check(&self, len: usize) -> Result<()> {
        if self.place.is_null() && len > 0 { Err(null(self.name)) } else { Ok(()) }
    }

    /// Whether the program passed NULL.
    pub fn is_null(&self) -> bool {
        self.place.is_null()
    }
}

/// An array that is written.
pub struct Outputs<T> {
    place: *mut c_void,
    name: &'static str,
    write: unsafe fn(*mut c_void, usize, T),
}

impl<T> Outputs<T> {
    /// The array of the argument `name`. NULL passes here; [`Outputs::check`] refuses it for a length above
    /// 0.
    ///
    /// # Safety
    /// `write` may be called as [`Inputs::new`] requires of `read`.
    pub(super) unsafe fn new(
        place: *mut c_void,
        name: &'static str,
        write: unsafe fn(*mut c_void, usize, T),
    ) -> Outputs<T> {
        Outputs { place, name, write }
    }

    /// Refuses NULL for a `len` above 0.
    #[inline]
    pub fn check(&self, len: usize) -> Result<()> {
        if self.place.is_null() && len > 0 { Err(null(self.name)) } else { Ok(()) }
    }

    /// Writes an element below the length that was passed to [`Outputs::check`].
    #[inline]
    pub fn set(&self, at: usize, value: T) {
        // SAFETY: promised to `new`; the place is not NULL, because `check` was called.
        unsafe { (self.write)(self.place, at, value) }
    }

    /// Writes all values, from the first element on.
    pub fn set_all(&self, values: impl ExactSizeIterator<Item = T>) -> Result<()> {
        self.check(values.len())?;
        values.enumerate().for_each(|(at, value)| self.set(at, value));
        Ok(())
    }
}

/// An array that is read and written.
pub struct InputOutputs<T> {
    input: Inputs<T>,
    output: Outputs<T>,
}

impl<T> InputOutputs<T> {
    /// The array of the argument `name`. NULL passes here; [`InputOutputs::check`] refuses it for a length
    /// above 0.
    ///
    /// # Safety
    /// `read` and `write` may be called as [`Inputs::new`] requires of `read`.
    pub(super) unsafe fn new(
        place: *mut c_void,
        name: &'static str,
        read: unsafe fn(*const c_void, usize) -> T,
        write: unsafe fn(*mut c_void, usize, T),
    ) -> InputOutputs<T> {
        // SAFETY: passed on from our caller.
        let input = unsafe { Inputs::new(place, name, read) };
        // SAFETY: as above.
        let output = unsafe { Outputs::new(place, name, write) };
        InputOutputs { input, output }
    }

    /// Refuses NULL for a `len` above 0.
    #[inline]
    pub fn check(&self, len: usize) -> Result<()> {
        self.input.check(len)
    }

    /// Reads an element below the length that was passed to [`InputOutputs::check`].
    #[inline]
    pub fn get(&self, at: usize) -> T {
        self.input.get(at)
    }

    /// Reads the first `len` elements. MPI must document an array of at least `len` elements.
    pub fn read(&self, len: usize) -> Result<Vec<T>> {
        self.input.read(len)
    }

    /// Writes an element below the length that was passed to [`InputOutputs::check`].
    #[inline]
    pub fn set(&self, at: usize, value: T) {
        self.output.set(at, value);
    }
}
