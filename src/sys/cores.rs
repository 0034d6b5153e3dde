//! The processors that this process may really use.

/// A set of processors, in the kernel's format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoreSet {
    bits: [u8; CoreSet::BYTES],
}

impl CoreSet {
    /// Bytes of a set: 1024 processors, the kernel's usual limit.
    pub const BYTES: usize = 128;

    /// The set as bytes, to be sent.
    pub fn as_bytes(&self) -> &[u8; CoreSet::BYTES] {
        &self.bits
    }

    /// Makes a set from received bytes. Processors beyond the bytes are not in it.
    pub fn from_bytes(bytes: &[u8]) -> CoreSet {
        let mut set = CoreSet::default();
        set.bits.iter_mut().zip(bytes).for_each(|(mine, theirs)| *mine = *theirs);
        set
    }

    /// Adds the processors of another set.
    pub fn add(&mut self, other: &CoreSet) {
        self.bits.iter_mut().zip(other.bits).for_each(|(mine, theirs)| *mine |= theirs);
    }

    /// Number of processors in the set.
    pub fn count(&self) -> usize {
        self.bits.iter().map(|byte| byte.count_ones() as usize).sum()
    }
}

impl Default for CoreSet {
    fn default() -> CoreSet {
        CoreSet { bits: [0; CoreSet::BYTES] }
    }
}

/// The processors that the affinity of this thread allows.
pub fn allowed() -> CoreSet {
    #[cfg(test)]
    if let Some(scheduler) = super::scheduler::mine() {
        return scheduler.cores();
    }
    let mut set = CoreSet::default();
    // SAFETY: the kernel writes at most BYTES bytes into the set, which has that many. On a machine with more
    // processors the call fails, and the set stays empty.
    unsafe { libc::sched_getaffinity(0, CoreSet::BYTES, set.bits.as_mut_ptr().cast()) };
    set
}

/// Number of usable processors, by affinity and by the CPU quota of the control group; at least 1.
pub fn usable() -> usize {
    #[cfg(test)]
    if let Some(scheduler) = super::scheduler::mine() {
        return scheduler.cores().count();
    }
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Gives the rest of this time slice to another thread that wants the processor.
#[inline]
pub fn yield_now() {
    #[cfg(test)]
    if let Some(scheduler) = super::scheduler::mine() {
        return scheduler.yield_now();
    }
    // SAFETY: no arguments, cannot fail on Linux.
    unsafe { libc::sched_yield() };
}

/// Tells the processor that this thread looks again and again.
#[inline]
pub fn pause() {
    #[cfg(test)]
    if let Some(scheduler) = super::scheduler::mine() {
        return scheduler.pause();
    }
    std::hint::spin_loop();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_may_use_at_least_as_many_processors_as_its_quota_allows() {
        assert!(usable() >= 1);
        assert!(allowed().count() >= usable());
    }

    #[test]
    fn sets_add_up() {
        let mut set = CoreSet::default();
        set.add(&CoreSet::from_bytes(&[0b101]));
        set.add(&CoreSet::from_bytes(&[0b110, 1]));
        assert_eq!(set.count(), 4);
    }
}
