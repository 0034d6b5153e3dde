//! Hardware queues: threads that run the operations of streams in the order in which they were given.
//!
//! Usually each stream has a queue of its own. With `CUDA_DOUBLE_CHANNELS=n` the streams of a device share
//! n queues, and urgent streams n others. As on a GPU, a wait in one stream can then hold up another stream
//! behind it. A kernel leaves such a queue when it begins to run. So it holds up its own stream, and what
//! stands behind the next operation of that.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};

use parking_lot::{Condvar, Mutex};

use super::{Marker, Stream};
use crate::counts::{self, Kind};
use crate::delays::Random;
use crate::loud;
use crate::settings::settings;
use crate::status::{Result, Status};

/// What an operation does. Its argument gives the random delays.
pub(super) type Work = Box<dyn FnOnce(&mut Run) -> Result + Send>;

/// An operation of a stream.
pub(super) struct Operation {
    pub stream: Arc<Stream>,
    /// Its place in the stream.
    pub number: u64,
    /// What it runs after, beside the operations before it.
    pub after: Vec<Marker>,
    /// Whether the queue goes on while it runs, if streams share it.
    pub leaves_queue: bool,
    pub work: Work,
}

/// What an operation sees while it runs.
pub struct Run {
    /// Random delays and choices.
    pub random: Random,
    /// The stream that it runs in.
    pub stream: Arc<Stream>,
}

#[derive(Default)]
struct State {
    operations: VecDeque<Operation>,
    is_closed: bool,
}

/// A hardware queue. It holds `CUDA_DOUBLE_DEPTH` operations; the host waits for room.
pub struct Queue {
    state: Mutex<State>,
    /// There is more to do.
    changed: Condvar,
    /// There is room again.
    room: Condvar,
    /// Handle of the one stream that it serves; none if several share it.
    owner: Option<usize>,
}

impl Queue {
    /// The queue for a stream: a new one, or one that others use, too.
    pub fn of(stream: &Stream) -> Arc<Queue> {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let Some(channels) = settings().channels else { return Queue::start(Some(stream.handle)) };
        let mut queues = stream.device.channels.lock();
        while queues.len() < 2 * channels {
            queues.push(Queue::start(None));
        }
        let first = if stream.priority < 0 { channels } else { 0 };
        Arc::clone(&queues[first + NEXT.fetch_add(1, Ordering::Relaxed) % channels])
    }

    fn start(owner: Option<usize>) -> Arc<Queue> {
        let queue =
            Arc::new(Queue { state: Mutex::default(), changed: Condvar::new(), room: Condvar::new(), owner });
        let served = Arc::clone(&queue);
        let thread = std::thread::Builder::new().name("cuda-double".to_string());
        if let Err(error) = thread.spawn(move || served.serve()) {
            loud::stop(&format!("a stream needs a thread: {error}"));
        }
        queue
    }

    /// Waits while the queue is full: a GPU, too, stops a host that is far ahead.
    pub fn wait_for_room(&self) {
        let settings = settings();
        let mut state = self.state.lock();
        let mut has_said = false;
        while state.operations.len() >= settings.depth && !state.is_closed {
            if self.room.wait_for(&mut state, settings.hang).timed_out() && !has_said {
                has_said = true;
                counts::add(Kind::Stalls, 1);
                let depth = settings.depth;
                loud::say(&format!(
                    "a call waits, as {depth} operations are queued already (CUDA_DOUBLE_DEPTH)"
                ));
            }
        }
    }

    /// Appends an operation.
    pub(super) fn push(&self, operation: Operation) {
        self.state.lock().operations.push_back(operation);
        self.changed.notify_one();
    }

    /// Lets the thread end after the last operation, if the queue serves only the stream `handle`.
    pub fn close_if_owned_by(&self, handle: usize) {
        if self.owner == Some(handle) {
            self.state.lock().is_closed = true;
            self.changed.notify_one();
        }
    }

    fn next(&self) -> Option<Operation> {
        let mut state = self.state.lock();
        loop {
            if let Some(operation) = state.operations.pop_front() {
                self.room.notify_all();
                return Some(operation);
            }
            if state.is_closed {
                return None;
            }
            self.changed.wait(&mut state);
        }
    }

    fn serve(&self) {
        let mut random = Random::fresh();
        while let Some(Operation { stream, number, after, leaves_queue, work }) = self.next() {
            after.iter().for_each(Marker::wait);
            Marker::new(&stream.progress, number - 1).wait();
            if leaves_queue && self.owner.is_none() {
                let run = Run { random: Random::fresh(), stream };
                let thread = std::thread::Builder::new().name("cuda-double".to_string());
                if let Err(error) = thread.spawn(move || drop(run.perform_in_stream(number, work))) {
                    loud::stop(&format!("a kernel needs a thread: {error}"));
                }
                continue;
            }
            random = Run { random, stream }.perform_in_stream(number, work).random;
        }
    }
}

/// Operations until one is made to fail; zero for none.
static UNTIL_FAILURE: LazyLock<AtomicU64> = LazyLock::new(|| AtomicU64::new(settings().corrupt));

/// Makes the `number`-th operation from now on an illegal access; none if `number` is zero.
pub fn corrupt_operation(number: u64) {
    UNTIL_FAILURE.store(number, Ordering::Relaxed);
}

/// Counts an operation; whether it is the one that a test makes fail.
fn is_made_to_fail() -> bool {
    let count_down = |left: u64| left.checked_sub(1);
    UNTIL_FAILURE.fetch_update(Ordering::Relaxed, Ordering::Relaxed, count_down) == Ok(1)
}

impl Run {
    /// Runs an operation of the stream, and notes its end.
    fn perform_in_stream(mut self, number: u64, work: Work) -> Run {
        self.random.pause();
        self.perform(work);
        self.stream.progress.finish(number);
        self
    }

    /// Runs an operation, unless the context is corrupt. An error corrupts it.
    fn perform(&mut self, work: Work) {
        let Ok(context) = self.stream.context() else { return };
        if context.check().is_err() {
            return;
        }
        let outcome = if is_made_to_fail() {
            Ok(Err(Status::ILLEGAL_ADDRESS))
        } else {
            catch_unwind(AssertUnwindSafe(|| work(self)))
        };
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                context.corrupt(error, &format!("an operation of stream {:#x} failed", self.stream.handle));
            }
            Err(_) => loud::stop("an operation of a stream panicked; its message is above"),
        }
    }
}
