//! Agreement among the survivors of a communicator: their ranks, and the context of their next communicator
//! or the bits that all of them have set. In the second case they also agree on whether each of them had
//! acknowledged the losses: a rank says so of the set that it sends, and it counts when all sets are equal.
//!
//! The ranks flood in rounds. Crashes are detected by the closing of control channels: the kernel closes the
//! sockets of a process that ends. So no living rank is suspected, and every dead rank is detected. In each
//! round a rank sends the set of ranks that it knows to be lost to all others. It then receives a set from
//! each of them, or learns of its end. If every set equals its own, and it detects no new loss meanwhile,
//! that set is the outcome. The rank then sends the outcome to all others.
//!
//! Two living ranks never decide differently. A rank that decides has received the same set, in this round,
//! from every rank outside of it. A rank that has not decided in that round waits in the next one for a
//! message from the rank that has. It receives the outcome, or that rank is lost together with its outcome.
//! Each further round needs a further loss, so there are at most two rounds more than losses. (Early-stopping
//! flooding set consensus: Lynch, Distributed Algorithms, 1996, section 6.2.)

use std::time::Duration;

use super::context::CommId;
use super::engine::Engine;
use super::engine_comm::{EngineComm, GIVEN_UP};
use super::wait::Driver;
use crate::base::{Error, Rank, Result};
use crate::endpoint::Presence;
use crate::sys::clock;
use crate::transport::control::ControlMessage;

/// Round number of a message that carries the outcome.
const DECIDED: u32 = u32::MAX;

/// The survivors of a communicator. The result is the same on all of them.
#[derive(Debug, PartialEq, Eq)]
pub struct Survivors {
    /// Their ranks in that communicator, ascending.
    pub ranks: Vec<Rank>,
    /// What they have agreed on, by [`Subject`].
    pub outcome: u32,
    /// Whether each of them had acknowledged the loss of all others ([`Subject::Bits`]).
    pub is_acknowledged: bool,
}

/// What an agreement is about, apart from the survivors.
#[derive(Clone, Debug)]
pub enum Subject {
    /// The context of the communicator with which they go on.
    Context,
    /// The bits that all survivors have set.
    Bits {
        /// The bits of this rank.
        bits: u32,
        /// The ranks whose loss the program knows of.
        acknowledged: Vec<Rank>,
    },
}

/// One message of a rank in this agreement.
struct Said {
    rank: Rank,
    round: u32,
    proposal: u32,
    lost: Vec<bool>,
    /// Whether the rank acknowledges all of `lost`.
    acknowledges: bool,
}

/// The part of one rank in an agreement.
pub struct Agreement {
    subject: Subject,
    number: u32,
    round: u32,
    /// Ranks that were known to be lost at the start of this round, as sent. No message of theirs is
    /// expected.
    lost: Vec<bool>,
    /// The context that each rank would choose, or the bits that it has set, if they are known.
    proposals: Vec<Option<u32>>,
    said: Vec<Said>,
}

impl Driver {
    /// Begins an agreement with the other survivors of a communicator, which may have failed. Collective over
    /// all living ranks.
    pub fn begin_agreement(&self, id: CommId, subject: Subject) -> Result<Agreement> {
        let mut engine = self.lock();
        engine.read_control();
        engine.begin_agreement(id, subject)
    }

    /// Advances an agreement. Returns its outcome, once it is known.
    pub fn poll_agreement(&self, id: CommId, agreement: &mut Agreement) -> Result<Option<Survivors>> {
        self.lock().poll_agreement(id, agreement)
    }

    /// The ranks of a communicator that are known to be lost, or have left it.
    pub fn lost_ranks(&self, id: CommId) -> Result<Vec<Rank>> {
        let mut engine = self.lock();
        engine.read_control();
        engine.check_is_there(id)?;
        let comm = engine.comms.get(id);
        let is_lost = |rank: &Rank| {
            let presence = comm.presence(*rank, &engine.endpoints);
            *rank != comm.rank && presence != Presence::Here
        };
        Ok((0..comm.size()).filter(is_lost).collect())
    }

    /// Agrees with the other survivors of a communicator, which may have failed. Collective over all living
    /// ranks.
    pub fn agree(&self, id: CommId, subject: Subject, timeout: Option<Duration>) -> Result<Survivors> {
        let mut agreement = self.begin_agreement(id, subject)?;
        let mut engine = self.lock();
        let mut since = clock::now();
        loop {
            let known = agreement.said.len() + agreement.round as usize;
            if let Some(survivors) = engine.poll_agreement(id, &mut agreement)? {
                return Ok(survivors);
            }
            if agreement.said.len() + agreement.round as usize != known {
                since = clock::now();
            }
            if let Some(waited) = timeout.filter(|limit| clock::since(since) >= *limit) {
                return Err(Error::Timeout { waited, detail: engine.describe_silent_ranks(id, &agreement) });
            }
            self.look_later(&mut engine, timeout.map(|limit| since + limit));
        }
    }
}

