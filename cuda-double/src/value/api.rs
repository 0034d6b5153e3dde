//! `cuStreamWaitValue32`, `cuStreamWriteValue32`, and the same of 64 bits.

use std::sync::Arc;

use super::{Operation, Width};
use crate::graph::NodeKind;
use crate::status::Result;
use crate::stream::{Stream, both_defaults, of_call};

fn enqueue(stream: &Arc<Stream>, operation: Operation) -> Result {
    stream.submit(NodeKind::Values, move |run| operation.run(run)).map(drop)
}

both_defaults! {
    /// `cuStreamWaitValue32_v2`.
    cuStreamWaitValue32_v2, cuStreamWaitValue32_v2_ptsz, "cuStreamWaitValue32",
    (stream: usize, address: u64, value: u32, flags: u32), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        enqueue(&stream, Operation::wait(Width::Bits32, address, u64::from(value), flags)?)
    }
}

both_defaults! {
    /// `cuStreamWaitValue64_v2`.
    cuStreamWaitValue64_v2, cuStreamWaitValue64_v2_ptsz, "cuStreamWaitValue64",
    (stream: usize, address: u64, value: u64, flags: u32), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        enqueue(&stream, Operation::wait(Width::Bits64, address, value, flags)?)
    }
}

both_defaults! {
    /// `cuStreamWriteValue32_v2`.
    cuStreamWriteValue32_v2, cuStreamWriteValue32_v2_ptsz, "cuStreamWriteValue32",
    (stream: usize, address: u64, value: u32, flags: u32), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        enqueue(&stream, Operation::write(Width::Bits32, address, u64::from(value), flags)?)
    }
}

both_defaults! {
    /// `cuStreamWriteValue64_v2`.
    cuStreamWriteValue64_v2, cuStreamWriteValue64_v2_ptsz, "cuStreamWriteValue64",
    (stream: usize, address: u64, value: u64, flags: u32), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        enqueue(&stream, Operation::write(Width::Bits64, address, value, flags)?)
    }
}
