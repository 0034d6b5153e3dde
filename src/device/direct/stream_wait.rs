//! How the streams of a program wait for the CPU.
//!
//! Usually by a value wait. That holds the hardware queue of its stream, and other streams may share the
//! queue: all of a device, if `CUDA_DEVICE_MAX_CONNECTIONS` is 1. If the work that a call waits for stands
//! behind it, both wait for ever. A kernel leaves its queue when it begins to run, as those of NCCL do. So
//! there a kernel of one thread waits.
//!
//! Whether streams share a queue is measured once in each context: one stream waits for a value, and others
//! write one.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use parking_lot::Mutex;

use super::loaded::Kernels;
use crate::base::{Error, Result};
use crate::device::context::Entered;
use crate::device::context_key::ContextKey;
use crate::device::driver::CudaDriver;
use crate::device::handles::CudaStream;
use crate::device::pinned::Block;
use crate::log_line;
use crate::sys::clock;
use crate::sys::cores::yield_now;

/// Streams that write, if the streams of one rank are to be known, and if ranks are threads.
const PROBES: (usize, usize) = (3, 16);
/// Time after which a stream that has not written is held up.
const PATIENCE: Duration = Duration::from_millis(10);
/// Bytes from one word to the next.
const STEP: usize = 64;

struct Known {
    context: ContextKey,
    are_threads: bool,
    kernels: Option<&'static Kernels>,
}

static KNOWN: Mutex<Vec<Known>> = Mutex::new(Vec::new());

/// The kernels of the context, if its streams must wait by one. `are_threads`: several ranks of this process
/// use the device.
pub fn waiting_kernels(
    driver: &'static CudaDriver,
    context: ContextKey,
    are_threads: bool,
) -> Option<&'static Kernels> {
    let mut known = KNOWN.lock();
    let is_this = |known: &&Known| known.context == context && known.are_threads == are_threads;
    if let Some(known) = known.iter().find(is_this) {
        return known.kernels;
    }
    let found = find(driver, context, are_threads);
    let log = |error: &Error| log_line!(Warn, "cannot measure how streams share hardware queues: {error}");
    let kernels = found.inspect_err(log).unwrap_or_default();
    known.push(Known { context, are_threads, kernels });
    kernels
}

fn find(
    driver: &'static CudaDriver,
    context: ContextKey,
    are_threads: bool,
) -> Result<Option<&'static Kernels>> {
    let _ignored = driver.ignore_captures();
    let _entered = Entered::in_context(driver, context.context())?;
    let count = if are_threads { PROBES.1 } else { PROBES.0 };
    let mut probe = Probe::new(driver, context, count)?;
    let held = probe.run()?;
    let urgent_is_held = probe.is_held(count);
    drop(probe);
    if held < if are_threads { 1 } else { count } {
        return Ok(None);
    }
    if urgent_is_held {
        log_line!(
            Warn,
            "all streams of this GPU share one hardware queue, those of high priority as well: if calls hang, set \
             CUDA_DEVICE_MAX_CONNECTIONS to a higher number (docs/gpu.md)"
        );
    }
    log_line!(
        Info,
        "streams of this GPU share hardware queues, so calls wait by a kernel, on streams of the library"
    );
    let Some((_, device)) = driver.current()? else { return Ok(None) };
    Kernels::of(driver, context.context(), device).map(Some)
}

/// A measurement: a stream that waits, others like it that write, and an urgent one that writes.
struct Probe {
    driver: &'static CudaDriver,
    waiter: CudaStream,
    writers: Vec<CudaStream>,
    /// A word for each writer, and one for the waiter.
    block: Option<Block>,
}

impl Probe {
    fn new(driver: &'static CudaDriver, context: ContextKey, count: usize) -> Result<Probe> {
        let block = Block::of_reserve(driver, context, (count + 2) * STEP)?;
        let mut probe = Probe {
            driver,
            waiter: driver.create_ordinary_stream()?,
            writers: Vec::new(),
            block: Some(block),
        };
        for _ in 0..count {
            probe.writers.push(driver.create_ordinary_stream()?);
        }
        probe.writers.push(driver.create_stream()?);
        (0..count + 2).for_each(|number| probe.word(number).store(0, Ordering::Relaxed));
        Ok(probe)
    }

    fn word(&self, number: usize) -> &AtomicU32 {
        let start = self.block.as_ref().expect("kept until the end").start();
        // SAFETY: a word of the block, aligned to a cache line, which CPU and device access only as a whole.
        unsafe { &*start.wrapping_add(number * STEP).cast::<AtomicU32>() }
    }

    /// Whether the writer of this number has not written.
    fn is_held(&self, number: usize) -> bool {
        self.word(number).load(Ordering::Acquire) == 0
    }

    /// Number of ordinary streams that are held up.
    fn run(&mut self) -> Result<usize> {
        let start = self.driver.device_address(self.word(0).as_ptr().cast())?;
        let address = |number: usize| start + (number * STEP) as u64;
        let last = self.writers.len();
        self.driver.wait_value(self.waiter, address(last), 1)?;
        for (number, stream) in self.writers.iter().enumerate() {
            self.driver.write_value(*stream, address(number), 1)?;
        }
        self.wait_until(|probe| !(0..last).any(|number| probe.is_held(number)));
        Ok((0..last - 1).filter(|number| self.is_held(*number)).count())
    }

    fn streams(&self) -> impl Iterator<Item = &CudaStream> {
        self.writers.iter().chain([&self.waiter])
    }

    fn has_ended(&self) -> bool {
        self.streams().all(|stream| matches!(self.driver.stream_has_ended(*stream), Ok(true)))
    }

    fn wait_until(&self, is_over: impl Fn(&Probe) -> bool) {
        let end = clock::now() + PATIENCE;
        while !is_over(self) && clock::now() < end {
            yield_now();
        }
    }
}

impl Drop for Probe {
    fn drop(&mut self) {
        self.word(self.writers.len()).store(1, Ordering::Release);
        self.wait_until(Probe::has_ended);
        let (has_ended, block) = (self.has_ended(), self.block.take());
        if !has_ended {
            // Other work of the program holds the streams up, and they will still write.
            block.into_iter().for_each(Block::leak);
        }
        self.streams().for_each(|stream| self.driver.destroy_stream(*stream));
    }
}
