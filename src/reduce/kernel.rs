//! What a kernel is: a function over elements, and its two forms.

/// Computes `dst[i] = a[i] op b[i]` for `count` elements.
///
/// # Safety
/// `a` and `b` are readable and `dst` is writable for `count` elements of the kernel's datatype. `dst` is
/// exactly `a`, exactly `b`, or overlaps neither. No pointer need be aligned. Another process may write `a`
/// and `b` meanwhile; then only the result is unspecified.
pub type ReduceFn = unsafe fn(dst: *mut u8, a: *const u8, b: *const u8, count: usize);

/// The two forms of a kernel, which give the same bits.
#[derive(Clone, Copy)]
pub struct ReduceKernel {
    /// Kernel for results that are needed soon.
    pub plain: ReduceFn,
    /// Kernel for large results that are not needed soon. Its stores go past the caches, and are still
    /// ordered before a later Release store.
    ///
    /// # Safety
    /// The contract of [`ReduceFn`] holds, and `dst` overlaps neither operand.
    pub streamed: ReduceFn,
}

/// Computes `data[i] = data[i] / divisor` for `count` elements: the last step of an average. Integers
/// truncate towards zero; both parts of a complex number are divided.
///
/// # Safety
/// `data` is readable and writable for `count` elements, at any alignment. `divisor` is not zero.
pub type DivideFn = unsafe fn(data: *mut u8, count: usize, divisor: u32);
