//! An initialised MPI: its functions, and its error texts.

use std::ffi::{CStr, c_char, c_int};
use std::sync::atomic::AtomicUsize;

use super::constants::{Constants, Handle};
use super::functions::{Calls, Core, Narrow, Wide};
use super::operators::{self, OperatorTable};
use crate::base::{Error, Result};

/// Length in bytes of the longest text that any interface allows.
pub const TEXT_BYTES: usize = 8192;

/// Number of communicators that were made and not closed.
pub static OPEN: AtomicUsize = AtomicUsize::new(0);

/// An MPI that is initialised.
pub struct Running<H: Handle> {
    pub core: Core<H>,
    pub narrow: Calls<H, Narrow>,
    /// Functions with 64-bit counts, which MPI has since version 4.
    pub wide: Option<Calls<H, Wide>>,
    pub constants: &'static Constants<H>,
    pub operators: OperatorTable<H>,
}

impl<H: Handle> Running<H> {
    /// Turns the return code of a function into a result, with MPI's text.
    #[inline]
    pub fn check(&self, status: c_int, function: &'static str) -> Result<()> {
        if status == 0 { Ok(()) } else { Err(self.failed(status, function)) }
    }

    #[cold]
    fn failed(&self, status: c_int, function: &'static str) -> Error {
        Error::Aborted(format!("backend mpi: {function} failed: {}", text_of(&self.core, status)))
    }

    /// The functions with 64-bit counts, if they can serve this datatype. MPI calls functions of ours with
    /// int counts only.
    pub fn wide_for(&self, datatype: crate::base::Datatype) -> Option<&Calls<H, Wide>> {
        self.wide.as_ref().filter(|_| !operators::is_made(datatype))
    }
}

/// Asks MPI whether the program has finalized it. `finalized` is its `MPI_Finalized`.
pub fn is_finalized(finalized: unsafe extern "C" fn(*mut c_int) -> c_int) -> bool {
    let mut flag = 0;
    // SAFETY: may be called at any time, on any thread; writes an int.
    unsafe { finalized(&mut flag) };
    flag != 0
}

/// MPI's text for an error code.
pub fn text_of<H: Handle>(core: &Core<H>, status: c_int) -> String {
    let mut text: Vec<c_char> = vec![0; TEXT_BYTES];
    let mut bytes: c_int = 0;
    // SAFETY: MPI is initialised; there is room for the longest text of every interface.
    unsafe { (core.error_string)(status, text.as_mut_ptr(), &mut bytes) };
    read_text(&text)
}

pub fn read_text(text: &[c_char]) -> String {
    let bytes: Vec<u8> = text.iter().map(|c| *c as u8).collect();
    CStr::from_bytes_until_nul(&bytes)
        .map_or_else(|_| String::new(), |text| text.to_string_lossy().trim().into())
}
