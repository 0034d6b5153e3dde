//! The order of events when the plans of all ranks run together.
//!
//! It knows only which lane is in which round and which message may complete. A [`Content`] handles what a
//! message carries: symbolic values (`machine`) or, for a barrier, the knowledge of which ranks have entered
//! (`arrivals`).

use super::matching::{MatchedPair, Messages};
use super::violation::{Site, Violation};
use crate::base::Rank;
use crate::plan::{Plan, Round};

/// Effects of the steps of a schedule on data.
pub(super) trait Content {
    /// A lane enters a round: its local steps run.
    fn enter(&mut self, site: Site, round: &Round) -> Result<(), Violation>;
    /// A message completes. Both lanes are still in the round of their side.
    fn deliver(&mut self, message: &MatchedPair) -> Result<(), Violation>;
    /// A lane leaves a round: what it received becomes visible.
    fn leave(&mut self, site: Site, round: &Round);
}

/// Position of one lane.
#[derive(Clone, Copy, Default)]
struct Position {
    round: usize,
    /// Number of sides of messages in this round that are not complete.
    pending: usize,
}

/// State of a run: the positions of all lanes, and the messages that can complete.
pub(super) struct Schedule<'a> {
    plans: &'a [Plan],
    messages: &'a Messages,
    /// Position of each lane, by rank and lane.
    positions: Vec<Vec<Position>>,
    /// For each message, how many of its two sides have been reached.
    reached: Vec<u8>,
    complete: Vec<bool>,
    /// Messages that can complete now.
    ready: Vec<u32>,
}

impl<'a> Schedule<'a> {
    /// Runs until every lane is at its end, or nothing can move.
    pub(super) fn run(
        plans: &'a [Plan],
        messages: &'a Messages,
        content: &mut impl Content,
    ) -> Result<(), Violation> {
        let mut schedule = Schedule {
            plans,
            messages,
            positions: plans.iter().map(|plan| vec![Position::default(); plan.lanes.len()]).collect(),
            reached: vec![0; messages.all.len()],
            complete: vec![false; messages.all.len()],
            ready: Vec::new(),
        };
        for (rank, plan) in plans.iter().enumerate() {
            for lane in 0..plan.lanes.len() {
                schedule.enter(rank, lane, content)?;
            }
        }
        while let Some(index) = schedule.ready.pop() {
            schedule.finish(index as usize, content)?;
        }
        schedule.check_end()
    }

    /// Enters the current round of a lane, and the following ones as long as they have no transfers.
    fn enter(&mut self, rank: usize, lane: usize, content: &mut impl Content) -> Result<(), Violation> {
        let rounds = &self.plans[rank].lanes[lane].rounds;
        while let Some(round) = rounds.get(self.positions[rank][lane].round) {
            let number = self.positions[rank][lane].round;
            let site = Site { rank: rank as Rank, lane: lane as u32, round: number as u32, step: 0 };
            content.enter(site, round)?;
            let messages = self.messages.of_round(rank, lane, number);
            for &index in messages {
                self.reached[index as usize] += 1;
                self.note_ready(index as usize);
            }
            self.positions[rank][lane].pending = messages.len();
            if !messages.is_empty() {
                break;
            }
            content.leave(site, round);
            self.positions[rank][lane].round += 1;
        }
        Ok(())
    }

    /// Queues a message if both sides are reached and all earlier messages of its pair are complete.
    fn note_ready(&mut self, index: usize) {
        let all = &self.messages.all;
        let first = index == 0 || all[index - 1].pair() != all[index].pair();
        if self.reached[index] == 2 && (first || self.complete[index - 1]) {
            self.ready.push(index as u32);
        }
    }

    fn finish(&mut self, index: usize, content: &mut impl Content) -> Result<(), Violation> {
        let message = self.messages.all[index];
        content.deliver(&message)?;
        self.complete[index] = true;
        if let Some(next) = self.messages.all.get(index + 1)
            && next.pair() == message.pair()
        {
            self.note_ready(index + 1);
        }
        for site in [message.send, message.receive] {
            let (rank, lane) = (site.rank as usize, site.lane as usize);
            let position = &mut self.positions[rank][lane];
            position.pending -= 1;
            if position.pending == 0 {
                content.leave(site, &self.plans[rank].lanes[lane].rounds[site.round as usize]);
                position.round += 1;
                self.enter(rank, lane, content)?;
            }
        }
        Ok(())
    }

    /// Checks that every lane is at its end. The first lane that is not is reported with what it waits for.
    fn check_end(&self) -> Result<(), Violation> {
        for (rank, lanes) in self.positions.iter().enumerate() {
            for (lane, position) in lanes.iter().enumerate() {
                if position.round == self.plans[rank].lanes[lane].rounds.len() {
                    continue;
                }
                let waiting = self.messages.of_round(rank, lane, position.round);
                let stuck = waiting.iter().find(|&&index| !self.complete[index as usize]);
                let message = self.messages.all[*stuck.expect("a lane waits for a message") as usize];
                let (site, peer_site) = match message.send.rank as usize == rank {
                    true => (message.send, message.receive),
                    false => (message.receive, message.send),
                };
                let peer = self.positions[peer_site.rank as usize][peer_site.lane as usize];
                return Err(Violation::Deadlock {
                    site,
                    peer: peer_site.rank,
                    peer_site,
                    peer_round: peer.round as u32,
                });
            }
        }
        Ok(())
    }
}
