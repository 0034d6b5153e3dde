//! A trial of single copies for the long messages of an exchange, such as all_to_all.
//!
//! Where ranks have processors of their own, it depends on the machine whether the receiver had better copy
//! such messages itself. All_to_all of 512 KiB between two ranks: 28 us through bounce buffers and 18 by
//! single copies where the cores of a server share nothing but a slow mesh; on another server it is the other
//! way round. So an exchange that is run again and again is run both ways now and then, and goes on with the
//! faster one. What arrives is the same, and each rank may decide for what it sends. As ranks count the runs
//! alike, they try the same way at the same time.
//!
//! See docs/adr/0028-exchanges-try-both-ways.md.

use super::trial::{Design, Trial, TrialRun};
use crate::sys::cycles;
use crate::transport::SingleCopy;

/// The first runs touch pages. Whoever comes late to one run finds its message in bounce buffers and has less
/// to do, so several are timed together, and the fastest batch decides.
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

/// The trial of one exchange. Whoever runs the exchange holds it, and tells it of each run.
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
    /// Shortest message that is worth a trial. Shorter ones most often go by the fast path.
    pub const FROM_BYTES: usize = 128 << 10;

    /// Begins the next run.
    pub fn begin(&self) -> ExchangeRun {
        ExchangeRun { run: self.trial.begin(), began: cycles::now() }
    }

    /// Notes that a run has come to its end.
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
    /// The policy of a message in this run, of which the exchange permits `permitted`.
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

    /// A whole trial in which the better batch of each way takes four times so many cycles.
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

    /// The ways of the runs from a trial to the next.
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
        // Disturbed trials decided so far: this one finds out.
        tried(&trial, 1000, 1600);
        assert!(between(&trial).iter().all(|way| !way));
        tried(&trial, 1600, 1000);
        (0..FIRST_CHECK).for_each(|_| trial.end(&trial.begin(), 1));
        assert_eq!(trial.runs(), 0, "the first check after bounce buffers comes as soon as ever");
    }

    #[test]
    fn runs_that_did_not_come_to_their_end_are_no_reason_for_single_copies() {
        let trial = ExchangeTrial::default().trial;
        for at in 0..TRIAL {
            let run = trial.begin();
            // One run of each batch with single copies has failed, and so the batch took less.
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
            // What these runs took does not matter here: none is the reason for a trial before its time.
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
