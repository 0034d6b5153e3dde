//! What may be told, and what must be.

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

/// What has gone wrong: the rank, the first step that it may spoil, and the errors of which it is a reason.
struct Fault {
    rank: Rank,
    first: usize,
    kinds: &'static [Kind],
}

/// What has gone wrong in a job. `begun`: the step that each rank has begun last.
fn faults_of(job: &Job, begun: &[usize]) -> Vec<Fault> {
    let kills = job.strikes.iter().filter(|strike| strike.blow == Blow::Kill);
    // What it had sent may be lost with it, so that even the steps before fail.
    let kills = kills.map(|strike| strike.rank).map(|rank| Fault {
        rank,
        first: begun[rank as usize],
        kinds: &[Kind::Loss],
    });
    // A copy does not fail with its communicator. A rank that has been told of the failure ends early there.
    let has_copy = job.steps.iter().any(Step::makes_communicator);
    let deviations = job.deviants.iter().filter_map(|Deviant { rank, at, what }| {
        let kinds: &[Kind] = match what {
            Deviation::Abort if has_copy => &[Kind::Abort, Kind::Loss],
            Deviation::Abort => &[Kind::Abort],
            Deviation::OtherCall if has_copy => &[Kind::Mismatch, Kind::Loss],
            // A rank that ends in place of its last call may be taken for one that has left.
            Deviation::Leave => &[Kind::Mismatch, Kind::Loss],
            // Calls that it has not finished are aborted.
            Deviation::Quit => &[Kind::Loss, Kind::Abort],
            Deviation::Drop => &[Kind::Loss],
            Deviation::OtherCall => &[Kind::Mismatch],
        };
        let is_extra = matches!(what, Deviation::Abort | Deviation::Quit | Deviation::Drop);
        (is_extra || *at < job.steps.len()).then_some(Fault { rank: *rank, first: *at, kinds })
    });
    kills.chain(deviations).collect()
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
pub fn judge(job: &Job, ends: &[Ended<Outcomes>], begun: &[usize]) -> Result<(), String> {
    let faults = faults_of(job, begun);
    // Of different calls, every rank learns, in a call or at the end. A loss or an abort may come first.
    let differs = |one: &Deviant| one.what == Deviation::OtherCall && one.at < job.steps.len();
    let must_hear = faults.len() == 1 && job.deviants.iter().any(differs);
    for (rank, end) in ends.iter().enumerate() {
        let outcomes = match end {
            Ended::Returned(outcomes) => outcomes,
            Ended::Killed => continue,
            Ended::Panicked(message) => return Err(format!("rank {rank} has panicked: {message}")),
        };
        let rank = rank as Rank;
        for (at, outcome) in outcomes.steps.iter().enumerate() {
            check_error(&faults, outcome).map_err(|why| format!("rank {rank}, step {at}: {why}"))?;
            let spoils = |fault: &&Fault| at > fault.first && rank != fault.rank;
            if outcome.is_ok()
                && let Some(fault) = faults.iter().find(spoils)
                && needs_all(&job.steps[at])
            {
                return Err(format!("rank {rank}, step {at}: success without rank {}", fault.rank));
            }
        }
        check_error(&faults, &outcomes.end).map_err(|why| format!("rank {rank}, the end: {why}"))?;
        if must_hear && outcomes.end.is_ok() && outcomes.steps.iter().all(Result::is_ok) {
            return Err(format!("rank {rank} is not told that the ranks have made different calls"));
        }
        // A communicator that has failed stays failed.
        if let Some(failed) = outcomes.steps.iter().position(Result::is_err) {
            let later = outcomes.steps.iter().zip(&job.steps).enumerate().skip(failed + 1);
            for (at, (outcome, step)) in later {
                if outcome.is_ok() && needs_all(step) {
                    return Err(format!(
                        "rank {rank}: step {failed} has failed, and step {at} not: {step:?}"
                    ));
                }
            }
        }
    }
    judge_shrunk(job, ends, begun)
}

/// Checks that an error has one of the faults for its reason.
fn check_error<T>(faults: &[Fault], outcome: &Result<T, Error>) -> Result<(), String> {
    let Err(error) = outcome else { return Ok(()) };
    let is_known = |kind| faults.iter().any(|fault| fault.kinds.contains(&kind));
    match kind_of(error) {
        Some(kind) if is_known(kind) => Ok(()),
        _ if faults.is_empty() => Err(error.to_string()),
        _ => Err(format!("wrong error: {error}")),
    }
}

/// Checks that those that were left have made a communicator of the same ranks.
fn judge_shrunk(job: &Job, ends: &[Ended<Outcomes>], begun: &[usize]) -> Result<(), String> {
    // A rank that others kept from joining has ended as well.
    let killed = |rank: usize| match &ends[rank] {
        Ended::Returned(outcomes) => outcomes.shrunk.is_none(),
        Ended::Killed | Ended::Panicked(_) => true,
    };
    // A rank that is killed within the agreement may be a member, and fail it.
    let may_fail = (0..ends.len()).any(|rank| killed(rank) && begun[rank] >= job.steps.len());
    let mut first: Option<(usize, &[Rank])> = None;
    for (rank, end) in ends.iter().enumerate() {
        let Ended::Returned(Outcomes { shrunk: Some(shrunk), .. }) = end else { continue };
        match shrunk {
            Err(Error::PeerLost { .. }) if may_fail => {}
            Err(error) => return Err(format!("rank {rank}, shrinking: {error}")),
            Ok(members) => {
                let expected = |member: usize| !killed(member) || begun[member] >= job.steps.len();
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
