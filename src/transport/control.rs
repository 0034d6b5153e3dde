//! The control channel to one peer: doorbells, stall notes, failure notices, goodbyes.
//!
//! It carries few bytes and never payload, so that news of a failure overtakes any amount of data.
//! It is also how a death is noticed: the kernel closes the socket of a process that ends, however it ends. Where a child of
//! that process keeps the socket open, a peer of the same host is still seen to end: its process is watched, too.
//!
//! A message is one byte of type, then a body whose length the type gives (a notice has its own length).

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::garbage;
use crate::sys::descriptor_passing::CARRIER;
use crate::sys::process::Process;
use crate::sys::socket::Socket;

const BELL: u8 = 1;
const STALL: u8 = 2;
const NOTICE: u8 = 3;
const BYE: u8 = 4;
const LEFT: u8 = 5;
const AGREE: u8 = 6;
const QUIT: u8 = 7;
const HOLD: u8 = 8;
const RELEASE: u8 = 9;

/// Kind, three numbers and the length of the text.
const NOTICE_HEAD: usize = 15;
/// Two numbers and the length of the text.
const QUIT_HEAD: usize = 10;
/// Five numbers.
const AGREE_HEAD: usize = 20;
/// Context, and the number of calls that follow, or [`FAILED`].
const LEFT_HEAD: usize = 5;
/// Instead of a number of calls.
const FAILED: u8 = u8::MAX;
/// Number of the next call, and digest.
const RECORD_HEAD: usize = 12;
/// Longest list of ranks: one bit for each of half a million.
const LOST_BYTES: usize = 64 << 10;
/// Longest text of a notice.
const TEXT_BYTES: usize = 4096;
/// Where a peer that sends without end is stopped.
const BACKLOG_BYTES: usize = 1 << 20;

/// What a peer says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// There is something in shared memory for you: wake up.
    Bell,
    /// I have been waiting in this call for a while.
    Stall {
        /// As in [`super::Header`].
        context: u32,
        /// As in [`super::Header`].
        sequence: u32,
        /// As in [`super::Header`].
        call: [u64; 2],
    },
    /// A communicator has failed.
    Notice {
        /// As in [`super::Header`].
        context: u32,
        /// Kind of the failure, a number of the layer above.
        kind: u8,
        /// The rank that noticed it.
        origin: u32,
        /// The rank that it is about, or another number of the layer above.
        subject: u32,
        /// In words.
        text: String,
    },
    /// I have given up this communicator, in good order.
    Left {
        /// As in [`super::Header`].
        context: u32,
        /// What I have called in it; `None`: it has failed here, and the calls may differ.
        calls: Option<CallRecord>,
    },
    /// I have given up this communicator by myself, and have done my part in so many calls.
    Quit {
        /// As in [`super::Header`].
        context: u32,
        /// Collective calls.
        calls: u32,
        /// In words.
        reason: String,
    },
    /// I hold much of what you have sent ahead of my calls: send nothing more of calls from this number on.
    Hold {
        /// As in [`super::Header`].
        context: u32,
        /// The first call that I have not made.
        from: u32,
    },
    /// Send whatever you have.
    Release {
        /// As in [`super::Header`].
        context: u32,
    },
    /// Who is lost, as far as I know: one round of an agreement among the survivors of a communicator.
    Agree {
        /// As in [`super::Header`].
        context: u32,
        /// Numbers of the layer above: which agreement, which round of it, and what this rank proposes.
        numbers: [u32; 3],
        /// One bit per rank.
        lost: Vec<u8>,
    },
    /// I leave in good order; that my socket closes means nothing.
    Bye,
}

/// The calls that a rank has made in a communicator.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CallRecord {
    /// Number of the next call.
    pub next: u32,
    /// Digest of all calls, by number: equal where they are, different where one differs, but for chance.
    pub digest: u64,
    /// The latest calls, packed, the oldest first; at most [`CallRecord::LATEST`].
    pub latest: Vec<[u64; 2]>,
}

impl CallRecord {
    /// Calls that travel with a record: so the one that differs can be named.
    pub const LATEST: usize = 16;

    fn encode(&self, to: &mut Vec<u8>) {
        let latest = &self.latest[self.latest.len().saturating_sub(CallRecord::LATEST)..];
        to.push(latest.len() as u8);
        to.extend(self.next.to_le_bytes());
        to.extend(self.digest.to_le_bytes());
        latest.iter().flatten().for_each(|word| to.extend(word.to_le_bytes()));
    }
}

/// What was read.
#[derive(Debug, PartialEq, Eq)]
pub enum Event {
    /// A message.
    Message(Message),
    /// The peer's end is closed: its process has ended, or it left.
    Closed,
}

