//! Follows the steps of a rank: each recorded thread with calls is a thread here.
//!
//! A call that was started lies in a table until a step waits for it, or until the helper does. The
//! helper is one thread more, as recorded jobs had it for progress (PyTorch's is one). It waits for the
//! oldest of its calls, which moves all of them.

use std::collections::{HashMap, VecDeque};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyccl_engine::base::{Call, CallKind, Result};
use anyccl_engine::comm::{CallSpec, Communicator, Operation, Places, Request, Unequal};
use anyccl_engine::p2p::{OutgoingMessage, RecvBuffer, Selector};
use anyccl_engine::plan::{Block, BlockLayout};
use anyccl_engine::sys::clock::thread_nanoseconds;

use super::comms::Comms;
use super::memory::{Buffers, Pool, Shape};
use crate::replay::call::{Action, CollectiveAction, Message, ReplayCall};
use crate::replay::program::{Program, Step, What};

/// What threads do in the place of computing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Computing {
    Busy,
    Asleep,
    None,
}

/// Time for which a thread does not sleep.
const SHORT: Duration = Duration::from_micros(200);

impl Computing {
    /// Lets a time pass, of which the thread is at most `busy` on a processor.
    pub fn pass(self, time: Duration, busy: Duration) {
        match self {
            Computing::None => {}
            Computing::Asleep => thread::sleep(time),
            Computing::Busy => {
                let (start, on_processor) = (Instant::now(), thread_nanoseconds());
                let busy = u64::try_from(busy.as_nanos()).unwrap_or(u64::MAX);
                loop {
                    let left = time.saturating_sub(start.elapsed());
                    let is_rest = thread_nanoseconds() - on_processor >= busy;
                    match left {
                        Duration::ZERO => break,
                        // A thread that sleeps comes back too late for this.
                        _ if is_rest && left > SHORT => thread::sleep(left - SHORT),
                        _ => std::hint::spin_loop(),
                    }
                }
            }
        }
    }
}

/// Times of the replay.
#[derive(Clone, Debug)]
pub struct Played {
    /// From the start of the first rank to the last end.
    pub whole: Duration,
    /// In blocking calls and waits, of all threads.
    pub inside: Duration,
    /// For each call, from its begin until the program knew of its end.
    pub calls: Vec<Duration>,
}

/// A call that was started, with its buffers.
struct Started {
    request: Request,
    buffers: Buffers,
    begin: Instant,
}

/// Calls that were started, and what has become of them.
#[derive(Default)]
struct Table {
    started: HashMap<usize, Started>,
    /// Calls for the helper, in order.
    queue: VecDeque<(usize, Started)>,
    times: HashMap<usize, Duration>,
    /// Number of collectives that each communicator has begun, if they have turns.
    begun: HashMap<u32, usize>,
    /// No more calls come.
    is_over: bool,
    /// A thread has failed: the others wait for nothing.
    has_failed: bool,
}

/// Plays the steps of a rank.
pub struct Player<'a> {
    program: &'a Program,
    comms: &'a Comms,
    computing: Computing,
    pool: Pool,
    table: Mutex<Table>,
    changed: Condvar,
}

