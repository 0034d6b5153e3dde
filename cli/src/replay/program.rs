//! What a rank did, as steps of its threads: compute for some time, then run, start or wait for a call.
//!
//! A thread that only waits for calls of others is a helper: it makes progress, as that of PyTorch does,
//! and has no steps. The files do not say when the program itself waits for a call that a helper has
//! ended. It is taken from the time that the thread was on a processor between its calls. If it rested
//! for at least half of the time until the call ended, it waited for the call and computed afterwards.
//! Otherwise it computed at the same time, and waits, if at all, before its next call.

use std::collections::{BTreeMap, BTreeSet};

use super::call::{ReplayCall, after};
use crate::trace::read::{Bar, CallBar, Comm, RankTrace};

/// Longest recording that makes sense, in nanoseconds: ten years.
const LONGEST: i64 = 10 * 365 * 86_400 * 1_000_000_000;

/// The program of a rank. Times are nanoseconds.
#[derive(Debug)]
pub struct Program {
    pub comms: BTreeMap<u32, Comm>,
    pub calls: Vec<ReplayCall>,
    /// Whether a helper waits for each call.
    pub is_helped: Vec<bool>,
    /// For each collective of a rank with several threads: how many its communicator had before.
    pub turns: Vec<Option<usize>>,
    /// The steps of each thread.
    pub threads: Vec<Vec<Step>>,
    /// When the first call began, on the calendar.
    pub begin: i64,
    /// Time from there to the last end.
    pub span: i64,
    /// Time of its threads in blocking calls and waits.
    pub inside: i64,
    /// Why the recording has no end that fits to those of other ranks.
    pub unfinished: Option<String>,
}

/// A step of a thread.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Time of computing before it.
    pub gap: i64,
    /// How much of it the thread was on a processor. All of it, if the file does not say.
    pub busy: i64,
    pub what: What,
}

/// What a thread does with a call, by its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// Makes it and waits for its end.
    Run(usize),
    Start(usize),
    /// Waits for the end of a call that was started.
    Wait(usize),
}

/// Something that a thread did in the library.
struct Moment {
    bar: Bar,
    what: Option<What>,
    cpu: Option<u64>,
}

impl Program {
    /// The program of a rank. An error says what is wrong with its file.
    pub fn of(trace: &RankTrace) -> Result<Program, String> {
        check_comms(trace)?;
        let mut unfinished = trace.is_cut.then(|| "its end is missing".to_string());
        let mut bars: Vec<&CallBar> = Vec::new();
        for call in &trace.calls {
            match call.about.state.as_str() {
                "ended" => bars.push(call),
                "cancelled" => {}
                state => unfinished = Some(format!("{} is {state}", call.about.call)),
            }
        }
        bars.sort_by_key(|call| (call.bar.begin, call.about.number));
        let calls = bars.iter().map(|call| {
            let comm = trace.comms.get(&call.about.communicator);
            let comm = comm.ok_or_else(|| format!("{}: its communicator is unknown", call.about.call))?;
            ReplayCall::of(call, comm)
        });
        let calls = calls.collect::<Result<Vec<ReplayCall>, String>>()?;
        let known: BTreeSet<u32> = bars.iter().map(|call| call.about.thread).collect();
        let is_helped = |call: &&CallBar| !call.about.blocking && !known.contains(&call.about.taken_by);
        let is_helped: Vec<bool> =
            bars.iter().map(|call| call.about.taken.is_some() && is_helped(call)).collect();
        let first = bars.first().map_or(trace.head.monotonic.cast_signed(), |call| call.bar.begin);
        let last = bars.iter().map(|call| end(call)).max().unwrap_or(first);
        let span = last.saturating_sub(first);
        if !(0..LONGEST).contains(&span) {
            return Err("its times make no sense".into());
        }
        let mut program = Program {
            comms: trace.comms.clone(),
            calls,
            is_helped,
            turns: if known.len() > 1 { turns(&bars) } else { vec![None; bars.len()] },
            threads: Vec::new(),
            begin: trace.head.time.wrapping_sub(trace.head.monotonic).cast_signed().saturating_add(first),
            span,
            inside: 0,
            unfinished,
        };
        for thread in known {
            let steps = ThreadSteps::of(trace, &bars, &program.is_helped, thread, first);
            program.inside = program.inside.saturating_add(steps.inside);
            program.threads.push(steps.steps);
        }
        Ok(program)
    }
}

/// For each collective, how many its communicator had before. Other calls have no turn.
fn turns(calls: &[&CallBar]) -> Vec<Option<usize>> {
    let mut collectives: Vec<usize> =
        (0..calls.len()).filter(|at| calls[*at].about.number.is_some()).collect();
    collectives.sort_by_key(|at| calls[*at].about.number);
    let mut made: BTreeMap<u32, usize> = BTreeMap::new();
    let mut turns = vec![None; calls.len()];
    for at in collectives {
        let made = made.entry(calls[at].about.communicator).or_default();
        turns[at] = Some(*made);
        *made += 1;
    }
    turns
}

