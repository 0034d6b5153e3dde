//! Target of fuzzing: fragments of messages, and replies, in any order and with any announcement.

use std::io;
use std::os::fd::RawFd;

use super::{
    Conversation, Drain, Fault, OutgoingMessage, REFERENCE_BYTES, RecvBuffer, Selector, Status, Ticket,
};
use crate::base::{Datatype, Error};
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, split};
use crate::p2p::protocol::{Announcement, Protocol, ProtocolMessage};
use crate::transport::{Arrival, Header, Link, SingleCopy};

// Up to a window is held for each message that has begun.
pub(crate) const TARGETS: &[Target] =
    &[Target { name: "messages", read: messages, seeds: dialogues, room: 64 << 20 }];

const CONTEXT: u32 = 9;
/// Memory of each send and receive.
const ROOM: usize = 4096;
/// Most operations of one run.
const OPERATIONS: usize = 64;

/// A link on which a peer has sent one fragment at a time.
#[derive(Default)]
struct ScriptedLink {
    head: Option<(Header, Vec<u8>)>,
    consumed: usize,
    sent: usize,
}

impl Link for ScriptedLink {
    unsafe fn send(
        &mut self,
        _: &Header,
        _: *const u8,
        bytes: usize,
        _: SingleCopy,
    ) -> io::Result<Option<usize>> {
        self.sent += 1;
        Ok((!self.sent.is_multiple_of(4)).then_some(bytes.min(100)))
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        Ok(self.head.as_ref().map(|(header, _)| *header))
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        let (_, payload) = self.head.as_ref().expect("called behind a header only");
        let rest = &payload[self.consumed..];
        Ok(Arrival { data: rest.as_ptr(), bytes: rest.len(), complete: true })
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, _: bool) -> io::Result<usize> {
        let arrival = self.arrival()?;
        let n = bytes.min(arrival.bytes);
        // SAFETY: `n` bytes are there, and the caller vouches for `dst`.
        unsafe { std::ptr::copy_nonoverlapping(arrival.data, dst, n) };
        self.consume(n)?;
        Ok(n)
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.consumed += bytes;
        let (_, payload) = self.head.as_ref().expect("called behind a header only");
        assert!(self.consumed <= payload.len());
        if self.consumed == payload.len() {
            (self.head, self.consumed) = (None, 0);
        }
        Ok(())
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn transport(&self) -> &'static str {
        "scripted"
    }
}

/// Rank 0 of two, and its peer.
struct Scene {
    side: Conversation,
    link: ScriptedLink,
    tickets: Vec<Ticket>,
    /// Memory of the operations. It is not moved while they run.
    rooms: Vec<Box<[u8; ROOM]>>,
}

/// Follows a script. Each step has a kind, a number, a tag, two bytes of a count, and flags.
fn messages(bytes: &[u8]) {
    let mut scene = Scene {
        side: Conversation::new(CONTEXT, 0, 2),
        link: ScriptedLink::default(),
        tickets: Vec::new(),
        rooms: Vec::new(),
    };
    for step in bytes.chunks(6) {
        if let Err(fault) = scene.step(step) {
            let error = match fault {
                Fault::Link(error) => Error::system("link", error),
                Fault::Contradiction(error) => error,
            };
            check_sentence(&error.to_string(), &[]);
            // A failure ends all that was started.
            scene.side.fail(&error);
            let Scene { side, tickets, .. } = &mut scene;
            assert!(tickets.drain(..).all(|ticket| side.take_outcome(ticket).is_some()));
            return;
        }
    }
}

