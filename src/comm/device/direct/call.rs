//! The part of a direct call in the stream of one rank.
//!
//! On every rank the stream copies what the leader cannot address into the bounce buffer, and sets a word:
//! *ready*. Then it waits for another word, *final*, and copies back what came into the bounce buffer.
//!
//! On the leader, the CPU sets *final* when it knows the addresses of all ranks and has written them
//! into a table. The stream copies the table to the device, runs the kernels, and sets a third word: *done*.
//! On the other ranks, the CPU sets *final* when the leader has reported that it is done.
//!
//! On a stream of the library, which orders nothing, the wait is left out, and all that follows it is
//! enqueued when *final* would be set.
//!
//! If the call fails, the leader's stream finds a table of zeros, and its kernels do nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::leases::Lease;
use crate::base::Result;
use crate::comm::call::operator::Scalar;
use crate::comm::device::call_streams::CallStream;
use crate::comm::device::stream_call_state::{CallBlock, FINAL_AT, READY_AT, StreamCallState, WORD_STEP};
use crate::comm::device::stream_order::StreamInContext;
use crate::comm::device::stream_tail::TailState;
use crate::device::direct::{Kernels, allocate_in, copy_in, free_in};
use crate::device::kernels::Shape;
use crate::device::{CudaContext, CudaDriver, CudaStream, StreamEvent};

/// The leader's stream sets it when its kernels have run.
const DONE_AT: usize = 2 * WORD_STEP;
const WORDS: usize = 3;
/// Offset of the factor of a premultiplied sum in the block.
const FACTOR_AT: usize = WORDS * WORD_STEP;
/// Offset of the table in the block.
const TABLE_AT: usize = FACTOR_AT + WORD_STEP;

/// A copy on a device.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DeviceCopy {
    pub to: u64,
    pub from: u64,
    pub bytes: usize,
}

/// Memory of a call that its stream allocates and frees.
pub struct Temporary {
    driver: &'static CudaDriver,
    context: CudaContext,
    stream: CudaStream,
    address: u64,
    /// Whether the stream frees it.
    is_freed: AtomicBool,
}

impl Temporary {
    /// Allocates `bytes` bytes when the stream of the context, which is current, comes to it. The addresses
    /// are valid at once.
    pub fn allocate(
        driver: &'static CudaDriver,
        context: CudaContext,
        stream: CudaStream,
        bytes: usize,
    ) -> Result<Arc<Temporary>> {
        let address = allocate_in(driver, bytes, stream)?;
        Ok(Arc::new(Temporary { driver, context, stream, address, is_freed: AtomicBool::new(false) }))
    }

    /// Its first byte.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Puts the freeing into the stream, after the last use. The context is current.
    fn free(&self) -> Result<()> {
        self.is_freed.store(true, Ordering::Relaxed);
        free_in(self.driver, self.address, self.stream)
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        // The call was not enqueued to its end.
        if !*self.is_freed.get_mut() && self.driver.push(self.context).is_ok() {
            let _ = self.free();
            self.driver.pop();
        }
    }
}

/// A kernel of the leader.
#[derive(Clone, Copy)]
pub struct Launch {
    /// The function, of the kernels of [`KernelLaunches`].
    pub function: usize,
    /// Grid and block.
    pub shape: Shape,
    /// Offset of its arguments in the table.
    pub arguments_at: usize,
}

/// What only the leader has.
#[derive(Clone)]
pub struct KernelLaunches {
    pub kernels: &'static Kernels,
    pub launches: Vec<Launch>,
    /// Address of the table on the device when the kernels run.
    pub table_address: u64,
    /// Bytes of the table.
    pub bytes: usize,
}

/// Copies of a call in its stream: to memory that the leader can address, and back.
pub struct StreamCopies {
    pub before: Vec<DeviceCopy>,
    pub after: Vec<DeviceCopy>,
    /// Address and length of a factor that is read when the stream has come to the call.
    pub factor: Option<(u64, usize)>,
}

/// Memory that a call uses until its stream has passed it.
pub struct HeldMemory {
    pub leases: Vec<Lease>,
    /// Memory that the stream frees at the end.
    pub temporary: Option<Arc<Temporary>>,
}

/// A direct call in the stream of one rank.
pub struct DirectCall {
    state: StreamCallState,
    copies: StreamCopies,
    /// Unset on other ranks than the leader.
    launches: Option<KernelLaunches>,
    held: HeldMemory,
    /// Whether the kernels may run, or will never run.
    has_gone: bool,
}

