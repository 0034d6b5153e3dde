//! `cuStreamBatchMemOp`: several operations on values at once.

use super::{Operation, Width};
use crate::argument::In;
use crate::faults;
use crate::graph::NodeKind;
use crate::settings::settings;
use crate::status::{Result, Status, require};
use crate::stream::{Run, both_defaults, of_call};

/// A batch has fewer operations than this.
const BATCH_LIMIT: u32 = 256;

/// A `CUstreamBatchMemOpParams`: kind; address, value and flags, where the kind has them.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default)]
pub struct BatchEntry {
    /// `CUstreamBatchMemOpType`.
    pub kind: u32,
    /// Flags of a barrier or a flush.
    pub barrier_flags: u32,
    /// Where the value lies.
    pub address: u64,
    /// The value.
    pub value: u64,
    /// Flags of the wait or the write.
    pub flags: u32,
    /// Room that the header leaves.
    pub rest: [u32; 5],
}

impl BatchEntry {
    fn operation(self) -> Result<Operation> {
        let BatchEntry { address, value, flags, .. } = self;
        let name = match self.kind {
            1 => "cuStreamWaitValue32",
            2 => "cuStreamWriteValue32",
            4 => "cuStreamWaitValue64",
            5 => "cuStreamWriteValue64",
            _ => "an entry of another kind",
        };
        if faults::ignores_entry(name) {
            return Ok(Operation::Barrier);
        }
        match self.kind {
            1 => Operation::wait(Width::Bits32, address, value, flags),
            2 => Operation::write(Width::Bits32, address, value, flags),
            3 if settings().flush => Ok(Operation::Barrier),
            3 => Err(Status::NOT_SUPPORTED),
            4 => Operation::wait(Width::Bits64, address, value, flags),
            5 => Operation::write(Width::Bits64, address, value, flags),
            6 => Ok(Operation::Barrier),
            _ => Err(Status::INVALID_VALUE),
        }
    }
}

both_defaults! {
    /// `cuStreamBatchMemOp_v2`; all is checked before the first operation is queued.
    cuStreamBatchMemOp_v2, cuStreamBatchMemOp_v2_ptsz, "cuStreamBatchMemOp",
    (stream: usize, count: u32, entries: In<BatchEntry>, flags: u32), defaults => {
        let (_, stream) = of_call(stream, defaults)?;
        require(count > 0 && count < BATCH_LIMIT && flags == 0)?;
        let operation = |index: u32| entries.element(index as usize)?.operation();
        let operations: Vec<Operation> = (0..count).map(operation).collect::<Result<_>>()?;
        let run_all = move |run: &mut Run| operations.iter().try_for_each(|operation| {
            run.random.pause();
            operation.run(run)
        });
        stream.submit(NodeKind::Values, run_all).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_of_a_batch_has_the_size_of_the_header() {
        assert_eq!(size_of::<BatchEntry>(), 48);
        assert_eq!(std::mem::offset_of!(BatchEntry, flags), 24);
    }
}
