//! Stream capture: its status, which is never active, and its beginning, which the double does not support.

use std::cell::Cell;

use crate::argument::Out;
use crate::entry::call;
use crate::status::{Result, Status, require};
use crate::stream::{Defaults, both_defaults, of_call};

/// `CU_STREAM_CAPTURE_STATUS_NONE`.
const NONE: u32 = 0;

fn write_none(stream: usize, defaults: Defaults, status: Out<u32>, id: Out<u64>) -> Result {
    of_call(stream, defaults)?;
    id.set_if_asked(0);
    status.set(NONE)
}

both_defaults! {
    /// `cuStreamIsCapturing`.
    cuStreamIsCapturing, cuStreamIsCapturing_ptsz, "cuStreamIsCapturing",
    (stream: usize, status: Out<u32>), defaults => {
        write_none(stream, defaults, status, Out::null())
    }
}

both_defaults! {
    /// `cuStreamGetCaptureInfo_v2`. Graph and dependencies are written only while a capture is active.
    cuStreamGetCaptureInfo_v2, cuStreamGetCaptureInfo_v2_ptsz, "cuStreamGetCaptureInfo",
    (
        stream: usize,
        status: Out<u32>,
        id: Out<u64>,
        _graph: Out<usize>,
        _dependencies: Out<usize>,
        _count: Out<usize>,
    ), defaults => {
        write_none(stream, defaults, status, id)
    }
}

both_defaults! {
    /// `cuStreamGetCaptureInfo_v3`. Graph and dependencies are written only while a capture is active.
    cuStreamGetCaptureInfo_v3, cuStreamGetCaptureInfo_v3_ptsz, "cuStreamGetCaptureInfo",
    (
        stream: usize,
        status: Out<u32>,
        id: Out<u64>,
        _graph: Out<usize>,
        _dependencies: Out<usize>,
        _edges: Out<usize>,
        _count: Out<usize>,
    ), defaults => {
        write_none(stream, defaults, status, id)
    }
}

both_defaults! {
    /// `cuStreamBeginCapture_v2`: not supported.
    cuStreamBeginCapture_v2, cuStreamBeginCapture_v2_ptsz, "cuStreamBeginCapture",
    (stream: usize, _mode: u32), defaults => {
        of_call(stream, defaults)?;
        Err(Status::NOT_SUPPORTED)
    }
}

both_defaults! {
    /// `cuStreamEndCapture`: not supported.
    cuStreamEndCapture, cuStreamEndCapture_ptsz, "cuStreamEndCapture",
    (stream: usize, _graph: Out<usize>), defaults => {
        of_call(stream, defaults)?;
        Err(Status::NOT_SUPPORTED)
    }
}

thread_local! {
    /// The mode in which calls of this thread would be forbidden during a capture.
    static MODE: Cell<u32> = const { Cell::new(0) };
}

/// `cuThreadExchangeStreamCaptureMode`.
#[unsafe(no_mangle)]
pub extern "C" fn cuThreadExchangeStreamCaptureMode(mode: Out<u32>) -> Status {
    call("cuThreadExchangeStreamCaptureMode", || {
        let wanted = mode.value()?;
        require(wanted <= 2)?;
        mode.set(MODE.replace(wanted))
    })
}
