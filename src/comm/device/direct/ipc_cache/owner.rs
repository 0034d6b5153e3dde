//! The side of the process to which the buffers belong: which of its allocations the leader has mapped.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::channel::{Channel, Record};
use super::uses::{Offer, Uses};
use super::{Number, number};
use crate::base::{Error, Result};
use crate::config::DeviceMapChoice;
use crate::device::CudaDriver;
use crate::device::direct::{Allocation, Export};
use crate::log_line;
use crate::sys::connect::connect_unix;

/// Most allocations that are mapped, or known as such that cannot be, over one connection.
const MOST: usize = 128;

/// The leader of communicators: a number of its process, and its context there.
pub type LeaderKey = ([u8; 16], u64);

/// This process as the owner of buffers that a leader maps.
pub struct Owner {
    leader: LeaderKey,
    number: Number,
    uses: Arc<Uses>,
    state: Mutex<State>,
    /// Whether the leader does not know of the latest records yet.
    has_map_request: AtomicBool,
}

struct State {
    channel: Channel,
    /// By the driver's number of the allocation.
    known: HashMap<u64, Known>,
    /// Counts the searches.
    time: u64,
    /// The numbers in `known` in the order in which they are looked at.
    to_look_at: Vec<u64>,
}

/// An allocation that a call has used.
struct Known {
    start: u64,
    bytes: u64,
    used: u64,
    answer: Answer,
}

/// What the leader has answered.
enum Answer {
    Pending,
    /// The allocation cannot be mapped.
    Refused,
    /// Mapped, with this token. Calls in flight hold it.
    Mapped(Arc<u64>),
}

/// A buffer in memory that the leader has mapped.
pub struct Found {
    /// The token. The mapping stays while it is held.
    pub token: Arc<u64>,
    /// Distance of the buffer from the start of the allocation.
    pub offset: u64,
}

/// The connections of this process.
static OWNERS: Mutex<Vec<Weak<Owner>>> = Mutex::new(Vec::new());

impl Owner {
    /// The connection to a leader that listens at `name`. It is made if there is none.
    pub fn of(leader: LeaderKey, name: &Number) -> Result<Arc<Owner>> {
        let mut owners = OWNERS.lock();
        owners.retain(|owner| owner.strong_count() > 0);
        let known = owners.iter().filter_map(Weak::upgrade).find(|owner| owner.leader == leader);
        if let Some(known) = known.filter(|known| !known.state.lock().channel.is_lost()) {
            return Ok(known);
        }
        let failed = |error| Error::system("cannot connect to the process that maps buffers", error);
        let mut channel = Channel::new(connect_unix(&super::socket_name(name)).map_err(failed)?);
        let (uses, descriptor) = Uses::create().map_err(failed)?;
        let number = number()?;
        if !channel.send(&Record::Hello(number), Some(&descriptor)) {
            return Err(failed(std::io::ErrorKind::BrokenPipe.into()));
        }
        let state = Mutex::new(State { channel, known: HashMap::new(), time: 0, to_look_at: Vec::new() });
        let owner = Arc::new(Owner { leader, number, uses, state, has_map_request: AtomicBool::new(false) });
        owners.push(Arc::downgrade(&owner));
        Ok(owner)
    }

    /// The number of the connection.
    pub fn number(&self) -> Number {
        self.number
    }

    /// Finds a buffer in what the leader has mapped. If its allocation is new, asks for it, if memory of its
    /// kind may be mapped. This thread has a context.
    pub fn find(
        &self,
        driver: &CudaDriver,
        address: u64,
        bytes: u64,
        choice: DeviceMapChoice,
    ) -> Option<Found> {
        if choice == DeviceMapChoice::Off {
            return None;
        }
        let id = driver.buffer_id(address)?;
        let mut state = self.state.lock();
        state.read_answers();
        state.time += 1;
        let time = state.time;
        if state.look_at_one(driver) {
            self.has_map_request.store(true, Ordering::Release);
        }
        if let Some(known) = state.known.get_mut(&id) {
            known.used = time;
            return known.find(address, bytes);
        }
        if state.channel.is_lost() || !state.evict_if_full() {
            return None;
        }
        self.has_map_request.store(true, Ordering::Release);
        let asked = state.ask(driver, address, choice).unwrap_or_else(|error| {
            log_line!(Debug, "a buffer on a device cannot be shared with the leader: {error}");
            None
        });
        if let Some((start, bytes, answer)) = asked {
            state.known.insert(id, Known { start, bytes, used: time, answer });
        }
        None
    }

    /// A word where the leader notes that it uses buffers of a call. `None`: none is free.
    pub fn offer(&self) -> Option<Offer> {
        self.uses.offer()
    }

    /// A word for a slot of a bounce buffer, as [`Owner::offer`].
    pub fn offer_slot(&self) -> Option<Offer> {
        self.uses.offer_slot()
    }

