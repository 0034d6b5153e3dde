//! The receiving side of a partitioned message.

use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::comm as engine;
use anyccl_engine::p2p::Selector;
use parking_lot::Mutex;

use super::description::Description;
use super::expected::Expected;
use super::parts::Parts;
use super::tags::of_part;
use super::whole::{Extent, Whole};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::request::{Active, Prepared, Steps};
use crate::status::Status;

/// Most parts of a message that is too long that are received and dropped. If there are more, their sender
/// waits until the receiver ends.
const MOST_DRAINED: usize = 1 << 16;

/// A prepared receive.
pub(super) struct Receiving {
    comm: Arc<Comm>,
    /// The sender; `None` for `MPI_PROC_NULL`.
    from: Option<Rank>,
    tag: i32,
    whole: Whole,
    extent: Extent,
    run: Mutex<Run>,
}

/// What is known of the sender's partitions.
enum Sender {
    /// The description has not come yet.
    Unknown(Expected),
    /// The description.
    Known(Description),
    /// There are no parts.
    Nothing,
}

/// The state of a run, and the sender's description.
struct Run {
    sender: Sender,
    is_active: bool,
    /// Whether the receives of this run are posted.
    is_posted: bool,
    /// Receives of the sender's partitions that are under way.
    parts: Vec<Option<Active>>,
    /// Places of these in `parts`.
    missing: Parts<usize>,
    /// The first failure of this run.
    failed: Option<Error>,
}

impl Receiving {
    /// Prepares a receive.
    pub fn new(
        comm: Arc<Comm>,
        from: Option<Rank>,
        tag: i32,
        (whole, extent): (Whole, Extent),
    ) -> Result<Receiving> {
        let sender = match from {
            Some(from) => Sender::Unknown(Expected::post(&comm, from, tag)?),
            None => Sender::Nothing,
        };
        let run = Run {
            sender,
            is_active: false,
            is_posted: false,
            parts: Vec::new(),
            missing: Parts::new(),
            failed: None,
        };
        Ok(Receiving { comm, from, tag, whole, extent, run: Mutex::new(run) })
    }

    /// Goes on with a run as far as possible. Returns the outcome if it has ended.
    fn move_on(&self, run: &mut Run) -> Option<Result<Status>> {
        if let Sender::Unknown(expected) = &run.sender {
            match expected.poll(&self.comm)? {
                Ok(description) => run.sender = Sender::Known(description),
                Err(error) => {
                    run.failed = Some(error.clone());
                    run.is_active = false;
                    return Some(Err(error));
                }
            }
        }
        if !run.is_posted {
            run.is_posted = true;
            if let Sender::Known(sender) = run.sender {
                self.post(run, &sender);
            }
        }
        self.poll_parts(run);
        if !run.missing.is_empty() {
            return None;
        }
        run.is_active = false;
        Some(match (&run.failed, self.from) {
            (Some(error), _) => Err(error.clone()),
            (None, None) => Ok(Status::PROC_NULL),
            (None, Some(from)) => {
                let bytes = match &run.sender {
                    Sender::Known(sender) => sender.extent.total(),
                    _ => 0,
                };
                let (source, bytes) = (self.comm.rank_of_peer(from), bytes as i64);
                Ok(Status { source, tag: self.tag, bytes, ..Status::SENT })
            }
        })
    }

    /// Posts the receives of the sender's partitions. If its message is longer than this one, its parts are
    /// received and dropped, so that the sender does not wait. A shorter one leaves the end of the memory as
    /// it is, as for other messages.
    fn post(&self, run: &mut Run, sender: &Description) {
        let Some(from) = self.from else { return };
        let Extent { partitions, bytes } = sender.extent;
        let fits = sender.extent.total() <= self.extent.total();
        if !fits {
            let text = format!(
                "rank {} sends {partitions} partitions of {bytes} bytes; here are {} of {} bytes",
                self.comm.rank_of_peer(from),
                self.extent.partitions,
                self.extent.bytes
            );
            run.failed = Some(Error::new(Class::TRUNCATE, text));
        }
        // The number is the sender's word.
        let is_too_many = !fits && partitions > MOST_DRAINED;
        if !sender.extent.has_messages() || is_too_many {
            return;
        }
        if run.parts.try_reserve(partitions).is_err() || run.missing.try_reserve(partitions).is_err() {
            let text = format!("no memory for {partitions} parts of a partitioned message");
            run.failed.get_or_insert(Error::new(Class::OTHER, text));
            return;
        }
        for partition in 0..partitions {
            let selector = Selector::new(Some(from), Some(of_part(sender.first + partition as u64)));
            let (at, len) = if fits { (partition * bytes, bytes) } else { (0, 0) };
            // SAFETY: the program's buffer is writable from each start to the end of that run. The sender's
            // total is no more than it has, so each part lies within it.
            match unsafe { self.whole.receive(&self.comm, selector, at, len) } {
                Ok(part) => {
                    run.missing.push(run.parts.len());
                    run.parts.push(Some(part));
                }
                Err(error) => {
                    run.failed.get_or_insert(error);
                    return;
                }
            }
        }
    }

