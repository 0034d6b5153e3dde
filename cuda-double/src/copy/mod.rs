//! Copies and fills of memory.
//!
//! A call returns as early as CUDA's page on API synchronisation allows. A copy between devices returns at
//! once, even if its name has no `Async`. One from pageable memory returns when the bytes are in a staging
//! buffer. One to pageable memory, and one within host memory, returns when all is done.

pub mod api;
pub mod fill;
pub mod pageable;
pub mod plane;

use std::sync::Arc;

use crate::address_space::{self, Held, MemoryKind};
use crate::capture::rules;
use crate::delays;
use crate::graph::NodeKind;
use crate::status::{Result, Status, require};
use crate::stream::{Run, Stream};

/// One end of a copy.
enum End {
    /// Memory that the driver knows: device, pinned or registered memory.
    Known(u64),
    /// Pageable memory. The caller waits for the copy, so it stays there.
    Pageable(u64),
    /// Bytes that were read from pageable memory at the call.
    Staged(Vec<u8>),
}

/// One end of a copy, ready for the host.
enum Ready<'a> {
    Held(Held<'a>),
    Plain(*mut u8),
}

impl End {
    fn ready(&self, offset: usize, bytes: usize) -> Result<Ready<'_>> {
        match self {
            End::Known(address) => {
                address_space::hold(address + offset as u64, bytes as u64).map(Ready::Held)
            }
            End::Pageable(address) => {
                let address = *address as usize + offset;
                Ok(Ready::Plain(std::ptr::with_exposed_provenance_mut(address)))
            }
            End::Staged(staged) => Ok(Ready::Plain(staged[offset..].as_ptr().cast_mut())),
        }
    }
}

impl Ready<'_> {
    fn address(&self) -> *mut u8 {
        match self {
            Ready::Held(memory) => memory.readable,
            Ready::Plain(address) => *address,
        }
    }
}

/// A run of bytes to copy.
struct Transfer {
    to: End,
    from: End,
    bytes: usize,
}

impl Transfer {
    fn copy(&self, offset: usize, bytes: usize) -> Result {
        let (to, from) = (self.to.ready(offset, bytes)?, self.from.ready(offset, bytes)?);
        // SAFETY: memory that the driver knows is held with this size; pageable memory is what the program
        // promised, and it waits for the copy; staged bytes are owned.
        unsafe { std::ptr::copy(from.address(), to.address(), bytes) };
        Ok(())
    }

    /// Copies in two parts, in any order, with a random time before, between and after.
    fn run(&self, run: &mut Run) -> Result {
        let cut = run.random.below(self.bytes as u64 + 1) as usize;
        let mut parts = [(0, cut), (cut, self.bytes - cut)];
        if run.random.below(2) == 1 {
            parts.swap(0, 1);
        }
        for (offset, bytes) in parts {
            if bytes > 0 {
                self.copy(offset, bytes)?;
                run.random.pause();
            }
        }
        Ok(())
    }
}

/// Whether the name of the function ends in `Async`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Manner {
    Sync,
    Async,
}

/// What the function accepts at an end.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    /// A device pointer; that of pinned memory is one, too.
    Device,
    /// A host pointer.
    Host,
    /// Any pointer.
    Any,
}

impl Side {
    fn accepts(self, place: MemoryKind) -> bool {
        match self {
            Side::Any => true,
            Side::Device => place != MemoryKind::Pageable,
            Side::Host => !matches!(place, MemoryKind::Device(_)),
        }
    }
}

/// A run of bytes as the program names it.
#[derive(Clone, Copy)]
struct Request {
    to: u64,
    to_side: Side,
    from: u64,
    from_side: Side,
    bytes: usize,
}

/// Copies runs of bytes; all go between the same two kinds of memory.
fn copy(stream: &Arc<Stream>, manner: Manner, requests: &[Request]) -> Result {
    let mut places = None;
    for request in requests.iter().filter(|request| request.bytes > 0) {
        let to = address_space::place(request.to, request.bytes as u64)?;
        let from = address_space::place(request.from, request.bytes as u64)?;
        require(request.to_side.accepts(to) && request.from_side.accepts(from))?;
        places = Some((from, to));
    }
    let Some((from, to)) = places else { return Ok(()) };
    let is_on_device = |place| matches!(place, MemoryKind::Device(_));
    if manner == Manner::Sync {
        rules::refuse(stream)?;
    }
    // A copy that is recorded reads pageable memory each time it runs.
    let stages = from == MemoryKind::Pageable && is_on_device(to) && !rules::is_capturing(stream);
    // The driver may synchronise with the stream before it stages, also for an `Async` function.
    if stages && (manner == Manner::Sync || delays::choose_one_of(4)) {
        stream.synchronize()?;
    }
    let transfers: Vec<Transfer> = requests
        .iter()
        .filter(|request| request.bytes > 0)
        .map(|request| Transfer {
            to: if to == MemoryKind::Pageable { End::Pageable(request.to) } else { End::Known(request.to) },
            from: match from {
                MemoryKind::Pageable if stages => End::Staged(read(request.from, request.bytes)),
                MemoryKind::Pageable => End::Pageable(request.from),
                _ => End::Known(request.from),
            },
            bytes: request.bytes,
        })
        .collect();
    let _copying = (to == MemoryKind::Pageable && is_on_device(from))
        .then(|| pageable::hold("a copy to pageable memory"));
    let run_all = move |run: &mut Run| transfers.iter().try_for_each(|transfer| transfer.run(run));
    let Some(done) = stream.submit(NodeKind::Copy, run_all)? else { return Ok(()) };
    let waits = match manner {
        Manner::Sync => !(stages || is_on_device(from) && is_on_device(to)),
        Manner::Async => to == MemoryKind::Pageable || !is_on_device(from) && !is_on_device(to),
    };
    if waits {
        done.wait();
        return stream.context()?.check();
    }
    Ok(())
}

/// Reads pageable memory of the program.
fn read(address: u64, bytes: usize) -> Vec<u8> {
    let address: *const u8 = std::ptr::with_exposed_provenance(address as usize);
    // SAFETY: the program promised that so many bytes are there.
    unsafe { std::slice::from_raw_parts(address, bytes) }.to_vec()
}

/// Error of copies with arrays, which the double has not.
const NO_ARRAYS: Status = Status::NOT_SUPPORTED;