impl Agreement {
    /// The outcome, when all survivors were heard in one round.
    fn outcome(&self) -> u32 {
        let of_survivors = self.proposals.iter().zip(&self.lost).filter(|(_, lost)| !**lost);
        let mut proposals = of_survivors.map(|(proposal, _)| proposal.expect("it was heard in this round"));
        match self.subject {
            Subject::Context => proposals.next().expect("this rank lives"),
            Subject::Bits { .. } => proposals.fold(u32::MAX, |all, bits| all & bits),
        }
    }
}

impl Agreement {
    /// Whether this rank acknowledges the losses that it knows of.
    fn acknowledges(&self) -> bool {
        let Subject::Bits { acknowledged, .. } = &self.subject else { return true };
        (0..).zip(&self.lost).all(|(rank, lost)| !lost || acknowledged.contains(&rank))
    }
}

impl Engine {
    /// Checks that no other thread has removed the communicator while this one waited.
    fn check_is_there(&self, id: CommId) -> Result<()> {
        self.comms.find(id).map(drop).ok_or_else(|| GIVEN_UP.clone())
    }

    fn begin_agreement(&mut self, id: CommId, subject: Subject) -> Result<Agreement> {
        self.check_is_there(id)?;
        let proposal = match subject {
            Subject::Context => self.lead()?,
            Subject::Bits { bits, .. } => bits,
        };
        let comm = self.comms.get_mut(id);
        comm.agreements += 1;
        comm.open_agreements.push(comm.agreements);
        let size = comm.members.len();
        let mut proposals = vec![None; size];
        proposals[comm.rank as usize] = Some(proposal);
        let number = comm.agreements;
        let mut agreement =
            Agreement { subject, number, round: 0, lost: vec![false; size], proposals, said: Vec::new() };
        if self.is_cut_off(id) {
            // This rank says only that it is lost: ranks that no longer listen to it seem lost to it.
            agreement.lost[self.comms.get(id).rank as usize] = true;
        } else {
            self.mark_lost(id, &mut agreement.lost);
        }
        self.say(id, &agreement, agreement.round, proposal, agreement.acknowledges());
        Ok(agreement)
    }

    fn poll_agreement(&mut self, id: CommId, agreement: &mut Agreement) -> Result<Option<Survivors>> {
        self.read_control();
        self.check_is_there(id)?;
        if self.is_cut_off(id) {
            return Err(left_out(self.comms.get(id)));
        }
        let members = self.comms.get(id).members.iter().zip(&agreement.lost);
        let pending = members.filter(|(_, lost)| !**lost).map(|(member, _)| member.endpoint);
        let failure = self.failure_to_connect(pending).filter(|why| !matches!(why, Error::PeerLost { .. }));
        let outcome = failure.map_or_else(|| self.advance_agreement(id, agreement), Err);
        if !matches!(outcome, Ok(None)) {
            self.comms.get_mut(id).open_agreements.retain(|number| *number != agreement.number);
        }
        outcome
    }

    /// Whether others have cut this rank off because it broke the protocol.
    fn is_cut_off(&self, id: CommId) -> bool {
        let comm = self.comms.get(id);
        matches!(comm.failure, Some(Error::PeerLost { rank, .. }) if rank == comm.rank)
    }

    /// Marks ranks that are gone or have left the communicator. Returns whether there were new ones.
    fn mark_lost(&self, id: CommId, lost: &mut [bool]) -> bool {
        let comm = self.comms.get(id);
        let mut is_new = false;
        for rank in 0..comm.size() {
            let lost = &mut lost[rank as usize];
            if !*lost && rank != comm.rank && comm.presence(rank, &self.endpoints) != Presence::Here {
                (*lost, is_new) = (true, true);
            }
        }
        is_new
    }

    fn say(&mut self, id: CommId, agreement: &Agreement, round: u32, proposal: u32, acknowledges: bool) {
        let comm = self.comms.get(id);
        let numbers = [agreement.number, round, proposal, u32::from(acknowledges)];
        let message = ControlMessage::Agree { context: comm.context, numbers, lost: pack(&agreement.lost) };
        let members = comm.members.iter().zip(&agreement.lost);
        let to: Vec<u32> = members.filter(|(_, lost)| !**lost).map(|(member, _)| member.endpoint).collect();
        // Each hears each.
        self.connect_all(&to);
        self.tell(&to, |_| message.clone());
    }

