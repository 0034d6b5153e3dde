//! Windows, and calls that only one side makes.
//!
//! NCCL promises that the bytes of a put are in the window when its receiver has waited for its signal, and no earlier. So
//! a put is a message, and the wait for its signal receives it and writes it where it belongs. Its name (a tag) says which
//! signal of which context it raises; a signal alone is a put of nothing. What a put carries is copied, as nobody may be
//! waiting yet: the caller's buffer is free when the call returns, and the copy stays until it has left.
//!
//! Registering is collective in NCCL, so the ranks register in the same order, and a window has the same number on all.

use std::collections::HashMap;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::Arc;

use anyccl_edge::check::{self, invalid, not_null};
use anyccl_edge::{Out, buffers};
use anyccl_engine::base::{Call, CallKind, Datatype, Error, Rank, Result};
use anyccl_engine::comm::{Communicator, Work};
use anyccl_engine::p2p::{Landing, Message, Outgoing, Selector, Status, Tag};

use crate::call::Progress;
use crate::collective::datatype_of;
use crate::communicator::Comm;
use crate::group::{self, Action};
use crate::types::{cudaStream_t, ncclComm_t, ncclDataType_t, ncclWaitSignalDesc_t, ncclWindow_t};

/// Of signal 0 of context 0; the others follow downwards. Programs have no tags.
const FIRST_TAG: Tag = -1024;
/// Signals of a context, and contexts.
const SIGNALS: c_int = 4096;
const CONTEXTS: c_int = 256;
/// NCCL_WIN_* flags, all of them.
const KNOWN_FLAGS: c_int = 0x0f;

/// Before the bytes of a put: window, offset.
const HEADER_BYTES: usize = 16;

/// The windows of one communicator, here.
#[derive(Default)]
pub struct Windows {
    given: usize,
    live: HashMap<usize, Window>,
}

/// Registered memory: an address, as nothing is read or written but on behalf of the program.
#[derive(Clone, Copy)]
struct Window {
    start: usize,
    bytes: usize,
}

/// Puts that have not left yet, with what they carry.
pub type Outbox = Vec<(Work, Arc<[u8]>)>;

/// A put whose arguments were checked.
pub struct Put {
    to: Rank,
    tag: Tag,
    message: Arc<[u8]>,
}

/// Signals of one peer to wait for.
#[derive(Clone, Copy)]
pub struct Awaited {
    peer: Rank,
    tag: Tag,
    times: u32,
}

impl Put {
    /// Lets it go. Never waits.
    pub fn post(&self, comm: &Comm, engine: &Communicator) -> Result<()> {
        let what = Outgoing {
            to: self.to,
            tag: self.tag,
            datatype: Datatype::Byte,
            count: self.message.len() as u64,
            data: self.message.as_ptr(),
            is_synchronous: false,
        };
        // SAFETY: the message is kept, unchanged, beside the work, which is waited for before it goes.
        let mut work = Work::from(unsafe { engine.start_send(&what) }?);
        let mut outbox = comm.outbox.lock();
        outbox.retain_mut(|(work, _)| !work.has_ended());
        if !work.has_ended() {
            outbox.push((work, Arc::clone(&self.message)));
        }
        Ok(())
    }
}

impl Awaited {
    fn selector(self) -> Selector {
        Selector::new(Some(self.peer), Some(self.tag))
    }

    /// Waits for all of them.
    pub fn wait(self, comm: &Comm, engine: &Communicator) -> Result<()> {
        for _ in 0..self.times {
            let (message, status) = engine.claim(self.selector())?;
            take(comm, engine, message, status)?;
        }
        Ok(())
    }

    /// Takes those that are there; tells whether all were.
    pub fn advance(&mut self, comm: &Comm, engine: &Communicator) -> Result<bool> {
        while self.times > 0 {
            let Some((message, status)) = engine.claim_now(self.selector())? else { return Ok(false) };
            take(comm, engine, message, status)?;
            self.times -= 1;
        }
        Ok(true)
    }
}

