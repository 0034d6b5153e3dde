//! What a rank does in a world, and whether the values that it gets are right.

use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::rc::Rc;

use super::job::{Deviation, Job, Step, Waits};
use crate::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp, Result};
use crate::comm::{CommConfig, Communicator, Operation, Request};
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};
use crate::sys::clock;
use crate::sys::cores::yield_now;

const TAG: i32 = 7;

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
                outcomes.push(other_call(comm));
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
fn other_call(comm: &Communicator) -> Outcome {
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
