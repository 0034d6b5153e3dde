//! Do long messages of an exchange go through shared areas, or does the receiver have the kernel fetch them?
//!
//! Where ranks have processors of their own, that depends on the machine. All_to_all of 512 KiB between two ranks: 28 us through
//! areas and 18 fetched where the cores of a server share nothing but a slow mesh; on another server it is the other way round.
//! So a program that exchanges such messages is run both ways now and then, and goes on with the faster one. It is the bytes' way
//! alone: what arrives is the same, and each rank may decide for what it sends. As ranks count the runs of a program alike,
//! they try the same way at the same time.
//!
//! Beside other busy processes a trial may be wrong. A decision for areas costs little then. A decision to fetch may cost a lot, as
//! such a run ends when both ranks have had their processors. So it is tried again soon, and later each time it is confirmed.
//!
//! See docs/adr/0028-exchanges-try-both-ways.md.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use crate::sys::cycles;

/// Messages from this size on may be fetched. Below, a program is most often run straight.
pub(super) const FETCHED_FROM: usize = 128 << 10;
/// Runs from one trial to the next.
const PERIOD: u32 = 2048;
/// Runs that begin a trial and do not count: the first touch pages.
const UNCOUNTED: u32 = 2;
/// Runs that are timed together, all one way: who comes late to one finds its message in the areas, and has less to do.
const BATCH: u32 = 4;
/// Batches of a trial; every other one is fetched.
const BATCHES: u32 = 8;
/// Runs after a first decision to fetch until it is tried again; twice as many after each trial that confirms it.
const FIRST_CHECK: u32 = 64;
/// Doublings of that, up to the length of a period.
const MOST_CHECKS: u32 = (PERIOD / FIRST_CHECK).ilog2();
/// Runs of a trial.
const TRIAL: u32 = UNCOUNTED + BATCHES * BATCH;

/// The ways of a program's long messages, and what its runs took.
#[derive(Debug, Default)]
pub(super) struct Fetching {
    runs: AtomicU32,
    /// Those of the last trial.
    batches: [Batch; BATCHES as usize],
    /// Runs since then that were fetched as it decided, and have ended.
    fetched: AtomicU32,
    /// Trials before their time, since the last decision for areas.
    checks: AtomicU32,
}

/// Some runs one way.
#[derive(Debug, Default)]
struct Batch {
    /// How many have come to their end.
    ended: AtomicU32,
    /// What these took, in cycles.
    took: AtomicU64,
}

/// One run of such a program.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Its long messages are offered to be fetched.
    pub fetched: bool,
    /// In a trial, that to which it counts.
    batch: Option<u32>,
    began: u64,
}

impl Fetching {
    /// The next run begins.
    pub fn begin(&self) -> Run {
        // Relaxed throughout: these words order nothing, and a wrong one costs time only.
        let run = self.runs.fetch_add(1, Ordering::Relaxed) % PERIOD;
        if run == 0 {
            self.batches.iter().for_each(Batch::reset);
        }
        let batch = (UNCOUNTED..TRIAL).contains(&run).then(|| (run - UNCOUNTED) / BATCH);
        let fetched = match batch {
            Some(batch) => batch % 2 == 1,
            None => run >= TRIAL && self.is_better_fetched(),
        };
        if run == TRIAL {
            self.fetched.store(0, Ordering::Relaxed);
            if !fetched {
                self.checks.store(0, Ordering::Relaxed);
            }
        }
        Run { fetched, batch, began: cycles::now() }
    }

    /// A run has come to its end.
    pub fn end(&self, run: &Run) {
        match run.batch {
            Some(batch) => self.batches[batch as usize].note(cycles::now().saturating_sub(run.began)),
            None if run.fetched => self.check_in_time(),
            None => {}
        }
    }

    /// A run was fetched as the last trial decided: the next trial begins when there were enough of them.
    fn check_in_time(&self) {
        let checks = self.checks.load(Ordering::Relaxed);
        let ended = self.fetched.fetch_add(1, Ordering::Relaxed) + 1;
        if ended == FIRST_CHECK << checks {
            self.checks.store((checks + 1).min(MOST_CHECKS), Ordering::Relaxed);
            self.runs.store(0, Ordering::Relaxed);
        }
    }

