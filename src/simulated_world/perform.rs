//! What a rank does in a world, and whether the values that it gets are right.

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use super::job::{Deviation, Job, Step, Takes, Waits};
use crate::base::{Call, CallKind, Collective, Datatype, Rank, ReduceOp, Result};
use crate::comm::{CallSpec, CommConfig, Communicator, Operation, Persistent, Request};
use crate::p2p::{OutgoingMessage, RecvBuffer, Selector};
use crate::sys::clock;
use crate::sys::cores::yield_now;

/// A tag that no message has.
const UNUSED_TAG: i32 = 1_000;

/// The tag of the messages of a step.
fn tag_of(step: usize) -> i32 {
    step as i32
}

/// What a rank has seen of a step, or of its end.
type Outcome = Result<()>;

/// What a rank has seen.
#[derive(Debug)]
pub struct Outcomes {
    /// Whether it has made the first communicator.
    pub joined: Outcome,
    /// In each step, until it has ended.
    pub steps: Vec<Outcome>,
    /// The ranks of the communicator that it has made with those that were left.
    pub shrunk: Option<Result<Vec<Rank>>>,
    pub end: Outcome,
    /// Whether it has quit in place of its end.
    pub has_quit: bool,
}

impl Outcomes {
    /// What a rank has seen that has made the first communicator, or has not.
    pub fn new(joined: Outcome) -> Outcomes {
        Outcomes { joined, steps: Vec::new(), shrunk: None, end: Ok(()), has_quit: false }
    }
}

/// How far each rank has come: the step that it has begun. `None`: it has not joined.
pub type Begun = Rc<Vec<Cell<Option<usize>>>>;

/// Element `at` of what `rank` brings to a step.
fn element(rank: Rank, step: usize, at: u64) -> i32 {
    (u64::from(rank + 1) * 1_000 + step as u64 * 31 + at % 97) as i32
}

/// Stands for a step in the elements of one of its calls, so that no two calls bring the same.
fn salt(step: usize, call: usize) -> usize {
    step + 10 * call
}

/// Makes the steps of one rank, and ends its communicator. Panics where a value is wrong.
pub fn perform(job: &Job, comm: Communicator, begun: &Begun) -> Outcomes {
    let comm = comm.shared();
    let rank = comm.rank();
    let begin = |at| begun[rank as usize].set(Some(at));
    let deviation = |at| job.deviants.iter().find(|one| (one.rank, one.at) == (rank, at)).map(|one| one.what);
    let mut outcomes = Outcomes::new(Ok(()));
    for at in 0..=job.steps.len() {
        begin(at);
        let step = job.steps.get(at);
        match deviation(at) {
            Some(Deviation::Abort) => comm.abort("as the test wants"),
            Some(Deviation::Leave) => break,
            Some(Deviation::Drop) => return outcomes,
            Some(Deviation::Quit) => {
                outcomes.has_quit = comm.quit("as the test wants");
                if outcomes.has_quit {
                    comm.linger();
                }
                return outcomes;
            }
            Some(Deviation::OtherCall) if step.is_some() => {
                outcomes.steps.push(other_call(&comm));
                continue;
            }
            Some(Deviation::OtherCall | Deviation::AbortCopy | Deviation::OtherRoot) | None => {}
        }
        if let Some(step) = step {
            outcomes.steps.push(make(&comm, at, *step, deviation(at)));
        }
    }
    begin(job.steps.len());
    outcomes.shrunk = job.shrinks.then(|| shrink(&comm, job.steps.len()));
    outcomes.end = comm.finalize();
    outcomes
}