/// When the program knew of the end of a call.
fn end(call: &CallBar) -> i64 {
    let taken = call.about.taken.filter(|_| !call.about.blocking);
    taken.map_or(call.bar.end, |taken| call.bar.begin.saturating_add(after(taken)))
}

fn check_comms(trace: &RankTrace) -> Result<(), String> {
    let (rank, size) = (trace.head.rank, trace.head.size);
    for comm in trace.comms.values() {
        let members: BTreeSet<u32> = comm.ranks.iter().copied().collect();
        let are_ranks = members.last().is_some_and(|last| *last < size);
        if members.len() != comm.ranks.len() || !are_ranks || !members.contains(&rank) {
            return Err(format!("its communicator {} has ranks that make no sense", comm.context));
        }
    }
    Ok(())
}

/// The steps of one thread, as they come together.
struct ThreadSteps {
    steps: Vec<Step>,
    /// Computing that belongs to the next step.
    gap: i64,
    /// Where the thread was last seen in the library.
    cursor: i64,
    /// Time on a processor at the begin of the last start.
    cpu: Option<u64>,
    /// Time on a processor when it was last known, and the number of steps until then.
    known: (u64, usize),
    inside: i64,
    /// Calls of this thread for which a helper waits, with the time of their ends.
    helped: Vec<(i64, usize)>,
}

impl ThreadSteps {
    fn of(trace: &RankTrace, calls: &[&CallBar], is_helped: &[bool], thread: u32, first: i64) -> ThreadSteps {
        let mut steps = ThreadSteps {
            steps: Vec::new(),
            gap: 0,
            cursor: first,
            cpu: None,
            known: (0, 0),
            inside: 0,
            helped: Vec::new(),
        };
        for moment in moments(trace, calls, is_helped, thread) {
            steps.wait_for_helped(&moment);
            steps.compute_until(moment.bar.begin);
            let is_wait = !matches!(moment.what, Some(What::Start(_)));
            if is_wait {
                let from = moment.bar.begin.max(steps.cursor);
                steps.inside = steps.inside.saturating_add(moment.bar.end.saturating_sub(from).max(0));
            }
            steps.cursor = steps.cursor.max(moment.bar.end);
            steps.cpu = moment.cpu.filter(|_| !is_wait);
            let Some(what) = moment.what else { continue };
            steps.push(what);
            if let Some(cpu) = moment.cpu {
                steps.share_processor(cpu);
            }
            if let What::Start(call) = what {
                if is_helped[call] {
                    steps.helped.push((end(calls[call]), call));
                    steps.helped.sort_unstable();
                } else if calls[call].about.taken.is_none() {
                    // The program has never asked; it must have ended when the program does.
                    steps.helped.push((i64::MAX, call));
                }
            }
        }
        for (_, call) in std::mem::take(&mut steps.helped) {
            steps.push(What::Wait(call));
        }
        steps
    }

    fn push(&mut self, what: What) {
        let gap = std::mem::take(&mut self.gap);
        self.steps.push(Step { gap, busy: gap, what });
    }

    /// Shares the time on a processor since it was last known among the gaps since then, by their lengths.
    fn share_processor(&mut self, cpu: u64) {
        let (before, number) = std::mem::replace(&mut self.known, (cpu, self.steps.len()));
        let since = i128::from(cpu.saturating_sub(before));
        let steps = &mut self.steps[number..];
        let gaps: i128 = steps.iter().map(|step| i128::from(step.gap)).sum();
        if since < gaps {
            for step in steps {
                // Not more than the gap, so it fits.
                step.busy = (i128::from(step.gap) * since / gaps) as i64;
            }
        }
    }

    fn compute_until(&mut self, time: i64) {
        self.gap = self.gap.saturating_add(time.saturating_sub(self.cursor).max(0));
        self.cursor = self.cursor.max(time);
    }

    /// Waits for calls that a helper has ended before this moment: see the head of this file.
    fn wait_for_helped(&mut self, next: &Moment) {
        let number = self.helped.partition_point(|(end, _)| *end <= next.bar.begin);
        let ended: Vec<(i64, usize)> = self.helped.drain(..number).collect();
        let Some(&(last, _)) = ended.last() else { return };
        let until_end = last.saturating_sub(self.cursor);
        let on_processor = self.cpu.zip(next.cpu).map(|(before, now)| now.saturating_sub(before) as i64);
        let rested = |cpu: i64| next.bar.begin.saturating_sub(self.cursor).saturating_sub(cpu);
        let has_waited = on_processor.is_some_and(|cpu| rested(cpu) >= until_end / 2);
        if has_waited && until_end > 0 {
            self.gap = self.gap.saturating_add((until_end - on_processor.map_or(0, rested)).max(0));
            self.inside = self.inside.saturating_add(on_processor.map_or(0, rested).min(until_end));
            self.cursor = last;
        } else {
            self.compute_until(next.bar.begin);
        }
        for (_, call) in ended {
            self.push(What::Wait(call));
        }
    }
}

