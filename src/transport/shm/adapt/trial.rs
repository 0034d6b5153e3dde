//! A trial of two ways for the same bytes: through bounce buffers, or copied once by the kernel (single
//! copy).
//!
//! Which way is faster depends on the machine, so it is measured. The owner of a trial counts *runs*: of a
//! message, or of a whole program of messages. The first runs of each period are the trial. They are made in
//! batches, every other one with single copies, so that a disturbance hits both ways. All later runs of the
//! period go the faster way.
//!
//! Runs give *samples*: the time of one run, or of several in a row. Both ways have equally many samples. The
//! samples of each way are sorted by time, and the two at one fixed place are compared
//! ([`Design::deciding`]). Single copies win only if they are faster by a sixteenth, because a bounce buffer
//! lets a sender go on before its receiver has caught up.
//!
//! A trial next to other busy processes may decide wrongly. A wrong decision for bounce buffers costs little.
//! A wrong decision for single copies may cost much, if a run ends only after both ranks have had their turn
//! on a processor. So a design can demand that such a decision is tried again soon, and at growing intervals
//! each time a trial confirms it ([`Design::first_check`]).

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How a trial is made.
#[derive(Debug)]
pub struct Design {
    /// Runs from the beginning of one trial to the beginning of the next, unless `first_check` brings it
    /// earlier.
    pub period: u32,
    /// Runs at the beginning of a trial that do not count.
    pub warm_up: u32,
    /// Batches of a trial.
    pub batches: u32,
    /// Runs of a batch.
    pub batch: u32,
    /// Runs at the beginning of a batch that do not count.
    pub batch_warm_up: u32,
    /// Runs whose times are added up to one sample.
    pub sample: u32,
    /// Place of the deciding sample among the sorted samples of its way: the number of faster samples.
    pub deciding: usize,
    /// Runs from a first decision for single copies to the next trial. Each trial that confirms the decision
    /// doubles the number. `None`: such a decision stands for the rest of the period.
    pub first_check: Option<u32>,
}

impl Design {
    /// Runs of a trial.
    pub const fn runs(&self) -> u32 {
        self.warm_up + self.batches * self.batch
    }

    /// Samples of a trial, of both ways together.
    pub const fn samples(&self) -> usize {
        (self.batches * self.samples_of_batch()) as usize
    }

    const fn samples_of_batch(&self) -> u32 {
        (self.batch - self.batch_warm_up) / self.sample
    }

    /// The batch of a run, and the place of the run in it. Runs count from the beginning of the period.
    fn batch_of(&self, run: u32) -> Option<(u32, u32)> {
        let at = run.checked_sub(self.warm_up).filter(|_| run < self.runs())?;
        Some((at / self.batch, at % self.batch))
    }
}

/// A trial with `SAMPLES` samples, and what it has decided.
#[derive(Debug)]
pub struct Trial<const SAMPLES: usize> {
    design: &'static Design,
    /// Runs since the last early trial began, or ever. Divided by the period, the remainder is the place of
    /// the next run in its period.
    runs: AtomicU32,
    /// Samples of the last trial, in the order of their runs.
    samples: [Sample; SAMPLES],
    /// Ended runs after that trial, if it decided for single copies.
    single_copy_runs: AtomicU32,
    /// Early trials since the last decision for bounce buffers; at most as many as lengthen the wait to a
    /// period.
    checks: AtomicU32,
}

/// The time of some consecutive runs, all of one way.
#[derive(Debug, Default)]
struct Sample {
    /// Number of these runs that have ended.
    ended: AtomicU32,
    /// Cycles that those took.
    cycles: AtomicU64,
}

/// One run.
#[derive(Clone, Copy, Debug)]
pub struct TrialRun {
    /// Whether its messages go by single copy.
    pub single_copy: bool,
    /// The sample to which the run counts.
    sample: Option<u32>,
    /// Whether the run is a part of a trial, and not one of the runs after it.
    is_trial: bool,
}

impl<const SAMPLES: usize> Trial<SAMPLES> {
    pub fn new(design: &'static Design) -> Trial<SAMPLES> {
        assert!(design.samples() == SAMPLES);
        Trial {
            design,
            runs: AtomicU32::new(0),
            samples: std::array::from_fn(|_| Sample::default()),
            single_copy_runs: AtomicU32::new(0),
            checks: AtomicU32::new(0),
        }
    }

    /// Begins the next run.
    pub fn begin(&self) -> TrialRun {
        // Relaxed throughout: these words order nothing, and a wrong value costs only time.
        let run = self.runs.fetch_add(1, Ordering::Relaxed) % self.design.period;
        if run == 0 {
            self.samples.iter().for_each(Sample::reset);
        }
        let single_copy = self.is_single_copy(run);
        if run == self.design.runs() {
            self.single_copy_runs.store(0, Ordering::Relaxed);
            if !single_copy {
                self.checks.store(0, Ordering::Relaxed);
            }
        }
        TrialRun { single_copy, sample: self.sample_of(run), is_trial: run < self.design.runs() }
    }

