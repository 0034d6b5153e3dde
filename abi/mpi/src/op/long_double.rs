//! Operators on `long double`, the x87's number of 80 bits in 16 bytes of memory.
//!
//! Rust has no such type, so the x87 itself combines two numbers. Each block of assembly leaves the register
//! stack as empty as it found it. The six bytes behind a result are those of an operand.

use std::arch::asm;
use std::cmp::Ordering;

use super::floating::Float;

/// A `long double` of C.
#[repr(C, align(16))]
#[derive(Clone, Copy)]
pub(super) struct LongDouble([u8; 16]);

/// Defines an operation on two numbers: `a op b`.
macro_rules! binary {
    ($name:ident, $instruction:literal) => {
        #[inline(always)]
        fn $name(a: LongDouble, b: LongDouble) -> LongDouble {
            let mut result = b;
            // SAFETY: reads ten bytes of each operand and writes ten bytes of the result, which lives here.
            // The x87's registers are declared as changed, and are empty again.
            unsafe {
                asm!(
                    "fld tbyte ptr [{a}]",
                    "fld tbyte ptr [{b}]",
                    $instruction,
                    "fstp tbyte ptr [{to}]",
                    a = in(reg) &raw const a,
                    b = in(reg) &raw const b,
                    to = in(reg) &raw mut result,
                    out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                    out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                    options(nostack),
                );
            }
            result
        }
    };
}

binary!(add, "faddp st(1), st");
binary!(subtract, "fsubp st(1), st");
binary!(multiply, "fmulp st(1), st");

impl PartialOrd for LongDouble {
    #[inline(always)]
    fn partial_cmp(&self, other: &LongDouble) -> Option<Ordering> {
        let (above, equal, unordered): (u8, u8, u8);
        // SAFETY: reads ten bytes of each operand; the registers are declared as changed, and are empty
        // again.
        unsafe {
            asm!(
                "fld tbyte ptr [{b}]",
                "fld tbyte ptr [{a}]",
                "fcomip st, st(1)",
                "seta {above}",
                "sete {equal}",
                "setp {unordered}",
                "fstp st(0)",
                a = in(reg) &raw const *self,
                b = in(reg) &raw const *other,
                above = out(reg_byte) above,
                equal = out(reg_byte) equal,
                unordered = out(reg_byte) unordered,
                out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _,
                options(nostack, readonly),
            );
        }
        match (unordered, above, equal) {
            (0, 0, 0) => Some(Ordering::Less),
            (0, _, 0) => Some(Ordering::Greater),
            (0, ..) => Some(Ordering::Equal),
            _ => None,
        }
    }
}

impl PartialEq for LongDouble {
    #[inline(always)]
    fn eq(&self, other: &LongDouble) -> bool {
        self.partial_cmp(other) == Some(Ordering::Equal)
    }
}

impl Float for LongDouble {
    #[inline(always)]
    fn add(self, other: LongDouble) -> LongDouble {
        add(self, other)
    }

    #[inline(always)]
    fn subtract(self, other: LongDouble) -> LongDouble {
        subtract(self, other)
    }

    #[inline(always)]
    fn multiply(self, other: LongDouble) -> LongDouble {
        multiply(self, other)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::constants as c;
    use crate::op::floating::real;

    fn of(number: f64) -> LongDouble {
        let mut made = LongDouble([0; 16]);
        // SAFETY: reads eight bytes, writes ten.
        unsafe {
            asm!("fld qword ptr [{from}]", "fstp tbyte ptr [{to}]", from = in(reg) &raw const number,
                to = in(reg) &raw mut made, out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _, options(nostack));
        }
        made
    }

    fn to_f64(number: LongDouble) -> f64 {
        let mut made = 0.0;
        // SAFETY: reads ten bytes, writes eight.
        unsafe {
            asm!("fld tbyte ptr [{from}]", "fstp qword ptr [{to}]", from = in(reg) &raw const number,
                to = in(reg) &raw mut made, out("st(0)") _, out("st(1)") _, out("st(2)") _, out("st(3)") _,
                out("st(4)") _, out("st(5)") _, out("st(6)") _, out("st(7)") _, options(nostack));
        }
        made
    }

    #[test]
    fn long_doubles_are_added_multiplied_and_compared() {
        for (a, b) in [(1.5, -2.25), (0.0, 7.0), (-3.0, -4.0), (1e300, 1e-300), (2.0, 2.0)] {
            assert_eq!(to_f64(add(of(a), of(b))), a + b);
            assert_eq!(to_f64(subtract(of(a), of(b))), a - b);
            assert_eq!(to_f64(multiply(of(a), of(b))), a * b);
            assert_eq!(of(a).partial_cmp(&of(b)), a.partial_cmp(&b));
        }
        assert_eq!(of(f64::NAN).partial_cmp(&of(1.0)), None);
    }

    #[test]
    fn bits_that_a_double_does_not_have_are_kept() {
        let (one, small) = (of(1.0), of(2f64.powi(-60)));
        let sum = add(one, small);
        assert!(sum > one);
        assert_eq!(to_f64(subtract(sum, one)), 2f64.powi(-60));
    }

    #[test]
    fn a_loop_leaves_the_registers_as_it_found_them() {
        let kernel = real::<LongDouble>(c::SUM).unwrap();
        let (a, mut b) = ([of(1.0); 100], [of(2.0); 100]);
        let to = b.as_mut_ptr().cast::<u8>();
        // SAFETY: a hundred elements each.
        unsafe { kernel(to, a.as_ptr().cast(), to.cast_const(), 100) };
        assert!(b.iter().all(|sum| to_f64(*sum) == 3.0));
    }
}
