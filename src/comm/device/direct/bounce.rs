//! The bounce buffers of this process, which its communicators share.
//!
//! A bounce buffer has [`SLOTS`] slots. A call of a rank whose memory the leader cannot address takes one
//! slot, keeps it until its stream has passed the call, and gives it back. A communicator uses the bounce
//! buffers of its context that there are when it is made, because the leader maps them then. Two of their
//! slots are its *own*: no other communicator takes them. One is for launches of its captured calls, which
//! run one after the other, and one for its other calls. The rest are shared. If too few would be shared, one
//! more buffer is allocated. A buffer that no communicator uses any more is given back.
//!
//! Why calls of several communicators cannot block each other, in whatever order the ranks make them, on
//! whatever streams:
//!
//! - A call that finds no slot waits on the CPU, and its stream with it. It waits for a slot of its own
//!   communicator at most: the own slot is never with a call of another one.
//! - If the own slot is taken, an earlier call of the same communicator has it. Later ones have not: while a
//!   call of a communicator waits for a slot, none of that communicator takes one ([`super::gated`]).
//! - All ranks make the calls of one communicator in the same order. So take the earliest call of a
//!   communicator that has not ended on all ranks: on each rank, it has a slot, or can take the own one.
//!   It waits for the ranks' streams alone, as if its communicator were the only one.
//! - A launch takes the slot for launches alone. Calls behind it in its stream may have all others.
//!
//! No event and no lock orders the streams of two communicators. A stream that waited for another one's use
//! of a slot on rank 0, while these two waited in the other order on rank 1, would be a deadlock.
//!
//! A call that fails gives its slot back when the leader uses it no more, as for mapped buffers
//! ([`super::ipc_cache`]): the next user may be another communicator.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;

use super::buffers::MappedSide;
use super::ipc_cache::{Found, Owner, forget_everywhere};
use super::leases::{Lease, Leases};
use crate::base::{Error, Result};
use crate::config::DeviceMapChoice;
use crate::device::direct::DeviceMemory;
use crate::device::{ContextKey, CudaContext, CudaDriver, Ordinal};
use crate::log_line;

/// Slots of a bounce buffer. Each holds input and output.
const SLOTS: usize = 8;
/// Bytes of one side of a slot.
pub const SLOT_BYTES: usize = 8 << 20;
/// Bytes of a bounce buffer.
pub const BOUNCE_BYTES: usize = SLOTS * 2 * SLOT_BYTES;
/// Slots of a context that all its communicators share, at least.
const LEAST_SHARED: usize = 4;
/// Slots that one communicator has of its own.
const OWN: usize = 2;
/// Communicators for which one bounce buffer is enough, and for each further one.
pub const COMMUNICATORS_IN_ONE: usize = (SLOTS - LEAST_SHARED) / OWN;
pub const COMMUNICATORS_IN_MORE: usize = SLOTS / OWN;
/// Most bounce buffers of a process: each slot needs a word for its use ([`super::ipc_cache`]).
const MOST_BUFFERS: usize = super::ipc_cache::SLOT_WORDS / SLOTS;

/// A slot, or memory in its stead, by the addresses of this process.
#[derive(Clone, Copy, Default)]
pub struct Slot {
    pub input: u64,
    pub output: u64,
}

/// A bounce buffer of this process.
struct Buffer {
    context: ContextKey,
    memory: DeviceMemory,
    slots: Arc<Leases>,
    /// Number of slots that belong to one communicator each.
    own: AtomicUsize,
}

/// The bounce buffers of this process.
static BUFFERS: Mutex<Vec<Arc<Buffer>>> = Mutex::new(Vec::new());

/// The slots that the calls of one rank of a communicator may take.
pub struct Bounce {
    /// The own slot for launches of captured calls, and that for other calls.
    of_launches: OwnSlot,
    of_calls: OwnSlot,
    parts: Vec<Part>,
}

/// A slot of one communicator.
struct OwnSlot {
    /// Its buffer among the parts.
    part: usize,
    /// The slot there, out of which `leases` is made.
    slot: Option<Lease>,
    leases: Arc<Leases>,
}

struct Part {
    buffer: Arc<Buffer>,
    /// How the leader finds it. Unset if the leader shares this process.
    found: Option<Found>,
}

/// A slot that a call has taken.
pub struct TakenSlot {
    pub lease: Lease,
    pub slot: Slot,
    /// How the leader of another process finds it.
    pub side: MappedSide,
}

