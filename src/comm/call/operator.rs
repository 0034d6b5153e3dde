//! Operators that the program makes: sums of scaled contributions, and functions of the program.
//!
//! An operator is local: it lives in this process, has a number here, and serves every communicator. Ranks
//! agree only on its kind ([`ReduceOp::PremulSum`], [`ReduceOp::Callback`], [`ReduceOp::OrderedCallback`]),
//! which travels with the call like any operator. The number and the function are each rank's own.
//!
//! A premultiplied sum is a sum whose input is scaled while it is copied. If the call has an output of the
//! same shape, the input is copied there and the sum is in place. Otherwise it is copied into memory that the
//! call keeps to its end. A function takes the place of the kernel. If it does not commute, the plan is one
//! of `algo::ordered`.

use std::sync::atomic::{AtomicU32, Ordering};

use super::operation::Variant;
use crate::base::{Call, Datatype, Error, ReduceOp, Result};
use crate::reduce::{Callback, CallbackFn, scale_fn};

/// The factor of a premultiplied sum.
#[derive(Clone, Copy, Debug)]
pub enum Scalar {
    /// The bytes of one element.
    Immediate([u8; Scalar::BYTES]),
    /// Pointer to the element, read when a call begins.
    Deferred(*const u8),
}

// SAFETY: the maker of a deferred scalar promises that any calling thread may read it.
unsafe impl Send for Scalar {}
// SAFETY: as above; the scalar is only read.
unsafe impl Sync for Scalar {}

impl Scalar {
    /// Bytes of an element of the longest datatype.
    pub const BYTES: usize = 16;
}

/// An operator that the program has made.
#[derive(Debug)]
pub struct Operator {
    kind: Kind,
    /// Number in this process. No number is given twice.
    number: u32,
}

#[derive(Debug)]
enum Kind {
    PremulSum { datatype: Datatype, scalar: Scalar },
    Callback { function: CallbackFn, context: Context, commutative: bool },
    Opaque { function: CallbackFn, context: Context, commutative: bool, element_bytes: usize },
}

/// The program's own pointer. It is handed on, and never followed.
#[derive(Clone, Copy, Debug)]
struct Context(*mut std::ffi::c_void);

// SAFETY: the maker of an operator promises that its function may get the context on any thread.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

static NEXT: AtomicU32 = AtomicU32::new(1);
/// Largest number: it has to fit into a [`crate::executor::Key`].
const LAST: u32 = (1 << 30) - 1;

impl Operator {
    /// Makes a sum of contributions that this rank first multiplies by `scalar`.
    ///
    /// # Safety
    /// A deferred scalar is readable for one element of `datatype` whenever a call with this operator is
    /// made.
    pub unsafe fn premul_sum(datatype: Datatype, scalar: Scalar) -> Result<Operator> {
        if !ReduceOp::PremulSum.accepts(datatype) {
            let got = format!("{}; a premultiplied sum takes numbers", datatype.name());
            return Err(Error::InvalidArgument { what: "datatype", got });
        }
        Operator::new(Kind::PremulSum { datatype, scalar })
    }

    /// Makes an operator from a function of the program. `commutative`: operands may be swapped.
    ///
    /// # Safety
    /// See [`Callback::new`].
    pub unsafe fn callback(
        function: CallbackFn,
        context: *mut std::ffi::c_void,
        commutative: bool,
    ) -> Result<Operator> {
        Operator::new(Kind::Callback { function, context: Context(context), commutative })
    }

    /// Makes an operator from a function on opaque elements of `element_bytes` bytes. Calls with it have
    /// [`Datatype::Byte`], and their counts are numbers of opaque elements: buffers hold `count *
    /// element_bytes` bytes. Ranks must agree on the size as well.
    ///
    /// The function gets whole elements, usually fewer than `count`. They are aligned for the largest power
    /// of two that divides their size, up to 64.
    ///
    /// # Safety
    /// See [`Callback::new`].
    pub unsafe fn opaque(
        function: CallbackFn,
        context: *mut std::ffi::c_void,
        commutative: bool,
        element_bytes: usize,
    ) -> Result<Operator> {
        if element_bytes == 0 || isize::try_from(element_bytes).is_err() {
            let got = format!("{element_bytes}; an element has at least one byte and fits into memory");
            return Err(Error::InvalidArgument { what: "element_bytes", got });
        }
        Operator::new(Kind::Opaque { function, context: Context(context), commutative, element_bytes })
    }

    fn new(kind: Kind) -> Result<Operator> {
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        if number > LAST {
            NEXT.store(LAST + 1, Ordering::Relaxed);
            return Err(Error::Unsupported(format!("more than {LAST} operators in one process")));
        }
        Ok(Operator { kind, number })
    }

    /// Number of the operator in this process: 1 or more.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The kind of the operator, on which the ranks must agree.
    pub fn op(&self) -> ReduceOp {
        match self.kind {
            Kind::PremulSum { .. } => ReduceOp::PremulSum,
            Kind::Callback { commutative: true, .. } | Kind::Opaque { commutative: true, .. } => {
                ReduceOp::Callback
            }
            Kind::Callback { commutative: false, .. } | Kind::Opaque { commutative: false, .. } => {
                ReduceOp::OrderedCallback
            }
        }
    }