/// What follows the start of a direct call in its stream.
pub struct DirectTail {
    driver: &'static CudaDriver,
    context: CudaContext,
    stream: CudaStream,
    /// Address of the word for which the stream waits, as the device knows it. `None`: it does not wait.
    final_word: Option<u64>,
    /// Address of the word that the leader's stream sets, as the device knows it.
    done_word: u64,
    launches: Option<KernelLaunches>,
    /// Address of the table in the block.
    table: usize,
    after: Vec<DeviceCopy>,
    temporary: Option<Arc<Temporary>>,
    event: Option<Arc<StreamEvent>>,
    tail_state: Arc<TailState>,
}

impl DirectCall {
    /// Makes a call on a stream of a context, which is current. Its `block` has [`DirectCall::block_bytes`].
    pub fn new(
        driver: &'static CudaDriver,
        context: CudaContext,
        stream: CallStream,
        copies: StreamCopies,
        launches: Option<KernelLaunches>,
        held: HeldMemory,
        block: CallBlock,
    ) -> DirectCall {
        let state = StreamCallState::new(driver, context, stream, block, WORDS);
        let mut call = DirectCall { state, copies, launches, held, has_gone: false };
        call.table().fill(0);
        call
    }

    /// Bytes of the block of a call with a table of so many bytes.
    pub fn block_bytes(table: usize) -> usize {
        TABLE_AT + table
    }

    /// Gives the call an event that is borrowed already.
    pub fn set_event(&mut self, event: Arc<StreamEvent>) {
        self.state.set_event(event);
    }

    /// See [`StreamCallState::stream_in_context`].
    pub fn stream_in_context(&self) -> StreamInContext {
        self.state.stream_in_context()
    }

    /// The table on the leader. It may be written until [`DirectCall::go`].
    pub fn table(&mut self) -> &mut [u8] {
        let bytes = self.launches.as_ref().map_or(0, |launches| launches.bytes);
        // SAFETY: the part of the block behind the words, which belongs to this call. The stream reads it
        // after the call has gone.
        unsafe { std::slice::from_raw_parts_mut(self.state.start().wrapping_add(TABLE_AT), bytes) }
    }

    /// Address of the table on the device when the kernels run. Zero on other ranks than the leader.
    pub fn table_address(&self) -> u64 {
        self.launches.as_ref().map_or(0, |launches| launches.table_address)
    }

    /// Drops all launches but the first ones. On a stream that waits they are enqueued already, and find
    /// tables of zeros.
    pub fn keep_launches(&mut self, number: usize) {
        if let Some(launches) = &mut self.launches {
            launches.launches.truncate(number);
        }
    }

    /// See [`StreamCallState::event`].
    pub fn event(&self) -> Option<Arc<StreamEvent>> {
        self.state.event()
    }

    /// Whether this rank is the leader.
    pub fn is_leader(&self) -> bool {
        self.launches.is_some()
    }

    /// Puts the start into the stream, and the tail too if the stream waits and the tail is not apart. After
    /// an error, the stream does not wait.
    pub fn enqueue(&mut self) -> Result<()> {
        let _current = Current::of(self.state.driver, self.state.context)?;
        self.state.begin()?;
        let outcome = self.enqueue_start();
        self.state.note(&outcome);
        outcome
    }

    fn enqueue_start(&self) -> Result<()> {
        let StreamCallState { driver, stream, .. } = self.state;
        let start = driver.device_address(self.state.start())?;
        copy_all(driver, &self.copies.before, stream)?;
        if let Some((from, bytes)) = self.copies.factor {
            copy_all(driver, &[DeviceCopy { to: start + FACTOR_AT as u64, from, bytes }], stream)?;
        }
        driver.write_value(stream, start + READY_AT as u64, 1)?;
        if !self.state.stream_waits || self.state.is_split() {
            return Ok(());
        }
        self.direct_tail(Arc::default())?.enqueue_in_context()
    }

    /// Takes the tail out of the call, on a stream of the program.
    pub fn split_tail(&mut self) -> Result<DirectTail> {
        let _current = Current::of(self.state.driver, self.state.context)?;
        let tail_state = self.state.split()?;
        self.direct_tail(tail_state)
    }

    fn direct_tail(&self, tail_state: Arc<TailState>) -> Result<DirectTail> {
        let StreamCallState { driver, context, stream, stream_waits, .. } = self.state;
        let start = driver.device_address(self.state.start())?;
        Ok(DirectTail {
            driver,
            context,
            stream,
            final_word: stream_waits.then_some(start + FINAL_AT as u64),
            done_word: start + DONE_AT as u64,
            launches: self.launches.clone(),
            table: self.state.start().expose_provenance() + TABLE_AT,
            after: self.copies.after.clone(),
            temporary: self.held.temporary.clone(),
            event: self.state.event(),
            tail_state,
        })
    }

    /// Whether the stream has come to the call.
    pub fn is_ready(&self) -> bool {
        self.state.is_ready()
    }

