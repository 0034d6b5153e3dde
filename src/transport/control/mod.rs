//! The control channel to one peer: doorbells, stall notes, failure notices, goodbyes, and files of shared
//! memory.
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

use std::collections::VecDeque;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};
use std::sync::Arc;

use super::garbage;
use crate::sys::descriptor_passing::{CARRIER, Received, read_with_descriptor, send_descriptor};
use crate::sys::owned::Owned;
use crate::sys::process::Process;
use crate::sys::socket::Socket;

pub use message::{CallRecord, ControlMessage};

/// Most files that wait to be taken. A peer passes two.
const MOST_FILES: usize = 8;

/// Limit of received bytes that wait to be parsed. A peer that exceeds it is treated as broken.
const BACKLOG_BYTES: usize = 1 << 20;

/// A file that several channels may have to pass.
pub type SharedFile = Arc<dyn AsRawFd + Send + Sync>;

/// Whether a file can be passed later: the socket is full, the kernel has no memory for the message, or the
/// user has too many files on their way, which the receivers will take.
fn may_pass_later(error: &io::Error) -> bool {
    let later = [libc::EAGAIN, libc::ENOBUFS, libc::ENOMEM, libc::ETOOMANYREFS];
    error.raw_os_error().is_some_and(|number| later.contains(&number))
}

/// Whether a file could not be passed because the peer has closed its end.
fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

