//! Who runs: one rank at a time, chosen by the seed. Each is a coroutine, which stops where it would wait.

use std::any::Any;
use std::cell::Cell;
use std::io;
use std::mem;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::rc::Rc;
use std::time::{Duration, Instant};

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult, Yielder};

use super::network::Network;
use super::random::Random;
use super::wiring::Wiring;
use crate::base::Rank;
use crate::sys::clock::{self, TestClock};
use crate::sys::cores::CoreSet;
use crate::sys::scheduler::{self, Scheduler};
use crate::sys::socket::Socket;

/// Simulated time after which a world that has not ended hangs.
const LIMIT: Duration = Duration::from_secs(1000);
/// Turns after which a world that has not ended runs in a circle.
const MOST_TURNS: u64 = 3_000_000;
/// Longest time that a turn takes, in microseconds.
const LOOK: u64 = 50;
/// Looks of a rank that does not wait, per interruption.
const LOOKS: u64 = 4;
/// Longest wait that may end by its time alone, where nobody is late: a nap of the engine, and a bit.
const NAP: Duration = Duration::from_millis(2);
const STACK_BYTES: usize = 1 << 19;

/// What happens to a rank from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blow {
    /// The end, without a word.
    Kill,
    /// A while in which the rank does not run.
    Stop(Duration),
}

/// A blow, the rank that it hits, and the turn in which it comes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Strike {
    pub rank: Rank,
    pub turn: u64,
    pub blow: Blow,
}

/// What a rank does until its next turn.
#[derive(Clone, Copy, Debug)]
enum Pause {
    /// Nothing: the rank could go on.
    None,
    /// A wait until something has changed or the time has come.
    Until(Option<Instant>),
    /// A wait until the time has come.
    Asleep(Instant),
}

/// How a rank has ended.
#[derive(Debug)]
pub enum Ended<T> {
    Returned(T),
    Killed,
    /// The message of a panic.
    Panicked(String),
}

/// The scheduler of one rank: it stops the coroutine where the rank would wait.
struct RankScheduler {
    rank: Rank,
    cores: CoreSet,
    wiring: Wiring,
    /// Decides at which of its looks a rank that does not wait is interrupted.
    random: Cell<Random>,
    /// How it stops. Null before its first turn.
    yielder: Cell<*const Yielder<(), Pause>>,
}

impl RankScheduler {
    fn stop(&self, pause: Pause) {
        // SAFETY: set by the coroutine that runs now, whose frame holds the yielder until it has ended.
        unsafe { &*self.yielder.get() }.suspend(pause);
    }
}

impl Scheduler for RankScheduler {
    fn yield_now(&self) {
        self.stop(Pause::None);
    }

    fn wait(&self, until: Option<Instant>) {
        self.stop(Pause::Until(until));
    }

    fn sleep(&self, until: Instant) {
        self.stop(Pause::Asleep(until));
    }

    fn pause(&self) {
        let mut random = self.random.get();
        if random.once_in(LOOKS) {
            self.stop(Pause::None);
        }
        self.random.set(random);
    }

    fn listen(&self, place: &[u8]) {
        self.wiring.listen(self.rank, place);
    }

    fn connect(&self, place: &[u8], real: OwnedFd, is_unix: bool) -> io::Result<Socket> {
        self.wiring.connect(self.rank, place, real, is_unix)
    }

    fn cores(&self) -> CoreSet {
        self.cores
    }
}

struct RankTurns<T> {
    coroutine: Option<Coroutine<(), Pause, T>>,
    scheduler: Rc<RankScheduler>,
    pause: Pause,
    ended: Option<Ended<T>>,
    /// Whether something has changed since it began to wait.
    is_poked: bool,
    /// The rank does not run before.
    stopped_until: Option<Instant>,
}

impl<T: 'static> RankTurns<T> {
    fn new(body: impl FnOnce() -> T + 'static, scheduler: RankScheduler) -> RankTurns<T> {
        let scheduler = Rc::new(scheduler);
        let own = Rc::clone(&scheduler);
        let stack = DefaultStack::new(STACK_BYTES).expect("memory for a stack");
        let coroutine = Coroutine::with_stack(stack, move |yielder: &Yielder<(), Pause>, ()| {
            own.yielder.set(ptr::from_ref(yielder));
            body()
        });
        RankTurns {
            coroutine: Some(coroutine),
            scheduler,
            pause: Pause::None,
            ended: None,
            is_poked: false,
            stopped_until: None,
        }
    }

    /// When it may run. `None`: only when something changes.
    fn awake_at(&self, now: Instant) -> Option<Instant> {
        self.coroutine.as_ref()?;
        let at = match self.pause {
            Pause::Until(until) if !self.is_poked => until?,
            Pause::Asleep(until) => until,
            _ => now,
        };
        Some(self.stopped_until.map_or(at, |stopped| at.max(stopped)))
    }

    /// Whether it sleeps until some time, and is not to be woken.
    fn is_asleep(&self) -> bool {
        self.coroutine.is_some() && matches!(self.pause, Pause::Asleep(_))
    }

    /// Runs until it waits or ends.
    fn run(&mut self) {
        let Some(coroutine) = &mut self.coroutine else { return };
        self.is_poked = false;
        scheduler::obey(Some(Rc::clone(&self.scheduler) as Rc<dyn Scheduler>));
        let result = catch_unwind(AssertUnwindSafe(|| coroutine.resume(())));
        scheduler::obey(None);
        let ended = match result {
            Ok(CoroutineResult::Yield(pause)) => return self.pause = pause,
            Ok(CoroutineResult::Return(value)) => Ended::Returned(value),
            Err(payload) => Ended::Panicked(message_of(&*payload)),
        };
        (self.ended, self.coroutine) = (Some(ended), None);
    }

    /// Ends it where it waits. Its memory stays, because others may look into it, and none of its destructors
    /// runs.
    fn kill(&mut self) {
        if let Some(coroutine) = self.coroutine.take() {
            mem::forget(coroutine);
            self.ended = Some(Ended::Killed);
        }
    }
}

