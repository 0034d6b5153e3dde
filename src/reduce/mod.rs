//! Reduction kernels: `dst[i] = a[i] op b[i]`, vectorised, chosen once per process by CPU features.
//!
//! Every rank must get the same bits, whatever the order of the operands and whatever its CPU. So all kernels
//! keep these rules, on every instruction set:
//!
//! - `a op b` and `b op a` are equal bit by bit. A NaN result is always the one canonical quiet NaN of its
//!   type, because payloads depend on operand order in hardware. `min(-0, +0)` is `-0` and `max(-0, +0)` is
//!   `+0` in either order, as in IEEE 754-2019 `minimum` and `maximum`.
//! - No fused multiply-add, and no instruction that treats denormals in its own way.
//! - float16, bfloat16 and both float8 are combined in float32 and rounded to nearest even after each
//!   combination. float8_e4m3 is the OCP format without infinities; overflow gives NaN, it does not saturate
//!   (as in PyTorch and ml_dtypes). float8_e5m2 overflows to infinity. A call of several ranks converts
//!   float8 to float32 first and back at its end (`conversion`), so it rounds once.
//! - Min and max give NaN when either operand is NaN.
//! - Integer sums and products wrap. Logical operators give 0 or 1. In bool memory every non-zero byte counts
//!   as true, and results are 0 or 1.
//! - A complex product is the plain formula, without C99's recovery of infinities.
//!
//! Another process may write the operands at the same time. So kernels form no reference to them and branch
//! on no value: a racing writer makes the result wrong, and does no other harm.
//!
//! An operator on one element is a type that implements `loops::Combine`. One generic loop goes around it
//! (`loops`). The compiler vectorises this loop for each instruction set (`compiled`), and once more for
//! results that are stored past the caches (`streamed`). Only float16 has hand-written vectors (`f16c`), and
//! bfloat16 has a loop over pairs. `table` names the kernel of each datatype and operator. `divide` and
//! `float::Quotient` are the last step of an average; `scale` is the first step of a premultiplied sum.
//! `wire` has the narrow forms of sums that travel between hosts.
//!
//! A plan reduces with a [`Reducer`]: one of these kernels, or a [`Callback`] of the program.

mod bfloat16;
mod callback;
mod compiled;
mod conversion;
mod divide;
#[cfg(target_arch = "x86_64")]
mod f16c;
mod float;
mod instruction_set;
mod integer;
mod kernel;
mod loops;
mod reducer;
mod scale;
mod small_float;
#[cfg(target_arch = "x86_64")]
mod streamed;
mod table;
#[cfg(test)]
mod tests;
mod wire;

use crate::base::{Datatype, ReduceOp};
use instruction_set::InstructionSet;

pub use callback::{Callback, CallbackFn, is_inside_callback};
pub use conversion::{Conversions, ConvertFn, conversions};
pub use kernel::{DivideFn, ReduceFn, ReduceKernel};
pub use reducer::Reducer;
pub use scale::{ScaleFn, scale_fn};
pub use wire::{WireKernels, wire_kernels};

/// The kernel of `op` on `datatype`. `None`: [`ReduceOp::accepts`] says no, or the operator is a callback,
/// which has no kernel.
///
/// Avg has the kernel of sum, with one division at the end by [`divide_fn`]. A premultiplied sum also has it,
/// with one multiplication at the beginning by [`scale_fn`].
pub fn kernel_of(datatype: Datatype, op: ReduceOp) -> Option<ReduceKernel> {
    table::reduce_kernel(InstructionSet::of_this_cpu(), datatype, op)
}

/// The plain form of [`kernel_of`].
pub fn reduce_fn(datatype: Datatype, op: ReduceOp) -> Option<ReduceFn> {
    kernel_of(datatype, op).map(|kernel| kernel.plain)
}

/// The division that ends an average. `None`: the datatype has no average.
pub fn divide_fn(datatype: Datatype) -> Option<DivideFn> {
    table::divide_kernel(InstructionSet::of_this_cpu(), datatype)
}

/// The instruction set of the kernels of this process: "avx512", "avx2" or "portable".
pub fn instruction_set() -> &'static str {
    InstructionSet::of_this_cpu().name()
}
