//! The connection between the owner of buffers and the leader that maps them: records of one length over a
//! Unix socket, some with a descriptor. Nobody waits for the other side.

use std::os::fd::OwnedFd;

use super::Number;
use crate::device::direct::{Export, IpcHandle};
use crate::sys::descriptor_passing::{CARRIER, receive_descriptor, send_descriptor};
use crate::sys::poll::{Interest, PollSet};
use crate::sys::socket::Socket;

/// Bytes of a record: kind, two numbers, and a handle.
const BYTES: usize = 88;

/// A message from one side to the other.
pub enum Record {
    /// Owner: its connection has this number. The descriptor of the memory for `uses` comes along.
    Hello(Number),
    /// Owner: please map the allocation of this number and length.
    Map { id: u64, bytes: u64, export: Export },
    /// Owner: nobody uses the mapping with this token any more.
    Release { token: u64 },
    /// Leader: the allocation is mapped.
    Mapped { id: u64, token: u64 },
    /// Leader: the allocation cannot be mapped.
    Refused { id: u64 },
}

/// One end of a connection.
pub struct Channel {
    socket: Socket,
    /// The beginning of a record that has not arrived as a whole.
    begun: Vec<u8>,
    /// A descriptor whose record has not arrived.
    descriptor: Option<OwnedFd>,
    /// Whether the other side has gone, or has broken the rules.
    is_lost: bool,
}

impl Channel {
    /// An end of a connected socket.
    pub fn new(socket: Socket) -> Channel {
        Channel { socket, begun: Vec::new(), descriptor: None, is_lost: false }
    }

    /// Whether the other side has gone.
    pub fn is_lost(&mut self) -> bool {
        let mut set = PollSet::new();
        let hangup = set.add(&self.socket, Interest::Hangup);
        self.is_lost |= set.look().is_err() || set.ready(hangup);
        self.is_lost
    }

    /// Sends a record, and a descriptor before it. Returns whether it was sent: a full connection
    /// counts as lost.
    pub fn send(&mut self, record: &Record, descriptor: Option<&OwnedFd>) -> bool {
        let bytes = record.to_bytes();
        let send = || {
            descriptor.is_none_or(|descriptor| send_descriptor(&self.socket, descriptor).is_ok())
                && self.socket.write(&bytes).is_ok_and(|written| written == Some(BYTES))
        };
        self.is_lost = self.is_lost || !send();
        !self.is_lost
    }

    /// The next record that has arrived.
    pub fn next(&mut self) -> Option<Record> {
        if self.is_lost {
            return None;
        }
        let mut set = PollSet::new();
        let arrived = set.add(&self.socket, Interest::Read);
        if set.look().is_err() || !set.ready(arrived) {
            return None;
        }
        if self.begun.is_empty() && self.descriptor.is_none() {
            // There is something to read. If it is a record, that stays for now.
            self.descriptor = receive_descriptor(&self.socket, None).ok();
        }
        let mut rest = [0; BYTES];
        let missing = BYTES - self.begun.len();
        match self.socket.read(&mut rest[..missing]) {
            Ok(None) => return None,
            Ok(Some(read)) if read > 0 => self.begun.extend(&rest[..read]),
            _ => self.is_lost = true,
        }
        let bytes: [u8; BYTES] = self.begun.as_slice().try_into().ok()?;
        self.begun.clear();
        let record = Record::from_bytes(&bytes, &mut self.descriptor);
        self.is_lost |= record.is_none();
        record
    }

    /// The descriptor that has come with a [`Record::Hello`].
    pub fn take_descriptor(&mut self) -> Option<OwnedFd> {
        self.descriptor.take()
    }
}

/// Kinds of records. None is the byte that travels with a descriptor.
const HELLO: u8 = 1;
const MAP_HANDLE: u8 = 2;
const MAP_DESCRIPTOR: u8 = 3;
const RELEASE: u8 = 4;
const MAPPED: u8 = 5;
const REFUSED: u8 = 6;
const _: () = assert!(CARRIER > REFUSED);

