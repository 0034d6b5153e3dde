//! What has changed in a job since the last look: for clients that watch.

use std::collections::BTreeMap;

use super::answer::hash;
use crate::observe::jobs::{Job, State};

/// One change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Event {
    /// Its name: of NCCL's where NCCL has such an event.
    pub name: &'static str,
    /// Whether it belongs to NCCL's group of traces.
    pub is_trace: bool,
    /// The process that it is about.
    pub pid: u32,
    /// More, in words.
    pub details: String,
}

/// A job at one moment.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Look {
    /// Its processes that live.
    pids: Vec<u32>,
    /// Ranks that keep others waiting, or have failed, by communicator and rank.
    trouble: BTreeMap<(u64, u32), (State, u32, String)>,
}

impl Look {
    /// How the job is now.
    pub fn of(jobs: &[Job]) -> Look {
        let mut trouble = BTreeMap::new();
        for comm in jobs.iter().flat_map(|job| &job.communicators) {
            for rank in
                comm.ranks.iter().filter(|rank| rank.state.is_trouble() || rank.state == State::Failed)
            {
                let text = format!("as rank {} of \"{}\": {}", rank.rank, comm.name, rank.sentence());
                trouble.insert((hash(comm), rank.rank), (rank.state, rank.pid.unwrap_or(0), text));
            }
        }
        let pids = jobs.iter().flat_map(|job| &job.processes).map(|process| process.pid);
        Look { pids: pids.collect(), trouble }
    }

    /// What has changed since `before`.
    pub fn since(&self, before: &Look) -> Vec<Event> {
        let mut events = Vec::new();
        let mut note = |name, is_trace, pid, details: &str| {
            events.push(Event { name, is_trace, pid, details: details.into() });
        };
        for pid in self.pids.iter().filter(|pid| !before.pids.contains(pid)) {
            note("PEER_NEW", false, *pid, "");
        }
        for pid in before.pids.iter().filter(|pid| !self.pids.contains(pid)) {
            note("PEER_DEAD", false, *pid, "");
        }
        for (rank, (state, pid, text)) in &self.trouble {
            // Texts tell times, which change.
            if before.trouble.get(rank).is_none_or(|(other, _, _)| other != state) {
                note(name_of(*state), true, *pid, text);
            }
        }
        for (rank, (_, pid, _)) in before.trouble.iter().filter(|(rank, _)| !self.trouble.contains_key(rank))
        {
            note("RANK_RECOVERED", true, *pid, &format!("as rank {}", rank.1));
        }
        events
    }
}

fn name_of(state: State) -> &'static str {
    match state {
        State::Ended => "RANK_ENDED",
        State::Stopped => "RANK_STOPPED",
        State::Mismatch => "RANK_MISMATCH",
        State::Late => "RANK_LATE",
        _ => "RANK_FAILED",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observe::jobs::fixture::process;
    use crate::observe::jobs::{Process, jobs_of};

    #[test]
    fn events_are_what_has_changed_and_tell_the_rank_in_trouble() {
        let look = |processes: &[Process]| Look::of(&jobs_of(processes, 1));
        let names = |before: &Look, now: &Look| {
            now.since(before).iter().map(|event| (event.name, event.pid, event.is_trace)).collect::<Vec<_>>()
        };
        let alone = look(&[process(0, 2, 7, 1, false)]);
        let both = look(&[process(0, 2, 7, 1, false), process(1, 2, 6, 1, false)]);
        assert_eq!(names(&alone, &both), [("PEER_NEW", 1001, false), ("RANK_RECOVERED", 0, true)]);
        let late = look(&[process(0, 2, 7, 1, true), process(1, 2, 6, 1, false)]);
        assert_eq!(names(&both, &late), [("RANK_LATE", 1001, true)]);
        assert!(late.since(&both)[0].details.starts_with("as rank 1 of \"world\": has not made the call"));
        assert!(names(&late, &late).is_empty());
        let mut dead = process(1, 2, 6, 1, false);
        dead.has_ended = true;
        let gone = look(&[process(0, 2, 7, 1, true), dead]);
        assert_eq!(names(&late, &gone), [("PEER_DEAD", 1001, false), ("RANK_ENDED", 1001, true)]);
    }
}
