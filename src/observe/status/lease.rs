//! A page, for as long as an engine has it.

use std::sync::atomic::Ordering;

use super::layout::PageWords;
use super::operations::Recorder;
use crate::sys::fork;
use crate::sys::ticks::Ticks;

/// A page that an engine has, until all of its places are free.
#[derive(Debug)]
pub(super) struct Lease {
    pub words: &'static PageWords,
    /// The process that has the mapping: a child of fork has not.
    pub epoch: u16,
    pub ticks: Ticks,
    /// The last collective calls.
    pub recorder: Recorder,
    /// The last messages.
    pub messages: Recorder,
}

impl Lease {
    /// Whether this process has the mapping.
    pub fn is_here(&self) -> bool {
        fork::last_epoch() == self.epoch
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.is_here() {
            self.words.magic.store(0, Ordering::Relaxed);
            // Release: the next owner of the page writes after this.
            self.words.taken.store(0, Ordering::Release);
        }
    }
}
