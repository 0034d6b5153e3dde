//! A communicator of a library of NCCL's shape, and its calls.

use std::ffi::c_int;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};

use super::dialect::Dialect;
use super::elements;
use super::features::Features;
use super::functions::{Functions, Handle};
use super::outcome::{self, SUCCESS};
use super::stream::Stream;
use super::turns::Turns;
use crate::backend::engine::{Exchange, ForeignComm, Started, StreamPosition, UnequalCall, UniformCall};
use crate::backend::inside::Inside;
use crate::base::{Collective, Error, Rank, ReduceOp, Result};
use crate::device::CudaStream;
use crate::reduce::divide_fn;
use crate::sys::clock;

/// Longest time that the library may take to end its calls when the communicator is aborted.
const ABORT_TIME: Duration = Duration::from_secs(10);
/// Longest time for which an abort waits until a call is in the library's hands.
const HANDOVER_TIME: Duration = Duration::from_secs(1);

/// A communicator of the library, for the ranks of one of ours.
pub struct Communicator<const ID: usize> {
    calls: Arc<Calls<ID>>,
    turns: Turns,
}

/// The part that calls the library, in any thread.
pub struct Calls<const ID: usize> {
    pub(super) dialect: &'static Dialect,
    pub(super) functions: Arc<Functions<ID>>,
    pub(super) features: Features,
    pub(super) handle: Handle,
    pub(super) stream: Box<dyn Stream>,
    pub(super) rank: Rank,
    pub(super) size: u32,
    /// Whether the communicator was given up: the library has been told, or cannot be told.
    pub(super) is_aborted: AtomicBool,
    /// Whether an abort has returned: the library has ended its calls, and has freed the communicator.
    pub(super) has_let_go: AtomicBool,
    /// Locked while the library is asked about the communicator, which abort and destroy free.
    pub(super) questions: Mutex<()>,
    /// Locked while a call is put into the library's hands, which uses the communicator.
    pub(super) handover: Mutex<()>,
}

// SAFETY: the handle is passed to the library only. The library lets any thread call it, one at a time, which
// `Turns` ensures. Aborting and asking for an asynchronous error are exceptions that the library permits at
// the same time.
unsafe impl<const ID: usize> Send for Calls<ID> {}
// SAFETY: as above.
unsafe impl<const ID: usize> Sync for Calls<ID> {}

/// A call that is passed to another thread.
struct Sent<T>(T);

// SAFETY: the pointers in it are the caller's buffers. By the contract of the functions that make a call,
// nobody else uses them until it has ended.
unsafe impl<T> Send for Sent<T> {}

impl<T> Sent<T> {
    fn get(&self) -> &T {
        &self.0
    }
}

impl<const ID: usize> Communicator<ID> {
    pub(super) fn new(calls: Calls<ID>) -> Communicator<ID> {
        Communicator { calls: Arc::new(calls), turns: Turns::default() }
    }
}

impl<const ID: usize> ForeignComm for Communicator<ID> {
    fn fits(&self, _call: &UniformCall) -> bool {
        // Counts are as wide as pointers here.
        true
    }

    unsafe fn run(&self, call: &UniformCall) -> Result<()> {
        // SAFETY: our caller's promise for the whole call.
        self.turns.run(|| unsafe { self.calls.collective(call) })
    }

    unsafe fn start(&self, call: &UniformCall) -> Result<Box<dyn Started>> {
        let (calls, call) = (Arc::clone(&self.calls), Sent(*call));
        // SAFETY: our caller's promise until the end.
        self.turns.start(move || unsafe { calls.collective(call.get()) })
    }

    unsafe fn run_unequal(&self, call: &UnequalCall<'_>) -> Result<()> {
        Err(self.calls.not_there(call.collective))
    }

    unsafe fn start_unequal(&self, call: &UnequalCall<'_>) -> Result<Box<dyn Started>> {
        Err(self.calls.not_there(call.collective))
    }