/// Receives a put and writes it into its window.
fn take(comm: &Comm, engine: &Communicator, message: Message, status: Status) -> Result<()> {
    let mut bytes = vec![0u8; status.bytes];
    let landing = Landing {
        data: bytes.as_mut_ptr(),
        datatype: Datatype::Byte,
        count: bytes.len() as u64,
        is_lenient: false,
    };
    // SAFETY: room for the whole message, which nobody else uses until it is there.
    unsafe { engine.start_claimed(message, landing) }?.wait()?;
    let Some((header, payload)) = bytes.split_at_checked(HEADER_BYTES) else {
        return Err(Error::Internal(format!("a put of {} bytes", bytes.len())));
    };
    let word = |at: usize| usize::from_le_bytes(std::array::from_fn(|i| header[8 * at + i]));
    let (number, offset) = (word(0), word(1));
    if payload.is_empty() {
        return Ok(());
    }
    let windows = comm.windows.lock();
    let place = windows.place(number, offset, payload.len());
    let place =
        place.map_err(|got| Error::Mismatch(format!("ncclPutSignal of rank {}: {got}", status.source)))?;
    // SAFETY: inside of memory that the program has registered, and leaves to puts until they are waited for.
    unsafe { ptr::copy_nonoverlapping(payload.as_ptr(), place, payload.len()) };
    Ok(())
}

impl Windows {
    fn add(&mut self, start: usize, bytes: usize) -> usize {
        self.given += 1;
        self.live.insert(self.given, Window { start, bytes });
        self.given
    }

    fn get(&self, win: ncclWindow_t) -> Result<Window> {
        match self.live.get(&win.addr()) {
            Some(window) => Ok(*window),
            None => invalid("win", format!("{win:p}, which is not registered with this communicator")),
        }
    }

    /// Where so many bytes go; or what is wrong with them, which came from a peer.
    fn place(&self, number: usize, offset: usize, bytes: usize) -> std::result::Result<*mut u8, String> {
        let Some(window) = self.live.get(&number) else {
            return Err(format!("window {number} is not registered here"));
        };
        match offset.checked_add(bytes) {
            Some(end) if end <= window.bytes => Ok(ptr::with_exposed_provenance_mut(window.start + offset)),
            _ => Err(format!("{bytes} bytes at {offset} in a window of {}", window.bytes)),
        }
    }
}

/// ncclCommWindowRegister.
pub unsafe fn register(
    comm: ncclComm_t,
    buff: *mut c_void,
    size: usize,
    win: *mut ncclWindow_t,
    winFlags: c_int,
) -> Result<()> {
    // SAFETY: the caller promises a writable handle or NULL.
    let place = unsafe { Out::new(win, "win") }?;
    let comm = Comm::from_handle(comm)?;
    comm.engine()?;
    if winFlags & !KNOWN_FLAGS != 0 {
        return invalid("winFlags", format!("{winFlags:#x}; accepted: NCCL_WIN_* flags"));
    }
    if size > 0 {
        not_null(buff, "buff")?;
    }
    comm.memory.check_host(buff.addr(), size, "buff")?;
    let number = comm.windows.lock().add(buff.expose_provenance(), size);
    place.set(ptr::without_provenance_mut(number));
    Ok(())
}

/// ncclCommWindowDeregister. NULL is nothing to deregister.
pub unsafe fn deregister(comm: ncclComm_t, win: ncclWindow_t) -> Result<()> {
    let comm = Comm::from_handle(comm)?;
    if win.is_null() {
        return Ok(());
    }
    let mut windows = comm.windows.lock();
    windows.get(win)?;
    windows.live.remove(&win.addr());
    Ok(())
}

/// ncclWinGetUserPtr.
pub unsafe fn user_pointer(comm: ncclComm_t, win: ncclWindow_t, outUserPtr: *mut *mut c_void) -> Result<()> {
    // SAFETY: the caller promises a writable pointer or NULL.
    let place = unsafe { Out::new(outUserPtr, "outUserPtr") }?;
    let window = Comm::from_handle(comm)?.windows.lock().get(win)?;
    place.set(ptr::with_exposed_provenance_mut(window.start));
    Ok(())
}

/// Says what is wrong with a signal, or gives its name.
fn tag_of(sigIdx: c_int, ctx: c_int) -> Result<Tag> {
    if !(0..SIGNALS).contains(&sigIdx) {
        return invalid("sigIdx", format!("{sigIdx}; accepted: 0 to {}", SIGNALS - 1));
    }
    if !(0..CONTEXTS).contains(&ctx) {
        return invalid("ctx", format!("{ctx}; accepted: 0 to {}", CONTEXTS - 1));
    }
    Ok(FIRST_TAG - (ctx * SIGNALS + sigIdx))
}

