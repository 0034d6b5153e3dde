//! Stream capture: streams that record their work into a graph instead of running it.
//!
//! A capture begins in one stream. Another stream joins it by a wait for an event that was recorded in it,
//! and must be joined back before the end. A call that CUDA prohibits meanwhile returns an error, and
//! *invalidates* the capture: its streams refuse all work until the capture is ended, which fails and gives
//! no graph.
//!
//! All captures are behind one lock (`STATE`). Programs without a capture only look at a counter.

pub mod api;
pub mod rules;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock};
use std::thread::ThreadId;

use parking_lot::{Mutex, MutexGuard};

use crate::graph::{Graph, Node, NodeKind, Work};
use crate::handles::fresh;
use crate::status::{Result, Status};
use crate::stream::{Stream, StreamKind};

/// How a capture goes together with unsafe calls (`CUstreamCaptureMode`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No thread may make unsafe calls, unless it has chosen another mode.
    Global,
    /// The thread of the capture may make no unsafe calls.
    ThreadLocal,
    /// Unsafe calls are allowed.
    Relaxed,
}

impl Mode {
    fn of(number: u32) -> Result<Mode> {
        match number {
            0 => Ok(Mode::Global),
            1 => Ok(Mode::ThreadLocal),
            2 => Ok(Mode::Relaxed),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

/// A capture that has begun and was not ended.
struct Capture {
    mode: Mode,
    thread: ThreadId,
    /// Handle of the stream in which it began.
    origin: usize,
    graph: Arc<Graph>,
    is_invalid: bool,
}

/// What a stream that is in a capture knows.
struct Joined {
    capture: u64,
    context: usize,
    kind: StreamKind,
    /// Nodes that its next node runs after.
    last: Vec<usize>,
    /// Their handles, where a program may read them.
    handles: Box<[usize]>,
}

/// A point in a capture, as an event records it.
#[derive(Clone, Debug)]
pub struct Point {
    capture: u64,
    context: usize,
    nodes: Vec<usize>,
}

#[derive(Default)]
struct State {
    /// By id.
    captures: HashMap<u64, Capture>,
    /// By the handle of the stream.
    streams: HashMap<usize, Joined>,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
/// Number of captures.
static CAPTURES: AtomicUsize = AtomicUsize::new(0);

/// The captures, if there are any.
fn state() -> Option<MutexGuard<'static, State>> {
    (CAPTURES.load(Ordering::Acquire) > 0).then(|| STATE.lock())
}

impl State {
    fn invalidate(&mut self, capture: u64) {
        if let Some(capture) = self.captures.get_mut(&capture) {
            capture.is_invalid = true;
        }
    }

    /// The capture of a stream and the stream's place in it. `None`: it does not capture.
    fn of(&mut self, stream: usize) -> Result<Option<(&mut Capture, &mut Joined)>> {
        let Some(joined) = self.streams.get_mut(&stream) else { return Ok(None) };
        let capture = self.captures.get_mut(&joined.capture).ok_or(Status::UNKNOWN)?;
        if capture.is_invalid {
            return Err(Status::STREAM_CAPTURE_INVALIDATED);
        }
        Ok(Some((capture, joined)))
    }

    /// Takes the capture and its streams out. The capture, and whether all streams had been joined with its
    /// origin.
    fn remove(&mut self, id: u64) -> Option<(Capture, bool)> {
        let capture = self.captures.remove(&id)?;
        CAPTURES.fetch_sub(1, Ordering::AcqRel);
        let (ended, kept) = std::mem::take(&mut self.streams)
            .into_iter()
            .partition::<HashMap<_, _>, _>(|(_, joined)| joined.capture == id);
        self.streams = kept;
        let last = ended.get(&capture.origin).map_or(&[][..], |joined| joined.last.as_slice());
        let before = capture.graph.before(last);
        let is_joined = ended.values().all(|joined| joined.last.iter().all(|node| before.contains(node)));
        Some((capture, is_joined))
    }
}

impl Joined {
    fn run_after(&mut self, graph: &Graph, last: Vec<usize>) {
        self.handles = graph.handles(&last);
        self.last = last;
    }
}

/// Records work of a stream, if the stream captures; `false`: the stream runs it.
pub fn record(stream: &Stream, kind: NodeKind, work: &Work) -> Result<bool> {
    let Some(mut state) = state() else { return Ok(false) };
    let Some((capture, joined)) = state.of(stream.handle)? else {
        rules::check_legacy(&mut state, stream)?;
        return Ok(false);
    };
    let after = joined.last.clone();
    let node = capture.graph.add(Node { handle: fresh(), kind, work: Arc::clone(work), after });
    joined.run_after(&capture.graph, vec![node]);
    Ok(true)
}

/// The graph of this handle, if a stream is capturing it.
pub fn graph(handle: usize) -> Option<Arc<Graph>> {
    let state = state()?;
    state.captures.values().map(|capture| &capture.graph).find(|graph| graph.handle == handle).cloned()
}

/// The point that an event records in a stream; none if the stream does not capture.
pub fn point(stream: &Stream) -> Result<Option<Point>> {
    let Some(mut state) = state() else { return Ok(None) };
    let Some((_, joined)) = state.of(stream.handle)? else {
        rules::check_legacy(&mut state, stream)?;
        return Ok(None);
    };
    Ok(Some(Point { capture: joined.capture, context: joined.context, nodes: joined.last.clone() }))
}

/// Makes later work of a stream run after a point of a capture. A stream that captures nothing joins.
pub fn wait_for(stream: &Stream, point: &Point) -> Result {
    let mut state = STATE.lock();
    let capture = state.captures.get(&point.capture).ok_or(Status::CAPTURED_EVENT)?;
    if capture.is_invalid {
        return Err(Status::STREAM_CAPTURE_INVALIDATED);
    }
    let graph = Arc::clone(&capture.graph);
    let Some(joined) = state.streams.get_mut(&stream.handle) else {
        let refusal = match stream.kind {
            StreamKind::Legacy => Err(Status::STREAM_CAPTURE_IMPLICIT),
            // CUDA allows it; the double knows graphs of one context only.
            _ if stream.context != point.context => Err(Status::NOT_SUPPORTED),
            _ => Ok(()),
        };
        if refusal.is_err() {
            state.invalidate(point.capture);
            return refusal;
        }
        let (capture, context, kind) = (point.capture, stream.context, stream.kind);
        let mut joined = Joined { capture, context, kind, last: Vec::new(), handles: Box::default() };
        joined.run_after(&graph, point.nodes.clone());
        state.streams.insert(stream.handle, joined);
        return Ok(());
    };
    if joined.capture != point.capture {
        let other = joined.capture;
        state.invalidate(other);
        state.invalidate(point.capture);
        return Err(Status::STREAM_CAPTURE_MERGE);
    }
    let mut last = joined.last.clone();
    last.extend(point.nodes.iter().filter(|node| !joined.last.contains(node)));
    joined.run_after(&graph, last);
    Ok(())
}

/// Takes a stream out that is destroyed. Its capture is invalid then, or ends if it began there.
pub fn forget_stream(stream: usize) {
    let Some(mut state) = state() else { return };
    let Some(joined) = state.streams.remove(&stream) else { return };
    state.invalidate(joined.capture);
    if state.captures.get(&joined.capture).is_some_and(|capture| capture.origin == stream) {
        state.remove(joined.capture);
    }
}