impl Scene {
    fn step(&mut self, step: &[u8]) -> Result<(), Fault> {
        let ([kind, number, tag, low, high, flags], _) = split::<6>(step);
        let count = u16::from_le_bytes([low, high]);
        let may_start = self.rooms.len() < OPERATIONS;
        match kind % 9 {
            0 if may_start => self.receive(tag, count, flags)?,
            1 if may_start => self.send(tag, count, flags),
            8 => self.take_claimed(count, flags)?,
            2 | 3 => {
                let kinds =
                    [Protocol::Eager, Protocol::EagerWindow, Protocol::Rendezvous, Protocol::Reference];
                let protocol = kinds[usize::from(flags & 3)];
                // Some messages are larger than the window, and some larger than memory.
                let count = u64::from(count) << if flags & 0x40 == 0 { 0 } else { flags & 63 };
                let announcement = Announcement {
                    tag: i32::from(tag % 4),
                    datatype: if flags & 0x80 == 0 { Datatype::Byte } else { Datatype::Float64 },
                    count,
                    protocol,
                    is_synchronous: flags & 4 != 0,
                };
                let payload = if kind % 9 == 2 { usize::from(low) } else { count.min(200) as usize };
                self.arrive(number, ProtocolMessage::Data(announcement), payload)?;
            }
            4 => {
                let reply = match flags % 3 {
                    0 => ProtocolMessage::ClearToSend { limit: u64::from(count) << (flags >> 2) },
                    1 => ProtocolMessage::Matched,
                    _ => ProtocolMessage::Credit { bytes: u64::from(count) },
                };
                self.arrive(number, reply, 0)?;
            }
            5 => {
                let probe = Selector::new((flags & 1 == 0).then_some(1), Some(i32::from(tag % 4)));
                let _ = self.side.find(probe);
                let ended = self.tickets.iter().position(|ticket| self.side.has_outcome(*ticket));
                if let Some(at) = ended {
                    let ticket = self.tickets.swap_remove(at);
                    assert!(self.side.take_outcome(ticket).is_some());
                }
            }
            6 => drop(self.tickets.get(usize::from(number)).map(|ticket| self.side.cancel(*ticket))),
            _ => {
                let call = [u64::from(count) << (flags & 31), u64::from(tag)];
                self.link.head = self.link.head.take().or(Some((header(number, call), Vec::new())));
            }
        }
        self.turn()
    }

    /// A fragment arrives, and is taken in as far as anybody takes it.
    fn arrive(&mut self, number: u8, message: ProtocolMessage, payload: usize) -> Result<(), Fault> {
        if self.link.head.is_none() {
            self.link.head = Some((header(number, message.pack()), vec![number; payload]));
        }
        let pulled = self.side.pull(1, &mut self.link, Drain::Everything)?;
        assert_eq!(pulled.foreign, None);
        Ok(())
    }

    fn turn(&mut self) -> Result<(), Fault> {
        let mut watched = Vec::new();
        self.side.watched(&mut watched);
        if watched.contains(&1) {
            self.side.push(1, &mut self.link)?;
            self.side.pull(1, &mut self.link, Drain::Needed)?;
        }
        Ok(())
    }

    fn receive(&mut self, tag: u8, count: u16, flags: u8) -> Result<(), Fault> {
        let mut room = Box::new([0; ROOM]);
        let buffer = RecvBuffer {
            data: room.as_mut_ptr(),
            datatype: Datatype::Byte,
            count: u64::from(count) % (ROOM as u64 + 1),
            is_lenient: flags & 1 != 0,
        };
        self.rooms.push(room);
        let source = (flags & 2 == 0).then_some(1);
        let tag = (flags & 4 == 0).then_some(i32::from(tag % 4));
        let selector = Selector::new(source, tag);
        let ticket = match flags & 8 {
            // SAFETY: the room lives as long as the conversation, and nobody else looks at it.
            0 => unsafe { self.side.start_receive(selector, buffer) },
            _ => self.side.start_claim(selector, buffer),
        };
        self.tickets.push(ticket?);
        Ok(())
    }

