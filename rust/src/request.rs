//! Requests: calls that were started and not waited for yet.
//!
//! A request owns the memory of its call. The engine uses that memory through pointers, until the work has an
//! outcome. This is also true of a failure: it is set under the lock under which the engine uses the memory,
//! and ends the call there. Peers only ever read memory of this process, by system calls, which tolerate
//! memory that is gone. So a value that the engine has ended may be used and freed, and only such values are
//! given back. A request that is forgotten (`std::mem::forget`) takes its memory with it: the memory is
//! never freed, and the engine may use it for as long as it likes.

use std::fmt;
use std::mem;
use std::thread;
use std::time::Duration;

use anyccl_engine::comm::{Work, wait_some, wait_until_one_engine};
use anyccl_engine::p2p::Status;
use anyccl_engine::sys::clock;

use crate::call::without_unwinding;
use crate::communicator::Communicator;
use crate::error::Result;
use crate::operator::OperatorInUse;

/// A call that was started. It owns the buffers of the call, and [`wait`](Request::wait) gives them back.
///
/// Operations progress only inside calls on their communicator, or on one that was made from the same. A
/// request that is dropped waits for its call, because its buffers are in use. It ignores the outcome; an
/// error that concerns the communicator is repeated by its next call. Forgetting a request leaks its buffers
/// and a handle of the communicator, which this rank then never leaves. A panic that drops a request whose
/// call is under way aborts the communicator.
///
/// The type of the buffers is that of the call: `(S, Vec<T>)` for a call with an input and an output,
/// `Vec<T>` for one in place, `S` for a send.
#[must_use = "a request that is dropped waits for its call"]
pub struct Request<B> {
    /// `None` only while the request is being taken apart.
    started: Option<Started<B>>,
}

/// A call that was started, with everything that it uses.
struct Started<B> {
    work: Work,
    buffers: B,
    operator: Option<OperatorInUse>,
    comm: Communicator,
    call: &'static str,
}

impl<B> Request<B> {
    /// Makes the request of a call that was started. `buffers` own the memory of the call.
    pub(crate) fn new(
        work: Work,
        buffers: B,
        operator: Option<OperatorInUse>,
        comm: &Communicator,
        call: &'static str,
    ) -> Request<B> {
        Request { started: Some(Started { work, buffers, operator, comm: comm.clone(), call }) }
    }

    /// Waits for the end of the call, and gives the buffers back. After an error they are dropped;
    /// [`wait_outcome`](Request::wait_outcome) keeps them.
    pub fn wait(self) -> Result<B> {
        let (buffers, outcome) = self.wait_outcome();
        outcome.map(|()| buffers.expect("a call that has succeeded has ended"))
    }

    /// Waits for the end of the call, and gives the buffers back with the outcome. After an error, the
    /// content of the output is undefined: any numbers.
    ///
    /// `None`: the call could not be waited for, inside the function of an operator or in a child of `fork`.
    /// The buffers are leaked then, because they are in use.
    pub fn wait_outcome(mut self) -> (Option<B>, Result<()>) {
        let (buffers, outcome, _) = self.end();
        (buffers, outcome)
    }

    /// Whether the call has ended. Lets the calls of the communicator progress. Does not wait.
    pub fn test(&mut self) -> bool {
        let started = self.started();
        started.comm.may_enter().is_ok() && without_unwinding(|| started.work.has_ended())
    }

    /// Waits for the end of the call for at most `time`. Returns whether it has ended. If not, the call goes
    /// on, and can be waited for again.
    pub fn wait_for(&mut self, time: Duration) -> bool {
        let started = self.started();
        if started.comm.may_enter().is_err() {
            return false;
        }
        // A time beyond the range of the clock is no limit.
        match clock::now().checked_add(time) {
            Some(end) => without_unwinding(|| started.work.wait_until(end)),
            None => {
                // The outcome is kept for `wait`.
                let _ = without_unwinding(|| started.work.wait());
                true
            }
        }
    }

    /// Asks for the end of a receive that no message has matched yet.
    pub(crate) fn cancel(&mut self) {
        let started = self.started();
        if started.comm.may_enter().is_ok() {
            without_unwinding(|| started.work.cancel());
        }
    }

