//! Operators on numbers of IEEE quadruple precision, Fortran's `REAL(16)`.
//!
//! Stable Rust has no such type. The functions of the compiler's run-time library combine two numbers, as
//! they do for Fortran, so results are equal bit by bit. They take and return a number in one vector
//! register.

#[cfg(target_arch = "aarch64")]
use std::arch::aarch64::uint8x16_t as Register;
use std::arch::asm;
#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::__m128i as Register;
use std::cmp::Ordering;
use std::mem::transmute;

use super::floating::Float;

/// The bits of a number.
#[repr(transparent)]
#[derive(Clone, Copy, Debug)]
pub(super) struct Quad(u128);

/// Every bit but the sign.
const MAGNITUDE: u128 = u128::MAX >> 1;
/// Bits of infinity. A larger magnitude is no number.
const INFINITY: u128 = 0x7fff << 112;

unsafe extern "C" {
    // Declared without the numbers, because Rust has no type for them.
    fn __addtf3();
    fn __subtf3();
    fn __multf3();
}

/// Defines an operation on two numbers by a function of the run-time library.
macro_rules! operation {
    ($name:ident, $function:ident) => {
        fn $name(self, other: Quad) -> Quad {
            // SAFETY: a register has the 16 bytes of a number, and any bits are valid in both.
            let [mut a, b] = [self, other].map(|number| unsafe { transmute::<u128, Register>(number.0) });
            // SAFETY: the C ABI passes two such numbers in these registers and returns one in the first. The
            // function only computes. What it may change is declared as changed, and the stack is aligned.
            #[cfg(target_arch = "x86_64")]
            unsafe {
                asm!("call {}", sym $function, inlateout("xmm0") a, in("xmm1") b, clobber_abi("C"));
            }
            // SAFETY: as above.
            #[cfg(target_arch = "aarch64")]
            unsafe {
                asm!("bl {}", sym $function, inlateout("v0") a, in("v1") b, clobber_abi("C"));
            }
            // SAFETY: as for the operands.
            Quad(unsafe { transmute::<Register, u128>(a) })
        }
    };
}

impl Float for Quad {
    operation!(add, __addtf3);
    operation!(subtract, __subtf3);
    operation!(multiply, __multf3);
}

impl Quad {
    /// A number with the order of the real ones; both zeros are 0. `None`: this is not a number.
    fn order(self) -> Option<i128> {
        let magnitude = (self.0 & MAGNITUDE).cast_signed();
        let signed = if self.0 > MAGNITUDE { -magnitude } else { magnitude };
        (self.0 & MAGNITUDE <= INFINITY).then_some(signed)
    }
}

impl PartialOrd for Quad {
    fn partial_cmp(&self, other: &Quad) -> Option<Ordering> {
        Some(self.order()?.cmp(&other.order()?))
    }
}

impl PartialEq for Quad {
    fn eq(&self, other: &Quad) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The number with the value of a normal double or 0.
    fn of(number: f64) -> Quad {
        let bits = number.to_bits();
        let (sign, exponent, fraction) = (bits >> 63, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
        let exponent = if exponent == 0 { 0 } else { exponent + 0x3fff - 0x3ff };
        Quad(u128::from(sign) << 127 | u128::from(exponent) << 112 | u128::from(fraction) << 60)
    }

    #[test]
    fn numbers_are_added_subtracted_multiplied_and_compared() {
        for (a, b) in [(1.5, -2.25), (0.0, 7.0), (-3.0, -4.0), (2.0, 2.0), (0.0, -0.0), (1e300, 3.0)] {
            assert_eq!(of(a).multiply(of(b)).0, of(a * b).0, "{a} * {b}");
            assert_eq!(of(a).partial_cmp(&of(b)), a.partial_cmp(&b), "{a} and {b}");
        }
        for (a, b) in [(1.5, -2.25), (0.0, 7.0), (-3.0, -4.0), (0.125, 1024.0)] {
            assert_eq!(of(a).add(of(b)).0, of(a + b).0, "{a} + {b}");
            assert_eq!(of(a).subtract(of(b)).0, of(a - b).0, "{a} - {b}");
        }
    }

    #[test]
    fn bits_that_a_double_does_not_have_are_kept() {
        let (one, small) = (of(1.0), of(2f64.powi(-112)));
        let sum = one.add(small);
        assert_eq!(sum.0, one.0 + 1);
        assert_eq!(sum.subtract(one), small);
    }

    #[test]
    fn what_is_no_number_has_no_order() {
        let (none, infinity) = (Quad(INFINITY | 1), Quad(INFINITY));
        assert_eq!(none.partial_cmp(&none), None);
        assert!(infinity > of(1e300) && Quad(!MAGNITUDE | INFINITY) < of(-1e300));
        assert_eq!(infinity.subtract(infinity).order(), None);
    }
}
