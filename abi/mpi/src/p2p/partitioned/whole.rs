//! The memory of a partitioned message: all partitions, of which any run of the packed bytes can be sent or
//! received.

use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::p2p::{Noncontiguous, Selector};

use super::super::{receive, send};
use crate::arguments::{DatatypeHandle, Mode};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::request::Active;
use crate::types;
use crate::types::memory::{Memory, Typed};

/// The memory of all partitions, which the program leaves to the library from each start to the end of that
/// run.
pub(super) enum Whole {
    /// One run of bytes.
    Run(Address),
    /// Several runs.
    Noncontiguous(Arc<Typed>),
}

/// The address of the program's buffer.
#[derive(Clone, Copy)]
pub(super) struct Address(*mut u8);

// SAFETY: the program has promised the buffer to each run, on whatever thread it runs.
unsafe impl Send for Address {}
// SAFETY: as above.
unsafe impl Sync for Address {}

/// A run of the packed bytes of the memory.
struct Part {
    whole: Arc<Typed>,
    from: usize,
    bytes: usize,
}

impl Noncontiguous for Part {
    fn bytes(&self) -> usize {
        self.bytes
    }

    unsafe fn gather(&self, position: usize, dst: *mut u8, bytes: usize) {
        // SAFETY: promised by the caller; the part lies within the whole.
        unsafe { self.whole.gather(self.from + position, dst, bytes) };
    }

    unsafe fn scatter(&self, position: usize, src: *const u8, bytes: usize) {
        // SAFETY: as above.
        unsafe { self.whole.scatter(self.from + position, src, bytes) };
    }
}

/// Most empty partitions that are messages: they need memory, although they have no bytes.
const MOST_EMPTY: usize = 1 << 16;

/// The lengths of a partitioned message on one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Extent {
    /// Number of partitions.
    pub partitions: usize,
    /// Packed bytes of one.
    pub bytes: usize,
}

impl Extent {
    /// Whether each partition is a message. Empty ones are, unless there are more than anybody needs.
    pub fn has_messages(self) -> bool {
        self.bytes > 0 || self.partitions <= MOST_EMPTY
    }

    /// Packed bytes of all partitions.
    pub fn total(self) -> usize {
        self.partitions * self.bytes
    }
}

impl Whole {
    /// The memory of `partitions` times `count` elements, and its lengths.
    pub fn new(
        base: *mut u8,
        partitions: i32,
        count: i64,
        datatype: DatatypeHandle,
    ) -> Result<(Whole, Extent)> {
        let number = usize::try_from(partitions)
            .map_err(|_| Error::new(Class::ARG, format!("partitions is {partitions}, less than 0")))?;
        let datatype = Arc::clone(&*types::committed(datatype)?);
        let too_many = || {
            let text = format!("{partitions} partitions of {count} elements of the datatype exceed memory");
            Error::new(Class::COUNT, text)
        };
        let all = count.checked_mul(i64::from(partitions)).ok_or_else(too_many)?;
        // The count alone is checked first, for messages without partitions.
        Memory::with(base, count, &datatype)?;
        let whole = match Memory::with(base, all, &datatype)? {
            Memory::Run(start, _) => Whole::Run(Address(start)),
            Memory::Noncontiguous(typed) => Whole::Noncontiguous(Arc::new(typed)),
        };
        // Both factors were checked with the memory.
        let bytes = (count * datatype.size()) as usize;
        Ok((whole, Extent { partitions: number, bytes }))
    }

    /// Starts to send a run of the packed bytes.
    ///
    /// # Safety
    /// The memory is readable until the operation is complete, and the run lies within it.
    pub unsafe fn send(&self, comm: &Comm, to: Rank, tag: i32, from: usize, bytes: usize) -> Result<Active> {
        match self {
            Whole::Run(start) => {
                let memory = Memory::Run(start.0.wrapping_add(from), bytes);
                // SAFETY: promised by the caller.
                unsafe { send::begin(comm, memory, to, tag, Mode::Standard) }
            }
            Whole::Noncontiguous(typed) => {
                let part = Arc::new(Part { whole: Arc::clone(typed), from, bytes });
                // SAFETY: as above.
                let started = unsafe { comm.engine().start_send_noncontiguous(to, tag, false, part) };
                Ok(Active::engine(started?))
            }
        }
    }

    /// Starts to receive a run of the packed bytes.
    ///
    /// # Safety
    /// The memory is writable, and used by nobody else, until the operation is complete. The run lies within
    /// it.
    pub unsafe fn receive(&self, comm: &Comm, of: Selector, from: usize, bytes: usize) -> Result<Active> {
        match self {
            Whole::Run(start) => {
                let memory = Memory::Run(start.0.wrapping_add(from), bytes);
                // SAFETY: promised by the caller.
                unsafe { receive::begin(comm, memory, of) }
            }
            Whole::Noncontiguous(typed) => {
                let part = Arc::new(Part { whole: Arc::clone(typed), from, bytes });
                // SAFETY: as above.
                let started = unsafe { comm.engine().start_receive_noncontiguous(of, part) };
                Ok(Active::receive(started?, comm.first_peer()))
            }
        }
    }
}