/// What a thread did in the library, in order.
fn moments(trace: &RankTrace, calls: &[&CallBar], is_helped: &[bool], thread: u32) -> Vec<Moment> {
    let mut moments = Vec::new();
    for (at, call) in calls.iter().enumerate() {
        let (about, begin) = (&call.about, call.bar.begin);
        let cpu = Some(about.arguments.cpu_ns).filter(|cpu| *cpu > 0);
        if about.thread == thread {
            let (what, end) = match about.blocking {
                true => (What::Run(at), call.bar.end),
                false => (What::Start(at), begin.saturating_add(after(about.returned))),
            };
            moments.push(Moment { bar: Bar { begin, end }, what: Some(what), cpu });
        }
        if !about.blocking && !is_helped[at] && about.taken.is_some() && about.taken_by == thread {
            let taken = end(call);
            moments.push(Moment {
                bar: Bar { begin: taken, end: taken },
                what: Some(What::Wait(at)),
                cpu: None,
            });
        }
    }
    for wait in trace.waits.iter().filter(|wait| wait.thread == thread) {
        moments.push(Moment { bar: wait.bar, what: None, cpu: None });
    }
    moments.sort_by_key(|moment| moment.bar.begin);
    moments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trace::read::{AboutCall, Arguments, Head, WaitBar};

    const MS: i64 = 1_000_000;

    /// A call of thread 0 at these milliseconds that returned at once. `taken`: when and by which thread.
    fn started(begin: i64, taken: Option<(i64, u32)>, cpu: i64) -> CallBar {
        let arguments = Arguments {
            datatype: "int8".into(),
            count: Some(1),
            cpu_ns: (cpu * MS) as u64,
            ..Arguments::default()
        };
        let about = AboutCall {
            state: "ended".into(),
            taken: taken.map(|(at, _)| (at - begin) as f64 * 1e3),
            taken_by: taken.map_or(0, |(_, by)| by),
            arguments,
            ..AboutCall::default()
        };
        let end = taken.map_or(begin, |(at, _)| at);
        CallBar { bar: Bar { begin: begin * MS, end: end * MS }, name: "broadcast".into(), about }
    }

    fn program(calls: Vec<CallBar>, waits: &[(i64, i64)]) -> Program {
        let waits = waits.iter().map(|(begin, end)| {
            let bar = Bar { begin: begin * MS, end: end * MS };
            WaitBar { bar, thread: 0 }
        });
        let comm = Comm { context: 0, group: String::new(), ranks: vec![0, 1] };
        let trace = RankTrace {
            path: "x".into(),
            head: Head { size: 2, ..Head::default() },
            comms: [(0, comm)].into(),
            calls,
            messages: Vec::new(),
            waits: waits.collect(),
            is_cut: false,
        };
        Program::of(&trace).unwrap()
    }

    fn steps(program: &Program) -> Vec<(i64, What)> {
        program.threads[0].iter().map(|step| (step.gap / MS, step.what)).collect()
    }

    #[test]
    fn a_wait_of_the_thread_itself_is_no_computing() {
        let program = program(vec![started(0, Some((9, 0)), 1), started(12, Some((14, 0)), 1)], &[(5, 9)]);
        let expected = [(0, What::Start(0)), (5, What::Wait(0)), (3, What::Start(1)), (2, What::Wait(1))];
        assert_eq!((steps(&program), program.inside), (expected.to_vec(), 4 * MS));
    }

    #[test]
    fn a_thread_is_busy_for_as_long_as_it_was_on_a_processor() {
        let calls = vec![started(0, Some((9, 0)), 1), started(12, None, 3), started(20, None, 40)];
        let program = program(calls, &[(5, 9)]);
        let busy: Vec<i64> = program.threads[0].iter().map(|step| step.busy * 10 / MS).collect();
        // 2 ms are shared among gaps of 5 and 3 ms. The 8 ms at the end are all busy.
        assert_eq!(busy, [0, 12, 7, 80, 0, 0]);
    }

    #[test]
    fn a_thread_that_rested_has_waited_for_the_helper_and_computed_afterwards() {
        // 6 ms until the helper had ended the call, then 4 ms of computing.
        let rested = program(vec![started(0, Some((6, 1)), 1), started(10, Some((11, 1)), 5)], &[]);
        let expected = [(0, What::Start(0)), (0, What::Wait(0)), (4, What::Start(1)), (0, What::Wait(1))];
        assert_eq!((steps(&rested), &rested.is_helped[..]), (expected.to_vec(), &[true, true][..]));
        // All the 10 ms on a processor.
        let busy = program(vec![started(0, Some((6, 1)), 1), started(10, Some((11, 1)), 11)], &[]);
        let expected = [(0, What::Start(0)), (10, What::Wait(0)), (0, What::Start(1)), (0, What::Wait(1))];
        assert_eq!(steps(&busy), expected);
    }
}