impl Bounce {
    /// Slots for a communicator in the context, which is current. One of them is its own.
    pub fn attach(driver: &'static CudaDriver, (context, device): (CudaContext, Ordinal)) -> Result<Bounce> {
        let key = ContextKey::of(driver, context)?;
        let mut buffers = BUFFERS.lock();
        buffers.retain(|buffer| !buffer.context.has_gone());
        let mut parts: Vec<Arc<Buffer>> =
            buffers.iter().filter(|buffer| buffer.context == key).map(Arc::clone).collect();
        let shared: usize = parts.iter().map(|part| SLOTS - part.own.load(Ordering::Relaxed)).sum();
        let of_those =
            || parts.iter().enumerate().find_map(|(at, part)| Some(OwnSlot::new(at, part.slots.take()?)));
        let found = if shared >= LEAST_SHARED + OWN { of_those().zip(of_those()) } else { None };
        let (of_launches, of_calls) = match found {
            Some(found) => found,
            None => {
                if buffers.len() >= MOST_BUFFERS {
                    return Err(Error::Unsupported(format!(
                        "this process has {MOST_BUFFERS} bounce buffers already"
                    )));
                }
                let buffer = Arc::new(Buffer::allocate(driver, key, device)?);
                buffers.push(Arc::clone(&buffer));
                log_line!(Debug, "bounce buffers of this process: one more, {} now", buffers.len());
                let own = || buffer.slots.take().map(|slot| OwnSlot::new(parts.len(), slot));
                let own = own().zip(own()).ok_or_else(|| Error::Internal("no slots in a buffer".into()))?;
                parts.push(buffer);
                own
            }
        };
        for own in [&of_launches, &of_calls] {
            parts[own.part].own.fetch_add(1, Ordering::Relaxed);
        }
        let parts = parts.into_iter().map(|buffer| Part { buffer, found: None }).collect();
        Ok(Bounce { of_launches, of_calls, parts })
    }

    /// Lets the device of another context of this process address the slots.
    pub fn let_access(&self, driver: &'static CudaDriver, other: CudaContext) -> Result<()> {
        self.parts.iter().try_for_each(|part| part.buffer.memory.let_access(driver, other))
    }

    /// Asks the leader of another process to map what it has not mapped, and finds what it has. Returns
    /// whether that is all.
    pub fn find_all(&mut self, driver: &CudaDriver, leader: &Owner) -> bool {
        for part in &mut self.parts {
            let address = part.buffer.memory.address();
            part.found = leader.find(driver, address, BOUNCE_BYTES as u64, DeviceMapChoice::All);
        }
        self.parts.iter().all(|part| part.found.is_some())
    }

    /// Takes the slot for launches of captured calls. `None`: another launch has it.
    pub fn take_for_launch(&self) -> Option<TakenSlot> {
        self.take_own(&self.of_launches)
    }

    fn take_own(&self, own: &OwnSlot) -> Option<TakenSlot> {
        Some(self.parts[own.part].taken(own.leases.take()?))
    }

    /// Takes a slot for a call that is no launch: the own one first. `None`: all are in use.
    pub fn take(&self) -> Option<TakenSlot> {
        if let Some(taken) = self.take_own(&self.of_calls) {
            return Some(taken);
        }
        self.parts.iter().find_map(|part| Some(part.taken(part.buffer.slots.take()?)))
    }
}

impl OwnSlot {
    fn new(part: usize, slot: Lease) -> OwnSlot {
        let leases = Leases::of(slot.number()..slot.number() + 1);
        OwnSlot { part, slot: Some(slot), leases }
    }
}

impl Part {
    fn taken(&self, lease: Lease) -> TakenSlot {
        let offset = (lease.number() * 2 * SLOT_BYTES) as u64;
        let slot = Slot::at(self.buffer.memory.address() + offset);
        let side = self.found.as_ref();
        let side = side.map(|found| MappedSide { token: *found.token, offset: found.offset + offset });
        TakenSlot { lease, slot, side: side.unwrap_or_default() }
    }
}

impl Drop for Bounce {
    fn drop(&mut self) {
        for own in [&mut self.of_launches, &mut self.of_calls] {
            self.parts[own.part].buffer.own.fetch_sub(1, Ordering::Relaxed);
            // A call that was dropped in its stream keeps its slot for ever.
            if let (Some(slot), None) = (own.slot.take(), own.leases.take()) {
                slot.leak();
            }
        }
        self.parts.clear();
        give_back_unused();
    }
}

impl Slot {
    /// The slot that begins at an address.
    pub fn at(address: u64) -> Slot {
        Slot { input: address, output: address + SLOT_BYTES as u64 }
    }

    /// The slot with this offset from the start of a bounce buffer, if there can be one.
    pub fn is_at(offset: u64) -> bool {
        offset.is_multiple_of(2 * SLOT_BYTES as u64)
    }
}

impl Buffer {
    fn allocate(driver: &'static CudaDriver, context: ContextKey, device: Ordinal) -> Result<Buffer> {
        let memory = DeviceMemory::shareable(driver, (context.context(), device), BOUNCE_BYTES)?;
        Ok(Buffer { context, memory, slots: Leases::of(0..SLOTS), own: AtomicUsize::new(0) })
    }
}

/// Gives back the buffers that no communicator uses. One with a slot that was kept for ever stays, for later
/// communicators.
fn give_back_unused() {
    let mut buffers = BUFFERS.lock();
    let is_unused = |buffer: &mut Arc<Buffer>| {
        Arc::strong_count(buffer) == 1 && buffer.slots.free() == SLOTS && !buffer.memory.is_kept()
    };
    let unused: Vec<Arc<Buffer>> = buffers.extract_if(.., is_unused).collect();
    if !unused.is_empty() {
        log_line!(
            Debug,
            "bounce buffers of this process: {} given back, {} left",
            unused.len(),
            buffers.len()
        );
    }
    drop(buffers);
    unused.iter().for_each(|buffer| forget_everywhere(buffer.memory.address()));
}

/// Bytes of the bounce buffers of this process.
pub fn bounce_bytes() -> usize {
    BUFFERS.lock().len() * BOUNCE_BYTES
}
