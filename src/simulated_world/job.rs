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

/// How one rank takes the messages that all others send to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Takes {
    /// By receives from any rank, which are all started first.
    FromAny,
    /// By a probe for any message, and a receive from its sender.
    Probed,
    /// By a probe that takes the message out.
    Matched,
}

/// A step that all ranks make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// One call.
    Call { collective: Collective, root: Rank, count: u64 },
    /// Calls that are all started before the first is waited for.
    Started { collective: Collective, count: u64, calls: usize, waits: Waits },
    /// A call that is prepared once, and started and waited for several times.
    Persistent { collective: Collective, root: Rank, count: u64, starts: usize },
    /// Each rank sends to the next one, and receives from the previous one.
    Ring { count: u64, is_synchronous: bool },
    /// All other ranks send to this one.
    Gathered { root: Rank, count: u64, takes: Takes },
    /// A receive for which nobody sends anything, and which is cancelled.
    Cancelled,
    /// A copy of the communicator, a call there, and the end of the copy.
    Copied { collective: Collective, count: u64 },
    /// The ranks part in several communicators, with a call in each.
    Split { parts: u32, collective: Collective, count: u64 },
    /// One rank comes later than the others.
    Late { rank: Rank, time: Duration },
}

impl Step {
    /// Whether it makes a communicator.
    pub fn makes_communicator(&self) -> bool {
        matches!(self, Step::Copied { .. } | Step::Split { .. })
    }
}

/// What one rank does in place of what all do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// An abort of the communicator before this step.
    Abort,
    /// The end before this step, in good order.
    Leave,
    /// An end that waits for nobody before this step.
    Quit,
    /// An end without a word before this step, as that of a process that exits.
    Drop,
    /// Another call in place of this step. The rank then goes on.
    OtherCall,
    /// An abort of the communicator that this step makes.
    AbortCopy,
    /// Another root, this rank, in the broadcast on the communicator that this step makes.
    OtherRoot,
}

impl Deviation {
    /// Whether it concerns the communicator that its step makes, and no other one.
    pub fn is_of_copy(self) -> bool {
        matches!(self, Deviation::AbortCopy | Deviation::OtherRoot)
    }
}

/// A rank that deviates, and at which step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Deviant {
    pub rank: Rank,
    pub at: usize,
    pub what: Deviation,
}

/// A world: its ranks, their steps, and what goes wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Job {
    pub size: u32,
    pub hosts: u32,
    /// Whether ranks of one host share memory. Otherwise they use TCP as well.
    pub shares_memory: bool,
    /// Processors of each host.
    pub cores: u32,
    /// Whether the ranks first find and connect each other. Otherwise they begin connected.
    pub joins: bool,
    /// Lanes of ranks that use TCP.
    pub lanes: u8,
    pub steps: Vec<Step>,
    /// Whether the ranks that are left make a communicator at the end, and a call there.
    pub shrinks: bool,
    pub strikes: Vec<Strike>,
    pub deviants: Vec<Deviant>,
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let memory = if self.shares_memory { "with shared memory" } else { "by TCP alone" };
        writeln!(f, "{} ranks on {} hosts of {} processors, {memory}", self.size, self.hosts, self.cores)?;
        if self.joins {
            writeln!(f, "  they connect")?;
        }
        if self.lanes > 1 {
            writeln!(f, "  {} lanes", self.lanes)?;
        }
        for (at, step) in self.steps.iter().enumerate() {
            writeln!(f, "  step {at}: {step:?}")?;
        }
        if self.shrinks {
            writeln!(f, "  those that are left shrink the communicator")?;
        }
        for Deviant { rank, at, what } in &self.deviants {
            writeln!(f, "  rank {rank} at step {at}: {what:?}")?;
        }
        for Strike { rank, turn, blow } in &self.strikes {
            writeln!(f, "  rank {rank} in turn {turn}: {blow:?}")?;
        }
        Ok(())
    }
}

