//! Operators that the program makes: sums of scaled contributions, and functions of its own.
//!
//! An operator is local: it lives in this process, has a number here, and serves every communicator. Ranks agree on its
//! kind only ([`ReduceOp::PremulSum`], [`ReduceOp::Callback`], [`ReduceOp::OrderedCallback`]), which travels with the
//! call like any operator; what number it has and what the function does is each rank's own.
//!
//! A premultiplied sum is a sum whose input is scaled while it is copied: into the output, where the call has one of the
//! same shape, and the sum is in place then; else into memory that the call keeps to its end. A function takes the place
//! of the kernel; if it does not commute, the plan is one of `algo::ordered`.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use super::communicator::Communicator;
use super::operation::Operation;
use super::request::Request;
use crate::base::{Call, CallKind, Collective, Datatype, Error, ReduceOp, Result};
use crate::executor::{Key, Prepared};
use crate::reduce::{Callback, CallbackFn, scale_fn};

/// What a contribution is multiplied by.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// The bytes of one element.
    Immediate([u8; Scalar::BYTES]),
    /// Where the element is when a call begins.
    Deferred(*const u8),
}

// SAFETY: whoever makes a deferred scalar promises that it may be read from any thread that calls.
unsafe impl Send for Scalar {}
// SAFETY: as above; it is only read.
unsafe impl Sync for Scalar {}

impl Scalar {
    /// As long as the longest datatype.
    pub const BYTES: usize = 16;
}

/// An operator that the program has made.
#[derive(Debug)]
pub struct Operator {
    kind: Kind,
    /// Of this process; no number is given twice.
    number: u32,
}

#[derive(Debug)]
enum Kind {
    PremulSum { datatype: Datatype, scalar: Scalar },
    Callback { function: CallbackFn, context: Context, commutative: bool },
}

/// The program's own pointer: handed on, never followed.
#[derive(Clone, Copy, Debug)]
struct Context(*mut std::ffi::c_void);

// SAFETY: whoever makes an operator promises that its function may have the context on any thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

static NEXT: AtomicU32 = AtomicU32::new(1);
/// Numbers have their place in a [`crate::executor::Key`].
const LAST: u32 = (1 << 30) - 1;

impl Operator {
    /// Sum of contributions that this rank multiplies by `scalar` first.
    ///
    /// # Safety
    /// A deferred scalar is readable for one element of `datatype` whenever a call with this operator is made.
    pub unsafe fn premul_sum(datatype: Datatype, scalar: Scalar) -> Result<Operator> {
        if !ReduceOp::PremulSum.accepts(datatype) {
            let got = format!("{}; a premultiplied sum takes numbers", datatype.name());
            return Err(Error::InvalidArgument { what: "datatype", got });
        }
        Operator::new(Kind::PremulSum { datatype, scalar })
    }

    /// A function of the program. `commutative`: operands may be swapped.
    ///
    /// # Safety
    /// As for [`Callback::new`].
    pub unsafe fn callback(
        function: CallbackFn,
        context: *mut std::ffi::c_void,
        commutative: bool,
    ) -> Result<Operator> {
        Operator::new(Kind::Callback { function, context: Context(context), commutative })
    }

    fn new(kind: Kind) -> Result<Operator> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        if number > LAST {
            NEXT.store(LAST + 1, Ordering::Relaxed);
            return Err(Error::Unsupported(format!("more than {LAST} operators in one process")));
        }
        Ok(Operator { kind, number })
    }

    /// Its number in this process: 1 and more.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// What the ranks must agree on.
    pub fn op(&self) -> ReduceOp {
        match self.kind {
            Kind::PremulSum { .. } => ReduceOp::PremulSum,
            Kind::Callback { commutative: true, .. } => ReduceOp::Callback,
            Kind::Callback { commutative: false, .. } => ReduceOp::OrderedCallback,
        }
    }

    /// Whether it may be used on elements of `datatype`.
    pub fn accepts(&self, datatype: Datatype) -> bool {
        match self.kind {
            Kind::PremulSum { datatype: own, .. } => own == datatype,
            Kind::Callback { .. } => true,
        }
    }
}

impl Operator {
    /// Its part of a plan: what takes the place of the kernel on `datatype`, if it is a function.
    pub(super) fn callback_on(&self, datatype: Datatype) -> Option<(u32, Callback)> {
        let Kind::Callback { function, context, .. } = &self.kind else { return None };
        // SAFETY: whoever made the operator has promised it.
        Some((self.number, unsafe { Callback::new(*function, context.0, datatype) }))
    }

    /// Whether contributions are scaled before they are combined.
    pub(super) fn scales(&self) -> bool {
        matches!(self.kind, Kind::PremulSum { .. })
    }

    /// Scales a contribution while it is copied.
    ///
    /// # Safety
    /// The operator scales; `src` is readable and `dst` writable for `elements` of its datatype, and they are the same or
    /// apart. `saturates`: 8-bit floats do not overflow.
    pub(super) unsafe fn scale(&self, dst: *mut u8, src: *const u8, elements: usize, saturates: bool) {
        let Kind::PremulSum { datatype, scalar } = &self.kind else { unreachable!("it does not scale") };
        let scalar: *const u8 = match scalar {
            Scalar::Immediate(bytes) => bytes.as_ptr(),
            Scalar::Deferred(place) => *place,
        };
        if elements > 0 {
            let scale = scale_fn(*datatype, saturates).expect("refused when the operator was made");
            // SAFETY: passed on from our caller; whoever made the operator vouches for the scalar.
            unsafe { scale(dst, src, scalar, elements) };
        }
    }

