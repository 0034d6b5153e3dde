//! Carries out a plan over the messages of another engine.
//!
//! All lanes advance together, one round at a time. A round does its local steps, then starts all its
//! messages at once, then moves or reduces what it received. The messages are sorted by lane and position, so
//! that they match as the plans require. A round waits for all of its messages, which keeps this simple and
//! makes an engine's own collective faster.
//!
//! A plan may send a span and receive into it in one round. The engine never gets such a pair: bytes for a
//! span that is being read are received into our own memory first.

use std::ptr;
use std::sync::Arc;

use crate::backend::engine::{Exchange, ForeignComm, Started};
use crate::backend::zeros::zeroed_for;
use crate::base::Result;
use crate::plan::{Block, Buffer, Plan, Span, Step};
use crate::reduce::{DivideFn, ReduceFn};

/// Map of a buffer of a plan: the first element of each block, and the block's address.
pub struct BufferMap(Vec<(usize, *mut u8)>);

impl BufferMap {
    /// A buffer in one piece.
    pub fn at(start: *mut u8) -> BufferMap {
        BufferMap(vec![(0, start)])
    }

    /// A buffer of blocks that follow each other in the plan and have an address each.
    pub fn of_blocks(blocks: &[Block], starts: &[*mut u8]) -> BufferMap {
        let full = blocks.iter().zip(starts).filter(|(block, _)| block.len > 0);
        BufferMap(full.map(|(block, start)| (block.offset, *start)).collect())
    }

    fn address(&self, element: usize, unit: usize) -> *mut u8 {
        let block = self.0.partition_point(|(first, _)| *first <= element);
        let (first, start) = self.0[block - 1];
        start.wrapping_add((element - first) * unit)
    }
}

/// The functions that a plan computes with.
#[derive(Clone, Copy, Default)]
pub struct Arithmetic {
    /// The kernel, if the collective reduces.
    pub reduce: Option<ReduceFn>,
    /// The last step of an average: the function, the number of elements at the start of the output, the
    /// divisor.
    pub divide: Option<(DivideFn, usize, u32)>,
}

/// A plan under way.
pub struct Performance {
    comm: Arc<dyn ForeignComm>,
    plan: Plan,
    unit: usize,
    input: BufferMap,
    output: BufferMap,
    scratch: Vec<u8>,
    arithmetic: Arithmetic,
    /// Index of the next round.
    round: usize,
    messages: Option<Box<dyn Started>>,
    receives: Vec<PendingReceive>,
}

/// A message that is received into our own memory, and the place where its bytes go.
struct PendingReceive {
    bytes: Vec<u8>,
    dst: *mut u8,
    /// Left operand, if the bytes are reduced.
    operand: Option<*const u8>,
}

// SAFETY: the pointers are our own memory and the caller's buffers, which nobody else uses until the end, by
// its promise.
unsafe impl Send for Performance {}

impl Performance {
    /// Prepares the plan. The first test starts it.
    ///
    /// # Safety
    /// The plan is that of this rank in `comm`, for elements of `unit` bytes. Its spans of input and output
    /// are valid at these places. Nobody else uses them until this has ended or the engine has given up.
    pub unsafe fn new(
        comm: Arc<dyn ForeignComm>,
        plan: Plan,
        unit: usize,
        input: BufferMap,
        output: BufferMap,
        arithmetic: Arithmetic,
    ) -> Result<Performance> {
        let scratch = zeroed_for(plan.scratch * unit, "scratch")?;
        let (messages, receives) = (None, Vec::new());
        Ok(Performance { comm, plan, unit, input, output, scratch, arithmetic, round: 0, messages, receives })
    }

    fn address(&mut self, span: &Span) -> *mut u8 {
        match span.buffer {
            Buffer::Input => self.input.address(span.offset, self.unit),
            Buffer::Output => self.output.address(span.offset, self.unit),
            Buffer::Scratch => self.scratch.as_mut_ptr().wrapping_add(span.offset * self.unit),
        }
    }

