//! Device calls that a program groups: all of them are reserved, then all are enqueued.
//!
//! No wait stands in a stream before what another call of the group needs, although the calls may share a
//! stream, and be calls of several ranks. So one thread may be all ranks of a communicator.
//!
//! 1. [`DeviceGroup::add`] reserves the memory of a call. That may wait for calls of earlier groups.
//! 2. [`DeviceGroup::commit`] enqueues calls: of messages the start, of collectives everything. Part by part,
//!    all communicators go on together: first the starts, then the tails for which other ranks wait, then the
//!    other tails.
//! 3. [`DeviceGroup::finish`] commits the rest, and then enqueues the tails of the messages.

use std::collections::VecDeque;
use std::sync::Arc;

use super::call::StreamTail;
use super::completion::StreamedCall;
use super::reserve::reserve_on;
use super::reserved::{PARTS_AHEAD, ReservedCall, note_failure};
use super::stream_order::JointStreams;
use crate::base::{Error, Result};
use crate::comm::call::spec::CallSpec;
use crate::comm::communicator::Communicator;
use crate::device::CudaStream;

/// The device calls of a group, each with a tag by which the caller knows it.
pub struct DeviceGroup<T> {
    added: VecDeque<Added<T>>,
    committed: usize,
    /// Tails of messages.
    tails: Vec<Tail>,
    /// Set by the first commit: for each communicator its streams, and whether a call is a collective.
    streams: Vec<(Arc<Communicator>, JointStreams, bool)>,
}

/// A call of the group.
struct Added<T> {
    comm: Arc<Communicator>,
    /// An error is reported when the call is committed.
    reserved: Result<ReservedCall<Communicator>>,
    is_message: bool,
    tag: T,
}

/// A call of which parts are still to be enqueued.
struct Enqueuing<T> {
    comm: Arc<Communicator>,
    reserved: ReservedCall<Communicator>,
    /// Unset once a part was started.
    tag: Option<T>,
}

/// The tail of a part whose start is in its stream.
struct Tail {
    comm: Arc<Communicator>,
    tail: StreamTail,
}

impl<T> DeviceGroup<T> {
    /// Begins a group.
    pub fn begin() -> DeviceGroup<T> {
        DeviceGroup { added: VecDeque::new(), committed: 0, tails: Vec::new(), streams: Vec::new() }
    }

    /// Reserves the memory of a call on `stream`, and adds it. `false`: streams cannot use any of its
    /// buffers, or another engine serves such calls, and nothing was done.
    pub fn add(&mut self, comm: &Arc<Communicator>, call: &CallSpec, stream: CudaStream, tag: T) -> bool {
        let Some(reserved) = reserve_on(comm, call, stream) else { return false };
        let is_message = call.is_message();
        self.added.push_back(Added { comm: Arc::clone(comm), reserved, is_message, tag });
        true
    }

    /// Number of calls that were added.
    pub fn len(&self) -> usize {
        self.committed + self.added.len()
    }

    /// Whether no call was added.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Enqueues the first `until` calls, as far as they were not committed before. `note` gets each call that
    /// is in its stream with at least one part. Returns the first error; the other calls are enqueued.
    ///
    /// # Safety
    /// The buffers of each call are valid for what it reads and writes until its stream has passed it.
    pub unsafe fn commit(&mut self, until: usize, note: &mut impl FnMut(T, StreamedCall)) -> Result<()> {
        let mut outcome = if self.streams.is_empty() { self.begin_together() } else { Ok(()) };
        let mut collectives = Vec::new();
        while self.committed < until
            && let Some(Added { comm, reserved, is_message, tag }) = self.added.pop_front()
        {
            self.committed += 1;
            let call = reserved.map(|reserved| Enqueuing { comm, reserved, tag: Some(tag) });
            let committed = call.and_then(|mut call| {
                if is_message {
                    // SAFETY: passed on from our caller.
                    let started = unsafe { call.start_next(note) };
                    let no_part = || Err(Error::Internal("a message without a part".into()));
                    self.tails.push(started.unwrap_or_else(no_part)?);
                } else {
                    collectives.push(call);
                }
                Ok(())
            });
            outcome = outcome.and(committed);
        }
        // SAFETY: passed on from our caller.
        outcome.and(unsafe { enqueue_collectives(collectives, note) })
    }

    /// Commits all calls, and enqueues what is left of them.
    ///
    /// # Safety
    /// See [`DeviceGroup::commit`].
    pub unsafe fn finish(mut self, note: &mut impl FnMut(T, StreamedCall)) -> Result<()> {
        // SAFETY: passed on from our caller.
        let mut outcome = unsafe { self.commit(self.len(), note) };
        for tail in self.tails {
            let enqueued = tail.enqueue();
            outcome = outcome.and(enqueued);
        }
        for (comm, streams, has_collective) in &self.streams {
            let joined = streams.join();
            let mark = |stream| comm.devices.queue.last_collective.note_here(stream);
            let noted = streams.iter().next().filter(|_| *has_collective).map_or(Ok(()), mark);
            let ended = joined.and(noted).inspect_err(|error| note_failure(&**comm, error));
            outcome = outcome.and(ended);
        }
        outcome
    }

