//! Messages of ranks of other hosts, as they come: requests that this rank serves, and answers.
//!
//! A probe for the next message is always under way, so that the engine takes in what comes, and wakes who
//! waits. Messages of one rank are handled in their order. One that must wait for a lock lets those of other
//! ranks pass, and if that is the lock of this rank, the answers of its own.

use anyccl_engine::base::{Datatype, Rank};
use anyccl_engine::comm::{Communicator, Request};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};

use super::Win;
use super::far::{Inbox, Incoming, Waiting};
use super::outbox::MOST_OPERATIONS;
use super::wire::{self, Header, Kind, Parsed, Reply};
use crate::constants::{LOCK_EXCLUSIVE, LOCK_SHARED};
use crate::error::{Class, Error, Result};

/// Tag of all messages of accesses to other hosts.
const ACCESS: i32 = -0x3000_0013;
/// Messages that are taken in at a time.
const MOST_AT_ONCE: usize = 64;
/// Most answers to one rank that are under way. It asks for no more at once; each of its threads may have
/// taken one more answer than is known here.
const MOST_ANSWERS: usize = 2 * MOST_OPERATIONS;

/// What became of a message.
enum Handled {
    Done,
    /// To be tried again.
    Later,
    /// Nothing that a rank of this library sends.
    Wrong,
}

/// How often the links are looked at. A look may be a system call for each rank.
#[derive(Clone, Copy, PartialEq)]
enum Looks {
    One,
    UntilNothingComes,
}

/// Starts to send the bytes of a message.
pub(super) fn start_send(engine: &Communicator, to: Rank, bytes: Vec<u8>) -> Result<Request> {
    let message = OutgoingMessage {
        to,
        tag: ACCESS,
        datatype: Datatype::Byte,
        count: bytes.len() as u64,
        data: bytes.as_ptr(),
        is_synchronous: false,
    };
    // SAFETY: the request keeps the sent bytes.
    Ok(unsafe { engine.start(&message) }?.keeping(bytes))
}

fn start_probe(engine: &Communicator) -> Result<Request> {
    Ok(engine.start_matched_probe(Selector::new(None, Some(ACCESS)))?)
}

impl Inbox {
    /// Begins to take in messages.
    pub fn open(&mut self, engine: &Communicator) -> Result<()> {
        self.probe = Some(start_probe(engine)?);
        Ok(())
    }

    /// Takes in no more messages. All that was asked for has been answered.
    pub fn close(&mut self) {
        if let Some(probe) = self.probe.take() {
            probe.cancel();
        }
        self.queue.clear();
        self.answers.clear();
    }

    /// Takes in what has come, and handles it. Returns whether there was anything.
    pub fn turn(&mut self, win: &Win) -> Result<bool> {
        let mut has_come = self.take_in(win, Looks::One)?;
        let mut worked = has_come;
        loop {
            worked |= self.handle_all(win)?;
            // A rank that has given its request up may have said so before another one gave the lock back.
            if std::mem::take(&mut has_come)
                && !self.grants.waiting.is_empty()
                && self.take_in(win, Looks::UntilNothingComes)?
            {
                continue;
            }
            let Some(Waiting { rank, id, messages, .. }) = self.grants.next(win) else { break };
            self.answer(win, rank, id, Ok(Reply::default()))?;
            // They came before what is in the queue.
            for bytes in messages.into_iter().rev() {
                self.queue.push_front(Incoming { request: None, from: rank, bytes });
            }
            worked = true;
        }
        self.answers.retain_mut(|(_, request)| matches!(request.test(), Ok(false)));
        Ok(worked)
    }

    /// Handles messages that have come. Returns whether there were any.
    fn handle_all(&mut self, win: &Win) -> Result<bool> {
        let (mut at, mut worked, mut blocked) = (0, false, Vec::new());
        while at < self.queue.len() {
            let Incoming { request, from, .. } = &mut self.queue[at];
            let from = *from;
            let may_be_handled =
                !blocked.contains(&from) && request.as_mut().map_or(Ok(true), |request| request.test())?;
            match if may_be_handled { self.handle(win, at)? } else { Handled::Later } {
                Handled::Done => {
                    self.queue.remove(at);
                    worked = true;
                }
                Handled::Later => {
                    blocked.push(from);
                    at += 1;
                }
                Handled::Wrong => {
                    let reason = format!("rank {from} has sent an access of wrong form to {}", win.title());
                    win.engine.abort(&reason);
                    return Err(Error::new(Class::INTERN, reason));
                }
            }
        }
        Ok(worked)
    }

