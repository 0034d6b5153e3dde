//! The control channel to one peer: doorbells, stall notes, failure notices, goodbyes.
//!
//! The channel carries few bytes and no payload, so a failure notice overtakes any amount of data. The
//! channel also detects the death of a peer: the kernel closes the socket of a process that ends, however it
//! ends. A child of that process may keep the socket open. Peers of the same host therefore watch the process
//! as well.
//!
//! `message` defines the messages, `wire` their bytes.

#[cfg(any(test, feature = "fuzzing"))]
pub(super) mod foreign_bytes;
mod message;
mod wire;

use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::sync::Arc;

use super::garbage;
use crate::sys::descriptor_passing::CARRIER;
use crate::sys::process::Process;
use crate::sys::socket::Socket;

pub use message::{CallRecord, ControlMessage};

/// Limit of received bytes that wait to be parsed. A peer that exceeds it is treated as broken.
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
    /// Bytes that were read and are not parsed yet.
    received: Vec<u8>,
    /// Bytes that the socket has not accepted yet.
    unsent: Vec<u8>,
    closed: bool,
    /// The peer's process, if it can be watched.
    process: Option<Arc<Process>>,
    /// Whether that process has ended. Its last messages may still be unread, but no others will come.
    has_ended: bool,
}

impl ControlChannel {
    /// Makes a channel on a connected, authenticated socket.
    pub fn new(socket: Socket) -> ControlChannel {
        let process = if socket.is_unix() { Process::at_other_end(&socket) } else { None };
        let (received, unsent) = (Vec::new(), Vec::new());
        ControlChannel { socket, received, unsent, closed: false, process, has_ended: false }
    }

    /// Rings the doorbell. A full socket already holds enough doorbells.
    pub fn ring(&mut self) {
        if self.unsent.is_empty() {
            // A peer that is gone is noticed when reading.
            let _ = self.socket.write(wire::DOORBELL);
        }
    }

    /// Sends a message, now or in later calls of [`ControlChannel::flush`].
    pub fn send(&mut self, message: &ControlMessage) {
        if *message == ControlMessage::Doorbell {
            return self.ring();
        }
        wire::encode(message, &mut self.unsent);
        self.flush();
    }

    /// Sends what the socket has not accepted yet.
    pub fn flush(&mut self) {
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(Some(n)) => drop(self.unsent.drain(..n)),
                Ok(None) => return,
                // The peer is gone; a read reports it.
                Err(_) => self.unsent.clear(),
            }
        }
    }

    /// Whether bytes wait for room in the socket. A sleeper must wait for that room too.
    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty()
    }

    /// Whether the peer's end is closed. No more messages come then.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// The peer's process, while its end would still be new information.
    pub fn process(&self) -> Option<&Process> {
        self.process.as_deref().filter(|_| !self.closed && !self.has_ended)
    }

    /// Notes that the peer's process has ended.
    pub fn note_end(&mut self) {
        self.has_ended = true;
    }

    /// Ends the exchange with a peer that breaks the protocol. The peer can still read what was sent to it,
    /// and then sees the end of the stream. Nothing more is read from it.
    pub fn cut_off(&mut self) {
        self.flush();
        self.socket.end_writing();
        self.unsent.clear();
        self.received.clear();
        self.closed = true;
    }

    /// The next event, if there is one now. No event follows `Closed`.
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
                    // Doorbells only wake the rank, which is awake now, so most reads leave nothing to keep.
                    self.received.extend(&chunk[..n]);
                    if self.received.len() > BACKLOG_BYTES {
                        return Err(garbage("endless control messages"));
                    }
                }
                // A process that dies with unread bytes resets its connection. If the process has ended and
                // there is nothing to read, another process holds its socket open.
                Ok(None | Some(_)) | Err(_) => {
                    self.closed = true;
                    return Ok(Some(ControlEvent::Closed));
                }
            }
        }
    }

    /// The failure notice of the peer, if it has arrived. A rank calls this when it gives up setting up a
    /// link to this peer. Descriptors and messages before the notice are dropped, so the channel is unusable
    /// afterwards.
    pub fn take_failure_notice(&mut self) -> Option<ControlMessage> {
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

    /// The socket. Descriptors are passed over it before the first message.
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
