//! The functions for stream capture.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{CAPTURES, Capture, Joined, Mode, STATE, rules};
use crate::argument::Out;
use crate::entry::call;
use crate::graph::{self, Graph};
use crate::status::{Result, Status, require};
use crate::stream::{Defaults, Stream, StreamKind, both_defaults, of_call};

/// `CU_STREAM_CAPTURE_STATUS_NONE`, `_ACTIVE` and `_INVALIDATED`.
const NONE: u32 = 0;
const ACTIVE: u32 = 1;
const INVALIDATED: u32 = 2;

fn begin(stream: &Arc<Stream>, mode: u32) -> Result {
    let mode = Mode::of(mode)?;
    if stream.kind == StreamKind::Legacy {
        return Err(Status::STREAM_CAPTURE_UNSUPPORTED);
    }
    static NEXT: AtomicU64 = AtomicU64::new(1);
    let mut state = STATE.lock();
    require(!state.streams.contains_key(&stream.handle))?;
    let id = NEXT.fetch_add(1, Ordering::Relaxed);
    let (origin, thread) = (stream.handle, std::thread::current().id());
    let graph = Graph::new();
    state.captures.insert(id, Capture { mode, thread, origin, graph, is_invalid: false });
    let (context, kind) = (stream.context, stream.kind);
    let joined = Joined { capture: id, context, kind, last: Vec::new(), handles: Box::default() };
    state.streams.insert(stream.handle, joined);
    CAPTURES.fetch_add(1, Ordering::AcqRel);
    Ok(())
}

fn end(stream: &Stream, graph: Out<usize>) -> Result {
    require(!graph.is_null())?;
    let mut state = STATE.lock();
    let joined = state.streams.get(&stream.handle).ok_or(Status::ILLEGAL_STATE)?;
    let id = joined.capture;
    let capture = state.captures.get_mut(&id).ok_or(Status::UNKNOWN)?;
    if capture.origin != stream.handle {
        capture.is_invalid = true;
        return Err(Status::STREAM_CAPTURE_UNMATCHED);
    }
    if capture.mode != Mode::Relaxed && capture.thread != std::thread::current().id() {
        return Err(Status::STREAM_CAPTURE_WRONG_THREAD);
    }
    let (capture, is_joined) = state.remove(id).ok_or(Status::UNKNOWN)?;
    drop(state);
    if capture.is_invalid || !is_joined {
        graph.set(0)?;
        let error = Status::STREAM_CAPTURE_INVALIDATED;
        return Err(if capture.is_invalid { error } else { Status::STREAM_CAPTURE_UNJOINED });
    }
    graph.set(graph::add(capture.graph))
}

/// Where the facts about a capture go.
struct Facts {
    status: Out<u32>,
    id: Out<u64>,
    graph: Out<usize>,
    dependencies: Out<usize>,
    edges: Out<usize>,
    count: Out<usize>,
}

impl Facts {
    fn only(status: Out<u32>) -> Facts {
        let none = Out::null;
        Facts { status, id: Out::null(), graph: none(), dependencies: none(), edges: none(), count: none() }
    }

    /// Writes them. What describes the capture is written only while it is active.
    fn write(self, stream: usize, defaults: Defaults) -> Result {
        let (_, stream) = of_call(stream, defaults)?;
        let state = STATE.lock();
        if rules::implicit_capture(&state, &stream).is_some() {
            return Err(Status::STREAM_CAPTURE_IMPLICIT);
        }
        let Some(joined) = state.streams.get(&stream.handle) else {
            self.id.set_if_asked(0);
            return self.status.set(NONE);
        };
        let capture = state.captures.get(&joined.capture).ok_or(Status::UNKNOWN)?;
        if capture.is_invalid {
            return self.status.set(INVALIDATED);
        }
        self.id.set_if_asked(joined.capture);
        self.graph.set_if_asked(capture.graph.handle);
        self.dependencies.set_if_asked(joined.handles.as_ptr().expose_provenance());
        self.edges.set_if_asked(0);
        self.count.set_if_asked(joined.handles.len());
        self.status.set(ACTIVE)
    }
}

both_defaults! {
    /// `cuStreamBeginCapture_v2`.
    cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture",
    (stream: usize, mode: u32), defaults => {
        begin(&of_call(stream, defaults)?.1, mode)
    }
}

both_defaults! {
    /// `cuStreamEndCapture`. After an error the graph is NULL.
    cuStreamEndCapture, cuStreamEndCapture_ptsz, "cuStreamEndCapture",
    (stream: usize, graph: Out<usize>), defaults => {
        end(&of_call(stream, defaults)?.1, graph)
    }
}

both_defaults! {
    /// `cuStreamIsCapturing`. For the legacy stream beside a capturing blocking stream it is an error, which
    /// does not invalidate the capture.
    cuStreamIsCapturing, cuStreamIsCapturing_ptsz, "cuStreamIsCapturing",
    (stream: usize, status: Out<u32>), defaults => {
        Facts::only(status).write(stream, defaults)
    }
}

both_defaults! {
    /// `cuStreamGetCaptureInfo_v2`. The array of dependencies stays as it is until the next call on the
    /// stream.
    cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz, "cuStreamGetCaptureInfo",
    (
        stream: usize,
        status: Out<u32>,
        id: Out<u64>,
        graph: Out<usize>,
        dependencies: Out<usize>,
        count: Out<usize>,
    ), defaults => {
        Facts { status, id, graph, dependencies, edges: Out::null(), count }.write(stream, defaults)
    }
}

both_defaults! {
    /// `cuStreamGetCaptureInfo_v3`. No edge has data.
    cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz, "cuStreamGetCaptureInfo",
    (
        stream: usize,
        status: Out<u32>,
        id: Out<u64>,
        graph: Out<usize>,
        dependencies: Out<usize>,
        edges: Out<usize>,
        count: Out<usize>,
    ), defaults => {
        Facts { status, id, graph, dependencies, edges, count }.write(stream, defaults)
    }
}

/// `cuThreadExchangeStreamCaptureMode`.
#[unsafe(no_mangle)]
pub extern "C" fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) -> Status {
    call("cuThreadExchangeStreamCaptureMode", || {
        let before = rules::replace_mode(mode.value()?)?;
        mode.set(before)
    })
}
