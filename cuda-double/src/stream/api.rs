//! The functions `cuStream*`, without those that have a file of their own.

use std::ffi::c_int;
use std::sync::Arc;

use super::{STREAMS, Stream, StreamKind, both_defaults, of_call};
use crate::argument::Out;
use crate::capture::{self, rules};
use crate::context::{self, GREATEST_PRIORITY};
use crate::counts::{self, Kind};
use crate::entry::call;
use crate::event;
use crate::status::{Result, Status, require};

/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: u32 = 1;

fn create(place: Out<usize>, flags: u32, priority: c_int) -> Result {
    let context = context::current()?;
    require(!place.is_null() && flags <= NON_BLOCKING)?;
    let kind = if flags == NON_BLOCKING { StreamKind::NonBlocking } else { StreamKind::Blocking };
    let priority = priority.clamp(GREATEST_PRIORITY, 0);
    let stream = Stream::create(Arc::downgrade(&context), context.handle, context.device, kind, priority);
    counts::add(Kind::Streams, 1);
    let handle = stream.handle;
    STREAMS.insert(handle, stream);
    place.set(handle)
}

/// `cuStreamCreate`.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamCreate(stream: Out<usize>, flags: u32) -> Status {
    call("cuStreamCreate", || create(stream, flags, 0))
}

/// `cuStreamCreateWithPriority`; a priority out of range is moved into it.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamCreateWithPriority(stream: Out<usize>, flags: u32, priority: c_int) -> Status {
    call("cuStreamCreateWithPriority", || create(stream, flags, priority))
}

/// `cuStreamDestroy_v2`. It returns at once; queued work still runs. A capture of the stream is invalid then.
#[unsafe(no_mangle)]
pub extern "C" fn cuStreamDestroy_v2(stream: usize) -> Status {
    call("cuStreamDestroy", || {
        context::current()?;
        let stream = STREAMS.remove(stream)?;
        capture::forget_stream(stream.handle);
        stream.close();
        counts::add(Kind::Streams, -1);
        Ok(())
    })
}

both_defaults! {
    /// `cuStreamQuery`.
    cuStreamQuery, cuStreamQuery_ptsz, "cuStreamQuery", (stream: usize), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        rules::refuse(&stream)?;
        if stream.is_idle() { Ok(()) } else { Err(Status::NOT_READY) }
    }
}

both_defaults! {
    /// `cuStreamSynchronize`.
    cuStreamSynchronize, cuStreamSynchronize_ptsz, "cuStreamSynchronize", (stream: usize), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        stream.synchronize()
    }
}

both_defaults! {
    /// `cuStreamWaitEvent`: later work of the stream runs after the last record of the event.
    cuStreamWaitEvent, cuStreamWaitEvent_ptsz, "cuStreamWaitEvent",
    (stream: usize, event: usize, flags: u32), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        require(flags <= 1)?;
        event::make_wait(&stream, event)
    }
}

both_defaults! {
    /// `cuStreamGetCtx`.
    cuStreamGetCtx, cuStreamGetCtx_ptsz, "cuStreamGetCtx", (stream: usize, context: Out<usize>), defaults => {
        context.set(of_call(stream, defaults)?.1.context)
    }
}

both_defaults! {
    /// `cuStreamGetFlags`.
    cuStreamGetFlags, cuStreamGetFlags_ptsz, "cuStreamGetFlags", (stream: usize, flags: Out<u32>), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        flags.set(u32::from(stream.kind == StreamKind::NonBlocking))
    }
}

both_defaults! {
    /// `cuStreamGetPriority`.
    cuStreamGetPriority, cuStreamGetPriority_ptsz, "cuStreamGetPriority",
    (stream: usize, priority: Out<c_int>), defaults => {
        priority.set(of_call(stream, defaults)?.1.priority)
    }
}

both_defaults! {
    /// `cuStreamGetId`.
    cuStreamGetId, cuStreamGetId_ptsz, "cuStreamGetId", (stream: usize, id: Out<u64>), defaults => {
        id.set(of_call(stream, defaults)?.1.handle as u64)
    }
}

both_defaults! {
    /// `cuStreamGetDevice`.
    cuStreamGetDevice, cuStreamGetDevice_ptsz, "cuStreamGetDevice",
    (stream: usize, device: Out<c_int>), defaults => {
        device.set(of_call(stream, defaults)?.1.device.ordinal)
    }
}

/// Work of the legacy stream is done only when what it runs after is done, so the default streams need no
/// more.
impl Stream {
    fn is_idle(&self) -> bool {
        self.end().is_reached()
    }

    /// Waits until all its work is done; fails if the context is corrupt then.
    pub fn synchronize(&self) -> Result {
        rules::refuse(self)?;
        self.end().wait();
        self.context()?.check()
    }
}