    /// By a sixteenth at least: areas let a sender go that the receiver has not caught up with.
    fn is_better_fetched(&self) -> bool {
        let fastest = |first: usize| {
            let batches = self.batches.iter().skip(first).step_by(2);
            batches.filter_map(Batch::whole).min()
        };
        match (fastest(0), fastest(1)) {
            (Some(areas), Some(fetched)) => fetched < areas - areas / 16,
            _ => false,
        }
    }
}

impl Batch {
    fn reset(&self) {
        self.ended.store(0, Ordering::Relaxed);
        self.took.store(0, Ordering::Relaxed);
    }

    fn note(&self, took: u64) {
        self.took.fetch_add(took, Ordering::Relaxed);
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// What its runs took if all have come to their end.
    fn whole(&self) -> Option<u64> {
        (self.ended.load(Ordering::Relaxed) == BATCH).then(|| self.took.load(Ordering::Relaxed))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A whole trial in which the better batch of each way takes four times so many cycles.
    fn tried(fetching: &Fetching, areas: u64, fetched: u64) {
        for at in 0..TRIAL {
            let run = fetching.begin();
            let Some(batch) = run.batch else {
                assert!(at < UNCOUNTED && !run.fetched, "run {at}");
                continue;
            };
            assert_eq!((batch, run.fetched), ((at - UNCOUNTED) / BATCH, batch % 2 == 1), "run {at}");
            // All but the last batch of each way are disturbed.
            let late = if batch < BATCHES - 2 && at % BATCH == 0 { 1_000_000 } else { 0 };
            fetching.batches[batch as usize].note(late + if run.fetched { fetched } else { areas });
        }
    }

    /// The ways of the runs from a trial to the next.
    fn between(fetching: &Fetching) -> Vec<bool> {
        (TRIAL..PERIOD).map(|_| fetching.begin().fetched).collect()
    }

    #[test]
    fn runs_after_a_trial_take_the_way_that_was_faster_until_the_next_trial() {
        let fetching = Fetching::default();
        for (areas, fetched, better) in
            [(1600, 1000, true), (1000, 1600, false), (1600, 1500, false), (1600, 1499, true)]
        {
            tried(&fetching, areas, fetched);
            let ways = between(&fetching);
            assert!(ways.iter().all(|way| *way == better), "{areas} and {fetched}: {ways:?}");
        }
    }

    #[test]
    fn a_decision_to_fetch_is_tried_again_soon_and_later_each_time_it_is_confirmed() {
        let fetching = Fetching::default();
        for check in 0..3 {
            tried(&fetching, 1600, 1000);
            for at in 0..FIRST_CHECK << check {
                let run = fetching.begin();
                assert!(run.fetched && run.batch.is_none(), "check {check}, run {at}");
                fetching.end(&run);
            }
        }
        // Disturbed trials decided so far: this one finds out.
        tried(&fetching, 1000, 1600);
        assert!(between(&fetching).iter().all(|way| !way));
        tried(&fetching, 1600, 1000);
        (0..FIRST_CHECK).for_each(|_| fetching.end(&fetching.begin()));
        assert_eq!(
            fetching.runs.load(Ordering::Relaxed),
            0,
            "the first check after areas comes as soon as ever"
        );
    }

    #[test]
    fn runs_that_did_not_come_to_their_end_are_no_reason_to_fetch() {
        let fetching = Fetching::default();
        for at in 0..TRIAL {
            let run = fetching.begin();
            // One of each fetched batch has failed, and so it took less.
            if let Some(batch) = run.batch.filter(|_| !run.fetched || at % BATCH != 0) {
                fetching.batches[batch as usize].note(1000);
            }
        }
        assert!(between(&fetching).iter().all(|way| !way));
    }

    #[test]
    fn the_end_of_a_run_counts_to_its_batch_and_to_none_outside_of_a_trial() {
        let fetching = Fetching::default();
        for at in 0..PERIOD {
            let run = fetching.begin();
            assert_eq!(run.batch.is_some(), (UNCOUNTED..TRIAL).contains(&at), "run {at}");
            // What these runs took does not matter here: none is the reason for a trial before its time.
            fetching.end(&Run { fetched: false, ..run });
        }
        let ended: Vec<u32> =
            fetching.batches.iter().map(|batch| batch.ended.load(Ordering::Relaxed)).collect();
        assert_eq!(ended, [BATCH; BATCHES as usize]);
    }
}
