//! The errors that ranks may get, and those that they must get.

use std::time::Duration;

use super::job::{Deviant, Deviation, Job, Step};
use super::perform::Outcomes;
use super::turns::{Blow, Ended};
use crate::base::{Collective, Error, Rank};

/// The kinds of errors that a fault may cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Loss,
    Abort,
    Mismatch,
}

fn kind_of(error: &Error) -> Option<Kind> {
    match error {
        Error::PeerLost { .. } => Some(Kind::Loss),
        Error::Aborted(_) => Some(Kind::Abort),
        Error::Mismatch(_) => Some(Kind::Mismatch),
        _ => None,
    }
}

/// Delay by which control messages overtake data so far that a rank does not wait for the others to join: a
/// message may depend on one more. A rank that is stopped delays as much.
const LONG_DELAY: Duration = Duration::from_millis(50);

/// What has gone wrong.
struct Fault {
    rank: Rank,
    /// The first step that it may spoil. Where it may spoil earlier ones, too, the rank's last step.
    first: usize,
    /// Whether it concerns a communicator that its step makes, and no other step.
    is_of_copy: bool,
    /// Whether communicators are made in the job. One that a rank has not made ends on the others.
    has_copies: bool,
    /// The errors of which it is a reason.
    kinds: &'static [Kind],
    /// What it is, unless the rank was killed.
    deviation: Option<Deviation>,
}

impl Fault {
    /// Whether the rank takes no part in later steps. One that made another call goes on, and learns of it
    /// later.
    fn is_absent(&self) -> bool {
        !self.is_of_copy && self.deviation != Some(Deviation::OtherCall)
    }

    /// Whether it may be the reason of such an error in this step.
    fn explains(&self, kind: Kind, step: usize) -> bool {
        if self.is_of_copy {
            // Calls on a copy may be compared when it has ended, and the end of the job tells of them.
            let is_late = kind == Kind::Mismatch && step > self.first;
            return self.kinds.contains(&kind) && (step == self.first || is_late);
        }
        self.kinds.contains(&kind) || self.has_copies && kind == Kind::Abort
    }
}

/// What has gone wrong in a job. `begun`: the step that each rank has begun last.
fn faults_of(job: &Job, begun: &[Option<usize>]) -> Vec<Fault> {
    let has_copies = job.steps.iter().any(Step::makes_communicator);
    let kills = job.strikes.iter().filter(|strike| strike.blow == Blow::Kill);
    // What it had sent may be lost with it, so that even the steps before fail.
    let kills = kills.map(|strike| strike.rank).map(|rank| Fault {
        rank,
        first: begun[rank as usize].unwrap_or(0),
        is_of_copy: false,
        has_copies,
        kinds: &[Kind::Loss],
        deviation: None,
    });
    // A copy does not fail with its communicator. A rank that has been told of the failure ends early there.
    let deviations = job.deviants.iter().filter_map(|Deviant { rank, at, what }| {
        let kinds: &[Kind] = match what {
            Deviation::Abort if has_copies => &[Kind::Abort, Kind::Loss],
            Deviation::Abort | Deviation::AbortCopy => &[Kind::Abort],
            Deviation::OtherCall if has_copies => &[Kind::Mismatch, Kind::Loss],
            // A rank that ends in place of its last call may be taken for one that has left.
            Deviation::Leave => &[Kind::Mismatch, Kind::Loss],
            // Calls that it has not finished are aborted.
            Deviation::Quit => &[Kind::Loss, Kind::Abort],
            Deviation::Drop => &[Kind::Loss],
            Deviation::OtherCall | Deviation::OtherRoot => &[Kind::Mismatch],
        };
        let step = job.steps.get(*at);
        let is_there = match what {
            Deviation::Abort | Deviation::Quit | Deviation::Drop => true,
            Deviation::Leave | Deviation::OtherCall => step.is_some(),
            Deviation::AbortCopy => step.is_some_and(Step::makes_communicator),
            Deviation::OtherRoot => step.is_some_and(|step| hears_of_root(job, step, *rank, *rank)),
        };
        let is_of_copy = what.is_of_copy();
        let fault = Fault { rank: *rank, first: *at, is_of_copy, has_copies, kinds, deviation: Some(*what) };
        is_there.then_some(fault)
    });
    kills.chain(deviations).collect()
}