    /// Lets all streams of a communicator begin together, behind its last collective.
    fn begin_together(&mut self) -> Result<()> {
        for Added { comm, reserved, is_message, .. } in &self.added {
            let Some(stream) = reserved.as_ref().ok().and_then(ReservedCall::stream) else { continue };
            let at =
                self.streams.iter().position(|(known, ..)| Arc::ptr_eq(known, comm)).unwrap_or_else(|| {
                    self.streams.push((Arc::clone(comm), JointStreams::default(), false));
                    self.streams.len() - 1
                });
            let (_, streams, has_collective) = &mut self.streams[at];
            streams.add(stream);
            *has_collective |= !is_message;
        }
        let mut outcome = Ok(());
        for (comm, streams, has_collective) in &self.streams {
            let order = |stream| comm.devices.queue.last_collective.order(stream);
            let ordered = if *has_collective { streams.iter().try_for_each(order) } else { Ok(()) };
            let begun = ordered.and_then(|()| streams.join());
            outcome = outcome.and(begun.inspect_err(|error| note_failure(&**comm, error)));
        }
        outcome
    }
}

impl<T> Enqueuing<T> {
    /// Enqueues the start of the next part. `None`: there is no further part.
    ///
    /// # Safety
    /// See [`DeviceGroup::commit`].
    unsafe fn start_next(&mut self, note: &mut impl FnMut(T, StreamedCall)) -> Option<Result<Tail>> {
        let queue = &self.comm.devices.queue;
        // SAFETY: passed on from our caller.
        let started = unsafe { self.reserved.enqueue_start(&*self.comm, queue) }?;
        Some(started.map(|tail| {
            if let Some(tag) = self.tag.take() {
                note(tag, StreamedCall::of(&self.reserved.completion));
            }
            Tail { comm: Arc::clone(&self.comm), tail }
        }))
    }
}

impl Tail {
    fn enqueue(self) -> Result<()> {
        self.tail.enqueue().inspect_err(|error| note_failure(&*self.comm, error))
    }
}

/// The collectives of a group on one communicator.
struct Lane<T> {
    calls: VecDeque<Enqueuing<T>>,
    tails: VecDeque<Tail>,
}

impl<T> Lane<T> {
    /// Starts the next part of the first call that has one.
    ///
    /// # Safety
    /// See [`DeviceGroup::commit`].
    unsafe fn start_next(&mut self, note: &mut impl FnMut(T, StreamedCall)) -> Result<()> {
        while let Some(call) = self.calls.front_mut() {
            // SAFETY: passed on from our caller.
            match unsafe { call.start_next(note) } {
                Some(Ok(tail)) => {
                    self.tails.push_back(tail);
                    return Ok(());
                }
                Some(Err(error)) => {
                    self.calls.pop_front();
                    return Err(error);
                }
                None => drop(self.calls.pop_front()),
            }
        }
        Ok(())
    }

    fn is_done(&self) -> bool {
        self.calls.is_empty() && self.tails.is_empty()
    }

    /// The tail whose turn it is: enough parts were started after it, or none is left.
    fn due_tail(&mut self) -> Option<Tail> {
        let is_due = self.calls.is_empty() || self.tails.len() > PARTS_AHEAD;
        if is_due { self.tails.pop_front() } else { None }
    }
}

/// Enqueues collectives, those of one communicator in their order.
///
/// # Safety
/// See [`DeviceGroup::commit`].
unsafe fn enqueue_collectives<T>(
    calls: Vec<Enqueuing<T>>,
    note: &mut impl FnMut(T, StreamedCall),
) -> Result<()> {
    let mut outcome = Ok(());
    let mut lanes: Vec<(Arc<Communicator>, Lane<T>)> = Vec::new();
    for call in calls {
        match lanes.iter_mut().find(|(comm, _)| Arc::ptr_eq(comm, &call.comm)) {
            Some((_, lane)) => lane.calls.push_back(call),
            None => {
                let comm = Arc::clone(&call.comm);
                lanes.push((comm, Lane { calls: [call].into(), tails: VecDeque::new() }));
            }
        }
    }
    while lanes.iter().any(|(_, lane)| !lane.is_done()) {
        for (_, lane) in &mut lanes {
            // SAFETY: passed on from our caller.
            outcome = outcome.and(unsafe { lane.start_next(note) });
        }
        let mut tails: Vec<Tail> = lanes.iter_mut().filter_map(|(_, lane)| lane.due_tail()).collect();
        tails.sort_by_key(|tail| !tail.tail.runs_kernels());
        for tail in tails {
            outcome = outcome.and(tail.enqueue());
        }
    }
    outcome
}
