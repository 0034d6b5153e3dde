//! Device calls that a program groups: all of them are reserved, then all are enqueued.
//!
//! No wait stands in a stream before what another call of the group needs, although the calls may share a
//! stream, and be calls of several ranks. So one thread may be all ranks of a communicator.
//!
//! 1. [`DeviceGroup::add`] reserves the memory of a call.
//! 2. [`DeviceGroup::commit`] enqueues calls: of messages the start, of collectives everything. First come
//!    all starts. Then all communicators go on together, call by call: first the tails for which other
//!    ranks wait, then the other tails.
//! 3. [`DeviceGroup::finish`] commits the rest, and then enqueues the tails of the messages.

use std::collections::VecDeque;
use std::sync::Arc;

use super::call::StreamTail;
use super::completion::{StreamedCall, captured_completion};
use super::graph::{Capturing, capture_together};
use super::reserve::{Reserved, reserve_on};
use super::reserved::{ReservedCall, failed};
use super::stream_order::JointStreams;
use crate::base::{Error, Result};
use crate::comm::call::spec::CallSpec;
use crate::comm::communicator::Communicator;
use crate::device::CudaStream;

/// Name of its calls in the error of what they share.
const GROUP: &str = "a group of calls";

/// The device calls of a group, each with a tag by which the caller knows it.
pub struct DeviceGroup<T> {
    added: VecDeque<Added<T>>,
    committed: usize,
    /// Calls on capturing streams, which go into their graph at the end.
    captured: Vec<(Capturing<Communicator>, T)>,
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

/// The tail of a call whose start is in its stream.
struct Tail {
    comm: Arc<Communicator>,
    tail: StreamTail,
}

impl<T> DeviceGroup<T> {
    /// Begins a group.
    pub fn begin() -> DeviceGroup<T> {
        DeviceGroup {
            added: VecDeque::new(),
            committed: 0,
            captured: Vec::new(),
            tails: Vec::new(),
            streams: Vec::new(),
        }
    }

    /// Reserves the memory of a call on `stream`, and adds it. `false`: streams cannot use any of its
    /// buffers, or another engine serves such calls, and nothing was done.
    pub fn add(&mut self, comm: &Arc<Communicator>, call: &CallSpec, stream: CudaStream, tag: T) -> bool {
        let Some(reserved) = reserve_on(comm, call, stream, true) else { return false };
        let reserved = match reserved {
            Ok(Reserved::Captured(call)) if self.is_empty() => {
                self.captured.push((call, tag));
                return true;
            }
            Ok(Reserved::InStream(reserved)) if self.captured.is_empty() => Ok(reserved),
            Ok(_) => Err(Error::InvalidUsage(
                "some streams of a group record a graph, and others do not: put their calls into different groups".into(),
            )),
            Err(error) => Err(error),
        };
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

    /// Enqueues the first `until` calls, as far as they were not committed before. `note` gets each call
    /// whose start is in its stream. Returns the first error; the other calls are enqueued.
    ///
    /// # Safety
    /// The buffers of each call are valid for what it reads and writes until its stream has passed it.
    pub unsafe fn commit(&mut self, until: usize, note: &mut impl FnMut(T, StreamedCall)) -> Result<()> {
        let mut outcome = if self.streams.is_empty() { self.begin_together() } else { Ok(()) };
        // The tails of collectives, for each communicator.
        let mut lanes: Vec<VecDeque<Tail>> = Vec::new();
        while self.committed < until
            && let Some(Added { comm, reserved, is_message, tag }) = self.added.pop_front()
        {
            self.committed += 1;
            let started = reserved.and_then(|reserved| {
                let streamed = StreamedCall::of(&reserved.completion);
                // SAFETY: passed on from our caller.
                let tail = unsafe { reserved.enqueue_start(&*comm, &comm.devices.queue) }?;
                note(tag, streamed);
                Ok(Tail { comm, tail })
            });
            match started {
                Ok(tail) if is_message => self.tails.push(tail),
                Ok(tail) => add_to_lane(&mut lanes, tail),
                Err(error) => outcome = outcome.and(Err(error)),
            }
        }
        while lanes.iter().any(|lane| !lane.is_empty()) {
            let mut tails: Vec<Tail> = lanes.iter_mut().filter_map(VecDeque::pop_front).collect();
            tails.sort_by_key(|tail| !tail.tail.runs_kernels());
            for tail in tails {
                outcome = outcome.and(tail.enqueue());
            }
        }
        outcome
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
        let (captured, tags): (Vec<_>, Vec<_>) = self.captured.into_iter().unzip();
        let has_captured = capture_together(&captured);
        if has_captured.is_ok() {
            tags.into_iter().for_each(|tag| note(tag, StreamedCall::of(&captured_completion())));
        }
        outcome = outcome.and(has_captured);
        for (comm, streams, has_collective) in &self.streams {
            let joined = streams.join();
            let mark = |stream| comm.devices.queue.last_collective.note_here(stream);
            let noted = streams.iter().next().filter(|_| *has_collective).map_or(Ok(()), mark);
            let ended = joined.and(noted).map_err(|error| failed(&**comm, error, &GROUP));
            outcome = outcome.and(ended);
        }
        outcome
    }

    /// Lets all streams of a communicator begin together, behind its last collective.
    fn begin_together(&mut self) -> Result<()> {
        for Added { comm, reserved, is_message, .. } in &self.added {
            let Some(stream) = reserved.as_ref().ok().map(ReservedCall::stream) else { continue };
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
            outcome = outcome.and(begun.map_err(|error| failed(&**comm, error, &GROUP)));
        }
        outcome
    }
}

impl Tail {
    fn enqueue(self) -> Result<()> {
        self.tail.enqueue().map_err(|error| failed(&*self.comm, error, &GROUP))
    }
}

/// Adds the tail of a collective behind those of its communicator.
fn add_to_lane(lanes: &mut Vec<VecDeque<Tail>>, tail: Tail) {
    let is_of_lane = |lane: &&mut VecDeque<Tail>| Arc::ptr_eq(&lane[0].comm, &tail.comm);
    match lanes.iter_mut().find(is_of_lane) {
        Some(lane) => lane.push_back(tail),
        None => lanes.push([tail].into()),
    }
}
