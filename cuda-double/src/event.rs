//! Events: points in streams.
//!
//! Recording an event puts an operation into the stream. A wait uses the last record at the time of the call,
//! or none if there is none. In a stream that captures, a record is a point of the capture, and a wait takes
//! the stream into it. Events with `CU_EVENT_INTERPROCESS` keep their state in shared memory.

use std::sync::Arc;
use std::time::Instant;

use parking_lot::Mutex;

use crate::argument::Out;
use crate::capture::{self, Point, rules};
use crate::context::{self, Context};
use crate::copy::pageable;
use crate::counts::{self, Kind};
use crate::entry::call;
use crate::handles::{Table, fresh};
use crate::ipc::SharedEvent;
use crate::status::{Result, Status, require};
use crate::stream::{Marker, Stream, both_defaults, of_call};

/// `CU_EVENT_DISABLE_TIMING`.
const DISABLE_TIMING: u32 = 2;
/// `CU_EVENT_INTERPROCESS`.
const INTERPROCESS: u32 = 4;

/// An event.
pub struct Event {
    context: usize,
    has_timing: bool,
    /// State that other processes see, too.
    pub shared: Option<Arc<SharedEvent>>,
    last: Mutex<Last>,
}

/// The last record of an event.
#[derive(Clone, Default)]
enum Last {
    /// There is none.
    #[default]
    Never,
    /// In a stream.
    Run(Record),
    /// In a capture.
    Captured(Point),
}

impl Last {
    /// The record that a stream runs; an error for one in a capture.
    fn run(self) -> Result<Option<Record>> {
        match self {
            Last::Never => Ok(None),
            Last::Run(record) => Ok(Some(record)),
            Last::Captured(point) => Err(rules::refuse_event(&point)),
        }
    }
}

/// One record of an event that a stream runs.
#[derive(Clone)]
struct Record {
    marker: Marker,
    time: Arc<Mutex<Option<Instant>>>,
}

static EVENTS: Table<Event> = Table::empty();

/// The event of a handle.
pub fn get(handle: usize) -> Result<Arc<Event>> {
    EVENTS.get(handle)
}

/// Adds an event and gives its handle.
pub fn add(shared: Option<Arc<SharedEvent>>, has_timing: bool) -> Result<usize> {
    let context = context::current()?.handle;
    let handle = fresh();
    EVENTS.insert(handle, Arc::new(Event { context, has_timing, shared, last: Mutex::default() }));
    counts::add(Kind::Events, 1);
    Ok(handle)
}

/// Forgets the events of a context that ends.
pub fn forget_events_of(context: usize) {
    let ended = EVENTS.remove_all(|event| event.context == context);
    counts::add(Kind::Events, -(ended as i64));
}

/// Makes later work of the stream run after the last record of the event.
pub fn make_wait(stream: &Arc<Stream>, event: usize) -> Result {
    let event = EVENTS.get(event)?;
    if let Some(shared) = &event.shared {
        rules::refuse_order(stream)?;
        let (shared, number) = (Arc::clone(shared), shared.recorded());
        stream.enqueue(move |run| {
            // A corrupt context releases its waits.
            let _ = shared.wait(number, &*run.stream.context()?);
            Ok(())
        });
        return Ok(());
    }
    let last = event.last.lock().clone();
    match last {
        Last::Never => capture::point(stream).map(drop),
        Last::Captured(point) => capture::wait_for(stream, &point),
        Last::Run(record) => {
            rules::refuse_order(stream)?;
            stream.enqueue_after(vec![record.marker], |_| Ok(()));
            Ok(())
        }
    }
}

/// Puts a record of the event into the stream.
fn record(stream: &Arc<Stream>, event: &Event) -> Result {
    if event.context != stream.context {
        return Err(Status::INVALID_HANDLE);
    }
    let mut last = event.last.lock();
    if event.shared.is_some() {
        rules::refuse(stream)?;
    }
    if let Some(point) = capture::point(stream)? {
        *last = Last::Captured(point);
        return Ok(());
    }
    let time = Arc::new(Mutex::new(None));
    let at_end = Arc::clone(&time);
    let shared = event.shared.clone().map(|shared| {
        let number = shared.begin();
        (shared, number)
    });
    let marker = stream.enqueue(move |run| {
        run.random.pause();
        *at_end.lock() = Some(Instant::now());
        if let Some((shared, number)) = shared {
            shared.finish(number);
        }
        Ok(())
    });
    *last = Last::Run(Record { marker, time });
    Ok(())
}