    /// Whether it may be used on elements of `datatype`.
    pub fn accepts(&self, datatype: Datatype) -> bool {
        match self.kind {
            Kind::PremulSum { datatype: own, .. } => own == datatype,
            Kind::Callback { .. } => true,
            Kind::Opaque { .. } => datatype == Datatype::Byte,
        }
    }

    /// Bytes of an opaque element. `None`: the operator works on elements of datatypes.
    pub fn opaque_bytes(&self) -> Option<usize> {
        match self.kind {
            Kind::Opaque { element_bytes, .. } => Some(element_bytes),
            Kind::PremulSum { .. } | Kind::Callback { .. } => None,
        }
    }
}

impl Operator {
    /// The function that takes the place of the kernel on `datatype`, if the operator has one, and its
    /// number.
    pub(in crate::comm) fn callback_on(&self, datatype: Datatype) -> Option<(u32, Callback)> {
        let callback = match &self.kind {
            Kind::PremulSum { .. } => return None,
            Kind::Callback { function, context, .. } => {
                // SAFETY: the maker of the operator has promised it.
                unsafe { Callback::new(*function, context.0, datatype) }
            }
            Kind::Opaque { function, context, element_bytes, .. } => {
                // SAFETY: as above.
                unsafe { Callback::opaque(*function, context.0, *element_bytes) }
            }
        };
        Some((self.number, callback))
    }

    /// The differences of a call with this operator. `signature` is the call that the other ranks see, if it
    /// differs.
    pub(in crate::comm) fn variant(&self, call: &Call, signature: Option<Call>) -> Variant {
        let opaque = || self.opaque_bytes().map(|bytes| call.on_opaque(bytes));
        Variant { signature: signature.or_else(opaque), callback: self.callback_on(call.datatype) }
    }

    /// Whether contributions are scaled before they are combined.
    pub(in crate::comm) fn scales(&self) -> bool {
        matches!(self.kind, Kind::PremulSum { .. })
    }

    /// The factor of a premultiplied sum now; zeros for other operators.
    pub(in crate::comm) fn factor(&self) -> [u8; Scalar::BYTES] {
        match &self.kind {
            Kind::PremulSum { scalar: Scalar::Immediate(bytes), .. } => *bytes,
            Kind::PremulSum { datatype, scalar: Scalar::Deferred(place) } => {
                let mut bytes = [0; Scalar::BYTES];
                // SAFETY: the maker of the operator promises one readable element of the datatype.
                unsafe { place.copy_to_nonoverlapping(bytes.as_mut_ptr(), datatype.bytes()) };
                bytes
            }
            Kind::Callback { .. } | Kind::Opaque { .. } => [0; Scalar::BYTES],
        }
    }

    /// The memory of a factor that is read when a call begins: address and length.
    pub(in crate::comm) fn deferred_factor(&self) -> Option<(usize, usize)> {
        match self.kind {
            Kind::PremulSum { datatype, scalar: Scalar::Deferred(place) } => {
                Some((place.expose_provenance(), datatype.bytes()))
            }
            _ => None,
        }
    }

    /// The operator for one call, which finds its deferred factor elsewhere. `None`: it has no such factor.
    ///
    /// # Safety
    /// The factor is readable there when the call begins.
    pub(in crate::comm) unsafe fn with_factor_at(&self, place: *const u8) -> Option<Operator> {
        match self.kind {
            Kind::PremulSum { datatype, scalar: Scalar::Deferred(_) } => {
                let kind = Kind::PremulSum { datatype, scalar: Scalar::Deferred(place) };
                Some(Operator { kind, number: self.number })
            }
            _ => None,
        }
    }

    /// Scales a contribution while it is copied.
    ///
    /// # Safety
    /// The operator scales. `src` is readable and `dst` writable for `elements` elements of its datatype;
    /// they are the same or do not overlap. `saturates`: 8-bit floats do not overflow.
    pub(in crate::comm) unsafe fn scale(
        &self,
        dst: *mut u8,
        src: *const u8,
        elements: usize,
        saturates: bool,
    ) {
        let Kind::PremulSum { datatype, scalar } = &self.kind else { unreachable!("it does not scale") };
        let scalar: *const u8 = match scalar {
            Scalar::Immediate(bytes) => bytes.as_ptr(),
            Scalar::Deferred(place) => *place,
        };
        if elements > 0 {
            let scale = scale_fn(*datatype, saturates).expect("refused when the operator was made");
            // SAFETY: passed on from our caller; the maker of the operator vouches for the scalar.
            unsafe { scale(dst, src, scalar, elements) };
        }
    }

    /// Checks whether it may be used for this call.
    pub(in crate::comm) fn check(&self, call: &Call) -> Result<()> {
        if !self.accepts(call.datatype) {
            let got = format!("{} made for another datatype than {}", self.op().name(), call.datatype.name());
            return Err(Error::InvalidArgument { what: "op", got });
        }
        if call.op != Some(self.op()) {
            return Err(Error::Internal(format!("{call} with another operator")));
        }
        Ok(())
    }
}