    /// Waits for the end of the call. Gives the buffers, the outcome and the status of the message. The
    /// request is empty afterwards.
    pub(crate) fn end(&mut self) -> (Option<B>, Result<()>, Option<Status>) {
        let mut started = self.started.take().expect("taken once, when the request is consumed or dropped");
        if let Err(error) = started.comm.may_enter() {
            let refused = started.comm.explain(started.call, &error);
            // The engine may still use the buffers. They and the work stay for ever.
            mem::forget(started);
            return (None, Err(refused), None);
        }
        let outcome = without_unwinding(|| started.work.wait());
        let Started { work, buffers, operator, comm, call } = started;
        let outcome = outcome.map_err(|error| comm.explain(call, &error));
        let outcome = comm.settle(call, operator.as_ref(), outcome);
        (Some(buffers), outcome, work.status())
    }

    fn started(&mut self) -> &mut Started<B> {
        self.started.as_mut().expect("there until the request is consumed or dropped")
    }
}

impl<B> Drop for Request<B> {
    fn drop(&mut self) {
        if self.started.is_some() {
            if thread::panicking() && !self.test() {
                // The other ranks may never do their part now.
                self.started().comm.abort("a thread of this rank has panicked during a call");
            }
            // An error belongs to the communicator, whose next call repeats it.
            let _ = self.end();
        }
    }
}

impl<B> fmt::Debug for Request<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let call = self.started.as_ref().map(|started| started.call);
        f.debug_struct("Request").field("call", &call).finish_non_exhaustive()
    }
}

/// Something that was started and can be waited for together with others: a [`Request`], a
/// [`ReceiveRequest`](crate::ReceiveRequest) or a [`Persistent`](crate::Persistent).
///
/// The trait is sealed: other crates cannot implement it.
pub trait Waitable: sealed::Working {}

pub(crate) mod sealed {
    use super::{Communicator, Work};

    pub trait Working {
        /// The work, and the communicator in which it goes on. `None`: nothing was started.
        fn work(&mut self) -> Option<(&mut Work, &Communicator)>;
    }
}

impl<B> Waitable for Request<B> {}

impl<B> sealed::Working for Request<B> {
    fn work(&mut self) -> Option<(&mut Work, &Communicator)> {
        self.started.as_mut().map(|started| (&mut started.work, &started.comm))
    }
}

/// Waits until at least one of the calls has ended, and gives the indices of all that have ended. Their
/// `wait` then returns at once. They may belong to several communicators.
///
/// The list is empty if nothing is under way.
///
/// ```
/// use anyccl::{wait_any, Waitable};
///
/// anyccl::threads(2, |comm| {
///     let other = 1 - comm.rank();
///     let mut receive = comm.start_receive(vec![0u8; 3], other, 7)?;
///     let mut send = comm.start_send(vec![1u8, 2, 3], other, 7)?;
///     let ended = wait_any(&mut [&mut receive, &mut send])?;
///     assert!(!ended.is_empty());
///     send.wait()?;
///     assert_eq!(receive.wait()?.0, [1, 2, 3]);
///     Ok(())
/// })?;
/// # Ok::<(), anyccl::Error>(())
/// ```
pub fn wait_any(started: &mut [&mut dyn Waitable]) -> Result<Vec<usize>> {
    let (places, mut works) = under_way(started, "wait_any")?;
    let ended = without_unwinding(|| wait_some(&mut works));
    Ok(ended.into_iter().map(|at| places[at]).collect())
}

/// Waits for all calls, and gives all buffers back. After an error, the first one, all calls have ended.
pub fn wait_all<B>(requests: impl IntoIterator<Item = Request<B>>) -> Result<Vec<B>> {
    let mut requests: Vec<Request<B>> = requests.into_iter().collect();
    let mut started: Vec<&mut dyn Waitable> = requests.iter_mut().map(|request| request as _).collect();
    // Calls of several sets of connections need turns each, or ranks could wait for one another.
    let (_, mut works) = under_way(&mut started, "wait_all")?;
    without_unwinding(|| wait_until_one_engine(&mut works));
    let outcomes: Vec<Result<B>> = requests.into_iter().map(Request::wait).collect();
    outcomes.into_iter().collect()
}

/// The works of what was started, with their places in the list.
fn under_way<'a>(
    started: &'a mut [&mut (dyn Waitable + '_)],
    call: &str,
) -> Result<(Vec<usize>, Vec<&'a mut Work>)> {
    let (mut places, mut works) = (Vec::new(), Vec::new());
    for (at, one) in started.iter_mut().enumerate() {
        if let Some((work, comm)) = one.work() {
            comm.may_enter().map_err(|error| comm.explain(call, &error))?;
            places.push(at);
            works.push(work);
        }
    }
    Ok((places, works))
}
