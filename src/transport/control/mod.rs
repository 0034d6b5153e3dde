//! The control channel to one peer: doorbells, stall notes, failure notices, goodbyes.
//!
//! It carries few bytes and never payload, so that a failure notice overtakes any amount of data. It is also
//! how a death is noticed: the kernel closes the socket of a process that ends, however it ends. Where a
//! child of that process keeps the socket open, a peer of the same host is still seen to end, because its
//! process is watched too.
//!
//! `message` has the messages, `wire` their bytes.

mod message;
mod wire;

use std::io;
use std::os::fd::{AsRawFd, RawFd};

use super::garbage;
use crate::sys::descriptor_passing::CARRIER;
use crate::sys::process::Process;
use crate::sys::socket::Socket;

pub use message::{CallRecord, ControlMessage};

/// Most bytes that wait to be parsed: a peer that sends without end is stopped there.
const BACKLOG_BYTES: usize = 1 << 20;

/// What a read of the channel gives.
#[derive(Debug, PartialEq, Eq)]
pub enum ControlEvent {
    /// A message.
    Message(ControlMessage),
    /// The peer's end is closed: its process has ended, or it left.
    Closed,
}

/// The control channel to one peer. Never blocks.
pub struct ControlChannel {
    socket: Socket,
    /// Bytes that are read and not parsed yet.
    received: Vec<u8>,
    /// Bytes that the socket did not take yet.
    unsent: Vec<u8>,
    closed: bool,
    /// The peer's process, where it can be watched.
    process: Option<Process>,
    /// Whether that process has ended: when its last messages are read, nothing more will come.
    has_ended: bool,
}

impl ControlChannel {
    /// Makes a channel on a connected, authenticated socket.
    pub fn new(socket: Socket) -> ControlChannel {
        let process = if socket.is_unix() { Process::at_other_end(&socket) } else { None };
        let (received, unsent) = (Vec::new(), Vec::new());
        ControlChannel { socket, received, unsent, closed: false, process, has_ended: false }
    }

    /// Rings the doorbell. When the socket is full, enough doorbells are on the way already.
    pub fn ring(&mut self) {
        if self.unsent.is_empty() {
            // A peer that has gone is noticed when reading.
            let _ = self.socket.write(wire::DOORBELL);
        }
    }

    /// Sends a message, now or by later calls of [`ControlChannel::flush`].
    pub fn send(&mut self, message: &ControlMessage) {
        if *message == ControlMessage::Doorbell {
            return self.ring();
        }
        wire::encode(message, &mut self.unsent);
        self.flush();
    }

    /// Sends what the socket has not taken yet.
    pub fn flush(&mut self) {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(Some(n)) => drop(self.unsent.drain(..n)),
                Ok(None) => return,
                // The peer has gone; reading says so.
                Err(_) => self.unsent.clear(),
            }
        }
    }

    /// Whether a sleeper should wait for room, too.
    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Whether the peer's end is closed: nothing more will come.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The peer's process, for as long as its end would tell anything new.
    pub fn process(&self) -> Option<&Process> {
        self.process.as_ref().filter(|_| !self.closed && !self.has_ended)
    }

    /// Takes note that the peer's process has ended.
    pub fn note_end(&mut self) {
        self.has_ended = true;
    }

    /// Ends the exchange with a peer that breaks the rules: it reads what was sent to it, and then the end.
    /// Nothing that it sends is read any more.
    pub fn cut_off(&mut self) {
        self.flush();
        self.socket.end_writing();
        self.unsent.clear();
        self.received.clear();
        self.closed = true;
    }

    /// The next event, if there is one now. After `Closed` there are no more.
    pub fn next_event(&mut self) -> io::Result<Option<ControlEvent>> {
        loop {
            if let Some(message) = self.parse()? {
                return Ok(Some(ControlEvent::Message(message)));
            }
            if self.closed {
                return Ok(None);
            }
            let mut chunk = [0u8; 512];
            match self.socket.read(&mut chunk) {
                Ok(None) if !self.has_ended => return Ok(None),
                Ok(Some(n)) if n > 0 => {
                    // Doorbells only wake, and waking has happened: most reads leave nothing to keep.
                    self.received.extend(&chunk[..n]);
                    if self.received.len() > BACKLOG_BYTES {
                        return Err(garbage("endless control messages"));
                    }
                }
                // A process that dies with bytes unread resets its connection. Where a process has ended and
                // nothing is there, somebody else holds its socket.
                Ok(None | Some(_)) | Err(_) => {
                    self.closed = true;
                    return Ok(Some(ControlEvent::Closed));
                }
            }
        }
    }

    /// The failure notice of the peer, if one has come by now: for a rank that gives up what it sets up with
    /// this peer. Descriptors and messages before it are dropped; afterwards the channel is of no other use.
    pub fn last_words(&mut self) -> Option<ControlMessage> {
        loop {
            match self.next_event() {
                Ok(Some(ControlEvent::Message(notice @ ControlMessage::Notice { .. }))) => {
                    return Some(notice);
                }
                Ok(Some(ControlEvent::Message(_))) => {}
                Err(_) if self.received.first() == Some(&CARRIER) => drop(self.received.drain(..1)),
                Ok(Some(ControlEvent::Closed) | None) | Err(_) => return None,
            }
        }
    }

    fn parse(&mut self) -> io::Result<Option<ControlMessage>> {
        let Some((message, bytes)) = wire::decode(&self.received)? else { return Ok(None) };
        self.received.drain(..bytes);
        Ok(Some(message))
    }

    /// The socket, for passing descriptors before the first message.
    pub fn socket(&self) -> &Socket {
        &self.socket
    }
}

impl AsRawFd for ControlChannel {
    fn as_raw_fd(&self) -> RawFd {
        self.socket.as_raw_fd()
    }
}

#[cfg(test)]
mod tests;