    /// Advances an agreement as far as it goes now.
    fn advance_agreement(&mut self, id: CommId, agreement: &mut Agreement) -> Result<Option<Survivors>> {
        self.collect_agree_messages(id, agreement);
        let own = self.comms.get(id).rank;
        if let Some(at) = agreement.said.iter().position(|said| said.round == DECIDED) {
            let said = agreement.said.swap_remove(at);
            agreement.lost = said.lost;
            return self.conclude(id, agreement, said.proposal, said.acknowledges).map(Some);
        }
        loop {
            let mut lost = agreement.lost.clone();
            let mut all_agree = !self.mark_lost(id, &mut lost);
            // It counts only if all agree on what is lost: then each has said it of the same losses.
            let mut all_acknowledge = agreement.acknowledges();
            // No message is expected of a rank that another one calls lost.
            let is_heard =
                |said: &&Said| said.round == agreement.round && !agreement.lost[said.rank as usize];
            for said in agreement.said.iter().filter(is_heard) {
                lost.iter_mut().zip(&said.lost).for_each(|(lost, theirs)| *lost |= theirs);
            }
            for rank in (0..lost.len() as Rank).filter(|rank| *rank != own) {
                if agreement.lost[rank as usize] {
                    continue;
                }
                let said = agreement.said.iter().find(|s| (s.rank, s.round) == (rank, agreement.round));
                let Some(said) = said else {
                    if lost[rank as usize] {
                        continue;
                    }
                    return Ok(None);
                };
                all_agree &= said.lost == agreement.lost;
                all_acknowledge &= said.acknowledges;
            }
            agreement.lost = lost;
            if all_agree {
                // A peer may say so of this rank, and nobody is left to contradict.
                if agreement.lost[own as usize] {
                    return Err(left_out(self.comms.get(id)));
                }
                let outcome = agreement.outcome();
                return self.conclude(id, agreement, outcome, all_acknowledge).map(Some);
            }
            agreement.round += 1;
            let proposal = agreement.proposals[own as usize].expect("made at the start");
            self.say(id, agreement, agreement.round, proposal, agreement.acknowledges());
        }
    }

    fn collect_agree_messages(&mut self, id: CommId, agreement: &mut Agreement) {
        let heard = std::mem::take(&mut self.comms.get_mut(id).heard);
        for (rank, message) in heard {
            let ControlMessage::Agree { numbers: [number, round, proposal, acknowledges], lost, .. } =
                &message
            else {
                continue;
            };
            let comm = self.comms.get(id);
            let is_of_other = *number != agreement.number && comm.open_agreements.contains(number);
            if *number > agreement.number || is_of_other {
                // A peer that has ended this agreement has begun the next, or several are open here.
                self.comms.get_mut(id).heard.push((rank, message));
            } else if *number == agreement.number {
                let lost = unpack(lost, agreement.lost.len());
                if *round != DECIDED {
                    agreement.proposals[rank as usize] = Some(*proposal);
                }
                let acknowledges = *acknowledges != 0;
                agreement.said.push(Said { rank, round: *round, proposal: *proposal, lost, acknowledges });
            }
        }
    }

    /// Sends the outcome to all survivors.
    fn conclude(
        &mut self,
        id: CommId,
        agreement: &Agreement,
        outcome: u32,
        is_acknowledged: bool,
    ) -> Result<Survivors> {
        let comm = self.comms.get(id);
        if agreement.lost[comm.rank as usize] {
            return Err(left_out(comm));
        }
        self.say(id, agreement, DECIDED, outcome, is_acknowledged);
        let ranks = (0..agreement.lost.len() as Rank).filter(|rank| !agreement.lost[*rank as usize]);
        Ok(Survivors { ranks: ranks.collect(), outcome, is_acknowledged })
    }

    fn describe_silent_ranks(&self, id: CommId, agreement: &Agreement) -> String {
        let comm = self.comms.get(id);
        let is_silent = |rank: &Rank| {
            !agreement.lost[*rank as usize]
                && *rank != comm.rank
                && !agreement.said.iter().any(|s| (s.rank, s.round) == (*rank, agreement.round))
        };
        let silent: Vec<String> =
            (0..comm.size()).filter(is_silent).map(|rank| comm.label(rank, &self.endpoints)).collect();
        format!("agreement in \"{}\": no answer from {}", comm.name, silent.join(", "))
    }
}

fn left_out(comm: &EngineComm) -> Error {
    Error::Aborted(format!("the other ranks of \"{}\" go on without this one", comm.name))
}

fn pack(lost: &[bool]) -> Vec<u8> {
    let byte = |bits: &[bool]| bits.iter().rev().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
    lost.chunks(8).map(byte).collect()
}

/// Reads a set of ranks. Only a peer that breaks the protocol sends missing or surplus bits; they mark no
/// rank.
fn unpack(bytes: &[u8], ranks: usize) -> Vec<bool> {
    (0..ranks).map(|rank| bytes.get(rank / 8).is_some_and(|byte| byte >> (rank % 8) & 1 == 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_ranks_survive_packing() {
        for ranks in [1, 7, 8, 9, 30] {
            let lost: Vec<bool> = (0..ranks).map(|rank| rank % 3 == 1).collect();
            assert_eq!(unpack(&pack(&lost), ranks), lost);
        }
        assert_eq!(unpack(&[1], 12)[8..], [false; 4]);
    }
}
