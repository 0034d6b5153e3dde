//! What a rank keeps of one peer: both halves of its link, why that has failed, and who should look at it.
//!
//! The completions of all peers come out of one queue, so a look at one link may find what concerns another.
//! Each link therefore notes what concerns it, and has a doorbell for those who sleep for it already.

use std::io::{self, ErrorKind};
use std::ops::Range;

use super::frame::decode;
use super::recv::Receiver;
use super::send::Sender;
use crate::sys::poll::Interest;
use crate::sys::wake::Wake;

/// What a rank knows of one peer.
pub(super) struct Peer {
    /// Handle of its address, and the tag of frames for it. `None`: it is not known yet.
    pub to: Option<(u64, u64)>,
    /// Most bytes of payload of a fragment for it.
    pub most: usize,
    pub send: Sender,
    pub recv: Receiver,
    /// Whether its first frame has come.
    pub has_come: bool,
    /// Receives for it that have failed since the last that has not.
    pub failures: usize,
    failure: Option<(ErrorKind, String)>,
    /// Whether something has come, or has been sent or read, at which the link has not looked since.
    has_arrivals: bool,
    has_room: bool,
    /// Wakes those who sleep for this link when another thread takes out its completions.
    pub doorbell: Wake,
    is_rung: bool,
}

impl Peer {
    /// A peer that is not known yet, for which there are these buffers.
    pub fn new(buffers: Range<usize>) -> io::Result<Peer> {
        Ok(Peer {
            to: None,
            most: 0,
            send: Sender::new(buffers),
            recv: Receiver::default(),
            has_come: false,
            failures: 0,
            failure: None,
            has_arrivals: false,
            has_room: false,
            doorbell: Wake::new()?,
            is_rung: false,
        })
    }

    /// The error of the link, if it has failed.
    pub fn check(&self) -> io::Result<()> {
        match &self.failure {
            Some((kind, text)) => Err(io::Error::new(*kind, text.clone())),
            None => Ok(()),
        }
    }

    /// Notes why the link has failed. The first reason counts.
    pub fn fail(&mut self, kind: ErrorKind, text: &str, is_watched: bool) {
        self.failure.get_or_insert_with(|| (kind, text.to_string()));
        self.note_event(false, is_watched);
        self.note_event(true, is_watched);
    }

    /// Takes in a frame, which lies in a buffer. Returns whether the buffer is still needed.
    pub fn accept(&mut self, buffer: usize, bytes: &[u8], is_watched: bool) -> io::Result<bool> {
        let frame = decode(bytes)?;
        self.has_come = true;
        self.send.note_read(frame.read)?;
        self.note_event(false, is_watched);
        let Some((number, header)) = frame.fragment else { return Ok(false) };
        self.recv.accept(number, header, buffer, bytes.len())?;
        self.note_event(true, is_watched);
        Ok(true)
    }

    /// Whether something has happened at which the link has not looked.
    pub fn must_look(&self, interest: Interest) -> bool {
        match interest {
            Interest::Read => self.has_arrivals,
            Interest::Write => self.has_room,
            Interest::ReadWrite => self.has_arrivals || self.has_room,
            Interest::Hangup => false,
        }
    }

    /// Notes that the link should look for a fragment, or for room.
    pub fn note_event(&mut self, is_arrival: bool, is_watched: bool) {
        *(if is_arrival { &mut self.has_arrivals } else { &mut self.has_room }) = true;
        if is_watched && !std::mem::replace(&mut self.is_rung, true) {
            self.doorbell.ring();
        }
    }

    /// Notes that the link looks. Whoever looks tries all calls afterwards, also those of other sleepers.
    #[inline]
    pub fn note_look(&mut self, is_for_arrivals: bool) {
        *(if is_for_arrivals { &mut self.has_arrivals } else { &mut self.has_room }) = false;
        if self.is_rung {
            self.doorbell.clear();
            self.is_rung = false;
        }
    }
}
