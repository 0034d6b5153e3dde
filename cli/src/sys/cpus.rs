//! The cores that a process may run on.

use std::io;

use super::check;

/// Upper limit of cores: above what any Linux is configured for (CONFIG_NR_CPUS is at most 8192).
const MAX_CPUS: usize = 8192;

/// A set of cores.
#[derive(Clone, Copy)]
pub struct CpuSet {
    words: [u64; MAX_CPUS / 64],
}

impl CpuSet {
    /// The cores that this process may use.
    pub fn of_this_process() -> io::Result<CpuSet> {
        let mut set = CpuSet { words: [0; MAX_CPUS / 64] };
        let bytes = size_of_val(&set.words);
        // SAFETY: the kernel writes at most `bytes` bytes to `words`, which are that long; a
        // `cpu_set_t` is an array of words with one bit per core, of any length.
        check(unsafe { libc::sched_getaffinity(0, bytes, set.words.as_mut_ptr().cast()) })?;
        Ok(set)
    }

    /// The set of these cores.
    pub fn from_cores(cores: &[usize]) -> CpuSet {
        let mut set = CpuSet { words: [0; MAX_CPUS / 64] };
        for &core in cores {
            set.words[core / 64] |= 1 << (core % 64);
        }
        set
    }

    /// The cores of the set, ascending.
    pub fn cores(&self) -> Vec<usize> {
        (0..MAX_CPUS).filter(|core| self.words[core / 64] >> (core % 64) & 1 == 1).collect()
    }

    /// Binds the calling thread to these cores. May be called between fork and exec.
    pub fn apply(&self) -> io::Result<()> {
        let bytes = size_of_val(&self.words);
        // SAFETY: the kernel reads `bytes` bytes of `words`, which are that long.
        check(unsafe { libc::sched_setaffinity(0, bytes, self.words.as_ptr().cast()) })?;
        Ok(())
    }
}
