//! The functions `cuMemset*`. They return at once, except for pinned memory without `Async`.

use std::sync::Arc;

use super::Manner;
use crate::address_space::{self, MemoryKind};
use crate::capture::rules;
use crate::graph::NodeKind;
use crate::status::{Result, require};
use crate::stream::{Run, Stream, both_defaults, of_call};

/// A value of 1, 2 or 4 bytes, and how often it is written.
#[derive(Clone, Copy)]
struct Fill {
    address: u64,
    value: u32,
    width: usize,
    count: usize,
}

impl Fill {
    fn bytes(&self, count: usize) -> u64 {
        (count * self.width) as u64
    }

    /// Writes the elements `first .. first + count`.
    fn write(&self, first: usize, count: usize) -> Result {
        let bytes = self.bytes(count);
        let memory = address_space::hold(self.address + self.bytes(first), bytes)?;
        // SAFETY: so many bytes are held.
        let target = unsafe { std::slice::from_raw_parts_mut(memory.readable, bytes as usize) };
        target[..self.width].copy_from_slice(&self.value.to_le_bytes()[..self.width]);
        // What is filled is copied behind itself, twice as much each time.
        let mut filled = self.width;
        while filled < target.len() {
            let more = filled.min(target.len() - filled);
            target.copy_within(..more, filled);
            filled += more;
        }
        Ok(())
    }

    fn run(&self, run: &mut Run) -> Result {
        let cut = run.random.below(self.count as u64 + 1) as usize;
        for (first, count) in [(0, cut), (cut, self.count - cut)] {
            if count > 0 {
                self.write(first, count)?;
                run.random.pause();
            }
        }
        Ok(())
    }
}

fn fill(stream: &Arc<Stream>, manner: Manner, fill: Fill) -> Result {
    if fill.count == 0 {
        return Ok(());
    }
    require(fill.address.is_multiple_of(fill.width as u64))?;
    let place = address_space::place(fill.address, fill.bytes(fill.count))?;
    require(place != MemoryKind::Pageable)?;
    if manner == Manner::Sync {
        rules::refuse(stream)?;
    }
    let done = stream.submit(NodeKind::Fill, move |run| fill.run(run))?;
    if let Some(done) = done.filter(|_| manner == Manner::Sync && place == MemoryKind::Pinned) {
        done.wait();
        return stream.context()?.check();
    }
    Ok(())
}

both_defaults! {
    /// `cuMemsetD8_v2`.
    cuMemsetD8_v2, cuMemsetD8_v2_ptds, "cuMemsetD8", (address: u64, value: u8, count: usize), defaults => {
        let value = u32::from(value);
        fill(&of_call(0, defaults)?.1, Manner::Sync, Fill { address, value, width: 1, count })
    }
}

both_defaults! {
    /// `cuMemsetD8Async`.
    cuMemsetD8Async, cuMemsetD8Async_ptsz, "cuMemsetD8Async",
    (address: u64, value: u8, count: usize, stream: usize), defaults => {
        let value = u32::from(value);
        fill(&of_call(stream, defaults)?.1, Manner::Async, Fill { address, value, width: 1, count })
    }
}

both_defaults! {
    /// `cuMemsetD16_v2`.
    cuMemsetD16_v2, cuMemsetD16_v2_ptds, "cuMemsetD16",
    (address: u64, value: u16, count: usize), defaults => {
        let value = u32::from(value);
        fill(&of_call(0, defaults)?.1, Manner::Sync, Fill { address, value, width: 2, count })
    }
}

both_defaults! {
    /// `cuMemsetD16Async`.
    cuMemsetD16Async, cuMemsetD16Async_ptsz, "cuMemsetD16Async",
    (address: u64, value: u16, count: usize, stream: usize), defaults => {
        let value = u32::from(value);
        fill(&of_call(stream, defaults)?.1, Manner::Async, Fill { address, value, width: 2, count })
    }
}

both_defaults! {
    /// `cuMemsetD32_v2`.
    cuMemsetD32_v2, cuMemsetD32_v2_ptds, "cuMemsetD32",
    (address: u64, value: u32, count: usize), defaults => {
        fill(&of_call(0, defaults)?.1, Manner::Sync, Fill { address, value, width: 4, count })
    }
}

both_defaults! {
    /// `cuMemsetD32Async`.
    cuMemsetD32Async, cuMemsetD32Async_ptsz, "cuMemsetD32Async",
    (address: u64, value: u32, count: usize, stream: usize), defaults => {
        fill(&of_call(stream, defaults)?.1, Manner::Async, Fill { address, value, width: 4, count })
    }
}
