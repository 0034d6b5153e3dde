//! Streams: queues of work that run one operation after the other.
//!
//! An operation is a closure with markers that it runs after. Nothing else orders two streams: each has a
//! thread, and the thread sleeps for random times before, inside and after an operation.

pub mod api;
mod default;
mod marker;
mod queue;
mod variants;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Instant;

use parking_lot::Mutex;

use crate::capture;
use crate::context::{self, Context};
use crate::counts::{self, Kind};
use crate::device::Device;
use crate::graph::{NodeKind, Work};
use crate::handles::{Table, fresh};
use crate::status::{Result, Status};

pub use default::{Defaults, resolve};
pub use marker::{Marker, Progress};
use queue::Operation;
pub use queue::{Queue, Run, corrupt_operation};
pub(crate) use variants::both_defaults;

/// How a stream is ordered against the legacy default stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamKind {
    /// The legacy default stream itself.
    Legacy,
    /// Ordered with the legacy default stream in both directions.
    Blocking,
    /// Not ordered with any other stream.
    NonBlocking,
}

/// A stream.
pub struct Stream {
    /// The `CUstream`.
    pub handle: usize,
    /// Handle of its context.
    pub context: usize,
    /// Its device.
    pub device: &'static Arc<Device>,
    /// How it is ordered against the legacy default stream.
    pub kind: StreamKind,
    /// Its priority; lower is more urgent.
    pub priority: i32,
    owner: Weak<Context>,
    /// How far it is.
    progress: Arc<Progress>,
    /// The queue that runs it, from its first operation on.
    queue: Mutex<Option<Arc<Queue>>>,
    /// A value wait that runs now: since when, and what it waits for.
    value_wait: Mutex<Option<(Instant, String)>>,
    is_closed: AtomicBool,
}

static STREAMS: Table<Stream> = Table::empty();

impl Stream {
    /// A stream of a context that may still be in the making.
    pub fn create(
        owner: Weak<Context>,
        context: usize,
        device: &'static Arc<Device>,
        kind: StreamKind,
        priority: i32,
    ) -> Arc<Stream> {
        let stream = Arc::new(Stream {
            handle: fresh(),
            context,
            device,
            kind,
            priority,
            owner,
            progress: Arc::new(Progress::default()),
            queue: Mutex::new(None),
            value_wait: Mutex::new(None),
            is_closed: AtomicBool::new(false),
        });
        device.streams.lock().push(Arc::downgrade(&stream));
        stream
    }

    /// Its context.
    pub fn context(&self) -> Result<Arc<Context>> {
        self.owner.upgrade().ok_or(Status::CONTEXT_IS_DESTROYED)
    }

    /// Puts work into the stream, or records it if the stream captures. The marker is reached when it has
    /// run; there is none for work that is recorded.
    pub fn submit(
        self: &Arc<Stream>,
        kind: NodeKind,
        work: impl Fn(&mut Run) -> Result + Send + Sync + 'static,
    ) -> Result<Option<Marker>> {
        let work: Work = Arc::new(work);
        if capture::record(self, kind, &work)? {
            return Ok(None);
        }
        let leaves_queue = kind == NodeKind::Kernel;
        Ok(Some(self.push(leaves_queue, Vec::new(), Box::new(move |run| work(run)))))
    }

    /// Puts work that no capture records into the stream. The marker is reached when it has run.
    pub fn enqueue(self: &Arc<Stream>, work: impl FnOnce(&mut Run) -> Result + Send + 'static) -> Marker {
        self.enqueue_after(Vec::new(), work)
    }

    /// Puts work into the stream that runs after `markers`, too.
    pub fn enqueue_after(
        self: &Arc<Stream>,
        markers: Vec<Marker>,
        work: impl FnOnce(&mut Run) -> Result + Send + 'static,
    ) -> Marker {
        self.push(false, markers, Box::new(work))
    }

    fn push(self: &Arc<Stream>, leaves_queue: bool, mut markers: Vec<Marker>, work: queue::Work) -> Marker {
        let queue = Arc::clone(self.queue.lock().get_or_insert_with(|| Queue::of(self)));
        queue.wait_for_room();
        let _submission = self.device.submission.lock();
        markers.extend(self.implicit_order());
        let number = self.progress.begin();
        queue.push(Operation { stream: Arc::clone(self), number, after: markers, leaves_queue, work });
        Marker::new(&self.progress, number)
    }

    /// The end of what the stream has been given so far.
    pub fn end(&self) -> Marker {
        Marker::new(&self.progress, self.progress.given())
    }

    /// Notes that a value wait begins.
    pub fn begin_value_wait(&self, what: String) {
        *self.value_wait.lock() = Some((Instant::now(), what));
        counts::add(Kind::Waits, 1);
    }

    /// Notes that the value wait is over.
    pub fn end_value_wait(&self) {
        *self.value_wait.lock() = None;
        counts::add(Kind::Waits, -1);
    }

    /// The value wait that runs now: since when, and what it waits for.
    pub fn pending_value_wait(&self) -> Option<(Instant, String)> {
        self.value_wait.lock().clone()
    }

    /// Lets the thread end once all queued work has run.
    pub fn close(&self) {
        if !self.is_closed.swap(true, Ordering::AcqRel)
            && let Some(queue) = self.queue.lock().take()
        {
            queue.close_if_owned_by(self.handle);
        }
    }
}

impl Drop for Stream {
    fn drop(&mut self) {
        self.close();
    }
}

/// Closes the streams of a context that ends.
pub fn forget_streams_of(context: usize) {
    for stream in STREAMS.select(|stream| stream.context == context) {
        if STREAMS.remove(stream.handle).is_ok() {
            counts::add(Kind::Streams, -1);
        }
        capture::forget_stream(stream.handle);
        stream.close();
    }
}

/// The current context and the stream `handle`, as most functions need them.
pub fn of_call(handle: usize, defaults: Defaults) -> Result<(Arc<Context>, Arc<Stream>)> {
    let context = context::current()?;
    let stream = resolve(&context, handle, defaults)?;
    stream.context()?.check()?;
    Ok((context, stream))
}
