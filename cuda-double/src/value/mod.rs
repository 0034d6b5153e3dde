//! Waits for a value in memory, and writes of one (`cuStreamWaitValue32` and its relatives).
//!
//! The value lies in device memory or in host memory that is pinned or registered, perhaps written by another
//! process. A wait looks at it between short naps. CUDA does not see the order that such a wait makes.

pub mod api;
pub mod batch;

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use crate::address_space::{self, Held, MemoryKind};
use crate::delays::Naps;
use crate::settings::settings;
use crate::status::{Result, Status, require};
use crate::stream::Run;

/// `CU_STREAM_WAIT_VALUE_FLUSH`.
const FLUSH: u32 = 1 << 30;

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
    require(address_space::place(address, width.bytes())? != MemoryKind::Pageable)
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
}
