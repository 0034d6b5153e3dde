//! The sending side of a partitioned message.

use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::comm as engine;
use parking_lot::Mutex;

use super::description::Description;
use super::parts::Parts;
use super::tags::{PartNumbers, of_part};
use super::whole::{Extent, Whole};
use crate::comm::Comm;
use crate::error::{Class, Error, Result};
use crate::request::{Active, Prepared, Steps, orphans};
use crate::status::Status;

/// A prepared send.
pub(super) struct Sending {
    comm: Arc<Comm>,
    /// The receiver; `None` for `MPI_PROC_NULL`.
    to: Option<Rank>,
    whole: Whole,
    extent: Extent,
    numbers: PartNumbers,
    run: Mutex<Run>,
}

/// The state of a run, and of the description.
struct Run {
    /// The description, until it has left.
    description: Option<engine::Request>,
    is_active: bool,
    is_ready: Vec<bool>,
    /// Number of partitions that are not ready.
    waiting: usize,
    /// Parts that have not left yet.
    parts: Parts<Active>,
    /// The first failure of this run.
    failed: Option<Error>,
}

impl Sending {
    /// Prepares a send, and tells the receiver about it.
    pub fn new(
        comm: Arc<Comm>,
        to: Option<Rank>,
        tag: i32,
        (whole, extent): (Whole, Extent),
    ) -> Result<Sending> {
        let numbers = PartNumbers::take(extent.partitions as u64)?;
        let description = Description { tag, extent, first: numbers.first };
        let description = to.map(|to| description.send(&comm, to)).transpose()?;
        let run = Run {
            description,
            is_active: false,
            is_ready: vec![false; extent.partitions],
            waiting: 0,
            parts: Parts::new(),
            failed: None,
        };
        Ok(Sending { comm, to, whole, extent, numbers, run: Mutex::new(run) })
    }

    /// Marks the partitions that `run` does not have as ready yet. If one of them is wrong, none is marked.
    fn mark(&self, run: &mut Run, partitions: &mut dyn Iterator<Item = i32>) -> Result<Vec<usize>> {
        if !run.is_active {
            let text = "the partitioned send is not active: MPI_Start comes before MPI_Pready";
            return Err(Error::new(Class::REQUEST, text));
        }
        let mut marked = Vec::new();
        for partition in partitions {
            let at = usize::try_from(partition).ok().filter(|at| *at < self.extent.partitions);
            let wrong = match at {
                Some(at) if !run.is_ready[at] => {
                    run.is_ready[at] = true;
                    marked.push(at);
                    continue;
                }
                Some(_) => format!("partition {partition} was marked as ready before in this run"),
                None => format!("partition {partition}; the send has {} from 0 on", self.extent.partitions),
            };
            marked.iter().for_each(|at| run.is_ready[*at] = false);
            return Err(Error::new(Class::ARG, wrong));
        }
        Ok(marked)
    }

    /// Sends a partition that is ready.
    fn send(&self, run: &mut Run, partition: usize) -> Result<()> {
        let (Some(to), bytes) = (self.to, self.extent.bytes) else { return Ok(()) };
        if !self.extent.has_messages() {
            return Ok(());
        }
        let tag = of_part(self.numbers.first + partition as u64);
        // SAFETY: the program's buffer is readable from each start to the end of that run.
        let mut part = unsafe { self.whole.send(&self.comm, to, tag, partition * bytes, bytes) }?;
        match part.poll() {
            None => run.parts.push(part),
            Some(outcome) => drop(outcome?),
        }
        Ok(())
    }
}

impl Drop for Sending {
    fn drop(&mut self) {
        // The receiver takes the description whenever it prepares its side.
        if let Some(description) = self.run.get_mut().description.take() {
            orphans::add(Active::engine(description));
        }
    }
}

impl Run {
    /// The outcome of the run, if it has ended.
    fn poll(&mut self) -> Option<Result<Status>> {
        if let Some(description) = &mut self.description {
            match description.test() {
                Ok(false) => {}
                Ok(true) => self.description = None,
                Err(error) => {
                    self.description = None;
                    self.failed.get_or_insert(error.into());
                }
            }
        }
        let failed = &mut self.failed;
        self.parts.poll(|part| {
            let Some(outcome) = part.poll() else { return false };
            if let Err(error) = outcome {
                failed.get_or_insert(error);
            }
            true
        });
        if !self.parts.is_empty() || self.waiting > 0 && self.failed.is_none() {
            return None;
        }
        self.is_active = false;
        Some(self.failed.clone().map_or(Ok(Status::SENT), Err))
    }
}

impl Prepared for Sending {
    fn start(self: Arc<Self>) -> Result<Active> {
        let mut run = self.run.lock();
        run.is_active = true;
        run.is_ready.fill(false);
        run.waiting = self.extent.partitions;
        run.failed = None;
        drop(run);
        Ok(Active::Steps(Box::new(Sent(self))))
    }

    fn ready(&self, partitions: &mut dyn Iterator<Item = i32>) -> Result<()> {
        let mut run = self.run.lock();
        for partition in self.mark(&mut run, partitions)? {
            run.waiting -= 1;
            if let Err(error) = self.send(&mut run, partition) {
                // The run ends with the same error.
                run.failed.get_or_insert(error.clone());
                return Err(error);
            }
        }
        Ok(())
    }

    fn check_free(&self) -> Result<()> {
        let run = self.run.lock();
        if run.is_active && run.waiting > 0 && run.failed.is_none() {
            let text =
                format!("{} partitions of the active send are not ready, and never could be", run.waiting);
            return Err(Error::new(Class::REQUEST, text));
        }
        Ok(())
    }
}

/// A run of a send.
struct Sent(Arc<Sending>);

impl Steps for Sent {
    fn poll(&mut self) -> Option<Result<Status>> {
        // Another thread may be sending a partition. This one may be, too: the engine gives other operations
        // turns while it sends.
        self.0.run.try_lock()?.poll()
    }

    fn current(&self) -> Option<&engine::Request> {
        None
    }
}
