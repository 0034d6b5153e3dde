//! Communicators of two groups (MPI 5.0, section 7.6).
//!
//! The engine's communicator has the processes of both sides, so both agree by one of its collectives. In
//! addition, each side has a communicator of its own for the inner parts of collectives. Those of both sides
//! have the same context, because their processes are disjoint.

use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Communicator;

use super::parent::{adopt, parent};
use super::{Comm, Formed, Inter, agreement};
use crate::arguments::{CommHandle, Output};
use crate::attribute::Attributes;
use crate::errhandler::Errhandler;
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Pairs;

/// Color of a process that wants no communicator.
const NO_COLOR: u64 = u64::MAX;

impl Comm {
    /// A duplicate of this communicator over a new engine communicator. `local` is that of this side, for an
    /// intercommunicator.
    pub(super) fn twin(
        &self,
        id: u32,
        engine: Formed,
        local: Formed,
        attributes: Attributes,
        info: Pairs,
    ) -> Comm {
        let made = Comm::of_parts(id, engine, Arc::clone(&self.group), self.rank, self.handler());
        let made = match &self.inter {
            None => made,
            Some(inter) => {
                let (remote, is_first) = (Arc::clone(&inter.remote), inter.is_first);
                made.with_remote(Inter { remote, local, is_first })
            }
        };
        Comm { attributes, info: info.into(), topology: self.topology.clone(), ..made }
    }

    /// The processes of both sides, first side first, and the number of processes of the first.
    fn both_sides(&self, inter: &Inter) -> (Vec<Rank>, usize) {
        let (first, second) =
            if inter.is_first { (&self.group, &inter.remote) } else { (&inter.remote, &self.group) };
        ([first.members(), second.members()].concat(), first.members().len())
    }
}

/// The parts of a new intercommunicator, on one side.
pub(super) struct Sides {
    pub local: Vec<Rank>,
    pub remote: Vec<Rank>,
    pub is_first: bool,
    /// Context of the communicator of both sides.
    pub context: u64,
    /// Context of the communicator of this side.
    pub local_context: u64,
}

/// What a new intercommunicator has of the object from which it is made.
pub(super) struct Origin {
    /// Name in messages.
    pub title: String,
    pub handler: Errhandler,
    pub session: Option<u32>,
    pub info: Pairs,
}

impl Origin {
    fn of(parent: &Comm) -> Origin {
        let (title, session) = (parent.title(), parent.group.session());
        Origin { title, handler: parent.handler(), session, info: Pairs::default() }
    }
}

/// Forms the intercommunicator of these sides.
pub(super) fn form(origin: Origin, sides: Sides) -> Result<CommHandle> {
    let Origin { title, handler, session, info } = origin;
    let Sides { local, remote, is_first, context, local_context } = sides;
    let all = if is_first { [&local[..], &remote[..]] } else { [&remote[..], &local[..]] }.concat();
    let engine = agreement::form(context, &all, &format!("{title}.inter"))?;
    let own = agreement::form(local_context, &local, &format!("{title}.local"))?;
    let rank = own.rank();
    let of_session = |members| Arc::new(Group::new(members).of_session(session));
    let inter = Inter { remote: of_session(remote), local: own.into(), is_first };
    let group = of_session(local);
    Ok(Comm::publish(|id| {
        let made = Comm::of_parts(id, engine.into(), group, rank, handler).with_remote(inter);
        Comm { info: info.into(), ..made }
    }))
}

/// Splits an intercommunicator: one for each color that both sides have.
pub(super) fn split(parent: &Comm, color: Option<u32>, key: i32) -> Result<CommHandle> {
    let inter = parent.intercommunicator()?;
    let own = color.map_or(NO_COLOR, u64::from);
    let is_leader = parent.engine.rank() == 0;
    let contexts = if is_leader { [agreement::new_context()?, agreement::new_context()?] } else { [0, 0] };
    let record = [own, u64::from(key.cast_unsigned()), contexts[0], contexts[1]];
    let records = agreement::gather(&parent.engine, record)?;
    let (all, first) = parent.both_sides(inter);
    let side = |from: usize, to: usize| {
        let mut ranks: Vec<usize> = (from..to).filter(|rank| records[*rank][0] == own).collect();
        ranks.sort_by_key(|rank| (records[*rank][1] as u32).cast_signed());
        ranks.into_iter().map(|rank| all[rank]).collect::<Vec<Rank>>()
    };
    let (one, other) = (side(0, first), side(first, all.len()));
    if color.is_none() || one.is_empty() || other.is_empty() {
        return Ok(CommHandle::NULL);
    }
    let (local, remote) = if inter.is_first { (one, other) } else { (other, one) };
    let [_, _, context, local_context] = records[0];
    form(Origin::of(parent), Sides { local, remote, is_first: inter.is_first, context, local_context })
}