/// Makes a communicator of the ranks that are left, and a call there. Returns its ranks.
fn shrink(comm: &Communicator, at: usize) -> Result<Vec<Rank>> {
    let left = comm.shrink(&CommConfig::default())?;
    let members = left.world_ranks().to_vec();
    let (sent, mut got) = (vec![element(comm.rank(), at, 0); 100], vec![-1; 100]);
    let call = call(Collective::AllReduce, 0, 100);
    let operation = Operation { call, send: sent.as_ptr().cast(), recv: got.as_mut_ptr().cast() };
    // SAFETY: both buffers live until the call has ended.
    unsafe { left.run(&operation) }?;
    let sum = members.iter().fold(0i32, |sum, member| sum.wrapping_add(element(*member, at, 0)));
    assert!(got.iter().all(|got| *got == sum), "WRONG VALUE: sum of {members:?} on rank {}", comm.rank());
    left.finalize()?;
    Ok(members)
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

fn make(comm: &Arc<Communicator>, at: usize, step: Step, deviation: Option<Deviation>) -> Outcome {
    match step {
        Step::Call { collective, root, count } => one_call(comm, at, collective, root, count),
        Step::Started { collective, count, calls, waits } => {
            started(comm, at, collective, count, calls, waits)
        }
        Step::Ring { count, is_synchronous } => ring(comm, at, count, is_synchronous),
        Step::Copied { collective, count } => {
            let copy = comm.dup(&CommConfig::default())?;
            in_copy(&copy, at, collective, count, deviation)
        }
        Step::Split { parts, collective, count } => {
            let color = comm.rank() % parts;
            let part = comm.split(Some(color), -(comm.rank() as i32), &CommConfig::default())?;
            let part = part.expect("every rank has a color");
            in_copy(&part, at, collective, count, deviation)
        }
        Step::Persistent { collective, root, count, starts } => {
            persistent(comm, at, collective, root, count, starts)
        }
        Step::Gathered { root, count, takes } => gathered(comm, at, root, count, takes),
        Step::Cancelled => cancelled(comm),
        Step::Late { rank, time } => {
            if comm.rank() == rank {
                clock::sleep(time);
            }
            Ok(())
        }
    }
}

/// Makes a call on a communicator that was just made, and ends it.
fn in_copy(
    copy: &Communicator,
    at: usize,
    collective: Collective,
    count: u64,
    deviation: Option<Deviation>,
) -> Outcome {
    if deviation == Some(Deviation::AbortCopy) {
        copy.abort("as the test wants");
    }
    let has_other_root = deviation == Some(Deviation::OtherRoot) && collective == Collective::Broadcast;
    let root = if has_other_root { copy.rank() } else { 0 };
    one_call(copy, at, collective, root, count).and(copy.finalize())
}

fn one_call(comm: &Communicator, at: usize, collective: Collective, root: Rank, count: u64) -> Outcome {
    let mut buffers = Exchange::new(comm, at, collective, root, count);
    // SAFETY: the buffers live until the call has ended.
    unsafe { comm.run(&buffers.operation()) }?;
    buffers.check(comm, at);
    Ok(())
}

fn persistent(
    comm: &Arc<Communicator>,
    at: usize,
    collective: Collective,
    root: Rank,
    count: u64,
    starts: usize,
) -> Outcome {
    let mut buffers = Exchange::new(comm, at, collective, root, count);
    // SAFETY: the buffers live until each run has ended.
    let mut operation = unsafe { Persistent::new(Arc::clone(comm), &buffers.operation()) }?;
    for number in 0..starts {
        buffers.fill(comm, salt(at, number));
        operation.start()?;
        operation.wait()?;
        buffers.check(comm, salt(at, number));
    }
    Ok(())
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
        let member = comm.world_ranks()[rank as usize];
        let call = call(collective, root, count);
        let elements = collective.input_elements(size, rank, root, call.count as usize) as u64;
        let sent = (0..elements).map(|i| element(member, at, i)).collect();
        let got = vec![-1; collective.output_elements(size, rank, root, call.count as usize)];
        Exchange { call, sent, got }
    }

    /// Fills the buffers for another run.
    fn fill(&mut self, comm: &Communicator, at: usize) {
        let member = comm.world_ranks()[comm.rank() as usize];
        self.sent.iter_mut().zip(0..).for_each(|(sent, i)| *sent = element(member, at, i));
        self.got.fill(-1);
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
            let member = |rank: Rank| comm.world_ranks()[rank as usize];
            let expected = match collective {
                Collective::AllReduce | Collective::Reduce => {
                    (0..size).fold(0i32, |sum, rank| sum.wrapping_add(element(member(rank), at, i)))
                }
                Collective::Broadcast => element(member(self.call.root), at, i),
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
    let mut exchanges: Vec<Exchange> = (0..calls)
        .map(|number| Exchange::new(comm, salt(at, number), collective, root(number), count))
        .collect();
    let mut requests: Vec<Request> = Vec::new();
    let mut outcome = Ok(());
    for exchange in &mut exchanges {
        // SAFETY: the buffers live until all requests have ended. Those of a rank that is killed never move
        // again.
        match unsafe { comm.start(&exchange.operation()) } {
            Ok(request) => requests.push(request),
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
    drop(requests);
    for (number, (exchange, ended)) in exchanges.iter().zip(ended).enumerate() {
        match ended {
            Ok(()) => exchange.check(comm, salt(at, number)),
            Err(error) => outcome = outcome.and(Err(error)),
        }
    }
    outcome
}

/// A message of a step.
fn message(to: Rank, at: usize, sent: &[i32], is_synchronous: bool) -> OutgoingMessage {
    OutgoingMessage {
        to,
        tag: tag_of(at),
        datatype: Datatype::Int32,
        count: sent.len() as u64,
        data: sent.as_ptr().cast(),
        is_synchronous,
    }
}

fn receive_buffer(got: &mut [i32]) -> RecvBuffer {
    let count = got.len() as u64;
    RecvBuffer { data: got.as_mut_ptr().cast(), datatype: Datatype::Int32, count, is_lenient: false }
}

/// Checks a message that was received from a rank.
fn check_message(got: &[i32], from: Rank, at: usize) {
    for (i, got) in got.iter().enumerate() {
        assert_eq!(*got, element(from, at, i as u64), "WRONG VALUE: message of rank {from}, step {at}");
    }
}

fn ring(comm: &Communicator, at: usize, count: u64, is_synchronous: bool) -> Outcome {
    let (rank, size) = (comm.rank(), comm.size());
    let (next, previous) = ((rank + 1) % size, (rank + size - 1) % size);
    let sent: Vec<i32> = (0..count).map(|i| element(rank, at, i)).collect();
    let mut got = vec![-1i32; count as usize];
    let from = Selector::new(Some(previous), Some(tag_of(at)));
    // SAFETY: the buffer lives until the request has ended. That of a rank that is killed never moves again.
    let mut request = unsafe { comm.start(CallSpec::Receive(from, receive_buffer(&mut got))) }?;
    // SAFETY: the data lives until the call has ended.
    let outcome = unsafe { comm.send(&message(next, at, &sent, is_synchronous)) };
    let received = request.wait();
    drop(request);
    outcome.and(received)?;
    check_message(&got, previous, at);
    Ok(())
}

fn gathered(comm: &Communicator, at: usize, root: Rank, count: u64, takes: Takes) -> Outcome {
    let rank = comm.rank();
    if rank != root {
        let sent: Vec<i32> = (0..count).map(|i| element(rank, at, i)).collect();
        // SAFETY: the data lives until the call has ended.
        return unsafe { comm.send(&message(root, at, &sent, false)) };
    }
    let any = Selector::new(None, Some(tag_of(at)));
    let mut buffers: Vec<Vec<i32>> = (1..comm.size()).map(|_| vec![-1; count as usize]).collect();
    let mut sources = Vec::new();
    if takes == Takes::FromAny {
        // SAFETY: the buffers live until all requests have ended, also where one has failed.
        let start = |got: &mut Vec<i32>| unsafe { comm.start(CallSpec::Receive(any, receive_buffer(got))) };
        let requests: Vec<Result<Request>> = buffers.iter_mut().map(start).collect();
        for request in requests {
            let mut request = request?;
            request.wait()?;
            sources.push(request.status().expect("of a message").source);
        }
    } else {
        for got in &mut buffers {
            let source = if takes == Takes::Probed {
                let status = comm.probe(any)?;
                let from = Selector::new(Some(status.source), Some(tag_of(at)));
                // SAFETY: the buffer lives until the call has ended.
                unsafe { comm.receive(from, receive_buffer(got)) }?;
                status.source
            } else {
                let (message, status) = comm.matched_probe(any)?;
                match comm.take_matched(message)? {
                    Ok(bytes) => {
                        let words = bytes.as_chunks().0.iter();
                        *got = words.map(|word| i32::from_ne_bytes(*word)).collect();
                    }
                    Err(message) => {
                        // SAFETY: the buffer lives until the request has ended.
                        let mut request =
                            unsafe { comm.start_matched_receive(message, receive_buffer(got)) }?;
                        request.wait()?;
                    }
                }
                status.source
            };
            sources.push(source);
        }
    }
    for (got, source) in buffers.iter().zip(&sources) {
        check_message(got, *source, at);
    }
    sources.sort_unstable();
    assert!(sources.windows(2).all(|two| two[0] < two[1]), "each rank has sent once: {sources:?}");
    Ok(())
}

fn cancelled(comm: &Communicator) -> Outcome {
    let mut got = [-1i32; 10];
    let nobody = Selector::new(None, Some(UNUSED_TAG));
    // SAFETY: the buffer lives until the request has ended.
    let mut request = unsafe { comm.start(CallSpec::Receive(nobody, receive_buffer(&mut got))) }?;
    request.cancel();
    request.wait()?;
    assert!(request.status().expect("of a receive").is_cancelled, "nobody has sent this");
    Ok(())
}
