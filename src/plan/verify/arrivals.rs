//! Verifies a barrier. Its messages carry only the fact that they were sent.

use super::matching::{MatchedPair, Messages};
use super::schedule::{Content, Schedule};
use super::violation::{Site, Violation};
use crate::base::Rank;
use crate::plan::{Plan, Round};

/// A set of ranks.
type RankSet = Vec<u64>;

/// For each lane, the ranks that are known to have entered the barrier.
struct Arrivals {
    known: Vec<Vec<RankSet>>,
    /// The ranks learnt of in the current round, which become known at its end.
    heard: Vec<Vec<RankSet>>,
}

/// Checks that no rank leaves the barrier before every rank has entered it.
pub(super) fn check_barrier(plans: &[Plan], messages: &Messages) -> Result<(), Violation> {
    let words = plans.len().div_ceil(64);
    let only = |rank: usize| {
        let mut set = vec![0u64; words];
        set[rank / 64] |= 1 << (rank % 64);
        set
    };
    let known: Vec<Vec<RankSet>> =
        plans.iter().enumerate().map(|(rank, plan)| vec![only(rank); plan.lanes.len()]).collect();
    let mut arrivals = Arrivals { heard: known.clone(), known };
    Schedule::run(plans, messages, &mut arrivals)?;
    for (rank, lanes) in arrivals.known.iter().enumerate() {
        let knows = |other: usize| lanes.iter().any(|set| set[other / 64] >> (other % 64) & 1 == 1);
        if let Some(missing) = (0..plans.len()).find(|&other| other != rank && !knows(other)) {
            return Err(Violation::BarrierLeaks { rank: rank as Rank, missing: missing as Rank });
        }
    }
    Ok(())
}

impl Content for Arrivals {
    fn enter(&mut self, _: Site, _: &Round) -> Result<(), Violation> {
        Ok(())
    }

    fn deliver(&mut self, message: &MatchedPair) -> Result<(), Violation> {
        let (from, to) = (message.send, message.receive);
        let sent = &self.known[from.rank as usize][from.lane as usize];
        for (heard, sent) in self.heard[to.rank as usize][to.lane as usize].iter_mut().zip(sent) {
            *heard |= sent;
        }
        Ok(())
    }

    fn leave(&mut self, site: Site, _: &Round) {
        let (rank, lane) = (site.rank as usize, site.lane as usize);
        self.known[rank][lane].clone_from(&self.heard[rank][lane]);
    }
}