    /// Gives some of the parts a turn.
    fn poll_parts(&self, run: &mut Run) {
        let Run { sender: Sender::Known(sender), parts, missing, failed, .. } = run else { return };
        missing.poll(|at| has_ended(&mut parts[*at], sender, failed));
    }
}

/// Gives a part a turn. Returns whether it has ended.
fn has_ended(part: &mut Option<Active>, sender: &Description, failed: &mut Option<Error>) -> bool {
    let Some(running) = part else { return true };
    let Some(outcome) = running.poll() else { return false };
    *part = None;
    match outcome {
        Ok(status) if status.bytes == sender.extent.bytes as i64 => {}
        Ok(status) => {
            let text = format!(
                "a part of a partitioned message has {} bytes; its description says {}",
                status.bytes, sender.extent.bytes
            );
            failed.get_or_insert(Error::new(Class::INTERN, text));
        }
        Err(error) => {
            failed.get_or_insert(error);
        }
    }
    true
}

impl Run {
    /// Whether all parts have come that overlap this partition, and nothing has failed. Gives these parts a
    /// turn. No part overlaps a partition behind the end of a short message.
    fn has(&mut self, extent: Extent, partition: usize) -> bool {
        let Sender::Known(sender) = &self.sender else { return matches!(self.sender, Sender::Nothing) };
        let bytes = sender.extent.bytes;
        if !self.is_posted || self.failed.is_some() {
            return false;
        }
        let overlapped = if bytes == 0 || extent.bytes == 0 {
            // Empty partitions overlap none; those of the same number belong together.
            if self.parts.len() == extent.partitions { partition..partition + 1 } else { 0..self.parts.len() }
        } else {
            let parts = self.parts.len();
            let (from, to) =
                (partition * extent.bytes / bytes, ((partition + 1) * extent.bytes).div_ceil(bytes));
            from.min(parts)..to.min(parts)
        };
        let Some(parts) = self.parts.get_mut(overlapped) else { return false };
        let failed = &mut self.failed;
        parts.iter_mut().all(|part| has_ended(part, sender, failed)) && failed.is_none()
    }
}

impl Prepared for Receiving {
    fn start(self: Arc<Self>) -> Result<Active> {
        let mut run = self.run.lock();
        run.is_active = true;
        run.is_posted = false;
        run.parts.clear();
        run.missing.clear();
        run.failed = None;
        // Post receives now if the sender is known.
        let outcome = self.move_on(&mut run);
        drop(run);
        match outcome {
            None => Ok(Active::Steps(Box::new(Received(self)))),
            // A failure is the outcome of the run: its end tells it.
            Some(outcome) => Ok(outcome.map_or_else(Active::Failed, Active::Complete)),
        }
    }

    fn has_arrived(&self, partition: i32) -> Result<bool> {
        let at = usize::try_from(partition).ok().filter(|at| *at < self.extent.partitions);
        let at = at.ok_or_else(|| {
            let text = format!("partition {partition}; the receive has {} from 0 on", self.extent.partitions);
            Error::new(Class::ARG, text)
        })?;
        let mut run = self.run.lock();
        if run.is_active && !run.has(self.extent, at) {
            // The call that completes the request finds the same outcome.
            let _ = self.move_on(&mut run);
        }
        match &run.failed {
            Some(error) => Err(error.clone()),
            None => Ok(!run.is_active || run.has(self.extent, at)),
        }
    }
}

/// A run of a receive.
struct Received(Arc<Receiving>);

impl Steps for Received {
    fn poll(&mut self) -> Option<Result<Status>> {
        // As for sends, the lock may be held.
        let mut run = self.0.run.try_lock()?;
        self.0.move_on(&mut run)
    }

    fn current(&self) -> Option<&engine::Request> {
        None
    }
}
