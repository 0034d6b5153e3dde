//! What may be told, and what must be.

use super::job::{Deviation, Job, Step};
use super::perform::Outcome;
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

fn fault_of(job: &Job, begun: &[usize]) -> Option<Fault> {
    if let Some(strike) = job.strike.filter(|strike| strike.blow == Blow::Kill) {
        // What it had sent may be lost with it, so that even the steps before fail.
        return Some(Fault { rank: strike.rank, first: begun[strike.rank as usize], kinds: &[Kind::Loss] });
    }
    let (rank, first, deviation) = job.deviation?;
    // A copy does not fail with its communicator. A rank that has been told of the failure ends early there.
    let has_copy = job.steps.iter().any(|step| matches!(step, Step::Copied { .. }));
    let kinds: &[Kind] = match deviation {
        Deviation::Abort if has_copy => &[Kind::Abort, Kind::Loss],
        Deviation::Abort => &[Kind::Abort],
        Deviation::OtherCall if has_copy => &[Kind::Mismatch, Kind::Loss],
        // A rank that ends in place of its last call may be taken for one that has left.
        Deviation::Leave => &[Kind::Mismatch, Kind::Loss],
        Deviation::OtherCall => &[Kind::Mismatch],
    };
    let exists = deviation == Deviation::Abort || first < job.steps.len();
    exists.then_some(Fault { rank, first, kinds })
}

/// Whether a step can only succeed where all ranks take part.
fn needs_all(step: &Step) -> bool {
    match step {
        Step::Call { collective, count, .. } | Step::Started { collective, count, .. } => {
            *collective == Collective::Barrier
                || *count > 0
                    && matches!(
                        collective,
                        Collective::AllReduce | Collective::AllGather | Collective::AllToAll
                    )
        }
        Step::Copied { .. } => true,
        Step::Ring { .. } | Step::Late { .. } => false,
    }
}

/// Finds what is wrong with the ends of the ranks. `begun`: the step that each has begun last.
pub fn judge(job: &Job, ends: &[Ended<Vec<Outcome>>], begun: &[usize]) -> Result<(), String> {
    let fault = fault_of(job, begun);
    for (rank, end) in ends.iter().enumerate() {
        let outcomes = match end {
            Ended::Returned(outcomes) => outcomes,
            Ended::Killed => continue,
            Ended::Panicked(message) => return Err(format!("rank {rank} has panicked: {message}")),
        };
        for (at, outcome) in outcomes.iter().enumerate() {
            let is_end = at + 1 == outcomes.len();
            let name = if is_end { "the end".to_string() } else { format!("step {at}") };
            match (outcome, &fault) {
                (Ok(()), None) => {}
                (Err(error), None) => return Err(format!("rank {rank}, {name}: {error}")),
                (Err(error), Some(fault)) => {
                    if !kind_of(error).is_some_and(|kind| fault.kinds.contains(&kind)) {
                        return Err(format!("rank {rank}, {name}: wrong error: {error}"));
                    }
                }
                (Ok(()), Some(fault)) => {
                    let step = job.steps.get(at).filter(|_| !is_end);
                    let is_spoilt = at > fault.first && rank as Rank != fault.rank;
                    if is_spoilt && step.is_some_and(needs_all) {
                        return Err(format!("rank {rank}, {name}: success without rank {}", fault.rank));
                    }
                }
            }
        }
        // A communicator that has failed stays failed.
        let failed = outcomes.iter().position(Result::is_err);
        if let Some(failed) = failed
            && let Some((at, step)) =
                job.steps.iter().enumerate().skip(failed + 1).find(|(_, step)| needs_all(step))
            && outcomes.get(at).is_some_and(Result::is_ok)
            && at + 1 < outcomes.len()
        {
            return Err(format!("rank {rank}: step {failed} has failed, and step {at} not: {step:?}"));
        }
    }
    Ok(())
}
