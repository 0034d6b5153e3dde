//! A started call of MPI.

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::Arc;

use super::constants::Handle;
use super::running::Running;
use crate::backend::engine::Started;
use crate::base::Result;
use crate::reduce::DivideFn;

/// The work that is left when MPI has done its part.
#[derive(Default)]
pub struct Ending {
    /// The division that turns a sum into an average.
    pub divide: Option<Division>,
    /// Memory that MPI wrote to, and the place to which its bytes are copied.
    pub moved: Option<(Vec<u8>, *mut u8)>,
}

/// Divides elements by the number of ranks that contributed.
pub struct Division {
    pub divide: DivideFn,
    pub data: *mut u8,
    pub elements: usize,
    pub by: u32,
}

impl Ending {
    /// Does the work.
    ///
    /// # Safety
    /// MPI has ended the call, and its buffers are still valid.
    #[inline]
    pub unsafe fn apply(self) {
        if let Some((bytes, to)) = self.moved {
            // SAFETY: the output, writable by our caller's promise; MPI wrote into our own memory, so the two
            // are apart.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), to, bytes.len()) };
        }
        if let Some(Division { divide, data, elements, by }) = self.divide {
            // SAFETY: the output, complete now.
            unsafe { divide(data, elements, by) };
        }
    }
}

/// A started call of MPI, and the work at its end.
pub struct MpiRequest<H: Handle> {
    running: Arc<Running<H>>,
    request: H,
    ending: Option<Ending>,
    /// Memory that MPI reads until the end: counts and displacements.
    _kept: Vec<Box<dyn Send>>,
}

// SAFETY: the pointers are our own memory and the caller's buffers, which nobody else uses until the end, by
// its promise.
unsafe impl<H: Handle> Send for MpiRequest<H> {}

impl<H: Handle> MpiRequest<H> {
    pub fn new(running: Arc<Running<H>>, request: H, ending: Ending, kept: Vec<Box<dyn Send>>) -> Self {
        MpiRequest { running, request, ending: Some(ending), _kept: kept }
    }
}

impl<H: Handle> Started for MpiRequest<H> {
    fn test(&mut self) -> Result<bool> {
        let mut flag: c_int = 0;
        let ignored: *mut c_void = ptr::without_provenance_mut(self.running.constants.status_ignore);
        // SAFETY: a request that MPI returned and that has not ended, or the null request that MPI left in
        // its place.
        let status = unsafe { (self.running.core.test)(&mut self.request, &mut flag, ignored) };
        self.running.check(status, "MPI_Test")?;
        if flag == 0 {
            return Ok(false);
        }
        if let Some(ending) = self.ending.take() {
            // SAFETY: the call has ended now, and its starter leaves the buffers alone until it learns of
            // that.
            unsafe { ending.apply() };
        }
        Ok(true)
    }
}