impl Job {
    /// A job of any kind.
    pub fn draw(random: &mut Random) -> Job {
        let size = random.one_of(&[1, 2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 6, 8, 16]);
        Job::draw_of(size, random)
    }

    /// A job of so many ranks that share memory that most pairs first talk after they have joined.
    pub fn draw_of_strangers(random: &mut Random) -> Job {
        let size = random.one_of(&[9, 10, 12]);
        Job { hosts: 1, shares_memory: true, lanes: 1, ..Job::draw_of(size, random) }
    }

    fn draw_of(size: u32, random: &mut Random) -> Job {
        let count = random.within(1..6) as usize;
        let steps: Vec<Step> = (0..count).map(|_| draw_step(random, size)).collect();
        let mut job = Job {
            size,
            hosts: random.one_of(&[1, 1, 2, 3]),
            shares_memory: !random.once_in(3),
            cores: random.one_of(&[1, 1, 2, size]),
            joins: false,
            lanes: 1,
            steps,
            shrinks: false,
            strikes: Vec::new(),
            deviants: Vec::new(),
        };
        if size > 1 {
            // Two at once are rarer than one.
            for _ in 0..random.one_of(&[0, 0, 1, 1, 1, 1, 1, 2]) {
                job.draw_fault(random);
            }
        }
        // Ranks that differ in more than their lives do not come together again.
        job.shrinks = job.deviants.is_empty() && random.once_in(3);
        job.joins = size <= 5 && random.once_in(4);
        job.avoid_deadlock();
        job.lanes = random.one_of(&[1, 1, 2, 3]);
        job
    }

    fn draw_fault(&mut self, random: &mut Random) {
        let rank = random.within(0..u64::from(self.size)) as Rank;
        let at = random.within(0..self.steps.len() as u64 + 1) as usize;
        let turn = random.within(0..20) * random.within(1..100) + random.within(0..100);
        let what = match random.within(0..11) {
            0..3 => return self.strikes.push(Strike { rank, turn, blow: Blow::Kill }),
            3 => {
                let time = Duration::from_millis(random.one_of(&[20, 700, 8_000]));
                return self.strikes.push(Strike { rank, turn, blow: Blow::Stop(time) });
            }
            4 => Deviation::Abort,
            5 => Deviation::Leave,
            6 => Deviation::Quit,
            7 => Deviation::Drop,
            8 => Deviation::OtherCall,
            9 => Deviation::AbortCopy,
            _ => Deviation::OtherRoot,
        };
        if what.is_of_copy()
            && let Some(step) = self.steps.get_mut(at)
        {
            let collective =
                if what == Deviation::OtherRoot { Collective::Broadcast } else { Collective::AllReduce };
            *step = match *step {
                Step::Split { parts, count, .. } => Step::Split { parts, collective, count },
                _ => Step::Copied { collective, count: 100 },
            };
        }
        if self.deviants.iter().all(|deviant| deviant.rank != rank) {
            self.deviants.push(Deviant { rank, at, what });
        }
    }

    /// Takes out messages whose receivers would wait for ever, as in MPI: behind a step in which a rank
    /// leaves or makes another call, and from any rank where one of them dies.
    fn avoid_deadlock(&mut self) {
        let differs = |deviant: &&Deviant| {
            !matches!(deviant.what, Deviation::Abort | Deviation::Drop) && !deviant.what.is_of_copy()
        };
        let first = self.deviants.iter().filter(differs).map(|deviant| deviant.at).min();
        let dies = self.strikes.iter().any(|strike| strike.blow == Blow::Kill)
            || self.deviants.iter().any(|deviant| deviant.what == Deviation::Drop);
        let mut at = 0;
        self.steps.retain(|step| {
            at += 1;
            let waits = match step {
                Step::Ring { .. } => first.is_some_and(|first| at > first),
                Step::Gathered { .. } => dies || first.is_some_and(|first| at > first),
                _ => false,
            };
            !waits
        });
    }

