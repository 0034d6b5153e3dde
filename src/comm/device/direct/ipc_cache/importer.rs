//! The side of the leader: it maps the allocations that the owners of buffers have exported.
//!
//! The record of a call says that its rank has sent a request. So a call without a request
//! costs nothing here.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::{Mutex, MutexGuard};

use super::channel::{Channel, Record};
use super::uses::{OfferBits, Use, Uses};
use super::{Number, number, socket_name};
use crate::base::{Error, Result};
use crate::device::direct::{Export, Mapped, give_back_ended, when_quiet};
use crate::device::{CudaContext, CudaDriver, Ordinal};
use crate::log_line;
use crate::sys::host::user_id;
use crate::sys::listener::Listener;

/// Most allocations that an owner may have mapped, and most that it may ask for at once.
const MOST: usize = 1024;

/// The buffers of another process, in one context of this one.
pub struct Importer {
    driver: &'static CudaDriver,
    context: CudaContext,
    device: Ordinal,
    uses: Arc<Uses>,
    state: Mutex<State>,
    /// Whether the owner has sent something.
    has_map_request: AtomicBool,
}

struct State {
    channel: Channel,
    /// By token.
    mapped: HashMap<u64, Arc<Mapped>>,
    latest_token: u64,
    requests: Vec<MapRequest>,
}

/// An allocation that an owner has asked for.
struct MapRequest {
    id: u64,
    bytes: u64,
    export: Export,
}

/// Where owners connect to this process.
static LISTENER: Mutex<Option<(Listener, Number)>> = Mutex::new(None);
/// The connections of this process.
static IMPORTERS: Mutex<Vec<(Number, Weak<Importer>)>> = Mutex::new(Vec::new());
/// Connections that no communicator has adopted yet.
static ACCEPTED: Mutex<Vec<(Number, Arc<Uses>, Channel)>> = Mutex::new(Vec::new());

/// Listens for owners. Returns the name that they need.
pub fn listen() -> Result<Number> {
    let mut listener = LISTENER.lock();
    if let Some((_, name)) = &*listener {
        return Ok(*name);
    }
    let name = number()?;
    let socket = Listener::unix(&socket_name(&name));
    let socket = socket.map_err(|error| Error::system("cannot listen for owners of buffers", error))?;
    *listener = Some((socket, name));
    Ok(name)
}

/// Accepts the owners that have connected. A stranger is refused.
fn accept_all() {
    let listener = LISTENER.lock();
    let Some((listener, _)) = &*listener else { return };
    while let Ok(Some(socket)) = listener.accept() {
        if socket.peer_user().ok() != Some(user_id()) {
            continue;
        }
        let mut channel = Channel::new(socket);
        if let Some(Record::Hello(number)) = channel.next()
            && let Some(uses) = channel.take_descriptor().and_then(|descriptor| Uses::open(descriptor).ok())
        {
            ACCEPTED.lock().push((number, uses, channel));
        }
    }
}

/// The connection with the number that an owner has reported after connecting. `None`: it is not there.
pub fn adopt(
    driver: &'static CudaDriver,
    (context, device): (CudaContext, Ordinal),
    number: &Number,
) -> Option<Arc<Importer>> {
    if *number == [0; 16] {
        return None;
    }
    let mut importers = IMPORTERS.lock();
    importers.retain(|(_, importer)| importer.strong_count() > 0);
    let known = importers.iter().find(|(known, _)| known == number).and_then(|(_, known)| known.upgrade());
    if let Some(known) = known {
        return Some(known).filter(|known| known.context == context);
    }
    accept_all();
    let mut accepted = ACCEPTED.lock();
    let at = accepted.iter().position(|(known, ..)| known == number)?;
    let (_, uses, channel) = accepted.swap_remove(at);
    let state = State { channel, mapped: HashMap::new(), latest_token: 0, requests: Vec::new() };
    let (state, has_map_request) = (Mutex::new(state), AtomicBool::new(false));
    let importer = Arc::new(Importer { driver, context, device, uses, state, has_map_request });
    importers.push((*number, Arc::downgrade(&importer)));
    Some(importer)
}

/// Maps what the owners have asked for, and unmaps what nobody uses any more, if no call of this process is
/// queued. It is called before a call is.
pub fn serve_all<'a>(importers: impl Iterator<Item = &'a Arc<Importer>>) {
    importers.for_each(|importer| importer.serve());
    give_back_ended();
}

impl Importer {
    /// Notes that the owner has sent something.
    pub fn note_map_request(&self) {
        self.has_map_request.store(true, Ordering::Release);
    }

    /// The address of `bytes` bytes from `offset` on, in the mapping with this token. The mapping stays while
    /// the other part of the answer lives.
    pub fn address(&self, token: u64, offset: u64, bytes: u64) -> Option<(u64, Arc<Mapped>)> {
        let state = self.state.lock();
        let mapped = state.mapped.get(&token)?;
        Some((mapped.address(offset, bytes)?, Arc::clone(mapped)))
    }

    /// Takes the offer of buffers for a kernel. `None`: the rank has withdrawn it.
    pub fn take(&self, offer: OfferBits) -> Option<Use> {
        self.uses.take(offer)
    }

    /// Maps what the owner has asked for, even while calls of this process are queued: the owner waits for
    /// it, because a communicator is being made.
    pub fn serve_now(&self) {
        let mut state = self.state.lock();
        state.read();
        self.serve_requests(state, |map| Some(map()));
    }

    fn serve(&self) {
        let mut state = self.state.lock();
        if self.has_map_request.swap(false, Ordering::AcqRel) {
            state.read();
        }
        self.serve_requests(state, |map| when_quiet(map));
    }

    /// Maps what was asked for, if `may_map` lets it.
    fn serve_requests(
        &self,
        mut state: MutexGuard<'_, State>,
        may_map: impl FnOnce(&dyn Fn() -> Vec<Result<Mapped>>) -> Option<Vec<Result<Mapped>>>,
    ) {
        if state.requests.is_empty() {
            return;
        }
        let requests = std::mem::take(&mut state.requests);
        // A launch of a graph may look for an address meanwhile.
        drop(state);
        let import = |request: &MapRequest| {
            Mapped::import(self.driver, (self.context, self.device), &request.export, request.bytes)
        };
        let outcomes = may_map(&|| requests.iter().map(import).collect());
        let mut state = self.state.lock();
        let Some(outcomes) = outcomes else {
            state.requests.extend(requests);
            return;
        };
        for (request, outcome) in requests.into_iter().zip(outcomes) {
            state.answer(request.id, outcome);
        }
    }
}

impl State {
    fn read(&mut self) {
        while let Some(record) = self.channel.next() {
            match record {
                Record::Map { id, bytes, export } if self.mapped.len() + self.requests.len() < MOST => {
                    self.requests.push(MapRequest { id, bytes, export });
                }
                Record::Map { id, .. } => {
                    self.channel.send(&Record::Refused { id }, None);
                }
                Record::Release { token } => {
                    self.mapped.remove(&token);
                }
                _ => {}
            }
        }
    }

    fn answer(&mut self, id: u64, outcome: Result<Mapped>) {
        let record = match outcome {
            Ok(mapped) => {
                self.latest_token += 1;
                self.mapped.insert(self.latest_token, Arc::new(mapped));
                Record::Mapped { id, token: self.latest_token }
            }
            Err(error) => {
                log_line!(
                    Debug,
                    "a buffer of another process is not mapped, and its calls use a bounce buffer: {error}"
                );
                Record::Refused { id }
            }
        };
        self.channel.send(&record, None);
    }
}
