//! Accesses to ranks of other hosts: the origin sends messages, and the target serves them
//! ([`super::inbox`]).
//!
//! The origin's data is copied into the messages, so its memory may be reused at once. What an answer brings
//! is written when it comes. A long access is several messages. Where too many have no answer, the next one
//! waits, and this rank serves others meanwhile.

use std::sync::Arc;

use anyccl_engine::base::Rank;

use super::Win;
use super::countdown::Countdown;
use super::far::Distant;
use super::inbox::start_send;
use super::local::Local;
use super::outbox::Asked;
use super::remote::Remote;
use super::wire::{self, Header, Kind, MOST_DATA, Parsed, Series};
use crate::datatype::Datatype;
use crate::error::{Class, Error, Result};

/// A message that accesses places of a target.
struct Access<'a> {
    kind: Kind,
    detail: u32,
    code: u32,
    series: &'a [Series],
    bytes: usize,
    data: usize,
}

impl Win {
    fn distant(&self) -> Result<&Distant> {
        self.distant.as_ref().ok_or_else(|| Error::new(Class::INTERN, "no rank is on another host"))
    }

    /// Sends a message to a target, when there is room for it. `fill` writes its data.
    fn ask(&self, access: &Access, asked: Asked, fill: impl FnOnce(*mut u8)) -> Result<()> {
        let (distant, rank) = (self.distant()?, asked.rank);
        if access.bytes > 0 {
            self.wait_for_lock_before(rank, access.bytes)?;
        }
        let (mut wanted, mut number) = (Some(asked), None);
        self.wait_until("an answer to an access", || {
            number = distant.outbox.register(&mut wanted);
            number.is_some()
        })?;
        let id = number.expect("the wait has ended with a number");
        let Access { kind, detail, code, series, bytes, data } = *access;
        let mut message = wire::begin(&Header { kind, id, detail, code, bytes }, series, data);
        fill(message.spare_capacity_mut().as_mut_ptr().cast());
        // SAFETY: the capacity is the header, the list and the data, which was just written.
        unsafe { message.set_len(message.len() + data) };
        match start_send(&self.engine, rank, message) {
            Ok(mut request) => {
                // A failure is also one of the communicator.
                if matches!(request.test(), Ok(false)) {
                    distant.outbox.keep(request);
                }
                Ok(())
            }
            Err(error) => {
                if let Some(Some(asked)) = distant.outbox.take(rank, id) {
                    distant.outbox.end(asked, None);
                }
                Err(error)
            }
        }
    }

    /// Sends a message without places.
    pub(super) fn ask_plainly(&self, kind: Kind, rank: Rank, detail: u32) -> Result<Arc<Countdown>> {
        let countdown = Arc::new(Countdown::default());
        let asked = Asked { rank, bytes: 0, result: None, countdown: Some(Arc::clone(&countdown)) };
        let access = Access { kind, detail, code: 0, series: &[], bytes: 0, data: 0 };
        self.ask(&access, asked, |_| {})?;
        Ok(countdown)
    }

    /// Gives back the lock of a rank of another host, behind all accesses.
    pub(super) fn ask_unlock(&self, rank: Rank) -> Result<()> {
        self.ask_plainly(Kind::Unlock, rank, 0).map(drop)
    }

    /// Waits until a rank, or every one, has answered. Returns the first failure of an access since then.
    pub(super) fn wait_for_answers(&self, rank: Option<Rank>) -> Result<()> {
        let Some(distant) = &self.distant else { return Ok(()) };
        self.wait_for_locks(rank)?;
        self.wait_until("the answer to an access", || distant.outbox.is_quiet(rank))?;
        distant.outbox.forget_sent();
        distant.outbox.take_failure(rank)
    }

    /// Takes an answer. `false`: nothing was asked, or something else.
    pub(super) fn take_reply(&self, from: Rank, reply: &Parsed) -> bool {
        let Some(distant) = &self.distant else { return false };
        let Some(asked) = distant.outbox.take(from, reply.header.id) else { return false };
        let Some(asked) = asked else { return true };
        let class = Class(reply.header.detail.cast_signed());
        let failure = (class != Class::SUCCESS).then(|| {
            Error::new(class, format!("rank {from} has refused an access to its window: no such place"))
        });
        let is_right = match &asked.result {
            _ if failure.is_some() => reply.data.is_empty(),
            None => reply.data.is_empty(),
            Some((local, at, len)) => {
                let is_right = reply.data.len() == *len;
                if is_right {
                    // SAFETY: whoever asked has promised that the elements are writable until the answer
                    // comes; there are `len` bytes from `at` on.
                    unsafe { local.unpack(*at, reply.data.as_ptr(), *len) };
                }
                is_right
            }
        };
        distant.outbox.end(asked, failure);
        is_right
    }
}

