//! A link that reads the stash: fragments that came for a communicator before this rank had made it.

use std::io;
use std::os::fd::RawFd;

use super::{Inbox, Source};
use crate::transport::{Arrival, Header, Link, SingleCopy};

/// The stash of one context, as a link. Nothing can be sent through it.
pub(crate) struct StashLink<'a> {
    inbox: &'a mut Inbox,
    context: u32,
}

impl<'a> StashLink<'a> {
    pub fn new(inbox: &'a mut Inbox, context: u32) -> StashLink<'a> {
        StashLink { inbox, context }
    }

    fn first(&self) -> Option<(Source, Header)> {
        self.inbox.first_stashed(self.context)
    }
}

impl Link for StashLink<'_> {
    unsafe fn send(
        &mut self,
        _: &Header,
        _: *const u8,
        _: usize,
        _: SingleCopy,
    ) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        Ok(self.first().map(|(_, header)| header))
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        let (first, _) = self.first().ok_or(io::ErrorKind::UnexpectedEof)?;
        self.inbox.arrival(first)
    }

    unsafe fn take(&mut self, dst: *mut u8, bytes: usize, _streamed: bool) -> io::Result<usize> {
        let (first, _) = self.first().ok_or(io::ErrorKind::UnexpectedEof)?;
        // SAFETY: passed on from our caller.
        unsafe { self.inbox.take(first, dst, bytes, false) }
    }

    fn consume(&mut self, bytes: usize) -> io::Result<()> {
        self.first().map_or(Ok(()), |(first, _)| self.inbox.consume(first, bytes))
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn transport(&self) -> &'static str {
        "stash"
    }
}
