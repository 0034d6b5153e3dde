//! A link that takes nothing and has nothing: what stands for one that does not exist yet.

use std::io;
use std::os::fd::RawFd;

use super::{Arrival, Header, Link, SingleCopy};

/// A link that takes nothing and has nothing.
pub struct SilentLink {
    /// Name of the transport of the link that will take its place.
    pub transport: &'static str,
}

impl Link for SilentLink {
    unsafe fn send(
        &mut self,
        _header: &Header,
        _data: *const u8,
        _bytes: usize,
        _single_copy: SingleCopy,
    ) -> io::Result<Option<usize>> {
        Ok(None)
    }

    fn head(&mut self) -> io::Result<Option<Header>> {
        Ok(None)
    }

    fn arrival(&mut self) -> io::Result<Arrival> {
        Err(nothing_here())
    }

    unsafe fn take(&mut self, _dst: *mut u8, _bytes: usize, _streamed: bool) -> io::Result<usize> {
        Err(nothing_here())
    }

    fn consume(&mut self, _bytes: usize) -> io::Result<()> {
        Err(nothing_here())
    }

    fn descriptor(&self) -> Option<RawFd> {
        None
    }

    fn transport(&self) -> &'static str {
        self.transport
    }
}

fn nothing_here() -> io::Error {
    io::Error::other("a link that is not open has no fragment")
}