    unsafe fn exchange(&self, messages: &[Exchange]) -> Result<Box<dyn Started>> {
        let (calls, messages) = (Arc::clone(&self.calls), Sent(messages.to_vec()));
        // SAFETY: our caller's promise until the end.
        self.turns.start(move || unsafe { calls.messages(messages.get()) })
    }

    fn move_on(&self) {
        // The library has threads of its own, or a device. Calls that wait for their turn have our thread.
    }

    fn is_recording(&self, stream: CudaStream) -> Result<bool> {
        self.calls.stream.is_recording(stream)
    }

    fn position(&self, stream: CudaStream) -> Result<Arc<dyn StreamPosition>> {
        self.calls.stream.position(stream)
    }

    fn check(&self) -> Result<()> {
        self.calls.check_asynchronous()
    }

    fn is_idle(&self) -> bool {
        self.turns.is_idle()
    }

    fn abort(&self) {
        if !self.calls.is_aborted.swap(true, Ordering::SeqCst) {
            let patience = if self.calls.can_abort() { ABORT_TIME } else { Duration::ZERO };
            self.turns.give_up(self.calls.aborted(), patience);
            self.calls.abort();
        }
    }

    fn close(&self) {
        if self.turns.close() && !self.calls.is_aborted.swap(true, Ordering::SeqCst) {
            self.calls.leave();
        }
    }
}

impl<const ID: usize> Drop for Communicator<ID> {
    fn drop(&mut self) {
        // Closes a communicator that nobody came to use, because a rank found another engine missing.
        self.close();
    }
}

impl<const ID: usize> Calls<ID> {
    fn aborted(&self) -> Error {
        let title = self.dialect.title;
        Error::Aborted(format!("the communicator was aborted while {title} served it"))
    }