    /// Takes in what has come. Returns whether there was anything. One look finds what most ranks send at a
    /// time, and another one is due after the answers.
    fn take_in(&mut self, win: &Win, looks: Looks) -> Result<bool> {
        let mut has_come = false;
        while self.queue.len() < MOST_AT_ONCE {
            let Some(probe) = &mut self.probe else { return Ok(has_come) };
            let needs_no_look = has_come && looks == Looks::One;
            if !if needs_no_look { probe.has_ended()? } else { probe.test()? } {
                break;
            }
            let (status, message) = (probe.status(), probe.message());
            self.probe = Some(start_probe(&win.engine)?);
            let (Some(status), Some(message)) = (status, message) else { break };
            let (request, bytes) = match win.engine.take_matched(message)? {
                Ok(bytes) => (None, bytes),
                Err(message) => {
                    // A longer one is cut, and then has a wrong form.
                    let mut bytes = vec![0; status.bytes.min(wire::LONGEST)];
                    let (data, count) = (bytes.as_mut_ptr(), bytes.len() as u64);
                    let buffer = RecvBuffer { data, datatype: Datatype::Byte, count, is_lenient: true };
                    // SAFETY: the bytes are kept beside the request, which is dropped first.
                    (Some(unsafe { win.engine.start_matched_receive(message, buffer) }?), bytes)
                }
            };
            self.queue.push_back(Incoming { request, from: status.source, bytes });
            has_come = true;
        }
        Ok(has_come)
    }

    fn handle(&mut self, win: &Win, at: usize) -> Result<Handled> {
        let (mut bytes, from) = (std::mem::take(&mut self.queue[at].bytes), self.queue[at].from);
        let Some(message) = wire::parse(&bytes) else { return Ok(Handled::Wrong) };
        let comes_at_once = matches!(message.header.kind, Kind::Lock | Kind::Reply | Kind::Forget);
        if !comes_at_once && self.grants.is_waiting(from) {
            bytes.shrink_to_fit();
            return Ok(if self.grants.keep(from, bytes) { Handled::Done } else { Handled::Wrong });
        }
        let handled = self.handle_message(win, from, &message)?;
        if matches!(handled, Handled::Later) {
            self.queue[at].bytes = bytes;
        }
        Ok(handled)
    }

    fn handle_message(&mut self, win: &Win, from: Rank, message: &Parsed) -> Result<Handled> {
        let Header { kind, id, detail, .. } = message.header;
        let is_right = match kind {
            Kind::Reply => win.take_reply(from, message),
            // The answer comes when the lock does.
            Kind::Lock => {
                let lock_type = detail.cast_signed();
                matches!(lock_type, LOCK_EXCLUSIVE | LOCK_SHARED) && self.grants.ask(win, from, id, lock_type)
            }
            Kind::Unlock => {
                let had_it = self.grants.give_back(win, from);
                if had_it {
                    self.answer(win, from, id, Ok(Reply::default()))?;
                }
                had_it
            }
            Kind::Forget => {
                self.forget(win, from)?;
                self.answer(win, from, id, Ok(Reply::default()))?;
                true
            }
            _ => {
                let Some(outcome) = win.apply(message) else { return Ok(Handled::Later) };
                self.answer(win, from, id, outcome)?;
                true
            }
        };
        let answers = self.answers.iter().filter(|(rank, _)| *rank == from).count();
        Ok(if is_right && answers <= MOST_ANSWERS { Handled::Done } else { Handled::Wrong })
    }

    /// Forgets the lock that a rank has asked for. What came after it is refused.
    fn forget(&mut self, win: &Win, rank: Rank) -> Result<()> {
        let Some(Waiting { id, messages, .. }) = self.grants.forget(win, rank) else { return Ok(()) };
        let after =
            messages.iter().filter_map(|message| wire::parse(message)).map(|message| message.header.id);
        for id in std::iter::once(id).chain(after) {
            self.answer(win, rank, id, Err(Error::new(Class::RMA_SYNC, "the lock was not there in time")))?;
        }
        Ok(())
    }

    fn answer(&mut self, win: &Win, to: Rank, id: u64, outcome: Result<Reply>) -> Result<()> {
        let refusal = |error: Error| {
            let class = error.class.0.cast_unsigned();
            wire::begin(&Header::plain(Kind::Reply, id, class), &[], 0)
        };
        let reply = outcome.map_or_else(refusal, |reply| reply.into_message(id));
        let mut request = start_send(&win.engine, to, reply)?;
        if !request.test()? {
            self.answers.push((to, request));
        }
        Ok(())
    }
}