impl<'a> Player<'a> {
    /// Makes all buffers that the steps need.
    pub fn new(program: &'a Program, comms: &'a Comms, computing: Computing) -> Result<Player<'a>> {
        let (pool, table, changed) = (Pool::default(), Mutex::default(), Condvar::new());
        let player = Player { program, comms, computing, pool, table, changed };
        for steps in &program.threads {
            let mut used: HashMap<usize, Buffers> = HashMap::new();
            for step in steps {
                match step.what {
                    What::Run(at) => player.pool.give(player.pool.take(player.shape(at))?),
                    What::Start(at) => {
                        used.insert(at, player.pool.take(player.shape(at))?);
                    }
                    What::Wait(at) => used.remove(&at).into_iter().for_each(|one| player.pool.give(one)),
                }
            }
            used.into_values().for_each(|one| player.pool.give(one));
        }
        Ok(player)
    }

    /// Follows all steps.
    pub fn play(&self, start: Instant) -> Result<Played> {
        let (inside, outcome) = thread::scope(|scope| {
            let helper = scope.spawn(|| self.help());
            let threads = self.program.threads.iter().skip(1);
            let others: Vec<_> = threads.map(|steps| scope.spawn(|| self.follow(steps))).collect();
            let own = self.program.threads.first().map_or(Ok(Duration::ZERO), |steps| self.follow(steps));
            let mut all = vec![own];
            all.extend(others.into_iter().map(|other| other.join().expect("no thread of a replay panics")));
            self.lock().is_over = true;
            self.changed.notify_all();
            let helped = helper.join().expect("no thread of a replay panics");
            let inside = all.iter().flatten().sum();
            (inside, all.into_iter().map(|one| one.map(drop)).chain([helped]).collect::<Result<()>>())
        });
        let whole = start.elapsed();
        outcome?;
        let times = std::mem::take(&mut self.lock().times);
        let time = |at: usize| times.get(&at).copied().unwrap_or_default();
        Ok(Played { whole, inside, calls: (0..self.program.calls.len()).map(time).collect() })
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Follows the steps of a thread. Returns its time in blocking calls and waits.
    fn follow(&self, steps: &[Step]) -> Result<Duration> {
        let mut inside = Duration::ZERO;
        // Where others run on the cores, a thread comes back late. The next gaps are shorter by that, so
        // that all of them take as long as they did.
        let mut excess = Duration::ZERO;
        for Step { gap, busy, what } in steps {
            let (wanted, idle) = (Duration::from_nanos(gap.unsigned_abs()), Instant::now());
            if wanted > excess {
                self.computing.pass(wanted - excess, Duration::from_nanos(busy.unsigned_abs()));
            }
            if !self.await_turn(*what) {
                return Ok(inside);
            }
            let begin = Instant::now();
            if self.computing != Computing::None {
                excess = (excess + (begin - idle)).saturating_sub(wanted);
            }
            let done = match *what {
                What::Run(at) => self.run(at, begin),
                What::Start(at) => self.start(at, begin),
                What::Wait(at) => self.wait(at),
            };
            if done.is_err() {
                self.lock().has_failed = true;
                self.changed.notify_all();
            }
            done?;
            if !matches!(what, What::Start(_)) {
                inside += begin.elapsed();
            }
        }
        Ok(inside)
    }

    /// Waits until the collectives before this one on its communicator have begun, in whichever thread.
    /// `false`: another thread has failed.
    fn await_turn(&self, what: What) -> bool {
        let (What::Run(at) | What::Start(at)) = what else { return true };
        let Some(turn) = self.program.turns[at] else { return true };
        let comm = self.program.calls[at].comm;
        let mut table = self.lock();
        while table.begun.get(&comm).copied().unwrap_or(0) != turn && !table.has_failed {
            table = self.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
        !table.has_failed
    }

    /// Lets the next collective of the communicator begin.
    fn pass_turn(&self, at: usize) {
        if self.program.turns[at].is_some() {
            *self.lock().begun.entry(self.program.calls[at].comm).or_default() += 1;
            self.changed.notify_all();
        }
    }

    fn shape(&self, at: usize) -> Shape {
        let call = &self.program.calls[at];
        let comm = self.comms.get(call.comm);
        Shape::of(&call.action, comm.rank(), comm.size())
    }

    fn run(&self, at: usize, begin: Instant) -> Result<()> {
        let mut buffers = self.pool.take(self.shape(at))?;
        let call = &self.program.calls[at];
        let comm = self.comms.get(call.comm);
        let call_it = |spec: CallSpec<'_>| match spec {
            // SAFETY: the buffers have the shape of the call, and live until it has ended.
            CallSpec::Receive(selector, buffer) => unsafe { comm.receive(selector, buffer) }.map(drop),
            // The next one, of another thread, may begin meanwhile.
            spec if self.program.turns[at].is_some() => {
                // SAFETY: as above.
                let mut request = unsafe { comm.start(spec) }?;
                self.pass_turn(at);
                request.wait().map(drop)
            }
            // SAFETY: as above.
            spec => unsafe { comm.run(spec) },
        };
        match call.action {
            Action::Probe(message) => {
                comm.probe(Selector::new(Some(message.peer), Some(message.tag)))?;
            }
            _ => with_spec(call, &mut buffers, call_it)?,
        }
        self.lock().times.insert(at, begin.elapsed());
        self.pool.give(buffers);
        Ok(())
    }

    fn start(&self, at: usize, begin: Instant) -> Result<()> {
        let call = &self.program.calls[at];
        if matches!(call.action, Action::Probe(_)) {
            // The receive of what it has found waits as long.
            return Ok(());
        }
        let mut buffers = self.pool.take(self.shape(at))?;
        let comm: &Communicator = self.comms.get(call.comm);
        // SAFETY: the buffers have the shape of the call, and stay beside its request until that has ended.
        let request = with_spec(call, &mut buffers, |spec| unsafe { comm.start(spec) })?;
        self.pass_turn(at);
        let started = Started { request, buffers, begin };
        let mut table = self.lock();
        match self.program.is_helped[at] {
            true => table.queue.push_back((at, started)),
            false => drop(table.started.insert(at, started)),
        }
        drop(table);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for a call, whoever has started it, or until the helper has ended it.
    fn wait(&self, at: usize) -> Result<()> {
        if matches!(self.program.calls[at].action, Action::Probe(_)) {
            return Ok(());
        }
        let mut table = self.lock();
        loop {
            if table.times.contains_key(&at) || table.has_failed {
                return Ok(());
            }
            if let Some(started) = table.started.remove(&at) {
                drop(table);
                return self.end(at, started);
            }
            table = self.changed.wait(table).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn end(&self, at: usize, mut started: Started) -> Result<()> {
        started.request.wait()?;
        self.lock().times.insert(at, started.begin.elapsed());
        self.pool.give(started.buffers);
        self.changed.notify_all();
        Ok(())
    }

    /// Waits for the calls of the helper, the oldest first.
    fn help(&self) -> Result<()> {
        loop {
            let mut table = self.lock();
            let (at, started) = loop {
                match table.queue.pop_front() {
                    Some(next) => break next,
                    None if table.is_over => return Ok(()),
                    None => table = self.changed.wait(table).unwrap_or_else(PoisonError::into_inner),
                }
            };
            drop(table);
            if let Err(error) = self.end(at, started) {
                self.lock().has_failed = true;
                self.changed.notify_all();
                return Err(error);
            }
        }
    }
}

/// Calls `make` with the description of a call on these buffers.
fn with_spec<T>(call: &ReplayCall, buffers: &mut Buffers, make: impl FnOnce(CallSpec<'_>) -> T) -> T {
    let (send, recv) = buffers.pointers();
    let one = match &call.action {
        Action::Collective(one) => one,
        Action::Send(Message { peer: to, tag, datatype, count, is_synchronous }) => {
            let (to, tag, datatype, count) = (*to, *tag, *datatype, *count);
            let is_synchronous = *is_synchronous;
            let what = OutgoingMessage { to, tag, datatype, count, data: send, is_synchronous };
            return make(CallSpec::Send(&what));
        }
        Action::Receive(Message { peer, tag, datatype, count, .. })
        | Action::Probe(Message { peer, tag, datatype, count, .. }) => {
            let selector = Selector::new(Some(*peer), Some(*tag));
            let buffer = RecvBuffer { data: recv, datatype: *datatype, count: *count, is_lenient: false };
            return make(CallSpec::Receive(selector, buffer));
        }
    };
    let CollectiveAction { collective, datatype, op, root, count, .. } = *one;
    if !collective.has_layout() {
        let call = Call { kind: CallKind::Collective(collective), datatype, op, root, count };
        return make(CallSpec::from(&Operation { call, send, recv }));
    }
    let (input, output) = (blocks(&one.lengths.input), blocks(&one.lengths.output));
    let layout = BlockLayout {
        input: &input,
        output: &output,
        sources: &one.lengths.sources,
        destinations: &one.lengths.destinations,
        ..BlockLayout::NONE
    };
    let places = Places::Buffers { send, recv };
    make(CallSpec::from(&Unequal { collective, datatype, op, root, layout, places }))
}

/// Blocks of these lengths, one after the other.
fn blocks(lengths: &[u64]) -> Vec<Block> {
    let mut offset = 0;
    let block = |len: &u64| {
        let block = Block { offset, len: *len as usize };
        offset += block.len;
        block
    };
    lengths.iter().map(block).collect()
}