    /// Does the local steps of a round, then starts its messages. Returns whether there was a round.
    fn begin_round(&mut self) -> Result<bool> {
        let lanes = std::mem::take(&mut self.plan.lanes);
        let steps: Vec<&Step> = lanes
            .iter()
            .filter_map(|lane| lane.rounds.get(self.round))
            .flat_map(|round| &round.steps)
            .collect();
        let is_round = lanes.iter().any(|lane| self.round < lane.rounds.len());
        for step in &steps {
            self.do_locally(step);
        }
        let messages = self.messages_of(&steps);
        self.plan.lanes = lanes;
        let messages = messages?;
        self.round += 1;
        if !messages.is_empty() {
            // SAFETY: spans of the plan and our own memory, which stay until the messages have ended: the
            // caller of `new` has promised the former, and only `end_round` empties `receives`.
            self.messages = Some(unsafe { self.comm.exchange(&messages) }?);
        }
        Ok(is_round)
    }

    fn do_locally(&mut self, step: &Step) {
        match step {
            Step::Copy { src, dst } if src.len > 0 => {
                let (from, to, bytes) = (self.address(src), self.address(dst), src.len * self.unit);
                // SAFETY: two spans of the plan, valid by `new`'s contract. They are apart by the verifier,
                // or the same by the caller's choice of places.
                unsafe { ptr::copy(from.cast_const(), to, bytes) };
            }
            Step::Reduce { a, b, dst } if dst.len > 0 => {
                let (a, b, to) = (self.address(a), self.address(b), self.address(dst));
                self.reduce(to, a, b, dst.len);
            }
            _ => {}
        }
    }

    fn messages_of(&mut self, steps: &[&Step]) -> Result<Vec<Exchange>> {
        let mut messages = Vec::new();
        let mut read: Vec<(usize, usize)> = Vec::new();
        for step in steps {
            let Step::Send { to, span } = step else { continue };
            let (data, bytes) = (self.address_or_null(span).cast_const(), span.len * self.unit);
            read.push((data.addr(), data.addr() + bytes));
            messages.extend(to.iter().filter(|_| bytes > 0).map(|to| Exchange::Send {
                to: *to,
                data,
                bytes,
            }));
        }
        for step in steps {
            let (from, dst, operand) = match step {
                Step::Recv { from, dst } => (*from, dst, None),
                Step::RecvReduce { from, operand, dst } => (*from, dst, Some(operand)),
                _ => continue,
            };
            if dst.len == 0 {
                continue;
            }
            let (to, bytes) = (self.address(dst), dst.len * self.unit);
            let operand = operand.map(|span| self.address(span).cast_const());
            let is_read = read.iter().any(|(start, end)| *start < to.addr() + bytes && to.addr() < *end);
            let mut data = to;
            if is_read || operand.is_some() {
                let mut receive =
                    PendingReceive { bytes: zeroed_for(bytes, "a received block")?, dst: to, operand };
                data = receive.bytes.as_mut_ptr();
                self.receives.push(receive);
            }
            messages.push(Exchange::Receive { from, data, bytes });
        }
        Ok(messages)
    }

    /// The address of a span. An empty span may lie behind the last block and gets NULL.
    fn address_or_null(&mut self, span: &Span) -> *mut u8 {
        if span.len == 0 { ptr::null_mut() } else { self.address(span) }
    }

    fn end_round(&mut self) {
        for mut receive in std::mem::take(&mut self.receives) {
            let came = receive.bytes.as_mut_ptr();
            match receive.operand {
                Some(operand) => self.reduce(receive.dst, operand, came, receive.bytes.len() / self.unit),
                // SAFETY: a span of the plan, valid by `new`'s contract. The received bytes are in our own
                // memory, so the two are apart.
                None => unsafe { ptr::copy_nonoverlapping(came, receive.dst, receive.bytes.len()) },
            }
        }
    }

    fn reduce(&self, dst: *mut u8, a: *const u8, b: *const u8, elements: usize) {
        let reduce = self.arithmetic.reduce.expect("a plan that reduces has a kernel");
        // SAFETY: three runs of that many elements: spans of the plan or received bytes. By the verifier
        // `dst` is identical to `a` or `b`, or disjoint from it.
        unsafe { reduce(dst, a, b, elements) };
    }

    fn finish(&mut self) {
        if let Some((divide, elements, by)) = self.arithmetic.divide.take()
            && elements > 0
        {
            // SAFETY: the output is writable for its elements, and complete.
            unsafe { divide(self.output.address(0, self.unit), elements, by) };
        }
    }
}

impl Started for Performance {
    fn test(&mut self) -> Result<bool> {
        loop {
            if let Some(messages) = &mut self.messages {
                if !messages.test()? {
                    return Ok(false);
                }
                self.messages = None;
                self.end_round();
            }
            if !self.begin_round()? {
                self.finish();
                return Ok(true);
            }
        }
    }
}
