//! Calls kernels on memory that is unaligned and guarded on both sides.

use crate::reduce::{DivideFn, ReduceKernel};

/// The place of the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Placement {
    Apart,
    OnA,
    OnB,
    /// Apart from the operands, stored past the caches, beginning three elements before a line.
    Streamed,
    /// Like `Streamed`, at an address where no line begins with an element of two bytes or more.
    StreamedAtOddAddress,
}

impl Placement {
    pub const ALL: [Placement; 5] = [
        Placement::Apart,
        Placement::OnA,
        Placement::OnB,
        Placement::Streamed,
        Placement::StreamedAtOddAddress,
    ];

    fn is_streamed(self) -> bool {
        matches!(self, Placement::Streamed | Placement::StreamedAtOddAddress)
    }
}

const GUARD: u8 = 0xc3;
const LINE: usize = 64;
const MARGIN: usize = LINE;

/// Bytes at an odd address, between guards.
struct Guarded {
    memory: Vec<u8>,
    start: usize,
    len: usize,
}

impl Guarded {
    fn new(content: &[u8], misalignment: usize) -> Guarded {
        let len = content.len();
        let mut memory = vec![GUARD; len + 3 * MARGIN];
        let start = memory.as_ptr().align_offset(MARGIN) + misalignment + 1;
        memory[start..start + len].copy_from_slice(content);
        Guarded { memory, start, len }
    }

    fn pointer(&mut self) -> *mut u8 {
        self.memory[self.start..].as_mut_ptr()
    }

    /// The bytes, after a check that the guards are intact.
    fn content(&self) -> &[u8] {
        let (before, rest) = self.memory.split_at(self.start);
        let (content, behind) = rest.split_at(self.len);
        assert!(before.iter().chain(behind).all(|&b| b == GUARD), "written outside {} bytes", self.len);
        content
    }
}

/// The result of `kernel` on `a` and `b`. Checks that only the destination has changed.
pub fn reduce(kernel: ReduceKernel, a: &[u8], b: &[u8], element_bytes: usize, place: Placement) -> Vec<u8> {
    assert_eq!(a.len(), b.len());
    let count = a.len() / element_bytes;
    let (mut x, mut y) = (Guarded::new(a, 0), Guarded::new(b, 2));
    let behind_a_line = if place == Placement::Streamed { LINE - 3 * element_bytes } else { 5 };
    let mut apart = Guarded::new(&vec![GUARD; a.len()], behind_a_line - 1);
    let (x_ptr, y_ptr) = (x.pointer(), y.pointer());
    let dst = match place {
        Placement::OnA => x_ptr,
        Placement::OnB => y_ptr,
        _ => apart.pointer(),
    };
    let run = if place.is_streamed() { kernel.streamed } else { kernel.plain };
    // SAFETY: each vector holds `count` elements behind its pointer, and `dst` is one of the
    // operands or a third vector.
    unsafe { run(dst, x_ptr, y_ptr, count) };
    if place != Placement::OnA {
        assert_eq!(x.content(), a, "operand a was changed");
    }
    if place != Placement::OnB {
        assert_eq!(y.content(), b, "operand b was changed");
    }
    match place {
        Placement::OnA => x.content().to_vec(),
        Placement::OnB => y.content().to_vec(),
        _ => apart.content().to_vec(),
    }
}

/// The result of `kernel` on `data`.
pub fn divide(kernel: DivideFn, data: &[u8], element_bytes: usize, divisor: u32) -> Vec<u8> {
    let mut memory = Guarded::new(data, 0);
    let count = data.len() / element_bytes;
    assert_ne!(divisor, 0);
    // SAFETY: the vector holds `count` elements behind its pointer; the divisor is not zero.
    unsafe { kernel(memory.pointer(), count, divisor) };
    memory.content().to_vec()
}
