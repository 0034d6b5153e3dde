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
use crate::base::{CallKind, Collective, Datatype, Error, ReduceOp, Result};
use crate::reduce::{Callback, CallbackFn, Reducer, scale_fn};

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
/// Numbers have their place in a [`crate::progress::Key`].
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

impl Communicator {
    /// Runs a call whose `op` is that of `operator` to its end.
    ///
    /// # Safety
    /// As [`Communicator::run`].
    pub unsafe fn run_by(&self, operation: &Operation, operator: &Operator) -> Result<()> {
        match &operator.kind {
            Kind::PremulSum { datatype, scalar } => {
                self.check(operation, operator)?;
                // SAFETY: the caller vouches for the buffers, and whoever made the operator for the scalar.
                let (scaled, _memory) = unsafe { self.scaled(operation, *datatype, scalar) };
                // SAFETY: the scaled input is the output or `_memory`, which lives on.
                unsafe { self.run(&scaled) }
            }
            // SAFETY: passed on from our caller.
            Kind::Callback { .. } => unsafe { self.start_by(operation, operator) }?.wait(),
        }
    }

    /// Starts such a call.
    ///
    /// # Safety
    /// As [`Communicator::start`].
    pub unsafe fn start_by(&self, operation: &Operation, operator: &Operator) -> Result<Request> {
        self.check(operation, operator)?;
        match &operator.kind {
            Kind::PremulSum { datatype, scalar } => {
                // SAFETY: as in `run_by`.
                let (scaled, memory) = unsafe { self.scaled(operation, *datatype, scalar) };
                // SAFETY: the scaled input is the output or `memory`, which the request keeps.
                Ok(unsafe { self.start(&scaled) }?.keeping(memory))
            }
            Kind::Callback { function, context, .. } => {
                let reducer = || {
                    // SAFETY: whoever made the operator has promised it.
                    let callback = unsafe { Callback::new(*function, context.0, operation.call.datatype) };
                    Reducer::Callback(callback)
                };
                // SAFETY: passed on from our caller.
                unsafe { self.start_reducing(operation, operator.number, reducer) }
            }
        }
    }

    /// Starts a reduction by a function of the program, which has a number here.
    ///
    /// # Safety
    /// As [`Communicator::start`].
    unsafe fn start_reducing(
        &self,
        operation: &Operation,
        number: u32,
        reducer: impl FnOnce() -> Reducer,
    ) -> Result<Request> {
        self.check_usable()?;
        let (key, buffers) = (operation.key(self.rank).with_operator(number), operation.buffers());
        let prepared = self.programs.get_with(&key, operation, reducer, self.rank, &self.topology)?;
        // SAFETY: passed on from our caller; a request that is dropped waits.
        let ticket = unsafe { self.driver.start(self.group, &key, prepared, buffers) }?;
        Ok(Request::new(Arc::clone(&self.driver), ticket, self.timeout))
    }

    fn check(&self, operation: &Operation, operator: &Operator) -> Result<()> {
        operation.check(self.size())?;
        let datatype = operation.call.datatype;
        if !operator.accepts(datatype) {
            let got = format!("an operator made for another datatype than {}", datatype.name());
            return Err(Error::InvalidArgument { what: "op", got });
        }
        if operation.call.op != Some(operator.op()) {
            return Err(Error::Internal(format!("{} by another operator", operation.call)));
        }
        Ok(())
    }

    /// The call on the scaled input, and the memory that it lies in if that is not the output.
    ///
    /// # Safety
    /// As [`Communicator::run`], and the scalar is readable.
    unsafe fn scaled(
        &self,
        operation: &Operation,
        datatype: Datatype,
        scalar: &Scalar,
    ) -> (Operation, Vec<u8>) {
        let CallKind::Collective(collective) = operation.call.kind else {
            unreachable!("transfers have no operator");
        };
        let (call, count) = (operation.call, operation.call.count as usize);
        let elements = collective.input_elements(self.size() as usize, self.rank(), call.root, count);
        let fits_output = match collective {
            Collective::AllReduce => true,
            Collective::Reduce => self.rank() == call.root,
            _ => false,
        };
        let mut memory = Vec::new();
        let input = if fits_output {
            operation.recv
        } else {
            memory = vec![0; elements * datatype.bytes()];
            memory.as_mut_ptr()
        };
        let scalar: *const u8 = match scalar {
            Scalar::Immediate(bytes) => bytes.as_ptr(),
            Scalar::Deferred(place) => *place,
        };
        if elements > 0 {
            let scale = scale_fn(datatype).expect("refused when the operator was made");
            // SAFETY: `elements` of the send buffer are readable by the caller's promise, as many are writable in the
            // output, which is the send buffer or apart from it, or in our own memory. The scalar is one element.
            unsafe { scale(input, operation.send, scalar, elements) };
        }
        let send = if elements > 0 { input.cast_const() } else { ptr::null() };
        (Operation { send, ..*operation }, memory)
    }
}

/// The two ways to make a call: with an operator of the program, or without.
impl Communicator {
    /// Runs a call to its end.
    ///
    /// # Safety
    /// As [`Communicator::run`].
    #[inline]
    pub unsafe fn run_any(&self, operation: &Operation, operator: Option<&Arc<Operator>>) -> Result<()> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.run(operation) },
            // SAFETY: passed on from our caller.
            Some(operator) => unsafe { self.run_by(operation, operator) },
        }
    }

    /// Starts a call.
    ///
    /// # Safety
    /// As [`Communicator::start`].
    #[inline]
    pub unsafe fn start_any(
        &self,
        operation: &Operation,
        operator: Option<&Arc<Operator>>,
    ) -> Result<Request> {
        match operator {
            // SAFETY: passed on from our caller.
            None => unsafe { self.start(operation) },
            // SAFETY: passed on from our caller.
            Some(operator) => unsafe { self.start_by(operation, operator) },
        }
    }
}