/// Whether `rank` is in a broadcast, on the communicator of a step, in which `other` takes itself for the
/// root, and rank 0 there is another one.
fn hears_of_root(job: &Job, step: &Step, other: Rank, rank: Rank) -> bool {
    match step {
        Step::Copied { collective: Collective::Broadcast, .. } => other != 0,
        Step::Split { parts, collective: Collective::Broadcast, .. } => {
            // The ranks of a part are in descending order.
            let root = (0..job.size).rev().find(|one| one % parts == other % parts);
            root != Some(other) && rank % parts == other % parts
        }
        _ => false,
    }
}

/// Whether a step can only succeed where all ranks take part.
fn needs_all(step: &Step) -> bool {
    match step {
        Step::Call { collective, count, .. }
        | Step::Started { collective, count, .. }
        | Step::Persistent { collective, count, .. } => {
            *collective == Collective::Barrier
                || *count > 0
                    && matches!(
                        collective,
                        Collective::AllReduce | Collective::AllGather | Collective::AllToAll
                    )
        }
        Step::Copied { .. } | Step::Split { .. } => true,
        Step::Ring { .. } | Step::Gathered { .. } | Step::Cancelled | Step::Late { .. } => false,
    }
}

/// Finds what is wrong with the ends of the ranks. `begun`: the step that each has begun last.
/// `delay`: the longest time that bytes take.
pub fn judge(
    job: &Job,
    delay: Duration,
    ends: &[Ended<Outcomes>],
    begun: &[Option<usize>],
) -> Result<(), String> {
    let faults = faults_of(job, begun);
    for (end, rank) in ends.iter().zip(0..) {
        match end {
            Ended::Returned(outcomes) => {
                judge_rank(job, delay, &faults, rank, outcomes).map_err(|why| format!("rank {rank}{why}"))?;
            }
            Ended::Killed => {}
            Ended::Panicked(message) => return Err(format!("rank {rank} has panicked: {message}")),
        }
    }
    if let [fault] = &faults[..] {
        judge_first_failure(job, delay, ends, fault)?;
    }
    judge_shrunk(job, ends, begun)
}

/// Finds what is wrong with what a rank has seen.
fn judge_rank(
    job: &Job,
    delay: Duration,
    faults: &[Fault],
    rank: Rank,
    outcomes: &Outcomes,
) -> Result<(), String> {
    let have_met = faults.is_empty() || job.strikes.is_empty() && delay < LONG_DELAY;
    if let Err(error) = &outcomes.joined
        && have_met
    {
        return Err(format!(" has not joined, where all have met: {error}"));
    }
    for (at, outcome) in outcomes.steps.iter().enumerate() {
        check_error(faults, at, outcome).map_err(|why| format!(", step {at}: {why}"))?;
        let spoils = |fault: &&Fault| at > fault.first && rank != fault.rank && fault.is_absent();
        // It has made another call in place of this step.
        let is_other = |one: &Deviant| (one.rank, one.at, one.what) == (rank, at, Deviation::OtherCall);
        if outcome.is_ok()
            && !job.deviants.iter().any(is_other)
            && let Some(fault) = faults.iter().find(spoils)
            && needs_all(&job.steps[at])
        {
            return Err(format!(", step {at}: success without rank {}", fault.rank));
        }
    }
    check_error(faults, job.steps.len(), &outcomes.end).map_err(|why| format!(", the end: {why}"))?;
    let all_is_well =
        outcomes.joined.is_ok() && outcomes.end.is_ok() && outcomes.steps.iter().all(Result::is_ok);
    if all_is_well && must_hear(job, faults, rank) {
        return Err(" does not learn that the ranks have made different calls".into());
    }
    // A communicator that has failed stays failed.
    let is_failure = |at: &usize| {
        outcomes.steps[*at].is_err() && !faults.iter().any(|fault| fault.is_of_copy && fault.first == *at)
    };
    let Some(failed) = (0..outcomes.steps.len()).find(is_failure) else { return Ok(()) };
    let mut later = outcomes.steps.iter().zip(&job.steps).enumerate().skip(failed + 1);
    match later.find(|(_, (outcome, step))| outcome.is_ok() && needs_all(step)) {
        Some((at, (_, step))) => Err(format!(": step {failed} has failed, and step {at} not: {step:?}")),
        None => Ok(()),
    }
}

/// Whether a rank must learn that the ranks have made different calls: in a call, or at the end. A loss or an
/// abort may come first.
fn must_hear(job: &Job, faults: &[Fault], rank: Rank) -> bool {
    match faults {
        [Fault { deviation: Some(Deviation::OtherCall), .. }] => true,
        [Fault { deviation: Some(Deviation::OtherRoot), rank: other, first, .. }] => {
            hears_of_root(job, &job.steps[*first], *other, rank)
        }
        _ => false,
    }
}