/// Writes elements to a target.
///
/// # Safety
/// The origin's elements are readable.
pub unsafe fn put(origin: &Local, remote: &Remote) -> Result<()> {
    let mut done = 0;
    while done < origin.bytes {
        let (series, len) = remote.places(done, MOST_DATA.min(origin.bytes - done), 1);
        let access = Access { kind: Kind::Put, detail: 0, code: 0, series: &series, bytes: len, data: len };
        let asked = Asked { rank: remote.rank, bytes: len, result: None, countdown: None };
        // SAFETY: promised by the caller; the message has room.
        remote.win.ask(&access, asked, |to| unsafe { origin.pack(done, to, len) })?;
        done += len;
    }
    Ok(())
}

/// Reads elements of a target.
///
/// # Safety
/// The origin's elements are writable, also until the answers have come.
pub unsafe fn get(origin: Local, remote: &Remote) -> Result<Arc<Countdown>> {
    let (origin, countdown) = (Arc::new(origin), Arc::new(Countdown::default()));
    let mut done = 0;
    while done < remote.bytes {
        let (series, len) = remote.places(done, MOST_DATA.min(remote.bytes - done), 1);
        let access = Access { kind: Kind::Get, detail: 0, code: 0, series: &series, bytes: len, data: 0 };
        let result = Some((Arc::clone(&origin), done, len));
        let asked = Asked { rank: remote.rank, bytes: len, result, countdown: Some(Arc::clone(&countdown)) };
        remote.win.ask(&access, asked, |_| {})?;
        done += len;
    }
    Ok(countdown)
}

/// Combines elements of a target, of a predefined datatype, with those of the origin.
///
/// # Safety
/// The origin's elements are readable; those of the result are writable, also until the answers have come.
pub unsafe fn accumulate(
    origin: Option<&Local>,
    result: Option<Local>,
    remote: &Remote,
    (op, code): (u32, u32),
    bytes: usize,
) -> Result<Option<Arc<Countdown>>> {
    let result = result.map(Arc::new);
    let countdown = result.as_ref().map(|_| Arc::new(Countdown::default()));
    let kind = if result.is_some() { Kind::GetAccumulate } else { Kind::Accumulate };
    let unit = Datatype::predefined(code).map_or(1, |basic| basic.size() as usize);
    let mut done = 0;
    while done < bytes {
        let (series, len) = remote.places(done, MOST_DATA.min(bytes - done), unit);
        let data = if origin.is_some() { len } else { 0 };
        let access = Access { kind, detail: op, code, series: &series, bytes: len, data };
        let result = result.as_ref().map(|result| (Arc::clone(result), done, len));
        let asked = Asked { rank: remote.rank, bytes: len, result, countdown: countdown.clone() };
        remote.win.ask(&access, asked, |to| {
            if let Some(origin) = origin {
                // SAFETY: promised by the caller; the message has room.
                unsafe { origin.pack(done, to, len) };
            }
        })?;
        done += len;
    }
    Ok(countdown)
}

/// Replaces an element of a target by a new one if it equals another one.
///
/// # Safety
/// The element of the result is writable, also until the answer has come.
pub unsafe fn compare_and_swap(
    wanted: &[u8],
    new: &[u8],
    result: Local,
    remote: &Remote,
    code: u32,
) -> Result<()> {
    let (series, len) = remote.places(0, remote.bytes, remote.bytes);
    let access = Access { kind: Kind::Swap, detail: 0, code, series: &series, bytes: len, data: 2 * len };
    let result = Some((Arc::new(result), 0, len));
    let asked = Asked { rank: remote.rank, bytes: len, result, countdown: None };
    remote.win.ask(&access, asked, |to| {
        let both = [wanted, new].concat();
        // SAFETY: the message has room for both.
        unsafe { to.copy_from_nonoverlapping(both.as_ptr(), both.len()) };
    })
}