/// What a read of the channel gives.
#[derive(Debug, PartialEq, Eq)]
pub enum ControlEvent {
    /// A message.
    Message(ControlMessage),
    /// A file that the peer has passed ([`ControlChannel::take_file`]).
    File,
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
    /// Whether a doorbell follows them.
    unrung: bool,
    /// Files that follow them.
    unpassed: VecDeque<SharedFile>,
    /// Whether a file was passed.
    has_passed: bool,
    /// Why a file cannot be passed, now and later.
    file_error: Option<io::Error>,
    /// Whether the socket had no room at the last attempt to send.
    is_full: bool,
    /// Files that have come, in order. `None`: the kernel could not make its descriptor.
    files: VecDeque<Option<Owned<OwnedFd>>>,
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
        ControlChannel {
            socket,
            received: Vec::new(),
            unsent: Vec::new(),
            unrung: false,
            unpassed: VecDeque::new(),
            has_passed: false,
            file_error: None,
            is_full: false,
            files: VecDeque::new(),
            closed: false,
            process,
            has_ended: false,
        }
    }

    /// Rings the doorbell, now or in later calls of [`ControlChannel::flush`].
    pub fn ring(&mut self) {
        self.unrung = true;
        if self.unsent.is_empty() {
            self.flush_doorbell();
        }
    }

    fn flush_doorbell(&mut self) {
        // A peer that is gone is noticed when reading.
        self.unrung = matches!(self.socket.write(wire::DOORBELL), Ok(None));
        self.is_full |= self.unrung;
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
        self.is_full = false;
        while !self.unsent.is_empty() {
            match self.socket.write(&self.unsent) {
                Ok(Some(n)) => drop(self.unsent.drain(..n)),
                Ok(None) => {
                    self.is_full = true;
                    return;
                }
                // The peer is gone; a read reports it.
                Err(_) => self.unsent.clear(),
            }
        }
        while let Some(file) = self.unpassed.front() {
            match send_descriptor(&self.socket, &**file) {
                Err(error) if may_pass_later(&error) => {
                    self.is_full = error.kind() == io::ErrorKind::WouldBlock;
                    break;
                }
                Ok(()) => {
                    self.unpassed.pop_front();
                    self.has_passed = true;
                }
                Err(error) => {
                    // If the peer is gone, a read reports it. No later file may take the place of this one.
                    self.unpassed.clear();
                    self.file_error = Some(error).filter(|error| !is_gone(error));
                }
            }
        }
        if self.unrung {
            self.flush_doorbell();
        }
    }

    /// Passes a file to the peer, now or in later calls of [`ControlChannel::flush`]. The socket is a Unix
    /// socket.
    pub fn pass(&mut self, file: SharedFile) {
        if self.file_error.is_none() {
            self.unpassed.push_back(file);
            self.flush();
        }
    }

    /// Why the first file cannot be passed, if the peer is not the reason.
    pub fn take_error_of_first_file(&mut self) -> Option<io::Error> {
        self.file_error.take_if(|_| !self.has_passed)
    }

    /// The file of the last event. `None`: its descriptor could not be made here.
    pub fn take_file(&mut self) -> Option<Owned<OwnedFd>> {
        self.files.pop_front().flatten()
    }

    /// Whether the first file waits until it can be passed.
    pub fn keeps_first_file(&self) -> bool {
        !self.has_passed && self.keeps_file()
    }

    /// Whether something waits for room in the socket. A sleeper must wait for that room too.
    pub fn waits_for_room(&self) -> bool {
        self.is_full
    }

    /// Whether the kernel has refused a file although the socket has room. No event says when it may be
    /// passed, so a sleeper must look again soon.
    pub fn is_refused(&self) -> bool {
        self.keeps_file() && !self.is_full
    }

    /// Whether a message waits to be sent.
    pub fn has_unsent(&self) -> bool {
        !self.unsent.is_empty() || self.unrung
    }

    /// Whether a file waits to be passed.
    pub fn keeps_file(&self) -> bool {
        !self.unpassed.is_empty()
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
        (self.unsent, self.unpassed, self.unrung) = (Vec::new(), VecDeque::new(), false);
        self.is_full = false;
        self.received.clear();
        self.files.clear();
        self.closed = true;
    }

    /// The next event, if there is one now. No event follows `Closed`.
    pub fn next_event(&mut self) -> io::Result<Option<ControlEvent>> {
        loop {
            if let Some(event) = self.parse()? {
                return Ok(Some(event));
            }
            if self.closed {
                return Ok(None);
            }
            let mut chunk = [0u8; 512];
            match self.read(&mut chunk) {
                Ok(None) if !self.has_ended => return Ok(None),
                Ok(Some(n)) if n > 0 => {
                    // Doorbells only wake the rank, which is awake now, so most reads leave nothing to keep.
                    self.received.extend(&chunk[..n]);
                    if self.received.len() > BACKLOG_BYTES || self.files.len() > MOST_FILES {
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
    /// link to this peer. Files and messages before the notice are dropped, so the channel is unusable
    /// afterwards.
    pub fn take_failure_notice(&mut self) -> Option<ControlMessage> {
        loop {
            match self.next_event() {
                Ok(Some(ControlEvent::Message(notice @ ControlMessage::Notice { .. }))) => {
                    return Some(notice);
                }
                Ok(Some(ControlEvent::Message(_))) => {}
                Ok(Some(ControlEvent::File)) => drop(self.take_file()),
                Ok(Some(ControlEvent::Closed) | None) | Err(_) => return None,
            }
        }
    }

    /// Reads bytes, and keeps the file that has come with them. Only a Unix socket carries files.
    fn read(&mut self, chunk: &mut [u8]) -> io::Result<Option<usize>> {
        if !self.socket.is_unix() {
            return self.socket.read(chunk);
        }
        let Some(Received { bytes, descriptor, is_lost }) = read_with_descriptor(&self.socket, chunk)? else {
            return Ok(None);
        };
        if descriptor.is_some() || is_lost {
            self.files.push_back(descriptor.map(Owned::new));
        }
        Ok(Some(bytes))
    }

    fn parse(&mut self) -> io::Result<Option<ControlEvent>> {
        if self.received.first() == Some(&CARRIER) && !self.files.is_empty() {
            self.received.drain(..1);
            return Ok(Some(ControlEvent::File));
        }
        let Some((message, bytes)) = wire::decode(&self.received)? else { return Ok(None) };
        self.received.drain(..bytes);
        Ok(Some(ControlEvent::Message(message)))
    }

    /// The socket.
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
pub(crate) mod tests;
