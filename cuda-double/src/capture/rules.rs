//! Calls that are prohibited while streams capture.
//!
//! - Calls on a capturing stream, or on something that includes one, which ask for work that never runs: each
//!   such function checks that itself ([`refuse`], [`refuse_in_context`], [`refuse_order`]).
//! - Any use of the legacy default stream while a blocking stream of its context captures (`check_legacy`).
//! - Calls that CUDA calls *unsafe*, such as `cuMemAlloc`: they are listed here, and depend on the modes of
//!   the thread and of the capture ([`check_unsafe`]). CUDA's documentation names only a few; the list is our
//!   reading, on the strict side.

use std::cell::Cell;

use super::{Mode, STATE, State, state};
use crate::status::{Result, Status};
use crate::stream::{Stream, StreamKind};

/// Calls that act at once, or wait, and that a capture would not see.
const UNSAFE: [&str; 36] = [
    "cuCtxCreate",
    "cuCtxDestroy",
    "cuCtxSynchronize",
    "cuDevicePrimaryCtxRelease",
    "cuDevicePrimaryCtxReset",
    "cuEventQuery",
    "cuEventSynchronize",
    "cuIpcCloseMemHandle",
    "cuIpcOpenMemHandle",
    "cuMemAlloc",
    "cuMemAllocManaged",
    "cuMemAllocPitch",
    "cuMemCreate",
    "cuMemFree",
    "cuMemFreeHost",
    "cuMemHostAlloc",
    "cuMemHostRegister",
    "cuMemHostUnregister",
    "cuMemMap",
    "cuMemUnmap",
    "cuMemcpy",
    "cuMemcpy2D",
    "cuMemcpy2DUnaligned",
    "cuMemcpyDtoD",
    "cuMemcpyDtoH",
    "cuMemcpyHtoD",
    "cuMemcpyPeer",
    "cuMemsetD16",
    "cuMemsetD32",
    "cuMemsetD8",
    "cuModuleLoadData",
    "cuModuleLoadDataEx",
    "cuModuleUnload",
    "cuStreamQuery",
    "cuStreamSynchronize",
    "cuMemSetAccess",
];

thread_local! {
    /// The mode of this thread.
    static MODE: Cell<Mode> = const { Cell::new(Mode::Global) };
}

/// Sets the mode of this thread and gives the one before.
pub fn replace_mode(mode: u32) -> Result<u32> {
    Ok(MODE.replace(Mode::of(mode)?) as u32)
}

/// Refuses the call `name` in this thread if it is unsafe now. The captures that prohibit it are invalid
/// then.
pub fn check_unsafe(name: &str) -> Result {
    let Some(mut state) = state() else { return Ok(()) };
    let (mode, thread) = (MODE.get(), std::thread::current().id());
    if mode == Mode::Relaxed || !UNSAFE.contains(&name) {
        return Ok(());
    }
    let mut outcome = Ok(());
    for capture in state.captures.values_mut() {
        let prohibits = match capture.thread == thread {
            true => capture.mode != Mode::Relaxed,
            false => capture.mode == Mode::Global && mode == Mode::Global,
        };
        if prohibits {
            capture.is_invalid = true;
            outcome = Err(Status::STREAM_CAPTURE_UNSUPPORTED);
        }
    }
    outcome
}

/// Refuses a use of the legacy default stream while a blocking stream of its context captures.
pub(super) fn check_legacy(state: &mut State, stream: &Stream) -> Result {
    let Some(capture) = implicit_capture(state, stream) else { return Ok(()) };
    state.invalidate(capture);
    Err(Status::STREAM_CAPTURE_IMPLICIT)
}

/// The capture that a use of the stream would be part of without being told.
pub(super) fn implicit_capture(state: &State, stream: &Stream) -> Option<u64> {
    if stream.kind != StreamKind::Legacy {
        return None;
    }
    let blocking =
        |joined: &&super::Joined| joined.kind == StreamKind::Blocking && joined.context == stream.context;
    state.streams.values().find(blocking).map(|joined| joined.capture)
}

/// Refuses a call that a capturing stream cannot take, such as one that waits for the stream.
pub fn refuse(stream: &Stream) -> Result {
    refuse_with(stream, Status::STREAM_CAPTURE_UNSUPPORTED)
}

/// Refuses a dependency of a capturing stream on work outside of its capture.
pub fn refuse_order(stream: &Stream) -> Result {
    refuse_with(stream, Status::STREAM_CAPTURE_ISOLATION)
}

fn refuse_with(stream: &Stream, error: Status) -> Result {
    let Some(mut state) = state() else { return Ok(()) };
    match state.of(stream.handle)? {
        Some((capture, _)) => {
            capture.is_invalid = true;
            Err(error)
        }
        None => check_legacy(&mut state, stream),
    }
}

/// Refuses a call that would wait for all streams of a context while some of them capture.
pub fn refuse_in_context(context: usize) -> Result {
    let Some(mut state) = state() else { return Ok(()) };
    let of_context = state.streams.values().filter(|joined| joined.context == context);
    let captures: Vec<u64> = of_context.map(|joined| joined.capture).collect();
    captures.iter().for_each(|capture| state.invalidate(*capture));
    if captures.is_empty() { Ok(()) } else { Err(Status::STREAM_CAPTURE_UNSUPPORTED) }
}

/// Refuses a look at an event that was last recorded in a capture, which is invalid then.
pub fn refuse_event(point: &super::Point) -> Status {
    STATE.lock().invalidate(point.capture);
    Status::CAPTURED_EVENT
}

/// Whether the stream captures, and the capture is valid.
pub fn is_capturing(stream: &Stream) -> bool {
    state().is_some_and(|mut state| state.of(stream.handle).is_ok_and(|found| found.is_some()))
}