    /// Takes the outcome of an operation, and goes on with the message that it has claimed, or with the
    /// elements that its receiver wants.
    fn take_claimed(&mut self, count: u16, flags: u8) -> Result<(), Fault> {
        let ended = self.tickets.iter().position(|ticket| self.side.has_outcome(*ticket));
        let Some(ticket) = ended.map(|at| self.tickets.swap_remove(at)) else { return Ok(()) };
        let Some(Ok(completion)) = self.side.take_outcome(ticket) else { return Ok(()) };
        let mut room = Box::new([0; ROOM]);
        if let Some(message) = completion.message {
            let has_reference = self.side.reference(message).is_some();
            if has_reference && flags & 1 == 0 {
                self.side.end_reference(message);
                return Ok(());
            }
            let count = u64::from(count) % (ROOM as u64 + 1);
            let data = room.as_mut_ptr();
            let buffer = RecvBuffer { data, datatype: Datatype::Byte, count, is_lenient: flags & 2 != 0 };
            self.rooms.push(room);
            // SAFETY: the room lives as long as the conversation, and nobody else looks at it.
            self.tickets.push(unsafe { self.side.start_claimed(message, buffer) }?);
        } else if let Some(wanted) = completion.wanted {
            let Status { tag, datatype, count, .. } = completion.status;
            let data = room.as_ptr();
            let what = OutgoingMessage { to: 1, tag, datatype, count, data, is_synchronous: false };
            self.rooms.push(room);
            // SAFETY: the room has as many bytes as every send here, and lives as long as the conversation.
            self.tickets.push(unsafe { self.side.start_wanted(&what, wanted) });
        }
        Ok(())
    }

    fn send(&mut self, tag: u8, count: u16, flags: u8) {
        let room = Box::new([1; ROOM]);
        let what = OutgoingMessage {
            to: 1,
            tag: i32::from(tag % 4),
            datatype: Datatype::Byte,
            count: u64::from(count) % (ROOM as u64 + 1),
            data: room.as_ptr(),
            is_synchronous: flags & 1 != 0,
        };
        self.rooms.push(room);
        let ticket = match flags & 2 {
            // SAFETY: the room lives as long as the conversation, and nobody writes to it.
            0 => unsafe { self.side.start_send(&what) },
            _ => self.side.start_reference(&what, &[1; REFERENCE_BYTES]),
        };
        self.tickets.push(ticket);
    }
}

fn header(number: u8, call: [u64; 2]) -> Header {
    // Some numbers are far off.
    let sequence = if number >= 0xf0 { u32::MAX - u32::from(number & 15) } else { u32::from(number) };
    Header { context: CONTEXT, sequence, call }
}

fn dialogues() -> Vec<Vec<u8>> {
    let receive = [0, 0, 1, 200, 0, 0];
    let any = [0, 0, 0, 255, 15, 7];
    let send = [1, 0, 1, 100, 0, 1];
    let eager = |number: u8| [2, number, 1, 100, 0, 0];
    let synchronous = [2, 0, 1, 50, 0, 4];
    let rendezvous = [3, 0, 1, 0, 0, 2 | 4];
    let window = [3, 0, 1, 255, 0xff, 1 | 0x40 | 16];
    let clear = [4, 0, 0, 100, 0, 0];
    let matched = [4, 0, 0, 0, 0, 1];
    let credit = [4, 0, 0, 50, 0, 2];
    let end = [5, 0, 1, 0, 0, 0];
    let claim = [0, 0, 1, 200, 0, 8];
    let reference = [2, 0, 1, 64, 0, 3];
    let next = |flags: u8| [8, 0, 0, 100, 0, flags];
    vec![
        [receive, eager(0), end, any, eager(1), end].concat(),
        [eager(0), eager(1), receive, end, any].concat(),
        [send, matched, end, send, credit].concat(),
        [synchronous, any, end, send, clear, matched].concat(),
        [rendezvous, any, [2, 0, 1, 40, 0, 2], end].concat(),
        [window, [2, 0, 1, 200, 0xff, 1 | 0x40 | 16], any, end].concat(),
        [send, [6, 0, 0, 0, 0, 0], receive, [6, 1, 0, 0, 0, 0], [7, 0, 1, 9, 0, 3]].concat(),
        [claim, reference, next(0), claim, [2, 1, 1, 64, 0, 3], next(1), [2, 1, 1, 40, 0, 3]].concat(),
        [[1, 0, 1, 100, 0, 2], clear, next(0), [1, 0, 1, 100, 0, 2], [4, 1, 0, 0, 0, 1], next(0)].concat(),
    ]
}