/// Value by which a leader says that it has failed, so that its side does not wait for it.
pub(super) const FAILED: u64 = u64::MAX;

/// `MPI_Intercomm_create`: the leaders exchange their groups and contexts, and tell their sides.
pub unsafe fn create(
    local_comm: CommHandle,
    local_leader: i32,
    peer_comm: CommHandle,
    remote_leader: i32,
    tag: i32,
    newintercomm: Output<CommHandle>,
) -> Result<()> {
    let parent = parent(local_comm)?;
    parent.check_intra()?;
    let leader = u32::try_from(local_leader).ok().filter(|leader| *leader < parent.size());
    let leader = leader.ok_or_else(|| {
        Error::new(Class::RANK, format!("local_leader {local_leader}; there are {} ranks", parent.size()))
    })?;
    let mut outcome = Ok(Vec::new());
    let mut head = [0; 3];
    if parent.rank() == leader {
        outcome = meet(&parent, peer_comm, remote_leader, tag);
        // The error class of a failure; else 0, the number of remote processes, and the context of this side.
        head = match &outcome {
            Ok(theirs) => [0, theirs.len() as u64, agreement::new_context()?],
            Err(error) => [FAILED, error.class.0 as u64, 0],
        };
    }
    agreement::broadcast(&parent.engine, leader, &mut head)?;
    let mut theirs = outcome?;
    let [state, len, local_context] = head;
    if state == FAILED {
        let text = "the local leader has failed to meet the remote one; its message has the reason";
        return Err(Error::new(Class(len as i32), text));
    }
    theirs.resize(len as usize, 0);
    agreement::broadcast(&parent.engine, leader, &mut theirs)?;
    let [is_first, context, remote @ ..] = &theirs[..] else {
        return Err(Error::new(Class::INTERN, "the leaders have exchanged less than they must"));
    };
    let remote: Vec<Rank> = remote.iter().map(|process| *process as Rank).collect();
    let (is_first, context) = (*is_first != 0, *context);
    let local = parent.group.members().to_vec();
    newintercomm.set(form(Origin::of(&parent), Sides { local, remote, is_first, context, local_context })?);
    Ok(())
}

/// The leader's exchange: whether its side is the first, the context of both sides, and the other side's
/// processes.
fn meet(parent: &Comm, peer_comm: CommHandle, remote_leader: i32, tag: i32) -> Result<Vec<u64>> {
    let peer = Comm::from_handle(peer_comm)?.share();
    let engine_rank = peer.peer(remote_leader)?;
    let engine_rank = engine_rank.ok_or_else(|| Error::new(Class::RANK, "remote_leader is MPI_PROC_NULL"))?;
    if tag < 0 {
        return Err(Error::new(Class::TAG, format!("tag {tag}; a tag is at least 0")));
    }
    let own = parent.group.members()[parent.rank as usize];
    exchange(peer.engine(), engine_rank, agreement::intercomm_tag(tag), own, &parent.group)
}

/// The exchange of a leader, which is the process `own`, with the other side's. See [`meet`].
pub(super) fn exchange(
    peers: &Communicator,
    remote_leader: Rank,
    tag: i32,
    own: Rank,
    group: &Group,
) -> Result<Vec<u64>> {
    let context = agreement::new_context()?;
    let mut mine = vec![u64::from(own), context];
    mine.extend(group.members().iter().copied().map(u64::from));
    let theirs = agreement::exchange_lists(peers, remote_leader, tag, &mine)?;
    let [their_leader, their_context, remote @ ..] = &theirs[..] else {
        return Err(Error::new(Class::INTERN, "the remote leader has sent less than it must"));
    };
    if let Some(both) = remote.iter().find(|process| group.has(**process as Rank)) {
        let text = format!("process {both} of the world is on both sides");
        return Err(Error::new(Class::COMM, text));
    }
    let is_first = u64::from(own) < *their_leader;
    let mut found = vec![u64::from(is_first), if is_first { context } else { *their_context }];
    found.extend(remote);
    Ok(found)
}

/// `MPI_Intercomm_merge`.
pub unsafe fn merge(intercomm: CommHandle, high: i32, newintracomm: Output<CommHandle>) -> Result<()> {
    let parent = parent(intercomm)?;
    let inter = parent.intercommunicator()?;
    let context = if parent.engine.rank() == 0 { agreement::new_context()? } else { 0 };
    let records = agreement::gather(&parent.engine, [u64::from(high != 0), context])?;
    let (mut all, first) = parent.both_sides(inter);
    let [high_of_first, context] = records[0];
    let [high_of_second, _] = records[first];
    if high_of_first > high_of_second {
        all.rotate_left(first);
    }
    let engine = agreement::form(context, &all, &format!("{}.merge", parent.title()))?;
    newintracomm.set(adopt(&parent, engine, None));
    Ok(())
}
