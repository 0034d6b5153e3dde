//! A trial of single copies for the long messages of an exchange, such as all_to_all.
//!
//! Where ranks have processors of their own, it depends on the machine whether the receiver should copy such
//! messages itself. So an exchange that runs again and again is run both ways now and then, and goes on with
//! the faster one. The result is the same either way, so each rank may decide for what it sends. All ranks
//! count the runs alike, so they try the same way at the same time.
//!
//! Decision: docs/lab/single-copy.md, "the trial of exchanges". Figures: docs/lab/constants.md.

use super::trial::{Design, Trial, TrialRun};
use crate::sys::cycles;
use crate::transport::SingleCopy;

/// The first runs touch new pages and do not count. A rank that is late for a run finds its message in the
/// bounce buffers and has less to do. So several runs are timed together, and the fastest batch decides.
const DESIGN: Design = Design {
    period: 2048,
    warm_up: 2,
    batches: 8,
    batch: 4,
    batch_warm_up: 0,
    sample: 4,
    deciding: 0,
    first_check: Some(64),
};

/// The trial of one exchange. The layer that runs the exchange owns it and reports each run.
#[derive(Debug)]
pub struct ExchangeTrial {
    trial: Trial<{ DESIGN.samples() }>,
}

/// One run of an exchange.
#[derive(Clone, Copy, Debug)]
pub struct ExchangeRun {
    run: TrialRun,
    began: u64,
}

impl ExchangeTrial {
    /// Shortest message that is worth a trial. Most shorter ones take the fast path.
    pub const FROM_BYTES: usize = 128 << 10;

    /// Begins the next run.
    pub fn begin(&self) -> ExchangeRun {
        ExchangeRun { run: self.trial.begin(), began: cycles::now() }
    }

    /// Notes that a run has ended.
    pub fn end(&self, run: &ExchangeRun) {
        self.trial.end(&run.run, cycles::now().saturating_sub(run.began));
    }
}

impl Default for ExchangeTrial {
    fn default() -> ExchangeTrial {
        ExchangeTrial { trial: Trial::new(&DESIGN) }
    }
}

impl ExchangeRun {
    /// The policy of a message in this run, if the exchange permits `permitted`.
    pub fn policy(&self, permitted: SingleCopy) -> SingleCopy {
        match permitted {
            SingleCopy::IfOversubscribed if self.run.single_copy => SingleCopy::Always,
            other => other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TRIAL: u32 = DESIGN.runs();
    const FIRST_CHECK: u32 = 64;

    /// Runs a whole trial. The better batch of each way takes `bounced` or `single` cycles per run, times
    /// four.
    fn tried(trial: &Trial<{ DESIGN.samples() }>, bounced: u64, single: u64) {
        for at in 0..TRIAL {
            let run = trial.begin();
            let Some(counted) = at.checked_sub(DESIGN.warm_up) else {
                assert!(!run.counts() && !run.single_copy, "run {at}");
                continue;
            };
            let batch = counted / DESIGN.batch;
            assert_eq!((run.counts(), run.single_copy), (true, batch % 2 == 1), "run {at}");
            // All but the last batch of each way are disturbed.
            let late = if batch < DESIGN.batches - 2 && at % DESIGN.batch == 0 { 1_000_000 } else { 0 };
            trial.end(&run, late + if run.single_copy { single } else { bounced });
        }
    }

    /// The way of each run from this trial to the next.
    fn between(trial: &Trial<{ DESIGN.samples() }>) -> Vec<bool> {
        (TRIAL..DESIGN.period).map(|_| trial.begin().single_copy).collect()
    }

    #[test]
    fn runs_after_a_trial_take_the_way_that_was_faster_until_the_next_trial() {
        let trial = ExchangeTrial::default().trial;
        for (bounced, single, better) in
            [(1600, 1000, true), (1000, 1600, false), (1600, 1500, false), (1600, 1499, true)]
        {
            tried(&trial, bounced, single);
            let ways = between(&trial);
            assert!(ways.iter().all(|way| *way == better), "{bounced} and {single}: {ways:?}");
        }
    }

    #[test]
    fn a_decision_for_single_copies_is_tried_again_soon_and_later_each_time_it_is_confirmed() {
        let trial = ExchangeTrial::default().trial;
        for check in 0..3 {
            tried(&trial, 1600, 1000);
            for at in 0..FIRST_CHECK << check {
                let run = trial.begin();
                assert!(run.single_copy && !run.counts(), "check {check}, run {at}");
                trial.end(&run, 1);
            }
        }
        // The decisions so far came from disturbed trials; this trial is undisturbed.
        tried(&trial, 1000, 1600);
        assert!(between(&trial).iter().all(|way| !way));
        tried(&trial, 1600, 1000);
        (0..FIRST_CHECK).for_each(|_| trial.end(&trial.begin(), 1));
        assert_eq!(trial.runs(), 0, "the first check after bounce buffers comes as soon as ever");
    }

    #[test]
    fn unfinished_runs_do_not_count_for_single_copies() {
        let trial = ExchangeTrial::default().trial;
        for at in 0..TRIAL {
            let run = trial.begin();
            // One run of each batch with single copies has failed, so the batch took less time.
            if run.counts() && (!run.single_copy || at % DESIGN.batch != 0) {
                trial.end(&run, 1000);
            }
        }
        assert!(between(&trial).iter().all(|way| !way));
    }

    #[test]
    fn the_end_of_a_run_counts_to_its_batch_and_to_none_outside_of_a_trial() {
        let trial = ExchangeTrial::default();
        for at in 0..DESIGN.period {
            let run = trial.begin();
            let is_counted = (DESIGN.warm_up..TRIAL).contains(&at);
            assert_eq!(run.run.counts(), is_counted, "run {at}");
            // The duration of these runs must not matter: none of them starts a trial early.
            trial.end(&ExchangeRun { run: run.run.through_buffers(), ..run });
        }
        assert_eq!(trial.trial.ended(), [DESIGN.batch; DESIGN.batches as usize]);
    }

    #[test]
    fn only_messages_that_may_be_single_copied_where_ranks_share_processors_are_tried() {
        let trial = ExchangeTrial::default();
        let runs = (0..TRIAL).map(|_| trial.begin());
        let run = runs.into_iter().find(|run| run.run.single_copy).unwrap();
        for permitted in [SingleCopy::Never, SingleCopy::MappedOnly, SingleCopy::IfFaster] {
            assert_eq!(run.policy(permitted), permitted);
        }
        assert_eq!(run.policy(SingleCopy::IfOversubscribed), SingleCopy::Always);
    }
}
