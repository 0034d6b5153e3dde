//! What the ranks of a world do, and what goes wrong.

use std::cell::Cell;
use std::fmt;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::time::Duration;

use super::random::Random;
use super::turns::{Blow, Strike};
use crate::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp, Result};
use crate::comm::{CommConfig, Communicator, Operation, Request};
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};
use crate::sys::clock;
use crate::sys::cores::yield_now;

/// Most elements that one buffer has.
const MOST: u64 = 60_000;
const TAG: i32 = 7;

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
    /// A job.
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
}

impl Job {
    /// Takes out messages to or from a rank that would wait for them somewhere else for ever, as MPI programs
    /// do.
    fn avoid_deadlock(&mut self) {
        if let Some((_, first, Deviation::Leave | Deviation::OtherCall)) = self.deviation {
            let mut at = 0;
            self.steps.retain(|step| {
                at += 1;
                at <= first || !matches!(step, Step::Ring { .. })
            });
        }
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

/// What a rank has seen of a step. The last one is the end.
pub type Outcome = Result<()>;

/// How far each rank has come: the step that it has begun.
pub type Begun = Rc<Vec<Cell<usize>>>;

/// Element `at` of what `rank` brings to a step.
fn element(rank: Rank, step: usize, at: u64) -> i32 {
    (u64::from(rank + 1) * 1_000 + step as u64 * 31 + at % 97) as i32
}

/// Makes the steps of one rank. Returns their outcomes, and that of the end. Panics where a value is wrong.
pub fn perform(job: &Job, comm: &Communicator, begun: &Begun) -> Vec<Outcome> {
    let mine = |at: usize| job.deviation.filter(|(rank, step, _)| (*rank, *step) == (comm.rank(), at));
    let mut outcomes = Vec::new();
    for (at, step) in job.steps.iter().enumerate() {
        begun[comm.rank() as usize].set(at);
        match mine(at).map(|(_, _, deviation)| deviation) {
            Some(Deviation::Abort) => comm.abort("as the test wants"),
            Some(Deviation::Leave) => break,
            Some(Deviation::OtherCall) => {
                outcomes.push(other_call(comm, step));
                continue;
            }
            None => {}
        }
        outcomes.push(make(comm, at, *step));
    }
    begun[comm.rank() as usize].set(job.steps.len());
    if let Some((_, _, Deviation::Abort)) = mine(job.steps.len()) {
        comm.abort("as the test wants");
    }
    outcomes.push(comm.finalize());
    outcomes
}

/// A call that fits no step.
fn other_call(comm: &Communicator, _step: &Step) -> Outcome {
    let (sent, mut got) = (vec![1i32; 4321], vec![0i32; 4321]);
    let call = call(Collective::Scan, 0, 4321);
    let operation = Operation { call, send: sent.as_ptr().cast(), recv: got.as_mut_ptr().cast() };
    // SAFETY: both buffers live until the call has ended.
    unsafe { comm.run(&operation) }
}

fn call(collective: Collective, root: Rank, count: u64) -> Call {
    let op = collective.reduces().then_some(ReduceOp::Sum);
    let (datatype, count) = match collective {
        Collective::Barrier => (Datatype::Byte, 0),
        _ => (Datatype::Int32, count),
    };
    Call { kind: CallKind::Collective(collective), datatype, op, root, count }
}

fn make(comm: &Communicator, at: usize, step: Step) -> Outcome {
    match step {
        Step::Call { collective, root, count } => {
            let mut buffers = Exchange::new(comm, at, collective, root, count);
            // SAFETY: the buffers live until the call has ended.
            unsafe { comm.run(&buffers.operation()) }?;
            buffers.check(comm, at);
            Ok(())
        }
        Step::Started { collective, count, calls, waits } => {
            started(comm, at, collective, count, calls, waits)
        }
        Step::Ring { count, is_synchronous } => ring(comm, at, count, is_synchronous),
        Step::Copied { count } => {
            let copy = comm.dup(&CommConfig::default())?;
            let outcome = make(&copy, at, Step::Call { collective: Collective::AllReduce, root: 0, count });
            outcome.and(copy.finalize())
        }
        Step::Late { rank, time } => {
            if comm.rank() == rank {
                clock::sleep(time);
            }
            Ok(())
        }
    }
}

/// The buffers of a call.
struct Exchange {
    call: Call,
    sent: Vec<i32>,
    got: Vec<i32>,
}

impl Exchange {
    fn new(comm: &Communicator, at: usize, collective: Collective, root: Rank, count: u64) -> Exchange {
        let (rank, size) = (comm.rank(), comm.size() as usize);
        let call = call(collective, root, count);
        let elements = collective.input_elements(size, rank, root, call.count as usize) as u64;
        let sent = (0..elements).map(|i| element(rank, at, i)).collect();
        let got = vec![-1; collective.output_elements(size, rank, root, call.count as usize)];
        Exchange { call, sent, got }
    }

    fn operation(&mut self) -> Operation {
        Operation { call: self.call, send: self.sent.as_ptr().cast(), recv: self.got.as_mut_ptr().cast() }
    }

    /// Panics if the result is wrong.
    fn check(&self, comm: &Communicator, at: usize) {
        let CallKind::Collective(collective) = self.call.kind else { return };
        let (size, count) = (comm.size(), self.call.count);
        for (i, got) in self.got.iter().enumerate() {
            let (from, i) = (i as u64 / count, i as u64 % count);
            let expected = match collective {
                Collective::AllReduce | Collective::Reduce => {
                    (0..size).fold(0i32, |sum, rank| sum.wrapping_add(element(rank, at, i)))
                }
                Collective::Broadcast => element(self.call.root, at, i),
                Collective::AllToAll => element(from as Rank, at, u64::from(comm.rank()) * count + i),
                _ => element(from as Rank, at, i),
            };
            assert_eq!(*got, expected, "WRONG VALUE: element {i} of step {at} on rank {}", comm.rank());
        }
    }
}

fn started(
    comm: &Communicator,
    at: usize,
    collective: Collective,
    count: u64,
    calls: usize,
    waits: Waits,
) -> Outcome {
    let root = |number: usize| (number % comm.size() as usize) as Rank;
    let mut exchanges: Vec<Exchange> =
        (0..calls).map(|number| Exchange::new(comm, at, collective, root(number), count)).collect();
    // A rank that is killed waits for nothing.
    let mut requests: Vec<ManuallyDrop<Request>> = Vec::new();
    let mut outcome = Ok(());
    for exchange in &mut exchanges {
        // SAFETY: the buffers live until all requests have ended. Those of a rank that is killed never move
        // again.
        match unsafe { comm.start(&exchange.operation()) } {
            Ok(request) => requests.push(ManuallyDrop::new(request)),
            Err(error) => {
                outcome = Err(error);
                break;
            }
        }
    }
    let mut ended: Vec<Outcome> = requests.iter().map(|_| Ok(())).collect();
    match waits {
        Waits::InOrder => (0..requests.len()).for_each(|i| ended[i] = requests[i].wait()),
        Waits::Backwards => (0..requests.len()).rev().for_each(|i| ended[i] = requests[i].wait()),
        Waits::ByTests => {
            for (request, ended) in requests.iter_mut().zip(&mut ended) {
                *ended = loop {
                    match request.test() {
                        Ok(false) => yield_now(),
                        result => break result.map(drop),
                    }
                };
            }
        }
    }
    requests.into_iter().for_each(|request| drop(ManuallyDrop::into_inner(request)));
    for (exchange, ended) in exchanges.iter().zip(ended) {
        match ended {
            Ok(()) => exchange.check(comm, at),
            Err(error) => outcome = outcome.and(Err(error)),
        }
    }
    outcome
}

fn ring(comm: &Communicator, at: usize, count: u64, is_synchronous: bool) -> Outcome {
    let (rank, size) = (comm.rank(), comm.size());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let sent: Vec<i32> = (0..count).map(|i| element(rank, at, i)).collect();
    let mut got = vec![-1i32; count as usize];
    let buffer =
        RecvBuffer { data: got.as_mut_ptr().cast(), datatype: Datatype::Int32, count, is_lenient: false };
    // SAFETY: the buffers live until the request has ended. That of a rank that is killed never moves again.
    let request = unsafe { comm.start_receive(Selector::new(Some(previous), Some(TAG)), buffer) }?;
    let mut request = ManuallyDrop::new(request);
    let message = OutgoingMessage {
        to: next,
        tag: TAG,
        datatype: Datatype::Int32,
        count,
        data: sent.as_ptr().cast(),
        is_synchronous,
    };
    // SAFETY: the data lives until the call has ended.
    let outcome = unsafe { comm.send(&message) };
    let received = request.wait();
    drop(ManuallyDrop::into_inner(request));
    outcome.and(received)?;
    for (i, got) in got.iter().enumerate() {
        assert_eq!(*got, element(previous, at, i as u64), "WRONG VALUE: message of step {at} on rank {rank}");
    }
    Ok(())
}

impl Job {
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