impl Record {
    fn to_bytes(&self) -> [u8; BYTES] {
        let (kind, numbers, handle): (u8, [u64; 2], Option<&IpcHandle>) = match self {
            Record::Hello(number) => (HELLO, words(number), None),
            Record::Map { id, bytes, export: Export::Handle(handle) } => {
                (MAP_HANDLE, [*id, *bytes], Some(handle))
            }
            Record::Map { id, bytes, export: Export::Descriptor(_) } => (MAP_DESCRIPTOR, [*id, *bytes], None),
            Record::Release { token } => (RELEASE, [*token, 0], None),
            Record::Mapped { id, token } => (MAPPED, [*id, *token], None),
            Record::Refused { id } => (REFUSED, [*id, 0], None),
        };
        let mut bytes = [0; BYTES];
        bytes[0] = kind;
        bytes[8..16].copy_from_slice(&numbers[0].to_le_bytes());
        bytes[16..24].copy_from_slice(&numbers[1].to_le_bytes());
        if let Some(handle) = handle {
            bytes[24..].copy_from_slice(handle);
        }
        bytes
    }

    fn from_bytes(bytes: &[u8; BYTES], descriptor: &mut Option<OwnedFd>) -> Option<Record> {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
        let (first, second) = (word(8), word(16));
        Some(match bytes[0] {
            HELLO => Record::Hello(std::array::from_fn(|i| bytes[8 + i])),
            MAP_HANDLE => {
                let export = Export::Handle(std::array::from_fn(|i| bytes[24 + i]));
                Record::Map { id: first, bytes: second, export }
            }
            MAP_DESCRIPTOR => {
                Record::Map { id: first, bytes: second, export: Export::Descriptor(descriptor.take()?) }
            }
            RELEASE => Record::Release { token: first },
            MAPPED => Record::Mapped { id: first, token: second },
            REFUSED => Record::Refused { id: first },
            _ => return None,
        })
    }
}

fn words(number: &Number) -> [u64; 2] {
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| number[at + i]));
    [word(0), word(8)]
}

#[cfg(test)]
mod tests {
    use std::os::unix::net::UnixStream;

    use super::*;

    fn pair() -> [Channel; 2] {
        let (one, two) = UnixStream::pair().unwrap();
        [one, two].map(|end| Channel::new(Socket::from_fd(end.into(), true).unwrap()))
    }

    #[test]
    fn records_arrive_in_their_order_and_with_their_descriptors() {
        let [mut owner, mut leader] = pair();
        let file = || OwnedFd::from(UnixStream::pair().unwrap().0);
        assert!(owner.send(&Record::Hello([7; 16]), Some(&file())));
        let export = Export::Descriptor(file());
        let Export::Descriptor(descriptor) = &export else { unreachable!() };
        let copy = descriptor.try_clone().unwrap();
        assert!(owner.send(&Record::Map { id: 1, bytes: 2, export }, Some(&copy)));
        assert!(owner.send(&Record::Map { id: 3, bytes: 4, export: Export::Handle([5; 64]) }, None));
        assert!(owner.send(&Record::Release { token: 6 }, None));
        assert!(matches!(leader.next(), Some(Record::Hello([7, ..]))));
        assert!(leader.take_descriptor().is_some());
        let next = leader.next();
        assert!(matches!(next, Some(Record::Map { id: 1, bytes: 2, export: Export::Descriptor(_) })));
        let next = leader.next();
        assert!(matches!(next, Some(Record::Map { id: 3, bytes: 4, export: Export::Handle([5, ..]) })));
        assert!(matches!(leader.next(), Some(Record::Release { token: 6 })));
        assert!(leader.next().is_none() && !leader.is_lost());
        drop(owner);
        assert!(leader.is_lost());
    }

    #[test]
    fn a_record_that_nobody_may_send_ends_the_connection() {
        let [owner, mut leader] = pair();
        owner.socket.write(&[9; BYTES]).unwrap();
        assert!(leader.next().is_none() && leader.is_lost);
        let [mut owner, mut leader] = pair();
        // A descriptor is announced, and none comes.
        let export = Export::Descriptor(UnixStream::pair().unwrap().0.into());
        assert!(owner.send(&Record::Map { id: 1, bytes: 2, export }, None));
        assert!(leader.next().is_none() && leader.is_lost);
    }
}
