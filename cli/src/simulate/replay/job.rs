//! The steps of all ranks of a job, followed in time.
//!
//! A collective begins when its last rank has come to it and has ended its other collectives: a rank
//! works on one collective at a time. One that was started moves only while its rank waits for something,
//! unless the job had a helper. It ends on all ranks after its predicted time. A message leaves when it
//! is sent, a long one when it is also received. Computing does not slow down communication, nor the
//! reverse.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};

use anyccl_engine::base::Collective;

use super::costs::{Cost, Costs};
use super::groups::{Groups, Size};
use crate::failure::Failure;
use crate::replay::call::{Action, CollectiveAction, Message};
use crate::replay::program::{Program, What};

/// A thread of a rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Actor {
    rank: u32,
    thread: usize,
}

/// A call that a rank has made.
#[derive(Clone, Copy, Debug)]
struct Made {
    rank: u32,
    call: usize,
    /// The thread that waits in the call itself.
    blocked: Option<Actor>,
    time: f64,
}

/// A collective that not all ranks have made yet.
#[derive(Default)]
struct Meeting {
    made: Vec<Made>,
    count: u64,
}

/// Messages from one rank to another with one tag that have no counterpart yet.
#[derive(Default)]
struct Pair {
    /// Each with the time at which it is there, unless it waits for its receiver.
    sends: VecDeque<(Made, Option<f64>)>,
    receives: VecDeque<Made>,
}

/// Times in seconds.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// When the last rank has ended.
    pub whole: f64,
    /// Time of the threads of each rank in blocking calls and waits.
    pub inside: Vec<f64>,
    /// Number and time of the calls of each class, of all ranks, without waiting for others.
    pub classes: HashMap<String, (u64, f64)>,
    /// A call in which a rank waits for ever.
    pub stuck: Option<(u32, String)>,
}

/// The job while it runs.
pub struct Job<'a> {
    programs: &'a [Program],
    groups: &'a Groups,
    size: &'a Size,
    costs: &'a Costs<'a>,
    /// The topology of each group.
    topologies: Vec<usize>,
    /// Next step of each thread.
    next: HashMap<Actor, usize>,
    /// Times in nanoseconds, which have an order.
    events: BinaryHeap<Reverse<(u64, Actor)>>,
    /// Collectives that were started and wait until their rank waits.
    deferred: Vec<Vec<Made>>,
    /// Until when each rank works on collectives.
    busy: Vec<f64>,
    /// Collectives by group and number there.
    meetings: HashMap<(usize, u64), Meeting>,
    /// How many collectives each rank has made in each group.
    numbers: HashMap<(u32, usize), u64>,
    pairs: HashMap<(usize, u32, u32, i32), Pair>,
    /// Calls that have ended before a thread has waited for them.
    ended: HashMap<(u32, usize), f64>,
    /// Threads that wait, and since when.
    waiting: HashMap<(u32, usize), (Actor, f64)>,
    outcome: Outcome,
}