    /// Claims the flag: whether the leader does not know of the latest records yet.
    pub fn take_map_request(&self) -> bool {
        self.has_map_request.swap(false, Ordering::AcqRel)
    }

    /// Whether the leader has ended, and so uses nothing any more.
    pub fn has_lost_leader(&self) -> bool {
        self.state.lock().channel.is_lost()
    }
}

/// Has every leader unmap the allocation at an address, which no call uses any more.
pub fn forget_everywhere(start: u64) {
    let owners: Vec<Arc<Owner>> = OWNERS.lock().iter().filter_map(Weak::upgrade).collect();
    for owner in owners {
        let mut state = owner.state.lock();
        state.read_answers();
        let id = state.known.iter().find(|(_, known)| known.start == start).map(|(id, _)| *id);
        if id.is_some_and(|id| state.forget(id)) {
            owner.has_map_request.store(true, Ordering::Release);
        }
    }
}

impl State {
    fn read_answers(&mut self) {
        while self.known.values().any(Known::is_pending) {
            let Some(record) = self.channel.next() else { return };
            let (id, answer) = match record {
                Record::Mapped { id, token } => (id, Answer::Mapped(Arc::new(token))),
                Record::Refused { id } => (id, Answer::Refused),
                _ => continue,
            };
            if let Some(known) = self.known.get_mut(&id).filter(|known| known.is_pending()) {
                known.answer = answer;
            }
        }
    }

    /// Asks the leader to map the allocation at an address. Returns its start and length, and what is known
    /// now. `None`: the allocation has gone.
    fn ask(
        &mut self,
        driver: &CudaDriver,
        address: u64,
        choice: DeviceMapChoice,
    ) -> Result<Option<(u64, u64, Answer)>> {
        let Some(Allocation { id, start, bytes }) = Allocation::at(driver, address)? else { return Ok(None) };
        let refused = Ok(Some((start, bytes, Answer::Refused)));
        let export = match (Allocation { id, start, bytes }).export(driver) {
            Ok(Some(export)) => export,
            Ok(None) => return refused,
            Err(error) => {
                log_line!(Debug, "a buffer on a device cannot be shared with the leader: {error}");
                return refused;
            }
        };
        if choice == DeviceMapChoice::Exportable && matches!(export, Export::Handle(_)) {
            return refused;
        }
        let descriptor = match &export {
            Export::Descriptor(descriptor) => Some(
                descriptor.try_clone().map_err(|error| Error::system("cannot copy a descriptor", error))?,
            ),
            Export::Handle(_) => None,
        };
        let is_sent = self.channel.send(&Record::Map { id, bytes, export }, descriptor.as_ref());
        Ok(Some((start, bytes, if is_sent { Answer::Pending } else { Answer::Refused })))
    }

    /// Forgets one allocation if the program has freed it. Each search looks at another one. Returns whether
    /// the leader was asked to unmap it.
    fn look_at_one(&mut self, driver: &CudaDriver) -> bool {
        let Some(id) = self.to_look_at.pop() else {
            self.to_look_at.extend(self.known.keys());
            return false;
        };
        let has_gone = self.known.get(&id).is_some_and(|known| driver.buffer_id(known.start) != Some(id));
        has_gone && self.forget(id)
    }

    /// Evicts an allocation if there are too many. `false`: calls in flight use all of them.
    fn evict_if_full(&mut self) -> bool {
        if self.known.len() < MOST {
            return true;
        }
        let idle = self.known.iter().filter(|(_, known)| known.is_idle());
        let oldest = idle.min_by_key(|(_, known)| known.used).map(|(id, _)| *id);
        oldest.is_some_and(|id| {
            self.forget(id);
            true
        })
    }

    /// Forgets an allocation that no call in flight uses, and has the leader unmap it. Returns whether it
    /// was asked.
    fn forget(&mut self, id: u64) -> bool {
        if !self.known.get(&id).is_some_and(Known::is_idle) {
            return false;
        }
        match self.known.remove(&id).map(|known| known.answer) {
            Some(Answer::Mapped(token)) => self.channel.send(&Record::Release { token: *token }, None),
            _ => false,
        }
    }
}

impl Known {
    fn is_pending(&self) -> bool {
        matches!(self.answer, Answer::Pending)
    }

    /// Whether neither a call nor the leader is busy with it.
    fn is_idle(&self) -> bool {
        match &self.answer {
            Answer::Pending => false,
            Answer::Refused => true,
            Answer::Mapped(token) => Arc::strong_count(token) == 1,
        }
    }

    fn find(&self, address: u64, bytes: u64) -> Option<Found> {
        let Answer::Mapped(token) = &self.answer else { return None };
        let offset = address.checked_sub(self.start)?;
        let is_inside = offset.checked_add(bytes).is_some_and(|end| end <= self.bytes);
        is_inside.then(|| Found { token: Arc::clone(token), offset })
    }
}