/// The control channel to one peer. Never blocks.
pub struct Control {
    socket: Socket,
    incoming: Vec<u8>,
    /// What the socket did not take yet.
    outgoing: Vec<u8>,
    closed: bool,
    /// The peer's process, where it can be watched.
    process: Option<Process>,
    /// Whether that process has ended: when its last words are read, nothing more will come.
    has_ended: bool,
}

impl Control {
    /// On a connected, authenticated socket.
    pub fn new(socket: Socket) -> Control {
        let process = if socket.is_unix() { Process::at_other_end(&socket) } else { None };
        let (incoming, outgoing) = (Vec::new(), Vec::new());
        Control { socket, incoming, outgoing, closed: false, process, has_ended: false }
    }

    /// Rings the doorbell. When the socket is full, enough bells are on the way already.
    pub fn ring(&mut self) {
        if self.outgoing.is_empty() {
            // A peer that has gone is noticed when reading.
            let _ = self.socket.write(&[BELL]);
        }
    }

    /// Sends a message, now or by later calls of [`Control::flush`].
    pub fn send(&mut self, message: &Message) {
        match message {
            Message::Bell => return self.ring(),
            Message::Stall { context, sequence, call } => {
                self.outgoing.push(STALL);
                self.outgoing.extend(context.to_le_bytes());
                self.outgoing.extend(sequence.to_le_bytes());
                self.outgoing.extend(call[0].to_le_bytes());
                self.outgoing.extend(call[1].to_le_bytes());
            }
            Message::Notice { context, kind, origin, subject, text } => {
                let text = &text.as_bytes()[..text.floor_char_boundary(TEXT_BYTES)];
                self.outgoing.push(NOTICE);
                self.outgoing.push(*kind);
                self.outgoing.extend(context.to_le_bytes());
                self.outgoing.extend(origin.to_le_bytes());
                self.outgoing.extend(subject.to_le_bytes());
                self.outgoing.extend((text.len() as u16).to_le_bytes());
                self.outgoing.extend(text);
            }
            Message::Left { context, calls } => {
                self.outgoing.push(LEFT);
                self.outgoing.extend(context.to_le_bytes());
                match calls {
                    Some(calls) => calls.encode(&mut self.outgoing),
                    None => self.outgoing.push(FAILED),
                }
            }
            Message::Quit { context, calls, reason } => {
                let text = &reason.as_bytes()[..reason.floor_char_boundary(TEXT_BYTES)];
                self.outgoing.push(QUIT);
                self.outgoing.extend(context.to_le_bytes());
                self.outgoing.extend(calls.to_le_bytes());
                self.outgoing.extend((text.len() as u16).to_le_bytes());
                self.outgoing.extend(text);
            }
            Message::Agree { context, numbers, lost } => {
                self.outgoing.push(AGREE);
                self.outgoing.extend(context.to_le_bytes());
                numbers.iter().for_each(|number| self.outgoing.extend(number.to_le_bytes()));
                self.outgoing.extend((lost.len() as u32).to_le_bytes());
                self.outgoing.extend(lost);
            }
            Message::Hold { context, from } => {
                self.outgoing.push(HOLD);
                self.outgoing.extend(context.to_le_bytes());
                self.outgoing.extend(from.to_le_bytes());
            }
            Message::Release { context } => {
                self.outgoing.push(RELEASE);
                self.outgoing.extend(context.to_le_bytes());
            }
            Message::Bye => self.outgoing.push(BYE),
        }
        self.flush();
    }

    /// Sends what was left over.
    pub fn flush(&mut self) {
        while !self.outgoing.is_empty() {
            match self.socket.write(&self.outgoing) {
                Ok(Some(n)) => drop(self.outgoing.drain(..n)),
                Ok(None) => return,
                // The peer has gone; reading says so.
                Err(_) => self.outgoing.clear(),
            }
        }
    }

    /// Whether a sleeper should wait for room, too.
    pub fn has_unsent(&self) -> bool {
        !self.outgoing.is_empty()
    }

    /// Whether the peer's end is closed: nothing more will come.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The peer's process, for as long as its end would be news.
    pub fn process(&self) -> Option<&Process> {
        self.process.as_ref().filter(|_| !self.closed && !self.has_ended)
    }

    /// Takes note that the peer's process has ended.
    pub fn note_end(&mut self) {
        self.has_ended = true;
    }

    /// Ends the conversation with a peer that does not keep to the rules: it reads what was said to it, and then the end. Nothing of
    /// what it says is read any more.
    pub fn cut_off(&mut self) {
        self.flush();
        self.socket.end_writing();
        self.outgoing.clear();
        self.incoming.clear();
        self.closed = true;
    }