impl<'a> Job<'a> {
    pub fn new(
        programs: &'a [Program],
        groups: &'a Groups,
        size: &'a Size,
        (costs, topologies): (&'a Costs<'a>, Vec<usize>),
    ) -> Job<'a> {
        let ranks = size.ranks as usize;
        Job {
            programs,
            groups,
            size,
            costs,
            topologies,
            next: HashMap::new(),
            events: BinaryHeap::new(),
            deferred: vec![Vec::new(); ranks],
            busy: vec![0.0; ranks],
            meetings: HashMap::new(),
            numbers: HashMap::new(),
            pairs: HashMap::new(),
            ended: HashMap::new(),
            waiting: HashMap::new(),
            outcome: Outcome { inside: vec![0.0; ranks], ..Outcome::default() },
        }
    }

    /// Follows all ranks to their ends.
    pub fn run(mut self) -> Result<Outcome, Failure> {
        let first = self.programs.iter().map(|program| program.begin).min().unwrap_or(0);
        for rank in 0..self.size.ranks {
            let program = self.program(rank);
            let late = program.begin.saturating_sub(first) as f64 / 1e9;
            for thread in 0..program.threads.len() {
                self.go_on(Actor { rank, thread }, late);
            }
        }
        while let Some(Reverse((time, actor))) = self.events.pop() {
            self.step(actor, time as f64 / 1e9)?;
        }
        let stuck = self.next.iter().find(|(actor, at)| **at < self.steps_of(**actor));
        self.outcome.stuck = stuck.map(|(actor, at)| {
            let program = self.program(actor.rank);
            let (What::Run(call) | What::Start(call) | What::Wait(call)) =
                program.threads[actor.thread][*at].what;
            (actor.rank, program.calls[call].title.clone())
        });
        Ok(self.outcome)
    }

    fn program(&self, rank: u32) -> &'a Program {
        &self.programs[rank as usize % self.programs.len()]
    }

    fn steps_of(&self, actor: Actor) -> usize {
        self.program(actor.rank).threads[actor.thread].len()
    }

    /// Lets a thread compute until its next step.
    fn go_on(&mut self, actor: Actor, time: f64) {
        let at = *self.next.entry(actor).or_insert(0);
        self.outcome.whole = self.outcome.whole.max(time);
        if let Some(step) = self.program(actor.rank).threads[actor.thread].get(at) {
            let time = (time * 1e9).round() as u64 + step.gap.unsigned_abs();
            self.events.push(Reverse((time, actor)));
        }
    }

    /// Ends a step of a thread that was in the library since `from`.
    fn leave(&mut self, actor: Actor, (from, to): (f64, f64)) {
        self.outcome.inside[actor.rank as usize] += (to - from).max(0.0);
        *self.next.entry(actor).or_insert(0) += 1;
        self.go_on(actor, to);
    }

    fn step(&mut self, actor: Actor, time: f64) -> Result<(), Failure> {
        let at = self.next[&actor];
        let Actor { rank, thread } = actor;
        let program = self.program(rank);
        let what = program.threads[thread][at].what;
        if !matches!(what, What::Start(_)) {
            for made in std::mem::take(&mut self.deferred[rank as usize]) {
                self.make(Made { time, ..made })?;
            }
        }
        match what {
            What::Run(call) => self.make(Made { rank, call, blocked: Some(actor), time }),
            What::Start(call) => {
                let made = Made { rank, call, blocked: None, time };
                let is_collective = matches!(program.calls[call].action, Action::Collective(_));
                match is_collective && !program.is_helped[call] {
                    true => self.deferred[rank as usize].push(made),
                    false => self.make(made)?,
                }
                self.leave(actor, (time, time));
                Ok(())
            }
            What::Wait(call) => {
                match self.ended.remove(&(rank, call)) {
                    Some(end) => self.leave(actor, (time, time.max(end))),
                    None => drop(self.waiting.insert((rank, call), (actor, time))),
                }
                Ok(())
            }
        }
    }

    /// Ends a call.
    fn end(&mut self, made: Made, time: f64) {
        if let Some(actor) = made.blocked {
            return self.leave(actor, (made.time, time));
        }
        let key = (made.rank, made.call);
        match self.waiting.remove(&key) {
            Some((actor, since)) => self.leave(actor, (since, time.max(since))),
            None => drop(self.ended.insert(key, time)),
        }
    }

    fn count(&mut self, made: &Made, seconds: f64) {
        let name = &self.program(made.rank).calls[made.call].name;
        if let Some((number, time)) = self.outcome.classes.get_mut(name) {
            (*number, *time) = (*number + 1, *time + seconds);
        } else {
            self.outcome.classes.insert(name.clone(), (1, seconds));
        }
    }

    fn make(&mut self, made: Made) -> Result<(), Failure> {
        let call = &self.program(made.rank).calls[made.call];
        let group = self.groups.of(made.rank, call.comm);
        match &call.action {
            Action::Collective(one) => self.meet(made, group, one)?,
            Action::Send(message) => self.send(made, group, *message),
            Action::Receive(message) => self.receive(made, group, *message),
            // The receive of what it finds waits as long.
            Action::Probe(_) => self.end(made, made.time),
        }
        Ok(())
    }

    fn meet(&mut self, made: Made, group: usize, one: &CollectiveAction) -> Result<(), Failure> {
        let number = self.numbers.entry((made.rank, group)).or_default();
        let key = (group, *number);
        *number += 1;
        let meeting = self.meetings.entry(key).or_default();
        meeting.made.push(made);
        let program = &self.programs[made.rank as usize % self.programs.len()];
        let before = program.comms[&program.calls[made.call].comm].ranks.len();
        let members = self.groups.all[group].members.len();
        meeting.count = meeting.count.max(scaled(one, before, members));
        if meeting.made.len() < members {
            return Ok(());
        }
        let meeting = self.meetings.remove(&key).unwrap_or_default();
        let last = meeting.made.iter().map(|made| made.time.max(self.busy[made.rank as usize]));
        let begin = last.fold(0.0, f64::max);
        let seconds = self.seconds(group, one, meeting.count)?;
        for made in meeting.made {
            self.busy[made.rank as usize] = begin + seconds;
            self.count(&made, seconds);
            self.end(made, begin + seconds);
        }
        Ok(())
    }

    fn seconds(&self, group: usize, one: &CollectiveAction, count: u64) -> Result<f64, Failure> {
        let (collective, element) = (one.collective, one.datatype.bytes());
        if collective.has_graph() {
            // Each neighbour is a message, and the messages of a rank leave one after the other.
            let link = self.costs.link(self.size.host_of.iter().all(|host| *host == self.size.host_of[0]));
            let neighbours = one.lengths.sources.len().max(one.lengths.destinations.len()) as f64;
            let bytes = count * element as u64;
            return Ok(link.latency + neighbours * (link.port(bytes) + 2.0 * link.work(bytes)));
        }
        let cost = Cost { collective, root: one.root, count, element, in_place: one.in_place };
        self.costs.seconds(self.topologies[group], cost)
    }

    /// The two sides of a message, and whether they share a host.
    fn pair(&mut self, group: usize, (from, to): (u32, u32), tag: i32) -> (&mut Pair, bool) {
        let members = &self.groups.all[group].members;
        let [from, to] = [from, to].map(|rank| members[rank as usize]);
        let is_within = self.size.host_of[from as usize] == self.size.host_of[to as usize];
        (self.pairs.entry((group, from, to, tag)).or_default(), is_within)
    }

    fn rank_in(&self, group: usize, rank: u32) -> u32 {
        let members = &self.groups.all[group].members;
        members.iter().position(|member| *member == rank).unwrap_or(0) as u32
    }

    fn send(&mut self, made: Made, group: usize, message: Message) {
        let own = self.rank_in(group, made.rank);
        let costs = self.costs;
        let (pair, is_within) = self.pair(group, (own, message.peer), message.tag);
        let (link, bytes) = (costs.link(is_within), message.bytes());
        let moving = link.work(bytes) + link.port(bytes);
        let is_eager = bytes <= link.eager_bytes && !message.is_synchronous;
        if is_eager {
            let there = made.time + moving + link.latency;
            match pair.receives.pop_front() {
                Some(receive) => self.end_message(receive, there.max(receive.time) + link.work(bytes)),
                None => pair.sends.push_back((made, Some(there))),
            }
            return self.end_message(made, made.time + moving);
        }
        match pair.receives.pop_front() {
            Some(receive) => self.meet_long((made, receive), (moving, link.latency)),
            None => pair.sends.push_back((made, None)),
        }
    }

    fn receive(&mut self, made: Made, group: usize, message: Message) {
        let own = self.rank_in(group, made.rank);
        let costs = self.costs;
        let (pair, is_within) = self.pair(group, (message.peer, own), message.tag);
        let (link, bytes) = (costs.link(is_within), message.bytes());
        let moving = link.work(bytes) + link.port(bytes);
        match pair.sends.pop_front() {
            Some((_, Some(there))) => self.end_message(made, there.max(made.time) + link.work(bytes)),
            Some((send, None)) => self.meet_long((send, made), (moving, link.latency)),
            None => pair.receives.push_back(made),
        }
    }

    /// A message that waits for its receiver, which asks for it.
    fn meet_long(&mut self, (send, receive): (Made, Made), (moving, latency): (f64, f64)) {
        let begin = send.time.max(receive.time + latency);
        self.end_message(send, begin + moving);
        self.end_message(receive, begin + moving + latency);
    }

    fn end_message(&mut self, made: Made, time: f64) {
        self.count(&made, time - made.time);
        self.end(made, time);
    }
}

/// The count of a collective among more or fewer ranks: the larger buffer of a rank stays as it was.
fn scaled(one: &CollectiveAction, before: usize, after: usize) -> u64 {
    use Collective::*;
    let count = one.mean_count();
    match one.collective.with_one_count() {
        AllGather | Gather | Scatter | ReduceScatter | AllToAll => {
            (count as u128 * before as u128).div_ceil(after.max(1) as u128) as u64
        }
        _ => count,
    }
}
