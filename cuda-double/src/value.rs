//! Waits for a value in memory, and writes of one (`cuStreamWaitValue32` and its relatives).
//!
//! The value lies in device memory or in host memory that is pinned or registered, perhaps written by another
//! process. A wait looks at it between short naps. CUDA does not see the order that such a wait makes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::address_space::{self, Held, Place};
use crate::argument::In;
use crate::delays::Naps;
use crate::faults;
use crate::settings::settings;
use crate::status::{Result, Status, require};
use crate::stream::{Run, Stream, both_defaults, of_call};

/// `CU_STREAM_WAIT_VALUE_FLUSH`.
const FLUSH: u32 = 1 << 30;
/// Most operations of a batch.
const LARGEST_BATCH: u32 = 256;

/// The size of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Width {
    Bits32,
    Bits64,
}

/// How a wait compares.
#[derive(Clone, Copy, Debug)]
enum Comparison {
    /// Cyclic: the difference, as a signed number, is not negative.
    AtLeast,
    Equal,
    And,
    Nor,
}

/// One operation on a value.
#[derive(Clone, Copy, Debug)]
enum Operation {
    Wait {
        width: Width,
        address: u64,
        value: u64,
        comparison: Comparison,
    },
    Write {
        width: Width,
        address: u64,
        value: u64,
    },
    /// A barrier or a flush: nothing to do, as every write of the double is seen at once.
    Barrier,
}

impl Width {
    fn bytes(self) -> u64 {
        match self {
            Width::Bits32 => 4,
            Width::Bits64 => 8,
        }
    }

    fn load(self, memory: &Held) -> u64 {
        match self {
            Width::Bits32 => {
                // SAFETY: four bytes are held, aligned as `check_place` found.
                u64::from(unsafe { AtomicU32::from_ptr(memory.readable.cast()) }.load(Ordering::SeqCst))
            }
            // SAFETY: eight bytes are held, aligned as `check_place` found.
            Width::Bits64 => unsafe { AtomicU64::from_ptr(memory.readable.cast()) }.load(Ordering::SeqCst),
        }
    }

    fn store(self, memory: &Held, value: u64) {
        match self {
            Width::Bits32 => {
                // SAFETY: four bytes are held, aligned as `check_place` found.
                unsafe { AtomicU32::from_ptr(memory.readable.cast()) }.store(value as u32, Ordering::SeqCst);
            }
            Width::Bits64 => {
                // SAFETY: eight bytes are held, aligned as `check_place` found.
                unsafe { AtomicU64::from_ptr(memory.readable.cast()) }.store(value, Ordering::SeqCst);
            }
        }
    }
}

impl Comparison {
    fn of(flags: u32) -> Result<Comparison> {
        if flags & FLUSH != 0 && !settings().flush {
            return Err(Status::NOT_SUPPORTED);
        }
        match flags & !FLUSH {
            0 => Ok(Comparison::AtLeast),
            1 => Ok(Comparison::Equal),
            2 => Ok(Comparison::And),
            3 => Ok(Comparison::Nor),
            _ => Err(Status::INVALID_VALUE),
        }
    }

    fn holds(self, width: Width, found: u64, value: u64) -> bool {
        match (self, width) {
            (Comparison::AtLeast, Width::Bits32) => (found as u32).wrapping_sub(value as u32) as i32 >= 0,
            (Comparison::AtLeast, Width::Bits64) => found.wrapping_sub(value) as i64 >= 0,
            (Comparison::Equal, Width::Bits32) => found as u32 == value as u32,
            (Comparison::Equal, Width::Bits64) => found == value,
            (Comparison::And, Width::Bits32) => (found & value) as u32 != 0,
            (Comparison::And, Width::Bits64) => found & value != 0,
            (Comparison::Nor, Width::Bits32) => !(found | value) as u32 != 0,
            (Comparison::Nor, Width::Bits64) => !(found | value) != 0,
        }
    }
}

impl Operation {
    fn wait(width: Width, address: u64, value: u64, flags: u32) -> Result<Operation> {
        let comparison = Comparison::of(flags)?;
        check_place(address, width)?;
        Ok(Operation::Wait { width, address, value, comparison })
    }

    fn write(width: Width, address: u64, value: u64, flags: u32) -> Result<Operation> {
        require(flags <= 1)?;
        check_place(address, width)?;
        Ok(Operation::Write { width, address, value })
    }

    fn run(self, run: &mut Run) -> Result {
        match self {
            Operation::Wait { width, address, value, comparison } => {
                let context = run.stream.context()?;
                let mut naps = Naps::short();
                run.stream.begin_value_wait(format!(
                    "a value wait ({comparison:?} {value} at {address:#x}, {} bytes)",
                    width.bytes()
                ));
                let outcome = loop {
                    // A corrupt context releases its waits.
                    if context.check().is_err() {
                        break Ok(());
                    }
                    match address_space::hold(address, width.bytes()).map(|memory| width.load(&memory)) {
                        Ok(found) if comparison.holds(width, found, value) => break Ok(()),
                        Ok(_) => naps.nap(),
                        Err(error) => break Err(error),
                    }
                };
                run.stream.end_value_wait();
                outcome
            }
            Operation::Write { width, address, value } => {
                fence(Ordering::SeqCst);
                width.store(&address_space::hold(address, width.bytes())?, value);
                Ok(())
            }
            Operation::Barrier => Ok(()),
        }
    }
}

/// The value must be aligned, and lie in memory that the driver knows.
fn check_place(address: u64, width: Width) -> Result {
    require(address != 0 && address.is_multiple_of(width.bytes()))?;
    require(address_space::place(address, width.bytes())? != Place::Pageable)
}

fn enqueue(stream: &Arc<Stream>, operation: Operation) -> Result {
    stream.enqueue(move |run| operation.run(run));
    Ok(())
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
        require(count > 0 && count <= LARGEST_BATCH && flags == 0)?;
        let operation = |index: u32| entries.element(index as usize)?.operation();
        let operations: Vec<Operation> = (0..count).map(operation).collect::<Result<_>>()?;
        stream.enqueue(move |run| operations.into_iter().try_for_each(|operation| {
            run.random.pause();
            operation.run(run)
        }));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_least_is_cyclic() {
        let holds = |found: u32, value: u32| {
            Comparison::AtLeast.holds(Width::Bits32, u64::from(found), u64::from(value))
        };
        assert!(holds(5, 5) && holds(6, 5) && holds(1, u32::MAX) && !holds(4, 5) && !holds(u32::MAX, 1));
    }

    #[test]
    fn and_wants_a_common_bit_and_nor_a_bit_that_neither_has() {
        assert!(Comparison::And.holds(Width::Bits32, 6, 2) && !Comparison::And.holds(Width::Bits32, 4, 2));
        assert!(!Comparison::Nor.holds(Width::Bits32, 0xFFFF_0000, 0x0000_FFFF));
        assert!(Comparison::Nor.holds(Width::Bits64, 0xFFFF_0000, 0x0000_FFFF));
    }

    #[test]
    fn an_entry_of_a_batch_has_the_size_of_the_header() {
        assert_eq!(size_of::<BatchEntry>(), 48);
        assert_eq!(std::mem::offset_of!(BatchEntry, flags), 24);
    }
}
