//! A clock of a few nanoseconds' cost, without system calls, which all processes of a host read alike.
//!
//! Where the kernel itself keeps its time by the processor's time stamp counter, [`Ticks`] is that counter:
//! it runs at one rate and shows the same on all cores. Elsewhere [`Ticks`] is the kernel's coarse clock,
//! whose steps are some milliseconds. A [`Scale`] turns its ticks into nanoseconds of the monotonic clock. It
//! is made of two moments at which both clocks were read.

use std::fs;

use super::{clock, cycles};

/// The clock of a process, or of a page that a process has written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ticks {
    /// The time stamp counter.
    Counter,
    /// The kernel's coarse clock, in nanoseconds.
    Coarse,
}

/// The clocksources of Linux that are the time stamp counter, or are computed from it.
const BY_COUNTER: [&str; 3] = ["tsc", "kvm-clock", "hyperv_clocksource_tsc_page"];

impl Ticks {
    /// The better clock of this machine. Reads a file.
    pub fn detect() -> Ticks {
        let source = fs::read_to_string("/sys/devices/system/clocksource/clocksource0/current_clocksource");
        let is_counter = source.is_ok_and(|source| BY_COUNTER.contains(&source.trim()));
        if is_counter && counts_evenly() { Ticks::Counter } else { Ticks::Coarse }
    }

    /// The time.
    #[inline(always)]
    pub fn now(self) -> u64 {
        match self {
            Ticks::Counter => cycles::now(),
            Ticks::Coarse => coarse(),
        }
    }

    /// The time on this clock and on the monotonic one.
    pub fn moment(self) -> Moment {
        let before = self.now();
        let nanoseconds = clock::monotonic_nanoseconds();
        let ticks = before + self.now().saturating_sub(before) / 2;
        Moment { ticks, nanoseconds }
    }
}

/// Whether the processor promises that its counter runs at one rate, also while the core sleeps.
fn counts_evenly() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::__cpuid;
        const INVARIANT: u32 = 1 << 8;
        __cpuid(0x8000_0000).eax >= 0x8000_0007 && __cpuid(0x8000_0007).edx & INVARIANT != 0
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// The kernel's coarse clock, which costs no system call on any machine.
#[cold]
fn coarse() -> u64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the structure is valid for the kernel to write to, and the clock exists on every Linux.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC_COARSE, &mut time) };
    time.tv_sec as u64 * 1_000_000_000 + time.tv_nsec as u64
}

/// A time on both clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Ticks.
    pub ticks: u64,
    /// Nanoseconds of the monotonic clock.
    pub nanoseconds: u64,
}

/// The line through two moments.
#[derive(Clone, Copy, Debug)]
pub struct Scale {
    from: Moment,
    to: Moment,
}

impl Scale {
    /// The scale of a clock that was read at `from`, and now at `to`.
    pub fn new(clock: Ticks, from: Moment, to: Moment) -> Scale {
        match clock {
            Ticks::Counter => Scale { from, to },
            Ticks::Coarse => {
                let at = |time| Moment { ticks: time, nanoseconds: time };
                Scale { from: at(from.nanoseconds), to: at(to.nanoseconds) }
            }
        }
    }

    /// Nanoseconds of the monotonic clock. `None` if the ticks do not lie between the two moments, or these
    /// are no two moments of one clock: the numbers may be those of another process.
    pub fn nanoseconds(&self, ticks: u64) -> Option<u64> {
        let Scale { from, to } = self;
        let (span, time) = (to.ticks.checked_sub(from.ticks)?, to.nanoseconds.checked_sub(from.nanoseconds)?);
        // The coarse clock lags behind by a step.
        let after = match ticks.checked_sub(from.ticks) {
            Some(after) => after,
            None if from.ticks - ticks < STEP => 0,
            None => return None,
        };
        if after > span || span == 0 {
            return None;
        }
        let part = u128::from(after) * u128::from(time) / u128::from(span);
        Some(from.nanoseconds + part as u64)
    }
}

/// Ticks by which a time may lie before the first moment: more than the coarse clock lags behind.
const STEP: u64 = 20_000_000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_the_time_between_two_moments() {
        for clock in [Ticks::detect(), Ticks::Coarse] {
            let from = clock.moment();
            let between = clock.now();
            // The coarse clock may stand still.
            while clock.now() == between {}
            let scale = Scale::new(clock, from, clock.moment());
            let found = scale.nanoseconds(between).unwrap();
            assert!((from.nanoseconds..=clock::monotonic_nanoseconds()).contains(&found), "{clock:?}");
        }
    }

    #[test]
    fn ticks_from_elsewhere_have_no_time() {
        let at = |ticks, nanoseconds| Moment { ticks, nanoseconds };
        let scale = |from, to| Scale::new(Ticks::Counter, from, to);
        let good = scale(at(1 << 40, 50), at(3 << 40, 150));
        assert_eq!(good.nanoseconds(2 << 40), Some(100));
        assert_eq!([0, u64::MAX, 4 << 40].map(|ticks| good.nanoseconds(ticks)), [None; 3]);
        assert_eq!(scale(at(5, 5), at(5, 5)).nanoseconds(5), None);
        assert_eq!(scale(at(9, 9), at(5, 5)).nanoseconds(7), None);
        assert_eq!(scale(at(0, u64::MAX), at(u64::MAX, u64::MAX)).nanoseconds(u64::MAX), Some(u64::MAX));
    }
}