    /// Whether it may be used for this call.
    pub(super) fn check(&self, call: &Call) -> Result<()> {
        if !self.accepts(call.datatype) {
            let got = format!("{} made for another datatype than {}", self.op().name(), call.datatype.name());
            return Err(Error::InvalidArgument { what: "op", got });
        }
        if call.op != Some(self.op()) {
            return Err(Error::Internal(format!("{call} by another operator")));
        }
        Ok(())
    }
}

/// How a call differs from what its operation says.
#[derive(Clone, Copy, Default)]
pub(super) struct Variant {
    /// What travels, if not the operation's own call.
    pub signature: Option<Call>,
    /// A function of the program in the place of a kernel, and its number here.
    pub callback: Option<(u32, Callback)>,
}

impl Communicator {
    /// Runs a call to its end. `operator`: where the call's is not builtin.
    ///
    /// # Safety
    /// As [`Communicator::run`].
    #[inline]
    pub unsafe fn run_by(&self, operation: &Operation, operator: Option<&Arc<Operator>>) -> Result<()> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.run(operation) },
            // SAFETY: passed on from our caller.
            Some(_) => unsafe { self.start_as(operation, operator, None) }?.wait(),
        }
    }

    /// Starts a call. `operator`: where the call's is not builtin.
    ///
    /// # Safety
    /// As [`Communicator::start`].
    #[inline]
    pub unsafe fn start_by(
        &self,
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
    ) -> Result<Request> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.start(operation) },
            // SAFETY: passed on from our caller.
            Some(_) => unsafe { self.start_as(operation, operator, None) },
        }
    }

    /// The same for a call that may travel under another name.
    ///
    /// # Safety
    /// As [`Communicator::start`].
    pub(super) unsafe fn start_as(
        &self,
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
        signature: Option<Call>,
    ) -> Result<Request> {
        let Some(operator) = operator else {
            // SAFETY: passed on from our caller.
            return unsafe { self.start_variant(operation, &Variant { signature, callback: None }) };
        };
        operation.check(self.size())?;
        operator.check(&operation.call)?;
        // Its function, or ours that scales, reads it.
        self.check_host(operation)?;
        let variant = Variant { signature, callback: operator.callback_on(operation.call.datatype) };
        if !operator.scales() {
            // SAFETY: passed on from our caller.
            return unsafe { self.start_variant(operation, &variant) };
        }
        // SAFETY: the caller vouches for the buffers.
        let (scaled, memory) = unsafe { self.scaled(operation, operator) };
        if signature.is_none() && self.foreign.is_some() {
            self.check_usable()?;
            // To another engine it is a sum of what was scaled.
            let call = Call { op: Some(ReduceOp::Sum), ..scaled.call };
            // SAFETY: the scaled input is the output or `memory`, which the request keeps.
            if let Some(started) = unsafe { self.start_foreign(&Operation { call, ..scaled }) } {
                return Ok(started?.keeping(memory));
            }
        }
        // SAFETY: the scaled input is the output or `memory`, which the request keeps.
        Ok(unsafe { self.start_variant(&scaled, &variant) }?.keeping(memory))
    }

    /// The call on the scaled input, and the memory that it lies in if that is not the output.
    ///
    /// # Safety
    /// As [`Communicator::run`].
    unsafe fn scaled(&self, operation: &Operation, operator: &Operator) -> (Operation, Vec<u8>) {
        let CallKind::Collective(collective) = operation.call.kind else {
            unreachable!("only collectives have operators");
        };
        let (call, count) = (operation.call, operation.call.count as usize);
        let elements = collective.input_elements(self.size() as usize, self.rank, call.root, count);
        let fits_output = match collective {
            Collective::AllReduce => true,
            Collective::Reduce => self.rank == call.root,
            _ => false,
        };
        let mut memory = Vec::new();
        let input = if fits_output {
            operation.recv
        } else {
            memory = vec![0; elements * call.datatype.bytes()];
            memory.as_mut_ptr()
        };
        // SAFETY: `elements` of the send buffer are readable by the caller's promise, as many are writable in the output,
        // which is the send buffer or apart from it, or in our own memory.
        unsafe { operator.scale(input, operation.send, elements, self.programs.saturates()) };
        let send = if elements > 0 { input.cast_const() } else { ptr::null() };
        (Operation { send, ..*operation }, memory)
    }

    /// What a variant of a call needs beside its buffers.
    pub(super) fn prepare(&self, operation: &Operation, variant: &Variant) -> Result<(Key, Arc<Prepared>)> {
        let (signature, number) =
            (variant.signature.unwrap_or(operation.call), variant.callback.map_or(0, |(number, _)| number));
        let key = Key::new(&signature, operation.is_in_place(self.rank)).with_operator(number);
        let prepared = self.programs.get_variant(&key, operation, variant, self.rank, &self.topology)?;
        Ok((key, prepared))
    }

    /// # Safety
    /// As [`Communicator::start`].
    pub(super) unsafe fn start_variant(&self, operation: &Operation, variant: &Variant) -> Result<Request> {
        self.check_usable()?;
        let (key, prepared) = self.prepare(operation, variant)?;
        // SAFETY: passed on from our caller.
        unsafe { self.start_prepared(&key, prepared, operation) }
    }

    /// # Safety
    /// As [`Communicator::start`]; `key` and `prepared` are of this operation.
    pub(super) unsafe fn start_prepared(
        &self,
        key: &Key,
        prepared: Arc<Prepared>,
        operation: &Operation,
    ) -> Result<Request> {
        // SAFETY: passed on from our caller; a request that is dropped waits.
        let ticket = unsafe { self.driver.start(self.group, key, prepared, operation.buffers()) }?;
        Ok(Request::new(Arc::clone(&self.driver), ticket, self.timeout.get()))
    }
}