impl Event {
    fn is_reached(&self) -> Result<bool> {
        if let Some(shared) = &self.shared {
            return Ok(shared.is_reached(shared.recorded()));
        }
        let last = self.last.lock().clone().run()?;
        Ok(last.is_none_or(|record| record.marker.is_reached()))
    }

    fn wait(&self, context: &Context) -> Result {
        if let Some(shared) = &self.shared {
            return shared.wait(shared.recorded(), context);
        }
        let last = self.last.lock().clone().run()?;
        last.iter().for_each(|record| record.marker.wait());
        Ok(())
    }

    fn time(&self) -> Result<Instant> {
        let last = self.last.lock().clone().run()?.filter(|_| self.has_timing);
        let last = last.ok_or(Status::INVALID_HANDLE)?;
        let time = *last.time.lock();
        time.ok_or(Status::NOT_READY)
    }
}

/// `cuEventCreate`.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventCreate(event: Out<usize>, flags: u32) -> Status {
    call("cuEventCreate", || {
        context::current()?;
        let _turn = pageable::hold("cuEventCreate");
        let is_shared = flags & INTERPROCESS != 0;
        // An event between processes has no time.
        require(!event.is_null() && flags <= 7 && (!is_shared || flags & DISABLE_TIMING != 0))?;
        let shared = if is_shared { Some(Arc::new(SharedEvent::create()?)) } else { None };
        event.set(add(shared, flags & DISABLE_TIMING == 0)?)
    })
}

/// `cuEventDestroy_v2`; a record that has not run yet still runs.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventDestroy_v2(event: usize) -> Status {
    call("cuEventDestroy", || {
        context::current()?;
        let _turn = pageable::hold("cuEventDestroy");
        EVENTS.remove(event)?;
        counts::add(Kind::Events, -1);
        Ok(())
    })
}

both_defaults! {
    /// `cuEventRecord`.
    cuEventRecord, cuEventRecord_ptsz, "cuEventRecord", (event: usize, stream: usize), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        record(&stream, &*EVENTS.get(event)?)
    }
}

both_defaults! {
    /// `cuEventRecordWithFlags`. The flag for captures (1) changes nothing outside of one. Inside, it would
    /// record a node, which the double does not have.
    cuEventRecordWithFlags, cuEventRecordWithFlags_ptsz, "cuEventRecord",
    (event: usize, stream: usize, flags: u32), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        require(flags <= 1)?;
        if flags == 1 && rules::is_capturing(&stream) {
            return Err(Status::NOT_SUPPORTED);
        }
        record(&stream, &*EVENTS.get(event)?)
    }
}

/// `cuEventQuery`; an event that was never recorded is complete.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventQuery(event: usize) -> Status {
    call("cuEventQuery", || {
        context::current()?;
        if EVENTS.get(event)?.is_reached()? { Ok(()) } else { Err(Status::NOT_READY) }
    })
}

/// `cuEventSynchronize`.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventSynchronize(event: usize) -> Status {
    call("cuEventSynchronize", || {
        let context = context::current()?;
        EVENTS.get(event)?.wait(&context)?;
        context.check()
    })
}

fn elapsed(milliseconds: Out<f32>, start: usize, end: usize) -> Status {
    call("cuEventElapsedTime", || {
        context::current()?;
        let (start, end) = (EVENTS.get(start)?, EVENTS.get(end)?);
        let (start, end) = (start.time()?, end.time()?);
        let forwards = end.saturating_duration_since(start).as_secs_f32();
        milliseconds.set(1e3 * (forwards - start.saturating_duration_since(end).as_secs_f32()))
    })
}

/// `cuEventElapsedTime`.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventElapsedTime(milliseconds: Out<f32>, start: usize, end: usize) -> Status {
    elapsed(milliseconds, start, end)
}

/// `cuEventElapsedTime_v2`.
#[unsafe(no_mangle)]
pub extern "C" fn cuEventElapsedTime_v2(milliseconds: Out<f32>, start: usize, end: usize) -> Status {
    elapsed(milliseconds, start, end)
}
