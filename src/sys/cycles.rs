//! The processor's own counter, for times far below a microsecond.

/// The time stamp counter, read without waiting for earlier instructions; 0 on processors without one.
#[inline]
pub fn now() -> u64 {
    #[cfg(test)]
    if super::scheduler::mine().is_some() {
        return 0;
    }
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 has it; Linux leaves it to user space unless a process forbids it to itself.
    return unsafe { std::arch::x86_64::_rdtsc() };
    #[cfg(not(target_arch = "x86_64"))]
    0
}

/// Runs `body` and returns how many cycles of the time stamp counter it took; 0 on processors without one.
#[inline]
pub fn of<T>(body: impl FnOnce() -> T) -> (T, u64) {
    #[cfg(test)]
    if super::scheduler::mine().is_some() {
        return (body(), 0);
    }
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_mm_lfence, _rdtsc};
        // The fences keep earlier loads out of the measurement, and those of `body` in.
        // SAFETY: every x86-64 has it.
        unsafe { _mm_lfence() };
        // SAFETY: every x86-64 has it; Linux leaves it to user space unless a process forbids it to itself.
        let start = unsafe { _rdtsc() };
        let value = body();
        // SAFETY: as above.
        unsafe { _mm_lfence() };
        // SAFETY: as above.
        let end = unsafe { _rdtsc() };
        (value, end.saturating_sub(start))
    }
    #[cfg(not(target_arch = "x86_64"))]
    (body(), 0)
}