    /// The next event, if there is one now. After `Closed` there are no more.
    pub fn next_event(&mut self) -> io::Result<Option<Event>> {
        loop {
            if let Some(message) = self.parse()? {
                return Ok(Some(Event::Message(message)));
            }
            if self.closed {
                return Ok(None);
            }
            let mut chunk = [0u8; 512];
            match self.socket.read(&mut chunk) {
                Ok(None) if !self.has_ended => return Ok(None),
                Ok(Some(n)) if n > 0 => {
                    // Bells only wake, and waking has happened: most reads leave nothing to keep.
                    self.incoming.extend(&chunk[..n]);
                    if self.incoming.len() > BACKLOG_BYTES {
                        return Err(garbage("endless control messages"));
                    }
                }
                // A reset is how the death of a process looks when it left bytes unread. Nothing there, of a process that has
                // ended: somebody else holds its socket.
                Ok(None | Some(_)) | Err(_) => {
                    self.closed = true;
                    return Ok(Some(Event::Closed));
                }
            }
        }
    }

    /// The failure that the peer tells of, if it has by now: for a rank that gives up what it sets up with this peer. Descriptors
    /// and messages that come before are dropped; afterwards the channel is of no other use.
    pub fn last_words(&mut self) -> Option<Message> {
        loop {
            match self.next_event() {
                Ok(Some(Event::Message(notice @ Message::Notice { .. }))) => return Some(notice),
                Ok(Some(Event::Message(_))) => {}
                Err(_) if self.incoming.first() == Some(&CARRIER) => drop(self.incoming.drain(..1)),
                Ok(Some(Event::Closed) | None) | Err(_) => return None,
            }
        }
    }

    fn parse(&mut self) -> io::Result<Option<Message>> {
        let bells = self.incoming.iter().take_while(|byte| **byte == BELL).count();
        if bells > 0 {
            self.incoming.drain(..bells);
            return Ok(Some(Message::Bell));
        }
        let Some((&kind, body)) = self.incoming.split_first() else { return Ok(None) };
        let (message, len) = match kind {
            STALL => {
                let Some(body) = body.first_chunk::<24>() else { return Ok(None) };
                let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| body[at + i]));
                let (context, sequence) = (word(0) as u32, (word(0) >> 32) as u32);
                (Message::Stall { context, sequence, call: [word(8), word(16)] }, 24)
            }
            NOTICE => {
                let Some(head) = body.first_chunk::<NOTICE_HEAD>() else { return Ok(None) };
                let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| head[at + i]));
                let len = usize::from(u16::from_le_bytes([head[13], head[14]]));
                if len > TEXT_BYTES {
                    return Err(garbage("an endless failure notice"));
                }
                let Some(text) = body.get(NOTICE_HEAD..NOTICE_HEAD + len) else { return Ok(None) };
                let text = String::from_utf8_lossy(text).into_owned();
                let (context, origin, subject) = (word(1), word(5), word(9));
                (Message::Notice { context, kind: head[0], origin, subject, text }, NOTICE_HEAD + len)
            }
            LEFT => {
                let Some((head, body)) = body.split_first_chunk::<LEFT_HEAD>() else { return Ok(None) };
                let [context @ .., count] = *head;
                let context = u32::from_le_bytes(context);
                let (calls, len) = match usize::from(count) {
                    _ if count == FAILED => (None, 0),
                    count if count > CallRecord::LATEST => {
                        return Err(garbage("an endless list of calls"));
                    }
                    count => {
                        let len = RECORD_HEAD + 16 * count;
                        let Some(record) = body.get(..len) else { return Ok(None) };
                        (Some(decode_record(record)), len)
                    }
                };
                (Message::Left { context, calls }, LEFT_HEAD + len)
            }
            QUIT => {
                let Some(head) = body.first_chunk::<QUIT_HEAD>() else { return Ok(None) };
                let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| head[at + i]));
                let len = usize::from(u16::from_le_bytes([head[8], head[9]]));
                if len > TEXT_BYTES {
                    return Err(garbage("an endless reason"));
                }
                let Some(text) = body.get(QUIT_HEAD..QUIT_HEAD + len) else { return Ok(None) };
                let reason = String::from_utf8_lossy(text).into_owned();
                (Message::Quit { context: word(0), calls: word(4), reason }, QUIT_HEAD + len)
            }
            AGREE => {
                let Some(head) = body.first_chunk::<AGREE_HEAD>() else { return Ok(None) };
                let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| head[4 * at + i]));
                let len = word(4) as usize;
                if len > LOST_BYTES {
                    return Err(garbage("an endless list of ranks"));
                }
                let Some(lost) = body.get(AGREE_HEAD..AGREE_HEAD + len) else { return Ok(None) };
                let (numbers, lost) = ([word(1), word(2), word(3)], lost.to_vec());
                (Message::Agree { context: word(0), numbers, lost }, AGREE_HEAD + len)
            }
            HOLD => {
                let Some(body) = body.first_chunk::<8>() else { return Ok(None) };
                let [context, from] =
                    [0, 4].map(|at| u32::from_le_bytes(std::array::from_fn(|i| body[at + i])));
                (Message::Hold { context, from }, 8)
            }
            RELEASE => {
                let Some(context) = body.first_chunk::<4>() else { return Ok(None) };
                (Message::Release { context: u32::from_le_bytes(*context) }, 4)
            }
            BYE => (Message::Bye, 0),
            _ => return Err(garbage("an unknown control message")),
        };
        self.incoming.drain(..1 + len);
        Ok(Some(message))
    }

    /// The socket, for passing descriptors before the first message.
    pub fn socket(&self) -> &Socket {
        &self.socket
    }
}