    /// Jobs that are a bit smaller.
    pub fn smaller(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for at in 0..self.steps.len() {
            let mut job = self.clone();
            job.steps.remove(at);
            job.deviants.iter_mut().filter(|deviant| deviant.at > at).for_each(|deviant| deviant.at -= 1);
            jobs.push(job);
        }
        for at in 0..self.strikes.len() {
            let mut job = self.clone();
            job.strikes.remove(at);
            jobs.push(job);
        }
        for at in 0..self.deviants.len() {
            let mut job = self.clone();
            job.deviants.remove(at);
            jobs.push(job);
        }
        if self.shrinks {
            jobs.push(Job { shrinks: false, ..self.clone() });
        }
        if self.joins {
            jobs.push(Job { joins: false, ..self.clone() });
        }
        if self.lanes > 1 {
            jobs.push(Job { lanes: 1, ..self.clone() });
        }
        if self.hosts > 1 {
            jobs.push(Job { hosts: 1, ..self.clone() });
        }
        if self.shares_memory {
            jobs.push(Job { shares_memory: false, ..self.clone() });
        }
        let last = self.size - 1;
        let concerns = |rank: Rank| rank >= last;
        let is_needed = self.strikes.iter().any(|strike| concerns(strike.rank))
            || self.deviants.iter().any(|deviant| concerns(deviant.rank))
            || self.steps.iter().any(|step| match step {
                Step::Call { root: rank, .. }
                | Step::Persistent { root: rank, .. }
                | Step::Gathered { root: rank, .. }
                | Step::Late { rank, .. } => concerns(*rank),
                _ => false,
            });
        if self.size > 2 && !is_needed {
            jobs.push(Job { size: last, ..self.clone() });
        }
        jobs.extend(self.with_a_smaller_step());
        jobs
    }

    /// This job with one of its steps made smaller, for each step that can be.
    fn with_a_smaller_step(&self) -> Vec<Job> {
        let mut jobs = Vec::new();
        for at in 0..self.steps.len() {
            let mut job = self.clone();
            match &mut job.steps[at] {
                Step::Started { calls: number, .. } | Step::Persistent { starts: number, .. }
                    if *number > 2 =>
                {
                    *number /= 2;
                }
                Step::Call { count, .. } | Step::Ring { count, .. } | Step::Gathered { count, .. }
                    if *count > 1 =>
                {
                    *count /= 2;
                }
                _ => continue,
            }
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
    match random.within(0..11) {
        0..3 => Step::Call { collective, root, count },
        3 => {
            // Many calls take as long as a hundred other worlds.
            let many = size <= 5 && random.once_in(8);
            let calls = match size {
                2 if many && random.once_in(32) => 5_000,
                _ if many => random.one_of(&[300, 1_500]),
                _ => random.one_of(&[2, 3, 10, 40]),
            };
            let count = if calls > 40 { count.min(3) } else { count.min(2_000) };
            let collective = random.one_of(&[AllReduce, Broadcast, Barrier]);
            let waits = random.one_of(&[Waits::InOrder, Waits::Backwards, Waits::ByTests]);
            Step::Started { collective, count, calls: calls as usize, waits }
        }
        4 | 5 => Step::Ring { count, is_synchronous: random.once_in(3) },
        6 | 7 => {
            let collective = random.one_of(&[Collective::AllReduce, Collective::Broadcast]);
            let count = count.min(2_000);
            match random.within(0..4) as u32 {
                0 | 1 => Step::Copied { collective, count },
                parts => Step::Split { parts, collective, count },
            }
        }
        8 => {
            Step::Persistent { collective, root, count: count.min(2_000), starts: random.one_of(&[1, 2, 7]) }
        }
        9 => match random.within(0..4) {
            0 => Step::Cancelled,
            takes => {
                let takes = [Takes::FromAny, Takes::Probed, Takes::Matched][takes as usize - 1];
                Step::Gathered { root, count, takes }
            }
        },
        _ => {
            let time = Duration::from_micros(random.one_of(&[10, 2_000, 150_000, 900_000, 7_000_000]));
            Step::Late { rank: root, time }
        }
    }
}