    /// # Safety
    /// See [`ForeignComm::run`].
    unsafe fn collective(&self, call: &UniformCall) -> Result<()> {
        self.stream.enter()?;
        let (mut send, recv, count) = (call.send, call.recv, call.count);
        if call.collective == Collective::Broadcast && call.root != self.rank {
            // Only the root's input is read, and ours may be NULL. oneCCL first copies the input to the
            // output, unless they are the same.
            send = recv.cast_const();
        }
        let (comm, root) = (self.handle, call.root as c_int);
        let stream = call.stream.map_or_else(|| self.stream.handle(), CudaStream::as_raw);
        self.check_buffers(call)?;
        if call.stream.is_some() {
            // Nobody has waited for the calls before.
            self.check_asynchronous()?;
        }
        let (items, op) = match call.op {
            None => (elements::moved(call.datatype), 0),
            Some(op) => {
                let op = if op == ReduceOp::Avg && !self.features.averages { ReduceOp::Sum } else { op };
                elements::reduced(call.datatype, op, self.features.float8)
                    .ok_or_else(|| self.not_there(call.collective))?
            }
        };
        let (count, datatype) = (count * items.per_element, items.datatype);
        let f = &*self.functions;
        let inside = Inside::enter();
        let handover = self.begin_handover()?;
        #[allow(
            clippy::multiple_unsafe_ops_per_block,
            reason = "one of them is made, and the argument is the same"
        )]
        // SAFETY: buffers that our caller vouches for, in the library's own terms: counts mean the same
        // there, and `per_element` of its elements are one of ours. The handle lives: `leave` comes when no
        // call is left, and `abort` waits for the handover.
        let result = unsafe {
            match call.collective {
                Collective::AllReduce => (f.all_reduce)(send, recv, count, datatype, op, comm, stream),
                Collective::Reduce => (f.reduce)(send, recv, count, datatype, op, root, comm, stream),
                Collective::Broadcast => (f.broadcast)(send, recv, count, datatype, root, comm, stream),
                Collective::AllGather => (f.all_gather)(send, recv, count, datatype, comm, stream),
                Collective::ReduceScatter => {
                    (f.reduce_scatter)(send, recv, count, datatype, op, comm, stream)
                }
                Collective::AllToAll if let Some(all_to_all) = f.all_to_all => {
                    all_to_all(send, recv, count, datatype, comm, stream)
                }
                Collective::Gather if let Some(gather) = f.gather => {
                    gather(send, recv, count, datatype, root, comm, stream)
                }
                Collective::Scatter if let Some(scatter) = f.scatter => {
                    scatter(send, recv, count, datatype, root, comm, stream)
                }
                other => return Err(self.not_there(other)),
            }
        };
        drop(handover);
        if call.stream.is_some() {
            return self.check_accepted(call.collective.name(), result);
        }
        self.has_ended(call.collective.name(), result)?;
        drop(inside);
        if call.op == Some(ReduceOp::Avg) && !self.features.averages {
            // SAFETY: our caller's promise about the output.
            unsafe { self.divide(call) };
        }
        Ok(())
    }

    /// Refuses buffers that the device of this communicator cannot use.
    fn check_buffers(&self, call: &UniformCall) -> Result<()> {
        let (size, collective) = (self.size as usize, call.collective);
        if collective.input_elements(size, self.rank, call.root, call.count) > 0 {
            self.stream.check_buffer(call.send.addr())?;
        }
        if collective.output_elements(size, self.rank, call.root, call.count) > 0 {
            self.stream.check_buffer(call.recv.addr())?;
        }
        Ok(())
    }

    /// Divides a sum to make an average.
    ///
    /// # Safety
    /// The output is writable memory of this processor.
    unsafe fn divide(&self, call: &UniformCall) {
        let elements = call.collective.output_elements(self.size as usize, self.rank, call.root, call.count);
        if let Some(divide) = divide_fn(call.datatype).filter(|_| elements > 0) {
            // SAFETY: that many elements by the definition of the collective.
            unsafe { divide(call.recv, elements, self.size) };
        }
    }

    /// # Safety
    /// See [`ForeignComm::exchange`].
    unsafe fn messages(&self, messages: &[Exchange]) -> Result<()> {
        const BYTE: c_int = 1;
        self.stream.enter()?;
        let (comm, stream) = (self.handle, self.stream.handle());
        let _inside = Inside::enter();
        let handover = self.begin_handover()?;
        // SAFETY: opens the library's group of this thread, which is closed below in any case.
        self.check("GroupStart", unsafe { (self.functions.group_start)() })?;
        let mut result = SUCCESS;
        for message in messages {
            #[allow(clippy::multiple_unsafe_ops_per_block, reason = "one of the two is made")]
            // SAFETY: the handle lives, as in `collective`. Buffers that our caller vouches for until the
            // group is closed and its messages have ended. Sent buffers are only read, although the shared
            // signature has a mutable pointer.
            let one = unsafe {
                match *message {
                    Exchange::Send { to, data, bytes } => {
                        (self.functions.send)(data.cast_mut(), bytes, BYTE, to as c_int, comm, stream)
                    }
                    Exchange::Receive { from, data, bytes } => {
                        (self.functions.recv)(data, bytes, BYTE, from as c_int, comm, stream)
                    }
                }
            };
            if result == SUCCESS && one != self.dialect.in_progress {
                result = one;
            }
        }
        // SAFETY: closes the group that was opened above.
        let end = unsafe { (self.functions.group_end)() };
        drop(handover);
        self.has_ended("GroupEnd", if result == SUCCESS { end } else { result })
    }

    /// Keeps the communicator alive until the guard is dropped, unless the library takes too long to accept a
    /// call. An error: it was aborted.
    fn begin_handover(&self) -> Result<MutexGuard<'_, ()>> {
        let handover = self.handover.lock();
        if self.is_aborted.load(Ordering::SeqCst) { Err(self.aborted()) } else { Ok(handover) }
    }

    /// Whether the library has enqueued a call, which returned `result`.
    fn check_accepted(&self, function: &str, result: c_int) -> Result<()> {
        if result == self.dialect.in_progress { Ok(()) } else { self.check(function, result) }
    }

    /// Waits until the library has done its work; `result` is what the call returned. An abort meanwhile is
    /// an error.
    fn has_ended(&self, function: &str, result: c_int) -> Result<()> {
        if result != self.dialect.in_progress {
            self.check(function, result)?;
        }
        let mut aborted_since = None;
        while !self.stream.has_ended()? {
            if self.is_aborted.load(Ordering::SeqCst) {
                // Until the abort has ended the call, the buffers are in use.
                let since = *aborted_since.get_or_insert_with(clock::now);
                if !self.can_abort()
                    || self.has_let_go.load(Ordering::SeqCst)
                    || clock::since(since) >= ABORT_TIME
                {
                    break;
                }
            } else if let Err(error) = self.check_asynchronous()
                && !self.is_aborted.load(Ordering::SeqCst)
            {
                return Err(error);
            }
            thread::yield_now();
        }
        // An abort ends the stream, too, and leaves no result.
        if self.is_aborted.load(Ordering::SeqCst) { Err(self.aborted()) } else { Ok(()) }
    }

    /// Checks for an error that the library noticed after a call had returned.
    fn check_asynchronous(&self) -> Result<()> {
        let Some(ask) = self.functions.get_async_error else { return Ok(()) };
        let questions = self.questions.lock();
        if self.is_aborted.load(Ordering::SeqCst) {
            return Err(self.aborted());
        }
        let mut result = SUCCESS;
        // SAFETY: a live handle, and one number to write; the library permits it beside any other call.
        let asked = unsafe { ask(self.handle, &mut result) };
        drop(questions);
        let result = if asked == SUCCESS && result != self.dialect.in_progress { result } else { asked };
        self.check("CommGetAsyncError", result)
    }

    fn check(&self, function: &str, result: c_int) -> Result<()> {
        outcome::check(self.dialect, function, result, || {
            let _questions = self.questions.lock();
            if self.is_aborted.load(Ordering::SeqCst) {
                return String::new();
            }
            // SAFETY: nobody has aborted the communicator, and nobody does while the lock is held.
            unsafe { self.functions.last_error(self.handle) }
        })
    }

    fn can_abort(&self) -> bool {
        self.features.aborts && self.functions.abort.is_some()
    }

    /// Ends the library's calls and frees its communicator. Called once at most.
    pub(super) fn abort(&self) {
        let Some(abort) = self.functions.abort.filter(|_| self.features.aborts) else { return };
        let _inside = Inside::enter();
        // Nobody asks about the handle any more after that, and nobody passes it on. A thread whose call the
        // library does not accept in time is stuck there, and only the abort ends that.
        drop(self.questions.lock());
        drop(self.handover.try_lock_for(HANDOVER_TIME));
        // SAFETY: a live handle, passed once: `is_aborted` was unset before. The library permits this while
        // other threads are in a call, and ends their calls. Nobody can use the result.
        unsafe { abort(self.handle) };
        self.has_let_go.store(true, Ordering::SeqCst);
    }

    /// Destroys the communicator in good order, with nothing under way.
    fn leave(&self) {
        let _inside = Inside::enter();
        drop(self.questions.lock());
        // SAFETY: a live handle that no call uses any more, because `Turns` is closed. A failure here leaks
        // memory in the library.
        if unsafe { (self.functions.finalize)(self.handle) } == SUCCESS {
            // SAFETY: as above, the last use.
            unsafe { (self.functions.destroy)(self.handle) };
        }
    }

    fn not_there(&self, collective: Collective) -> Error {
        Error::Internal(format!(
            "{} was asked for a {} that it does not do",
            self.dialect.title,
            collective.name()
        ))
    }
}
