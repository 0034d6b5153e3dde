//! Calls that are prepared once and started again and again.

use std::fmt;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use anyccl_engine::base::{Collective, Error as EngineError};
use anyccl_engine::comm::{CallSpec, Persistent as EnginePersistent, Work};
use anyccl_engine::sys::clock;

use crate::call::without_unwinding;
use crate::collective::Asked;
use crate::communicator::Communicator;
use crate::element::Element;
use crate::error::Result;
use crate::fixed::Fixed;
use crate::messages::{Source, Status, Tag, incoming, outgoing, selector};
use crate::operator::{Operator, OperatorInUse};
use crate::request::{Waitable, sealed::Working};
use crate::sides::RawSides;

/// A call that is prepared once and started again and again, one run at a time. It owns its buffers.
///
/// A start does not repeat checks, the choice of an algorithm, and its plan. Between the runs, the program
/// reads and writes the buffers through [`input_mut`](Persistent::input_mut) and [`data`](Persistent::data);
/// during a run they belong to it. A run takes part in the order of calls like any other call.
///
/// A value that is dropped waits for the run under way.
///
/// ```
/// use anyccl::Op;
///
/// anyccl::threads(2, |comm| {
///     let mut sum = comm.persistent_all_reduce(vec![0.0; 3], vec![0.0; 3], Op::Sum)?;
///     for step in 1..=3 {
///         sum.input_mut()?.fill(step as f64);
///         sum.start()?;
///         sum.wait()?;
///         assert_eq!(sum.data()?, [2.0 * step as f64; 3]);
///     }
///     Ok(())
/// })?;
/// # Ok::<(), anyccl::Error>(())
/// ```
pub struct Persistent<T: Element> {
    parts: ManuallyDrop<Parts<T>>,
    /// Whether a run was started that no wait has ended.
    is_running: bool,
    comm: Communicator,
    call: &'static str,
}

/// What the runs use.
struct Parts<T: Element> {
    // Dropped first: that waits for the run under way, which uses the rest.
    work: Work,
    /// Set if input and output are two buffers.
    input: Option<Fixed<T>>,
    data: Fixed<T>,
    operator: Option<OperatorInUse>,
}