/// Checks that what has gone wrong spoils nothing that comes before it. Where a rank fails in a later call,
/// the others hear of it, and those that are slower may fail before.
fn judge_first_failure(
    job: &Job,
    delay: Duration,
    ends: &[Ended<Outcomes>],
    fault: &Fault,
) -> Result<(), String> {
    let is_wait = |step: &Step| matches!(step, Step::Late { .. });
    let has_quit = matches!(&ends[fault.rank as usize], Ended::Returned(Outcomes { has_quit: true, .. }));
    let is_late = match fault.deviation {
        // What a killed rank has sent may be lost with it, and an abort ends what is under way.
        None | Some(Deviation::Abort) => return Ok(()),
        // Whoever waits for long may hear that any rank is gone, and gives up.
        Some(Deviation::Drop) if delay >= LONG_DELAY || job.steps.iter().any(is_wait) => return Ok(()),
        Some(Deviation::Quit) if !has_quit => return Ok(()),
        // Nothing that comes needs it.
        Some(Deviation::Quit) if fault.first == job.steps.len() => |_, _| false,
        Some(_) => |at: usize, first: usize| at >= first,
    };
    let failures = ends.iter().enumerate().filter_map(|(rank, end)| {
        let Ended::Returned(outcomes) = end else { return None };
        let outcomes = outcomes.steps.iter().chain([&outcomes.end]);
        let (at, error) =
            outcomes.enumerate().find_map(|(at, outcome)| Some((at, outcome.as_ref().err()?)))?;
        Some((rank, at, error))
    });
    let failures: Vec<(usize, usize, &Error)> = failures.collect();
    match failures.first() {
        Some((rank, at, error)) if !failures.iter().any(|(_, at, _)| is_late(*at, fault.first)) => {
            let what = fault.deviation.expect("of no kill");
            Err(format!("rank {rank}, step {at}: {what:?} in step {} has spoilt it: {error}", fault.first))
        }
        _ => Ok(()),
    }
}

/// Checks that an error in a step has one of the faults for its reason.
fn check_error<T>(faults: &[Fault], step: usize, outcome: &Result<T, Error>) -> Result<(), String> {
    let Err(error) = outcome else { return Ok(()) };
    let is_known = |kind| faults.iter().any(|fault| fault.explains(kind, step));
    match kind_of(error) {
        Some(kind) if is_known(kind) => Ok(()),
        _ if faults.is_empty() => Err(error.to_string()),
        _ => Err(format!("wrong error: {error}")),
    }
}

/// Checks that those that were left have made a communicator of the same ranks.
fn judge_shrunk(job: &Job, ends: &[Ended<Outcomes>], begun: &[Option<usize>]) -> Result<(), String> {
    // A rank that others kept from joining has ended as well.
    let killed = |rank: usize| match &ends[rank] {
        Ended::Returned(outcomes) => outcomes.shrunk.is_none(),
        Ended::Killed | Ended::Panicked(_) => true,
    };
    // A rank that is killed within the agreement may be a member, and fail it.
    let may_fail = (0..ends.len()).any(|rank| killed(rank) && begun[rank] >= Some(job.steps.len()));
    let mut first: Option<(usize, &[Rank])> = None;
    for (rank, end) in ends.iter().enumerate() {
        let Ended::Returned(Outcomes { shrunk: Some(shrunk), .. }) = end else { continue };
        match shrunk {
            Err(Error::PeerLost { .. }) if may_fail => {}
            Err(error) => return Err(format!("rank {rank}, shrinking: {error}")),
            Ok(members) => {
                let expected = |member: usize| !killed(member) || begun[member] >= Some(job.steps.len());
                if let Some(dead) = members.iter().find(|member| !expected(**member as usize)) {
                    return Err(format!("rank {rank}: rank {dead} is dead, and in {members:?}"));
                }
                if let Some(missing) =
                    (0..ends.len()).find(|one| !killed(*one) && !members.contains(&(*one as Rank)))
                {
                    return Err(format!("rank {rank}: rank {missing} is alive, and not in {members:?}"));
                }
                let (other, others) = *first.get_or_insert((rank, members));
                if others != members {
                    return Err(format!("rank {rank} has {members:?}, and rank {other} has {others:?}"));
                }
            }
        }
    }
    Ok(())
}
