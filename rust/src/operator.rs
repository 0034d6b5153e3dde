//! Reduction operators: builtin ones, scaled sums, and functions of the program.

use std::any::Any;
use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyccl_engine::base::{Error as EngineError, ReduceOp, Result as EngineResult};
use anyccl_engine::comm::{Operator as EngineOperator, Scalar};
use parking_lot::Mutex;

use crate::element::Element;
use crate::element::sealed::Described;
use crate::error::{Error, Result};

/// Builtin operators.
///
/// Integers take all of them. Floats take the first five, complex numbers `Sum`, `Product` and `Avg`. A call
/// with another combination is refused before anything is sent. With a single rank, the logical ones leave
/// elements as they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Op {
    /// Sum. Integers wrap around.
    Sum,
    /// Product. Integers wrap around.
    Product,
    /// Smallest contribution.
    Min,
    /// Largest contribution.
    Max,
    /// Sum divided by the number of ranks. Integers truncate towards zero.
    Avg,
    /// Bitwise and.
    Band,
    /// Bitwise or.
    Bor,
    /// Bitwise exclusive or.
    Bxor,
    /// Logical and: 1 where no contribution is 0, else 0.
    Land,
    /// Logical or: 1 where some contribution is not 0, else 0.
    Lor,
    /// Logical exclusive or: 1 where an odd number of contributions is not 0, else 0.
    Lxor,
}

impl Op {
    fn of_engine(self) -> ReduceOp {
        match self {
            Op::Sum => ReduceOp::Sum,
            Op::Product => ReduceOp::Product,
            Op::Min => ReduceOp::Min,
            Op::Max => ReduceOp::Max,
            Op::Avg => ReduceOp::Avg,
            Op::Band => ReduceOp::Band,
            Op::Bor => ReduceOp::Bor,
            Op::Bxor => ReduceOp::Bxor,
            Op::Land => ReduceOp::Land,
            Op::Lor => ReduceOp::Lor,
            Op::Lxor => ReduceOp::Lxor,
        }
    }
}

/// An operator on elements of type `T`: a builtin one ([`Op`]), or one that the program has made.
///
/// Calls take an [`Op`], an `Operator` or a reference to one. A clone is the same operator. It serves every
/// communicator, and calls that are under way keep what they need of it.
///
/// # Functions
///
/// A function must be associative, and every rank passes one with the same effect. The library runs it inside
/// a call of a communicator that uses the operator, on any thread, and several threads may run it at once. It
/// must not call anyccl: such a call is refused with [`ErrorKind::InvalidUsage`].
///
/// If it panics, the call fails on this rank with [`ErrorKind::OperatorPanicked`], the communicator fails on
/// all ranks, and the operator is refused from then on. Another rank may have ended its part of the call by
/// then. Its result is of no use, and its next call fails.
///
/// ```
/// use anyccl::Operator;
///
/// let results = anyccl::threads(3, |comm| {
///     let largest_magnitude =
///         Operator::commutative(|a: f64, b: f64| if a.abs() < b.abs() { b } else { a })?;
///     let mut data = [[1.0, -5.0, 3.0][comm.rank()]];
///     comm.all_reduce_in_place(&mut data, &largest_magnitude)?;
///     Ok(data[0])
/// })?;
/// assert_eq!(results, [-5.0; 3]);
/// # Ok::<(), anyccl::Error>(())
/// ```
///
/// [`ErrorKind::InvalidUsage`]: crate::ErrorKind::InvalidUsage
/// [`ErrorKind::OperatorPanicked`]: crate::ErrorKind::OperatorPanicked
pub struct Operator<T> {
    made: Made,
    element: PhantomData<fn(T) -> T>,
}

#[derive(Clone)]
enum Made {
    Builtin(ReduceOp),
    ByProgram(Arc<EngineOperator>, Option<Arc<dyn Guarded>>),
}