impl<T> Drop for RankTurns<T> {
    fn drop(&mut self) {
        // It waits for something that never comes, and its destructors would, too.
        if let Some(coroutine) = self.coroutine.take() {
            mem::forget(coroutine);
        }
    }
}

fn message_of(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().map(ToString::to_string);
    text.or_else(|| payload.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".into())
}

fn kill<T: 'static>(rank: Rank, wiring: &Wiring, network: &mut Network, ranks: &mut [RankTurns<T>]) {
    wiring.kill(rank);
    network.kill(rank);
    ranks[rank as usize].kill();
}

/// Runs one rank for each of `bodies`, in the orders of `random`. Returns how each has ended, and the number
/// of turns. The error says why the world has not ended. `is_sound`: whether nothing has gone wrong until a
/// turn. Then no rank may wait for its time alone.
pub fn run<T: 'static>(
    bodies: impl Iterator<Item = impl FnOnce() -> T + 'static>,
    network: &mut Network,
    strikes: &[Strike],
    is_sound: impl Fn(u64) -> bool,
    cores: u32,
    random: &mut Random,
    clock: &TestClock,
) -> Result<(Vec<Ended<T>>, u64), String> {
    let cores = CoreSet::from_bytes(&((1u64 << cores) - 1).to_le_bytes());
    let wiring = Wiring::default();
    let scheduler = |rank: Rank| RankScheduler {
        rank,
        cores,
        wiring: wiring.clone(),
        random: Cell::new(random.part(rank.into())),
        yielder: Cell::new(ptr::null()),
    };
    let mut ranks: Vec<RankTurns<T>> =
        bodies.zip(0..).map(|(body, rank)| RankTurns::new(body, scheduler(rank))).collect();
    let begun = clock::now();
    let patience = random.one_of(&[1, 2, 8]);
    for turn in 0..MOST_TURNS {
        for Strike { rank, blow, .. } in strikes.iter().filter(|strike| strike.turn == turn) {
            match blow {
                Blow::Kill => kill(*rank, &wiring, network, &mut ranks),
                Blow::Stop(time) => ranks[*rank as usize].stopped_until = Some(clock::now() + *time),
            }
        }
        let now = clock::now();
        let may_run = |rank: &RankTurns<T>| rank.awake_at(now).is_some_and(|at| at <= now);
        let awake: Vec<usize> = (0..ranks.len()).filter(|at| may_run(&ranks[*at])).collect();
        let due = network.due(now);
        if !due.is_empty() && (awake.is_empty() || !random.once_in(1 + patience)) {
            for changed in network.deliver(random.one_of(&due), now).into_iter().flatten() {
                ranks[changed as usize].is_poked = true;
            }
        } else if !awake.is_empty() {
            let rank = random.one_of(&awake);
            clock.advance(Duration::from_micros(random.within(1..LOOK)));
            ranks[rank].run();
            for wire in wiring.take() {
                ranks[wire.ranks[1] as usize].is_poked = true;
                network.add(wire);
            }
            network.take_in(rank as Rank);
        } else if ranks.iter().all(|rank| rank.coroutine.is_none()) {
            return Ok((ranks.iter_mut().filter_map(|rank| rank.ended.take()).collect(), turn));
        } else {
            let arrival = network.next();
            let next = ranks.iter().filter_map(|rank| rank.awake_at(now)).chain(arrival).min();
            let nothing =
                || format!("all ranks wait, and nothing is on its way{}", network.describe_blocked());
            let next = next.ok_or_else(nothing)?;
            let is_lost = arrival.is_none() && next - now > NAP && !ranks.iter().any(RankTurns::is_asleep);
            if is_lost && is_sound(turn) {
                return Err(format!("{}: a rank goes on after {:?} alone", nothing(), next - now));
            }
            if next - begun > LIMIT {
                return Err(format!("not ended after {} s", LIMIT.as_secs()));
            }
            clock.advance(next - now);
        }
    }
    Err(format!("not ended after {MOST_TURNS} turns"))
}