/// ncclPutSignal.
pub unsafe fn put_signal(
    localbuff: *const c_void,
    count: usize,
    datatype: ncclDataType_t,
    peer: c_int,
    peerWin: ncclWindow_t,
    peerWinOffset: usize,
    sigIdx: c_int,
    ctx: c_int,
    flags: c_uint,
    comm: ncclComm_t,
    _stream: cudaStream_t,
) -> Result<Progress> {
    let comm = Comm::from_handle(comm)?;
    let to = check::rank(peer, comm.engine()?.size(), "peer")?;
    let datatype = datatype_of(datatype)?;
    let call = Call { kind: CallKind::Transfer, datatype, op: None, root: 0, count: count as u64 };
    buffers::check_transfer(&call, localbuff.addr(), "localbuff")?;
    let bytes = count * datatype.bytes();
    comm.memory.check_host(localbuff.addr(), bytes, "localbuff")?;
    comm.windows.lock().get(peerWin)?;
    let tag = tag_of(sigIdx, ctx)?;
    no_flags(flags)?;
    let mut message = Vec::with_capacity(HEADER_BYTES + bytes);
    message.extend(peerWin.addr().to_le_bytes());
    message.extend(peerWinOffset.to_le_bytes());
    if bytes > 0 {
        // SAFETY: not NULL, as was checked; the caller promises so many elements.
        message.extend(unsafe { std::slice::from_raw_parts(localbuff.cast::<u8>(), bytes) });
    }
    let put = Put { to, tag, message: message.into() };
    // SAFETY: a put uses no buffer of the caller's any more.
    unsafe { group::submit(comm, Action::Put(put)) }
}

/// ncclSignal.
pub unsafe fn signal(
    peer: c_int,
    sigIdx: c_int,
    ctx: c_int,
    flags: c_uint,
    comm: ncclComm_t,
    _stream: cudaStream_t,
) -> Result<Progress> {
    let comm = Comm::from_handle(comm)?;
    let to = check::rank(peer, comm.engine()?.size(), "peer")?;
    let tag = tag_of(sigIdx, ctx)?;
    no_flags(flags)?;
    let put = Put { to, tag, message: [0; HEADER_BYTES].into() };
    // SAFETY: as above.
    unsafe { group::submit(comm, Action::Put(put)) }
}

fn no_flags(flags: c_uint) -> Result<()> {
    if flags == 0 { Ok(()) } else { invalid("flags", format!("{flags}; accepted: 0")) }
}

/// ncclWaitSignal.
pub unsafe fn wait_signal(
    nDesc: c_int,
    signalDescs: *mut ncclWaitSignalDesc_t,
    comm: ncclComm_t,
    _stream: cudaStream_t,
) -> Result<Progress> {
    let comm = Comm::from_handle(comm)?;
    let size = comm.engine()?.size();
    let Ok(len) = usize::try_from(nDesc) else {
        return invalid("nDesc", format!("{nDesc}; accepted: 0 and more"));
    };
    let descriptors = if len == 0 {
        &[]
    } else {
        not_null(signalDescs, "signalDescs")?;
        // SAFETY: not NULL; the caller promises so many, which nobody changes during the call.
        unsafe { std::slice::from_raw_parts(signalDescs, len) }
    };
    let mut awaited = Vec::with_capacity(len);
    for ncclWaitSignalDesc_t { opCnt, peer, sigIdx, ctx } in descriptors {
        let Ok(times) = u32::try_from(*opCnt) else {
            return invalid("signalDescs", format!("opCnt {opCnt}; accepted: 0 and more"));
        };
        let peer = check::rank(*peer, size, "peer")?;
        awaited.push(Awaited { peer, tag: tag_of(*sigIdx, *ctx)?, times });
    }
    // SAFETY: no buffer but the windows, which are the program's to leave alone until this has ended.
    unsafe { group::submit(comm, Action::Wait(awaited)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signals_have_names_of_their_own() {
        let mut seen = std::collections::HashSet::new();
        for ctx in [0, 1, CONTEXTS - 1] {
            for signal in [0, 1, SIGNALS - 1] {
                assert!(seen.insert(tag_of(signal, ctx).unwrap()));
            }
        }
        assert!(seen.iter().all(|tag| *tag <= FIRST_TAG));
        assert!(tag_of(SIGNALS, 0).is_err() && tag_of(0, CONTEXTS).is_err() && tag_of(-1, 0).is_err());
    }

    #[test]
    fn what_a_peer_says_of_a_window_is_checked() {
        let mut windows = Windows::default();
        let number = windows.add(4096, 100);
        assert_eq!(windows.place(number, 90, 10).unwrap().addr(), 4186);
        for (number, offset, bytes) in [(number, 90, 11), (number, usize::MAX, 2), (number + 1, 0, 1)] {
            assert!(windows.place(number, offset, bytes).is_err());
        }
    }
}
