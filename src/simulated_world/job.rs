//! What the ranks of a world do, and what goes wrong.

use std::fmt;
use std::time::Duration;

use super::random::Random;
use super::turns::{Blow, Strike};
use crate::base::{Collective, Rank};

/// Most elements that one buffer has.
const MOST: u64 = 60_000;

/// How a rank waits for its started calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waits {
    InOrder,
    Backwards,
    ByTests,
}

/// A step that all ranks make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One call.
    Call { collective: Collective, root: Rank, count: u64 },
    /// Calls that are all started before the first is waited for.
    Started { collective: Collective, count: u64, calls: usize, waits: Waits },
    /// Each rank sends to the next one, and receives from the previous one.
    Ring { count: u64, is_synchronous: bool },
    /// A copy of the communicator, a call there, and the end of the copy.
    Copied { count: u64 },
    /// One rank comes later than the others.
    Late { rank: Rank, time: Duration },
}

/// What one rank does in place of what all do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// An abort of the communicator before this step.
    Abort,
    /// The end before this step, in good order.
    Leave,
    /// Another call in place of this step. The rank then goes on.
    OtherCall,
}

/// A world: its ranks, their steps, and at most one thing that goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub size: u32,
    pub hosts: u32,
    pub steps: Vec<Step>,
    pub strike: Option<Strike>,
    /// A rank that deviates, and at which step.
    pub deviation: Option<(Rank, usize, Deviation)>,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} ranks on {} hosts", self.size, self.hosts)?;
        for (at, step) in self.steps.iter().enumerate() {
            writeln!(f, "  step {at}: {step:?}")?;
        }
        if let Some((rank, at, deviation)) = self.deviation {
            writeln!(f, "  rank {rank} at step {at}: {deviation:?}")?;
        }
        match self.strike {
            Some(Strike { rank, turn, blow }) => writeln!(f, "  rank {rank} in turn {turn}: {blow:?}"),
            None => Ok(()),
        }
    }
}

impl Job {
    /// A job of any kind.
    pub fn draw(random: &mut Random) -> Job {
        let size = random.one_of(&[1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 16]);
        let count = random.within(1..6) as usize;
        let steps: Vec<Step> = (0..count).map(|_| draw_step(random, size)).collect();
        let rank = random.within(0..u64::from(size)) as Rank;
        let (mut strike, mut deviation) = (None, None);
        if size > 1 {
            let at = random.within(0..steps.len() as u64 + 1) as usize;
            let turn = random.within(0..20) * random.within(1..100) + random.within(0..100);
            match random.within(0..8) {
                0 => strike = Some(Strike { rank, turn, blow: Blow::Kill }),
                1 => {
                    let time = Duration::from_millis(random.one_of(&[20, 700, 8_000]));
                    strike = Some(Strike { rank, turn, blow: Blow::Stop(time) });
                }
                2 => deviation = Some((rank, at, Deviation::Abort)),
                3 => deviation = Some((rank, at, Deviation::Leave)),
                4 => deviation = Some((rank, at, Deviation::OtherCall)),
                _ => {}
            }
        }
        let mut job = Job { size, hosts: random.one_of(&[1, 1, 2, 3]), steps, strike, deviation };
        job.avoid_deadlock();
        job
    }

    /// Takes out messages behind a step in which a rank leaves or makes another call. Their receivers would
    /// wait for ever, as in MPI.
    fn avoid_deadlock(&mut self) {
        if let Some((_, first, Deviation::Leave | Deviation::OtherCall)) = self.deviation {
            let mut at = 0;
            self.steps.retain(|step| {
                at += 1;
                at <= first || !matches!(step, Step::Ring { .. })
            });
        }
    }

    /// Jobs that are a bit smaller.
    pub fn smaller(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for at in 0..self.steps.len() {
            let mut job = self.clone();
            job.steps.remove(at);
            job.deviation = self
                .deviation
                .map(|(rank, step, what)| (rank, if step > at { step - 1 } else { step }, what));
            jobs.push(job);
        }
        jobs.push(Job { strike: None, deviation: None, ..self.clone() });
        if self.hosts > 1 {
            jobs.push(Job { hosts: 1, ..self.clone() });
        }
        let last = self.size - 1;
        let concerns = |rank: Rank| rank >= last;
        let is_needed = self.strike.is_some_and(|strike| concerns(strike.rank))
            || self.deviation.is_some_and(|(rank, ..)| concerns(rank))
            || self.steps.iter().any(|step| match step {
                Step::Call { root: rank, .. } | Step::Late { rank, .. } => concerns(*rank),
                _ => false,
            });
        if self.size > 2 && !is_needed {
            jobs.push(Job { size: last, ..self.clone() });
        }
        for (at, step) in self.steps.iter().enumerate() {
            let less = match *step {
                Step::Call { collective, root, count } if count > 1 => {
                    Step::Call { collective, root, count: count / 2 }
                }
                Step::Started { collective, count, calls, waits } if calls > 2 => {
                    Step::Started { collective, count, calls: calls / 2, waits }
                }
                Step::Ring { count, is_synchronous } if count > 1 => {
                    Step::Ring { count: count / 2, is_synchronous }
                }
                _ => continue,
            };
            let mut job = self.clone();
            job.steps[at] = less;
            jobs.push(job);
        }
        jobs
    }
}

fn draw_step(random: &mut Random, size: u32) -> Step {
    use Collective::*;
    let collective =
        random.one_of(&[AllReduce, AllReduce, Broadcast, AllGather, AllToAll, Barrier, Reduce, Gather]);
    let root = random.within(0..u64::from(size)) as Rank;
    let count = random.one_of(&[0, 1, 3, 100, 2_000, MOST]).min(MOST / u64::from(size));
    match random.within(0..8) {
        0..3 => Step::Call { collective, root, count },
        3 => {
            let calls = random.one_of(&[2, 3, 10, 40, 300, 1_500]);
            let calls = if size > 5 { calls.min(40) } else { calls };
            let count = if calls > 40 { count.min(3) } else { count.min(2_000) };
            let collective = random.one_of(&[AllReduce, Broadcast, Barrier]);
            let waits = random.one_of(&[Waits::InOrder, Waits::Backwards, Waits::ByTests]);
            Step::Started { collective, count, calls: calls as usize, waits }
        }
        4 | 5 => Step::Ring { count, is_synchronous: random.once_in(3) },
        6 => Step::Copied { count: count.min(2_000) },
        _ => {
            let time = Duration::from_micros(random.one_of(&[10, 2_000, 150_000, 900_000, 7_000_000]));
            Step::Late { rank: root, time }
        }
    }
}
