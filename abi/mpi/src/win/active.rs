//! MPI's functions for post, start, complete and wait: messages between the two groups.
//!
//! A post sends a message to each rank that may access, and a start waits for those of its targets. Complete
//! sends one to each target, whose wait takes them, after the accesses are complete.

use std::sync::atomic::{Ordering, fence};

use anyccl_engine::base::Rank;
use anyccl_engine::p2p::Selector;

use super::Win;
use super::epoch::misuse;
use super::fence::check_assertion;
use super::with::with;
use crate::arguments::{GroupHandle, Output, WinHandle};
use crate::comm::agreement::{receive, start_send};
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::request;

/// Tag of the messages of `MPI_Win_post`.
const POST: i32 = -0x3000_0011;
/// Tag of the messages of `MPI_Win_complete`.
const COMPLETE: i32 = -0x3000_0012;

impl Win {
    /// The ranks of a group in the window.
    fn ranks_of(&self, group: GroupHandle) -> Result<Vec<Rank>> {
        let group = Group::from_handle(group)?;
        let rank_of = |process: &Rank| {
            let text = || format!("process {process} of the group is not in {}", self.title());
            self.group.position(*process).ok_or_else(|| Error::new(Class::GROUP, text()))
        };
        group.members().iter().map(rank_of).collect()
    }

    /// Sends a message to each of these ranks.
    fn notify(&self, ranks: &[Rank], tag: i32) -> Result<()> {
        fence(Ordering::SeqCst);
        for rank in ranks {
            let request = start_send(&self.engine, *rank, tag, &[0])?;
            self.epoch.lock().sends.push(request);
        }
        self.epoch.lock().forget_sent();
        Ok(())
    }

    /// Receives the ends that have come, or all of them. Returns whether none is missing.
    fn take_ends(&self, waits: bool) -> Result<bool> {
        let mut posted = {
            let mut epoch = self.epoch.lock();
            if epoch.is_ending {
                return Err(misuse("another thread is in MPI_Win_wait or MPI_Win_test"));
            }
            let posted = epoch.posted.clone().ok_or_else(|| misuse("MPI_Win_post was not called"))?;
            epoch.is_ending = true;
            posted
        };
        let outcome = self.take_ends_of(&mut posted, waits);
        let is_complete = posted.is_empty() && outcome.is_ok();
        {
            // What other threads ask for was refused until now.
            let mut epoch = self.epoch.lock();
            epoch.is_ending = false;
            epoch.posted = (!is_complete).then_some(posted);
        }
        fence(Ordering::SeqCst);
        outcome.map(|()| is_complete)
    }

    fn take_ends_of(&self, posted: &mut Vec<Rank>, waits: bool) -> Result<()> {
        let mut at = 0;
        while at < posted.len() {
            let rank = posted[at];
            let is_there =
                waits || self.engine.try_probe(Selector::new(Some(rank), Some(COMPLETE)))?.is_some();
            if is_there {
                receive(&self.engine, rank, COMPLETE, 1)?;
                posted.swap_remove(at);
            } else {
                at += 1;
            }
        }
        request::progress_staged();
        Ok(())
    }

    /// Waits for messages under way.
    pub(super) fn finish_sends(&self) -> Result<()> {
        let sends = std::mem::take(&mut self.epoch.lock().sends);
        for mut request in sends {
            request.wait()?;
        }
        Ok(())
    }
}

/// `MPI_Win_post`.
pub unsafe fn post(group: GroupHandle, assert: i32, win: WinHandle) -> Result<()> {
    with(win, |win| {
        check_assertion(assert)?;
        let ranks = win.ranks_of(group)?;
        {
            let mut epoch = win.epoch.lock();
            if epoch.posted.is_some() {
                return Err(misuse("MPI_Win_post was called before; call MPI_Win_wait first"));
            }
            epoch.posted = Some(ranks.clone());
        }
        win.notify(&ranks, POST)
    })
}

/// `MPI_Win_start`. Waits for the posts, whatever is asserted: the targets send them in any case.
pub unsafe fn start(group: GroupHandle, assert: i32, win: WinHandle) -> Result<()> {
    with(win, |win| {
        check_assertion(assert)?;
        let ranks = win.ranks_of(group)?;
        win.epoch.lock().check_none()?;
        for rank in &ranks {
            receive(&win.engine, *rank, POST, 1)?;
        }
        fence(Ordering::SeqCst);
        win.epoch.lock().started = Some(ranks);
        Ok(())
    })
}

/// `MPI_Win_complete`.
pub unsafe fn complete(win: WinHandle) -> Result<()> {
    with(win, |win| {
        let ranks = win.epoch.lock().started.take();
        let ranks = ranks.ok_or_else(|| misuse("MPI_Win_start was not called"))?;
        let accesses = win.wait_for_answers(None);
        win.notify(&ranks, COMPLETE)?;
        accesses
    })
}

/// `MPI_Win_wait`.
pub unsafe fn wait(win: WinHandle) -> Result<()> {
    with(win, |win| win.take_ends(true).map(drop))
}

/// `MPI_Win_test`.
pub unsafe fn test(win: WinHandle, flag: Output<bool>) -> Result<()> {
    with(win, |win| {
        flag.set(win.take_ends(false)?);
        Ok(())
    })
}
