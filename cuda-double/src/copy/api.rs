//! The functions `cuMemcpy*` for runs of bytes.

use super::Side::{Any, Device, Host};
use super::{Manner, Request, Side, copy};
use crate::context;
use crate::status::Result;
use crate::stream::{Defaults, both_defaults, of_call};

fn asynchronous(request: Request, stream: usize, defaults: Defaults) -> Result {
    copy(&of_call(stream, defaults)?.1, Manner::Async, &[request])
}

fn synchronous(request: Request, defaults: Defaults) -> Result {
    copy(&of_call(0, defaults)?.1, Manner::Sync, &[request])
}

fn request(to: u64, to_side: Side, from: u64, from_side: Side, bytes: usize) -> Request {
    Request { to, to_side, from, from_side, bytes }
}

both_defaults! {
    /// `cuMemcpy`.
    cuMemcpy, cuMemcpy_ptds, "cuMemcpy", (to: u64, from: u64, bytes: usize), defaults => {
        synchronous(request(to, Any, from, Any, bytes), defaults)
    }
}

both_defaults! {
    /// `cuMemcpyAsync`.
    cuMemcpyAsync, cuMemcpyAsync_ptsz, "cuMemcpyAsync",
    (to: u64, from: u64, bytes: usize, stream: usize), defaults => {
        asynchronous(request(to, Any, from, Any, bytes), stream, defaults)
    }
}

both_defaults! {
    /// `cuMemcpyHtoD_v2`.
    cuMemcpyHtoD_v2, cuMemcpyHtoD_v2_ptds, "cuMemcpyHtoD",
    (to: u64, from: u64, bytes: usize), defaults => {
        synchronous(request(to, Device, from, Host, bytes), defaults)
    }
}

both_defaults! {
    /// `cuMemcpyHtoDAsync_v2`.
    cuMemcpyHtoDAsync_v2, cuMemcpyHtoDAsync_v2_ptsz, "cuMemcpyHtoDAsync",
    (to: u64, from: u64, bytes: usize, stream: usize), defaults => {
        asynchronous(request(to, Device, from, Host, bytes), stream, defaults)
    }
}

both_defaults! {
    /// `cuMemcpyDtoH_v2`.
    cuMemcpyDtoH_v2, cuMemcpyDtoH_v2_ptds, "cuMemcpyDtoH",
    (to: u64, from: u64, bytes: usize), defaults => {
        synchronous(request(to, Host, from, Device, bytes), defaults)
    }
}

both_defaults! {
    /// `cuMemcpyDtoHAsync_v2`.
    cuMemcpyDtoHAsync_v2, cuMemcpyDtoHAsync_v2_ptsz, "cuMemcpyDtoHAsync",
    (to: u64, from: u64, bytes: usize, stream: usize), defaults => {
        asynchronous(request(to, Host, from, Device, bytes), stream, defaults)
    }
}

both_defaults! {
    /// `cuMemcpyDtoD_v2`. It does not wait.
    cuMemcpyDtoD_v2, cuMemcpyDtoD_v2_ptds, "cuMemcpyDtoD",
    (to: u64, from: u64, bytes: usize), defaults => {
        synchronous(request(to, Device, from, Device, bytes), defaults)
    }
}

both_defaults! {
    /// `cuMemcpyDtoDAsync_v2`.
    cuMemcpyDtoDAsync_v2, cuMemcpyDtoDAsync_v2_ptsz, "cuMemcpyDtoDAsync",
    (to: u64, from: u64, bytes: usize, stream: usize), defaults => {
        asynchronous(request(to, Device, from, Device, bytes), stream, defaults)
    }
}

both_defaults! {
    /// `cuMemcpyPeer`.
    cuMemcpyPeer, cuMemcpyPeer_ptds, "cuMemcpyPeer",
    (to: u64, to_context: usize, from: u64, from_context: usize, bytes: usize), defaults => {
        context::get(to_context)?;
        context::get(from_context)?;
        synchronous(request(to, Device, from, Device, bytes), defaults)
    }
}

both_defaults! {
    /// `cuMemcpyPeerAsync`.
    cuMemcpyPeerAsync, cuMemcpyPeerAsync_ptsz, "cuMemcpyPeerAsync",
    (to: u64, to_context: usize, from: u64, from_context: usize, bytes: usize, stream: usize), defaults => {
        context::get(to_context)?;
        context::get(from_context)?;
        asynchronous(request(to, Device, from, Device, bytes), stream, defaults)
    }
}