    /// Notes that a run has ended.
    pub fn end(&self, run: &TrialRun, cycles: u64) {
        if let Some(sample) = run.sample {
            self.samples[sample as usize].note(cycles);
        } else if !run.is_trial && run.single_copy {
            self.note_confirming_run();
        }
    }

    /// Whether the next run goes by single copy.
    pub fn next_is_single_copy(&self) -> bool {
        self.is_single_copy(self.runs.load(Ordering::Relaxed) % self.design.period)
    }

    /// Notes a whole run whose way was chosen elsewhere. During a trial, a run that did not go the way to be
    /// tried is ignored: a later one takes its place.
    pub fn note(&self, single_copy: bool, cycles: u64) {
        let run = self.runs.load(Ordering::Relaxed) % self.design.period;
        if run >= self.design.runs() || single_copy == self.is_single_copy(run) {
            self.end(&self.begin(), cycles);
        }
    }

    /// Whether a run of the period goes by single copy: in every other batch of the trial, and after the
    /// trial if single copies were faster.
    fn is_single_copy(&self, run: u32) -> bool {
        match self.design.batch_of(run) {
            Some((batch, _)) => batch % 2 == 1,
            None => run >= self.design.runs() && self.is_single_copy_faster(),
        }
    }

    /// The sample to which a run of the period counts.
    fn sample_of(&self, run: u32) -> Option<u32> {
        let (batch, at) = self.design.batch_of(run)?;
        let counted = at.checked_sub(self.design.batch_warm_up)?;
        Some(batch * self.design.samples_of_batch() + counted / self.design.sample)
    }

    /// Begins the next trial once enough runs have confirmed the decision for single copies.
    fn note_confirming_run(&self) {
        let Some(first_check) = self.design.first_check else { return };
        let checks = self.checks.load(Ordering::Relaxed);
        let ended = self.single_copy_runs.fetch_add(1, Ordering::Relaxed) + 1;
        if ended == first_check << checks {
            // A trial comes no later than the next period would bring one.
            let most = (self.design.period / first_check).ilog2();
            self.checks.store((checks + 1).min(most), Ordering::Relaxed);
            self.runs.store(0, Ordering::Relaxed);
        }
    }

    fn is_single_copy_faster(&self) -> bool {
        match (self.deciding_time(0), self.deciding_time(1)) {
            (Some(bounced), Some(single)) => single < bounced - bounced / 16,
            _ => false,
        }
    }

    /// Time of the deciding sample of one way, whose batches are every other one from `first` on. `None`: too
    /// few samples are complete.
    fn deciding_time(&self, first: usize) -> Option<u64> {
        let batches = self.samples.chunks(self.design.samples_of_batch() as usize).skip(first).step_by(2);
        let whole = batches.flatten().filter_map(|sample| sample.time_of(self.design.sample));
        let (mut times, mut count) = ([0; SAMPLES], 0);
        for time in whole {
            times[count] = time;
            count += 1;
        }
        times[..count].sort_unstable();
        times[..count].get(self.design.deciding).copied()
    }

    /// Runs since the beginning of the period.
    #[cfg(test)]
    pub fn runs(&self) -> u32 {
        self.runs.load(Ordering::Relaxed) % self.design.period
    }

    /// Number of ended runs of each sample.
    #[cfg(test)]
    pub fn ended(&self) -> [u32; SAMPLES] {
        std::array::from_fn(|at| self.samples[at].ended.load(Ordering::Relaxed))
    }
}

impl TrialRun {
    /// Whether the run counts to a sample.
    #[cfg(test)]
    pub fn counts(&self) -> bool {
        self.sample.is_some()
    }

    /// This run, as if it had gone through bounce buffers.
    #[cfg(test)]
    pub fn through_buffers(self) -> TrialRun {
        TrialRun { single_copy: false, ..self }
    }
}

impl Sample {
    fn reset(&self) {
        self.ended.store(0, Ordering::Relaxed);
        self.cycles.store(0, Ordering::Relaxed);
    }

    fn note(&self, cycles: u64) {
        self.cycles.fetch_add(cycles, Ordering::Relaxed);
        self.ended.fetch_add(1, Ordering::Relaxed);
    }

    /// Time of the sample, if all of its `runs` runs have ended.
    fn time_of(&self, runs: u32) -> Option<u64> {
        (self.ended.load(Ordering::Relaxed) == runs).then(|| self.cycles.load(Ordering::Relaxed))
    }
}