/// What a call uses of an operator, and keeps to its end.
#[derive(Clone)]
pub(crate) struct OperatorInUse {
    pub op: ReduceOp,
    /// Set if the program has made the operator.
    pub operator: Option<Arc<EngineOperator>>,
    function: Option<Arc<dyn Guarded>>,
}

impl OperatorInUse {
    /// Why the operator cannot be used any more.
    pub fn failure(&self) -> Option<String> {
        self.function.as_ref()?.failure()
    }

    /// Refuses an operator whose function has panicked.
    pub fn check(&self) -> EngineResult<()> {
        match self.failure() {
            None => Ok(()),
            Some(text) => Err(EngineError::InvalidUsage(format!("the operator has failed before: {text}"))),
        }
    }
}

impl<T: Element> Operator<T> {
    /// Makes an operator of a function that is commutative as well: `f(a, b)` and `f(b, a)` are equal, bit by
    /// bit if all ranks are to get the same bits.
    pub fn commutative(f: impl Fn(T, T) -> T + Send + Sync + 'static) -> Result<Operator<T>> {
        Operator::commutative_slices(by_elements(f))
    }

    /// Makes an operator of a function that need not be commutative. Contributions are combined in the order
    /// of the ranks, with rank 0 leftmost, which is slower.
    pub fn associative(f: impl Fn(T, T) -> T + Send + Sync + 'static) -> Result<Operator<T>> {
        Operator::associative_slices(by_elements(f))
    }

    /// Like [`commutative`](Operator::commutative), for a function that combines many elements at once: each
    /// element of `right` becomes `left op right`. Both slices have the same length.
    pub fn commutative_slices(f: impl Fn(&[T], &mut [T]) + Send + Sync + 'static) -> Result<Operator<T>> {
        Operator::of_function(Box::new(f), true)
    }

    /// Like [`associative`](Operator::associative), for a function that combines many elements at once.
    pub fn associative_slices(f: impl Fn(&[T], &mut [T]) + Send + Sync + 'static) -> Result<Operator<T>> {
        Operator::of_function(Box::new(f), false)
    }

    /// Makes a sum of contributions, each of which its rank first multiplies by a scalar of its own. Products
    /// are rounded to `T` before they are summed; integers wrap around.
    pub fn scaled_sum(scalar: T) -> Result<Operator<T>> {
        let mut bytes = [0; Scalar::BYTES];
        const { assert!(size_of::<T>() <= Scalar::BYTES) };
        // SAFETY: an element is plain bytes without padding, and not longer than the array.
        unsafe {
            std::ptr::copy_nonoverlapping((&raw const scalar).cast(), bytes.as_mut_ptr(), size_of::<T>())
        };
        // SAFETY: an immediate scalar is a value.
        let made =
            unsafe { EngineOperator::premul_sum(<T as Described>::DATATYPE, Scalar::Immediate(bytes)) };
        made.map(|operator| Operator::of(Made::ByProgram(Arc::new(operator), None)))
            .map_err(|error| Error::of_engine(&error, format_args!("Operator::scaled_sum")))
    }

    fn of_function(combine: Box<Combine<T>>, commutative: bool) -> Result<Operator<T>> {
        let function =
            Arc::new(Function { combine, has_failed: AtomicBool::new(false), failure: Mutex::default() });
        let context = Arc::as_ptr(&function).cast_mut().cast::<c_void>();
        // SAFETY: `combine_by` keeps to the contract of its type: it touches nothing but its operands and the
        // context, from any thread, because `Function` is `Sync`. It never unwinds. The context outlives
        // every run: each call keeps an `OperatorInUse`, and with it this `Arc`, until the engine has ended
        // the call.
        let made = unsafe { EngineOperator::callback(combine_by::<T>, context, commutative) };
        made.map(|operator| Operator::of(Made::ByProgram(Arc::new(operator), Some(function))))
            .map_err(|error| Error::of_engine(&error, format_args!("Operator")))
    }
}