/// # Calls that are started again and again
///
/// Each takes what the call without `persistent_` takes, owns the buffers, and is started by
/// [`Persistent::start`]. Local: nothing is sent.
impl Communicator {
    /// Prepares an [`all_reduce`](Communicator::all_reduce).
    pub fn persistent_all_reduce<T: Element>(
        &self,
        send: Vec<T>,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Persistent<T>> {
        self.persistent(Asked::reducing(Collective::AllReduce, op), Some(send), recv)
    }

    /// Prepares an [`all_reduce_in_place`](Communicator::all_reduce_in_place).
    pub fn persistent_all_reduce_in_place<T: Element>(
        &self,
        data: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Persistent<T>> {
        self.persistent(Asked::reducing(Collective::AllReduce, op), None, data)
    }

    /// Prepares a [`broadcast`](Communicator::broadcast).
    pub fn persistent_broadcast<T: Element>(&self, data: Vec<T>, root: usize) -> Result<Persistent<T>> {
        self.persistent(Asked::rooted(Collective::Broadcast, root), None, data)
    }

    /// Prepares a [`reduce`](Communicator::reduce).
    pub fn persistent_reduce<T: Element>(
        &self,
        send: Vec<T>,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
        root: usize,
    ) -> Result<Persistent<T>> {
        let asked = Asked { root, ..Asked::reducing(Collective::Reduce, op) };
        self.persistent(asked, Some(send), recv)
    }

    /// Prepares an [`all_gather`](Communicator::all_gather).
    pub fn persistent_all_gather<T: Element>(&self, send: Vec<T>, recv: Vec<T>) -> Result<Persistent<T>> {
        self.persistent(Asked::plain(Collective::AllGather), Some(send), recv)
    }

    /// Prepares a [`reduce_scatter`](Communicator::reduce_scatter).
    pub fn persistent_reduce_scatter<T: Element>(
        &self,
        send: Vec<T>,
        recv: Vec<T>,
        op: impl Into<Operator<T>>,
    ) -> Result<Persistent<T>> {
        self.persistent(Asked::reducing(Collective::ReduceScatter, op), Some(send), recv)
    }

    /// Prepares an [`all_to_all`](Communicator::all_to_all).
    pub fn persistent_all_to_all<T: Element>(&self, send: Vec<T>, recv: Vec<T>) -> Result<Persistent<T>> {
        self.persistent(Asked::plain(Collective::AllToAll), Some(send), recv)
    }

    /// Prepares a [`send`](Communicator::send). [`data`](Persistent::data) is what is sent.
    pub fn persistent_send<T: Element>(&self, data: Vec<T>, to: usize, tag: i32) -> Result<Persistent<T>> {
        let data = Fixed::new(data);
        let prepared = self.enter("persistent_send", |_| {
            let message = outgoing(self, (data.start(), data.len()), to, tag, false)?;
            // SAFETY: the elements stay in place until the call is dropped, and each run has ended by then.
            // During a run nobody gets them.
            unsafe { EnginePersistent::new(Arc::clone(self.engine()), &message) }
        })?;
        Ok(Persistent::new(prepared, None, data, None, self, "persistent_send"))
    }

    /// Prepares a [`receive`](Communicator::receive).
    pub fn persistent_receive<T: Element>(
        &self,
        buffer: Vec<T>,
        source: impl Into<Source>,
        tag: impl Into<Tag>,
    ) -> Result<Persistent<T>> {
        let buffer = Fixed::new(buffer);
        let prepared = self.enter("persistent_receive", |_| {
            let selector = selector(self, source.into(), tag.into())?;
            let room = incoming((buffer.start(), buffer.len()));
            // SAFETY: as in `persistent_send`.
            unsafe { EnginePersistent::new(Arc::clone(self.engine()), CallSpec::Receive(selector, room)) }
        })?;
        Ok(Persistent::new(prepared, None, buffer, None, self, "persistent_receive"))
    }

    fn persistent<T: Element>(
        &self,
        asked: Asked,
        send: Option<Vec<T>>,
        recv: Vec<T>,
    ) -> Result<Persistent<T>> {
        let (input, data) = (send.map(Fixed::new), Fixed::new(recv));
        let read = input.as_ref().unwrap_or(&data);
        let sides = RawSides {
            send: read.start().cast_const().cast(),
            send_len: read.len(),
            recv: data.start().cast(),
            recv_len: data.len(),
        };
        // SAFETY: the elements stay in place until the call is dropped, and each run has ended by then.
        // During a run nobody gets them. The operator is kept as long.
        let prepared = unsafe { self.prepare::<T>(&asked, sides) }?;
        Ok(Persistent::new(prepared, input, data, asked.operator, self, asked.collective.name()))
    }
}

impl<T: Element> Persistent<T> {
    fn new(
        prepared: EnginePersistent,
        input: Option<Fixed<T>>,
        data: Fixed<T>,
        operator: Option<OperatorInUse>,
        comm: &Communicator,
        call: &'static str,
    ) -> Persistent<T> {
        let parts = Parts { work: prepared.into(), input, data, operator };
        Persistent { parts: ManuallyDrop::new(parts), is_running: false, comm: comm.clone(), call }
    }

    /// Starts a run. It is an error while a run is under way.
    pub fn start(&mut self) -> Result<()> {
        let Parts { work, operator, .. } = &mut *self.parts;
        let Work::Persistent(prepared) = work else { unreachable!("it was made of a persistent call") };
        let started = self.comm.enter(self.call, |_| {
            operator.as_ref().map_or(Ok(()), OperatorInUse::check)?;
            prepared.start()
        });
        self.is_running |= started.is_ok();
        started
    }

    /// Waits for the end of the run. Returns at once if no run is under way.
    pub fn wait(&mut self) -> Result<()> {
        let parts = &mut *self.parts;
        let outcome = self.comm.enter(self.call, |_| Ok(parts.work.wait()))?;
        self.is_running = false;
        let outcome = outcome.map_err(|error| self.comm.explain(self.call, &error));
        self.comm.settle(self.call, parts.operator.as_ref(), outcome)
    }

    /// Whether no run is under way any more. Lets the calls of the communicator progress. `wait` then returns
    /// the outcome at once. Until it has, the buffers belong to the run.
    pub fn test(&mut self) -> bool {
        let work = &mut self.parts.work;
        self.comm.may_enter().is_ok() && without_unwinding(|| work.has_ended())
    }

    /// Waits for the end of the run for at most `time`. Returns whether no run is under way any more.
    pub fn wait_for(&mut self, time: Duration) -> bool {
        let work = &mut self.parts.work;
        // A time beyond the range of the clock is cut to a year.
        let limit = time.min(Duration::from_secs(365 * 24 * 3600));
        self.comm.may_enter().is_ok() && without_unwinding(|| work.wait_until(clock::now() + limit))
    }

    /// The message of the last run, if it was one and has ended without an error.
    pub fn status(&self) -> Option<Status> {
        self.parts.work.status().map(Status::from)
    }

    /// The output of a call; its only buffer, if it is in place, or a send or receive. An error while a run
    /// is under way.
    pub fn data(&self) -> Result<&[T]> {
        self.check_idle()?;
        // SAFETY: no run is under way, and none starts while this value is borrowed.
        Ok(unsafe { self.parts.data.elements() })
    }

    /// Like [`data`](Persistent::data), to be changed.
    pub fn data_mut(&mut self) -> Result<&mut [T]> {
        self.check_idle()?;
        // SAFETY: as above.
        Ok(unsafe { self.parts.data.elements_mut() })
    }

    /// The input of a call; its only buffer, if it is in place, or a send or receive. An error while a run is
    /// under way.
    pub fn input_mut(&mut self) -> Result<&mut [T]> {
        self.check_idle()?;
        let Parts { input, data, .. } = &mut *self.parts;
        // SAFETY: as above.
        Ok(unsafe { input.as_mut().unwrap_or(data).elements_mut() })
    }

    fn check_idle(&self) -> Result<()> {
        if !self.is_running {
            return Ok(());
        }
        let text = "the buffers belong to the run that was started: wait for it first";
        Err(self.comm.explain(self.call, &EngineError::InvalidUsage(text.into())))
    }
}

impl<T: Element> Drop for Persistent<T> {
    fn drop(&mut self) {
        if self.comm.may_enter().is_err() {
            // The engine may still use the buffers, and must not be touched. All parts stay for ever.
            return;
        }
        if thread::panicking() && self.is_running && !self.test() {
            // The other ranks may never do their part now.
            self.comm.abort("a thread of this rank has panicked during a call");
        }
        // SAFETY: dropped here only, and not used afterwards.
        without_unwinding(|| unsafe { ManuallyDrop::drop(&mut self.parts) });
    }
}

impl<T: Element> fmt::Debug for Persistent<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Persistent")
            .field("call", &self.call)
            .field("is_running", &self.is_running)
            .finish_non_exhaustive()
    }
}

impl<T: Element> Waitable for Persistent<T> {}

impl<T: Element> Working for Persistent<T> {
    fn work(&mut self) -> Option<(&mut Work, &Communicator)> {
        self.is_running.then_some((&mut self.parts.work, &self.comm))
    }
}