/// `bytes` are a whole record, without the number of calls.
fn decode_record(bytes: &[u8]) -> CallRecord {
    let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
    let calls = (RECORD_HEAD..bytes.len()).step_by(16).map(|at| [word(at), word(at + 8)]);
    CallRecord { next: word(0) as u32, digest: word(4), latest: calls.collect() }
}

impl AsRawFd for Control {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sys::descriptor_passing::send_descriptor;
    use std::os::unix::net::UnixStream;

    fn pair() -> (Control, Control) {
        let (a, b) = UnixStream::pair().unwrap();
        let control = |s: UnixStream| Control::new(Socket::from_fd(s.into(), true).unwrap());
        (control(a), control(b))
    }

    #[test]
    fn messages_arrive_in_order_and_then_the_end() {
        let (mut a, mut b) = pair();
        let said = [
            Message::Bell,
            Message::Stall { context: 7, sequence: 9, call: [u64::MAX, 3] },
            Message::Notice { context: 6, kind: 2, origin: 1, subject: 5, text: "räuber".repeat(3) },
            Message::Left { context: 8, calls: None },
            Message::Left {
                context: 10,
                calls: Some(CallRecord {
                    next: 5,
                    digest: u64::MAX - 1,
                    latest: vec![[1, 2], [3, u64::MAX]],
                }),
            },
            Message::Left { context: 12, calls: Some(CallRecord::default()) },
            Message::Quit { context: 6, calls: u32::MAX, reason: "genug".into() },
            Message::Agree { context: 9, numbers: [1, 2, u32::MAX], lost: vec![0b101, 7] },
            Message::Hold { context: 14, from: u32::MAX - 3 },
            Message::Release { context: 16 },
            Message::Bye,
        ];
        for message in &said {
            a.send(message);
        }
        drop(a);
        for message in said {
            assert_eq!(b.next_event().unwrap(), Some(Event::Message(message)));
        }
        assert_eq!(b.next_event().unwrap(), Some(Event::Closed));
        assert_eq!(b.next_event().unwrap(), None);
    }

    #[test]
    fn a_notice_that_comes_in_single_bytes_is_read() {
        let (a, mut b) = pair();
        let (mut record, reader) = pair();
        record.send(&Message::Notice { context: 0, kind: 1, origin: 0, subject: 2, text: "lost".into() });
        let mut bytes = [0u8; 64];
        let n = reader.socket.read(&mut bytes).unwrap().unwrap();
        for (i, byte) in bytes[..n].iter().enumerate() {
            a.socket.write(&[*byte]).unwrap();
            assert_eq!(b.next_event().unwrap().is_some(), i + 1 == n);
        }
    }

    #[test]
    fn last_words_are_heard_behind_descriptors_and_bells_and_after_the_end() {
        let (mut a, mut b) = pair();
        let (file, _) = UnixStream::pair().unwrap();
        send_descriptor(a.socket(), &file.into()).unwrap();
        a.ring();
        let notice = Message::Notice { context: 0, kind: 2, origin: 1, subject: 5, text: "gone".into() };
        assert_eq!(b.last_words(), None);
        a.send(&notice);
        drop(a);
        assert_eq!(b.last_words(), Some(notice));
        assert_eq!(b.last_words(), None);
    }

    #[test]
    fn nonsense_is_an_error() {
        let (a, mut b) = pair();
        a.socket.write(&[99]).unwrap();
        assert!(b.next_event().is_err());
        assert!(b.next_event().is_err());
        let (mut a, mut b) = (a, b);
        b.send(&Message::Bye);
        b.cut_off();
        assert_eq!(b.next_event().unwrap(), None);
        assert_eq!(a.next_event().unwrap(), Some(Event::Message(Message::Bye)));
        assert_eq!(a.next_event().unwrap(), Some(Event::Closed));
        let (a, mut b) = pair();
        a.socket.write(&[NOTICE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]).unwrap();
        assert!(b.next_event().is_err());
    }
}