    /// The factor that the stream has brought, once it has come to the call.
    pub fn factor(&self) -> Option<[u8; Scalar::BYTES]> {
        let (_, bytes) = self.copies.factor?;
        let mut factor = [0; Scalar::BYTES];
        let from = self.state.start().wrapping_add(FACTOR_AT);
        // SAFETY: a line of the block, which is longer than any factor. The stream has written it before the
        // word for which our caller has looked.
        unsafe { from.copy_to_nonoverlapping(factor.as_mut_ptr(), bytes) };
        Some(factor)
    }

    /// Lets the stream go on. Its table is complete on the leader; on the other ranks the result is there.
    /// The context stays current in this thread.
    pub fn go(&mut self) -> Result<()> {
        self.has_gone = true;
        self.state.let_go();
        if self.state.stream_waits || self.state.is_incomplete {
            return Ok(());
        }
        let enqueued = self.state.adopt_context();
        let enqueued = enqueued.and_then(|()| self.direct_tail(Arc::default())?.enqueue_in_context());
        enqueued.inspect_err(|_| self.state.is_incomplete = true)
    }

    /// Whether the leader's kernels have run.
    pub fn has_run(&self) -> bool {
        self.state.word(DONE_AT).load(Ordering::Acquire) != 0
    }

    /// Ends the call on the stream, if it has not gone yet. The context stays current in this thread.
    pub fn end(&mut self, has_succeeded: bool) -> Result<()> {
        if self.has_gone {
            return Ok(());
        }
        if has_succeeded {
            return self.go();
        }
        self.has_gone = true;
        self.table().fill(0);
        self.state.let_go();
        // Nothing follows the start on a stream of the library.
        self.state.is_incomplete |= !self.state.stream_waits;
        Ok(())
    }

    /// See [`StreamCallState::check`].
    pub fn check(&self) -> Result<()> {
        self.state.check()
    }

    /// See [`StreamCallState::has_passed`].
    pub fn has_passed(&mut self) -> Result<bool> {
        self.state.has_passed()
    }
}

impl Drop for DirectCall {
    fn drop(&mut self) {
        if self.state.is_in_stream() {
            if !self.has_gone {
                self.table().fill(0);
            }
            self.held.leases.drain(..).for_each(Lease::leak);
        }
    }
}

impl DirectTail {
    /// Enqueues the tail.
    pub fn enqueue(self) -> Result<()> {
        let _current = Current::of(self.driver, self.context)?;
        self.enqueue_in_context()
    }

    /// Whether kernels are part of it, for which other ranks wait.
    pub fn runs_kernels(&self) -> bool {
        self.launches.is_some()
    }

    fn enqueue_in_context(self) -> Result<()> {
        let (driver, stream) = (self.driver, self.stream);
        if let Some(word) = self.final_word {
            driver.wait_value(stream, word, 1)?;
        }
        if let Some(KernelLaunches { kernels, launches, table_address, bytes }) = &self.launches {
            let from = std::ptr::with_exposed_provenance::<u8>(self.table);
            // SAFETY: the part of the block that holds the table; the call keeps it until the stream has
            // passed the end.
            unsafe { driver.copy_to_device(*table_address, from, *bytes, stream) }?;
            for launch in launches {
                let arguments = table_address + launch.arguments_at as u64;
                // SAFETY: the copy before has brought the table. The ranks vouch for their buffers until
                // their calls have ended, and they end after this one.
                unsafe { kernels.launch(launch.function, launch.shape, arguments, stream) }?;
            }
            driver.write_value(stream, self.done_word, 1)?;
        }
        copy_all(driver, &self.after, stream)?;
        self.temporary.as_ref().map_or(Ok(()), |temporary| temporary.free())?;
        self.event.as_ref().map_or(Ok(()), |event| event.record(stream))?;
        self.tail_state.note_in_stream();
        Ok(())
    }
}

impl Drop for DirectTail {
    fn drop(&mut self) {
        self.tail_state.note_end();
    }
}

fn copy_all(driver: &CudaDriver, copies: &[DeviceCopy], stream: CudaStream) -> Result<()> {
    for copy in copies {
        // SAFETY: one side is a buffer of the call, for which the caller vouches, and the other its share of
        // the bounce buffer, which the calls of a stream use one after the other.
        unsafe { copy_in(driver, copy.to, copy.from, copy.bytes, stream) }?;
    }
    Ok(())
}

/// A context that is current in this thread while this value lives.
struct Current(&'static CudaDriver);

impl Current {
    fn of(driver: &'static CudaDriver, context: CudaContext) -> Result<Current> {
        driver.push(context)?;
        Ok(Current(driver))
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        self.0.pop();
    }
}