impl<T> Operator<T> {
    fn of(made: Made) -> Operator<T> {
        Operator { made, element: PhantomData }
    }

    /// What a call uses of the operator.
    pub(crate) fn in_use(&self) -> OperatorInUse {
        match &self.made {
            Made::Builtin(op) => OperatorInUse { op: *op, operator: None, function: None },
            Made::ByProgram(operator, function) => OperatorInUse {
                op: operator.op(),
                operator: Some(Arc::clone(operator)),
                function: function.clone(),
            },
        }
    }
}

impl<T> Clone for Operator<T> {
    fn clone(&self) -> Operator<T> {
        Operator::of(self.made.clone())
    }
}

impl<T> fmt::Debug for Operator<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Operator").field(&self.in_use().op.name()).finish()
    }
}

impl<T: Element> From<Op> for Operator<T> {
    fn from(op: Op) -> Operator<T> {
        Operator::of(Made::Builtin(op.of_engine()))
    }
}

impl<T> From<&Operator<T>> for Operator<T> {
    fn from(operator: &Operator<T>) -> Operator<T> {
        operator.clone()
    }
}

/// Combines many elements: each of the second slice becomes first op second.
type Combine<T> = dyn Fn(&[T], &mut [T]) + Send + Sync;

/// A function of the program, and the text of its first panic.
struct Function<T> {
    combine: Box<Combine<T>>,
    has_failed: AtomicBool,
    failure: Mutex<Option<String>>,
}

/// A function of any type of elements.
trait Guarded: Send + Sync {
    /// The text of its first panic.
    fn failure(&self) -> Option<String>;
}

impl<T: Element> Guarded for Function<T> {
    fn failure(&self) -> Option<String> {
        // Acquire: the text was stored before the flag.
        if self.has_failed.load(Ordering::Acquire) { self.failure.lock().clone() } else { None }
    }
}

impl<T: Element> Function<T> {
    /// Combines, and never unwinds. After a panic the elements keep any values: the call fails.
    fn run(&self, left: &[T], right: &mut [T]) {
        if self.has_failed.load(Ordering::Relaxed) {
            return;
        }
        // Unwind safety: after a panic, the function is not run again, and the elements are plain numbers.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (self.combine)(left, right))) {
            self.failure.lock().get_or_insert_with(|| panic_text(&*panic));
            self.has_failed.store(true, Ordering::Release);
            // Its destructor could panic, too.
            std::mem::forget(panic);
        }
    }
}

/// The text that was passed to `panic!`: a literal or a formatted string.
fn panic_text(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("a panic without a text").to_owned()
}

fn by_elements<T: Element>(f: impl Fn(T, T) -> T) -> impl Fn(&[T], &mut [T]) {
    move |left, right| left.iter().zip(right).for_each(|(left, right)| *right = f(*left, *right))
}

/// The function that the engine runs.
///
/// # Safety
/// The contract of [`anyccl_engine::reduce::CallbackFn`] for elements of type `T`. `context` is a
/// `Function<T>`.
unsafe extern "C-unwind" fn combine_by<T: Element>(
    input: *const c_void,
    inout: *mut c_void,
    count: usize,
    _datatype: c_int,
    context: *mut c_void,
) {
    // SAFETY: the context of this function is a live `Function<T>`, which is only ever shared.
    let function = unsafe { &*context.cast::<Function<T>>() };
    // SAFETY: the engine passes `count` elements of the datatype of the call, which is that of `T`, because
    // `Operator<T>` is used with elements of type `T` only. They are aligned, and nobody writes them
    // meanwhile.
    let left = unsafe { slice::from_raw_parts(input.cast::<T>(), count) };
    // SAFETY: as above; nobody else uses them, and they do not overlap the others.
    let right = unsafe { slice::from_raw_parts_mut(inout.cast::<T>(), count) };
    function.run(left, right);
}
