//! Statuses in the program's memory.

use std::ffi::c_void;

use super::element::present;
use super::{InputOutput, Kind};
use crate::abi::Abi;
use crate::error::{Class, Result};
use crate::status::Status;

/// A pointer to which a function writes a status, unless the program wants none.
pub struct OutStatus;

/// An array to which a function writes statuses, unless the program wants none.
pub struct OutStatusArray;

/// A status that is read.
pub struct InStatus;

/// A status that is changed.
pub struct InOutStatus;

/// Places for statuses. There are none if the program wants none.
pub struct StatusPlaces {
    /// The first place; NULL if there are none.
    place: *mut c_void,
    write: unsafe fn(*mut c_void, usize, &Status),
    write_error: unsafe fn(*mut c_void, usize, Class),
}

impl StatusPlaces {
    /// Writes the first or only status.
    #[inline]
    pub fn set(&self, status: &Status) {
        self.set_at(0, status);
    }

    /// Writes the only status, whether the call has ended well or not, and passes an error on.
    #[inline]
    pub fn tell(&self, outcome: Result<Status>) -> Result<()> {
        match outcome {
            Ok(status) => {
                self.set(&status);
                Ok(())
            }
            Err(error) => {
                // Of other errors, nothing is known that a status could say.
                if error.message.is_some() {
                    self.set(&Status::of_failed(&error));
                }
                Err(error)
            }
        }
    }

    /// Writes a status at an index that MPI documents.
    #[inline]
    pub fn set_at(&self, at: usize, status: &Status) {
        if !self.place.is_null() {
            // SAFETY: the program passes memory for as many statuses as MPI documents.
            unsafe { (self.write)(self.place, at, status) }
        }
    }

    /// Writes the error class of a status whose other fields have been written already.
    pub fn set_error(&self, at: usize, class: Class) {
        if !self.place.is_null() {
            // SAFETY: as in `set_at`.
            unsafe { (self.write_error)(self.place, at, class) }
        }
    }

    /// Whether the program wants any status.
    #[inline]
    pub fn are_wanted(&self) -> bool {
        !self.place.is_null()
    }
}

/// Writes a status. If it has no error class, the place keeps its own.
///
/// # Safety
/// `place` is an array with memory for a status at this position. That memory may hold any bytes.
unsafe fn write<A: Abi>(place: *mut c_void, at: usize, status: &Status) {
    let place = place.cast::<A::Status>().wrapping_add(at);
    // SAFETY: promised by the caller; a status is integers, for which every byte is a value.
    let before = unsafe { place.read() };
    // SAFETY: as above.
    unsafe { place.write(A::raw_status(status, &before)) }
}

/// # Safety
/// `place` is an array of statuses, with one that was written at this position.
unsafe fn write_error<A: Abi>(place: *mut c_void, at: usize, class: Class) {
    let one = place.cast::<A::Status>().wrapping_add(at);
    // SAFETY: promised by the caller.
    let status = A::status(unsafe { &*one });
    // SAFETY: as above.
    unsafe { write::<A>(place, at, &status.with_error(class)) }
}

/// The places at `raw`.
fn places<A: Abi>(raw: *mut A::Status, name: &'static str) -> Result<StatusPlaces> {
    let place = if A::is_status_ignored(raw) { std::ptr::null_mut() } else { present(raw, name)?.cast() };
    Ok(StatusPlaces { place, write: write::<A>, write_error: write_error::<A> })
}

impl<A: Abi> Kind<A> for OutStatus {
    type C = *mut A::Status;
    type Value = StatusPlaces;

    #[inline(always)]
    unsafe fn value(raw: *mut A::Status, name: &'static str) -> Result<StatusPlaces> {
        places::<A>(raw, name)
    }
}

impl<A: Abi> Kind<A> for OutStatusArray {
    type C = *mut A::Status;
    type Value = StatusPlaces;

    #[inline(always)]
    unsafe fn value(raw: *mut A::Status, _: &'static str) -> Result<StatusPlaces> {
        // MPI allows NULL for an array of length 0. The length is not known here, so NULL is never refused:
        // no status is written.
        let place = if A::is_status_ignored(raw) { std::ptr::null_mut() } else { raw.cast() };
        Ok(StatusPlaces { place, write: write::<A>, write_error: write_error::<A> })
    }
}

impl<A: Abi> Kind<A> for InStatus {
    type C = *const A::Status;
    type Value = Status;

    unsafe fn value(raw: *const A::Status, name: &'static str) -> Result<Status> {
        present(raw.cast_mut(), name)?;
        // SAFETY: not NULL, and the program passes a status.
        Ok(A::status(unsafe { &*raw }))
    }
}

impl<A: Abi> Kind<A> for InOutStatus {
    type C = *mut A::Status;
    type Value = InputOutput<Status>;

    unsafe fn value(raw: *mut A::Status, name: &'static str) -> Result<InputOutput<Status>> {
        /// # Safety
        /// `place` points to a status.
        unsafe fn get<A: Abi>(place: *const c_void) -> Status {
            // SAFETY: promised by the caller.
            A::status(unsafe { &*place.cast::<A::Status>() })
        }
        /// # Safety
        /// `place` points to a status.
        unsafe fn set<A: Abi>(place: *mut c_void, status: Status) {
            // SAFETY: promised by the caller.
            unsafe { write::<A>(place, 0, &status) }
        }
        // SAFETY: the program passes a status.
        unsafe { InputOutput::new(raw.cast(), name, get::<A>, set::<A>) }
    }
}
