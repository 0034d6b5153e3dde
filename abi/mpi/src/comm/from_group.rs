//! Communicators that are made from groups, without a communicator that all members have (MPI 5.0, sections
//! 7.4.2 and 7.6.2).
//!
//! The members send messages on the engine's communicator of all processes, which nothing else uses. Their
//! tag is a hash of the program's text and the group. So calls of several threads do not meet unless both are
//! equal, as MPI requires. Two different hashes can give the same tag; the whole hash in the message tells.

use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Communicator;

use super::intercomm::{FAILED, Origin, Sides, exchange, form};
use super::{Comm, agreement};
use crate::arguments::{CommHandle, ErrhandlerHandle, GroupHandle, InfoHandle, Output};
use crate::call::check_outside_callback;
use crate::constants::MAX_STRINGTAG_LEN;
use crate::errhandler::{Errhandler, Kind};
use crate::error::{Class, Error, Result};
use crate::group::Group;
use crate::info::Pairs;
use crate::state;

/// Kinds of messages, which have different tags.
#[derive(Clone, Copy, Hash)]
enum Step {
    Intra,
    /// Between the leaders of two groups.
    Leaders,
    /// From a leader to its group.
    Side,
}

/// A call, by what its members have in common.
struct Meeting {
    world: Arc<Communicator>,
    text: CString,
}

impl Meeting {
    fn new(text: CString) -> Result<Meeting> {
        check_outside_callback()?;
        let len = text.as_bytes().len();
        if len > MAX_STRINGTAG_LEN {
            let text = format!("stringtag has {len} characters; at most {MAX_STRINGTAG_LEN} are possible");
            return Err(Error::new(Class::ARG, text));
        }
        Ok(Meeting { world: state::world()?, text })
    }

    fn hash(&self, step: Step, members: &[Rank]) -> u64 {
        // Without keys: the same in all processes.
        let mut hasher = DefaultHasher::new();
        (step, self.text.as_bytes(), members).hash(&mut hasher);
        hasher.finish()
    }

    /// Sends words from a member to all others. The receivers know their number.
    fn broadcast(&self, step: Step, members: &[Rank], from: Rank, words: &mut [u64]) -> Result<()> {
        let hash = self.hash(step, members);
        let tag = agreement::text_tag(hash);
        if self.world.rank() != from {
            let received = agreement::receive(&self.world, from, tag, words.len() + 1)?;
            if received[0] != hash {
                return Err(Error::new(
                    Class::ARG,
                    "another call meets this one; its stringtag or group differs",
                ));
            }
            words.copy_from_slice(&received[1..]);
            return Ok(());
        }
        let words: Vec<u64> = std::iter::once(hash).chain(words.iter().copied()).collect();
        let others = members.iter().filter(|member| **member != from);
        let sends: Result<Vec<_>> =
            others.map(|member| agreement::start_send(&self.world, *member, tag, &words)).collect();
        for mut send in sends? {
            send.wait()?;
        }
        Ok(())
    }

    fn check_member(&self, group: &Group) -> Result<()> {
        if group.has(self.world.rank()) {
            return Ok(());
        }
        Err(Error::new(Class::GROUP, "this process is not in the group, and only its members make this call"))
    }
}

/// `MPI_Comm_create_from_group`.
pub unsafe fn create(
    group: GroupHandle,
    text: CString,
    info: InfoHandle,
    errhandler: ErrhandlerHandle,
    newcomm: Output<CommHandle>,
) -> Result<()> {
    let handler = Errhandler::from_handle(errhandler, Kind::Comm)?;
    let made = make(group, text, info, handler).map_err(|error| error.on_errhandler(errhandler.0))?;
    newcomm.set(made);
    Ok(())
}

fn make(group: GroupHandle, text: CString, info: InfoHandle, handler: Errhandler) -> Result<CommHandle> {
    let group = Group::from_handle(group)?;
    let hints = Pairs::of_handle_or_null(info)?.known_hints();
    let meeting = Meeting::new(text)?;
    let Some(leader) = group.members().first().copied() else { return Ok(CommHandle::NULL) };
    meeting.check_member(&group)?;
    let mut context = [if leader == meeting.world.rank() { agreement::new_context()? } else { 0 }];
    meeting.broadcast(Step::Intra, group.members(), leader, &mut context)?;
    let name = format!("communicator {}", meeting.text.to_string_lossy());
    let engine = agreement::form(context[0], group.members(), &name)?;
    Ok(Comm::publish(|id| Comm { info: hints.into(), ..Comm::intra(id, engine, group, handler) }))
}

/// `MPI_Intercomm_create_from_groups`.
pub unsafe fn create_inter(
    local_group: GroupHandle,
    local_leader: i32,
    remote_group: GroupHandle,
    remote_leader: i32,
    text: CString,
    info: InfoHandle,
    errhandler: ErrhandlerHandle,
    newintercomm: Output<CommHandle>,
) -> Result<()> {
    let handler = Errhandler::from_handle(errhandler, Kind::Comm)?;
    let sides = (local_group, local_leader, remote_group, remote_leader);
    let made = make_inter(sides, text, info, handler).map_err(|error| error.on_errhandler(errhandler.0))?;
    newintercomm.set(made);
    Ok(())
}

fn make_inter(
    (local_group, local_leader, remote_group, remote_leader): (GroupHandle, i32, GroupHandle, i32),
    text: CString,
    info: InfoHandle,
    handler: Errhandler,
) -> Result<CommHandle> {
    let group = Group::from_handle(local_group)?;
    let hints = Pairs::of_handle_or_null(info)?.known_hints();
    let meeting = Meeting::new(text)?;
    meeting.check_member(&group)?;
    let leader = member(&group, local_leader, "local_leader")?;
    let mut outcome = Ok(Vec::new());
    let mut head = [0; 3];
    if leader == meeting.world.rank() {
        outcome = meet(&meeting, &group, remote_group, remote_leader);
        head = match &outcome {
            Ok(theirs) => [0, theirs.len() as u64, agreement::new_context()?],
            Err(error) => [FAILED, error.class.0 as u64, 0],
        };
    }
    meeting.broadcast(Step::Side, group.members(), leader, &mut head)?;
    let mut theirs = outcome?;
    let [state, len, local_context] = head;
    if state == FAILED {
        let text = "the local leader has failed to meet the remote one; its message has the reason";
        return Err(Error::new(Class(len as i32), text));
    }
    // Two words before the processes of the other side, each of which occurs once.
    let most = u64::from(meeting.world.size()) + 2;
    if len > most {
        return Err(Error::new(Class::INTERN, format!("the leader tells {len} words; {most} are possible")));
    }
    theirs.resize(len as usize, 0);
    meeting.broadcast(Step::Side, group.members(), leader, &mut theirs)?;
    let [is_first, context, remote @ ..] = &theirs[..] else {
        return Err(Error::new(Class::INTERN, "the leaders have exchanged less than they must"));
    };
    let remote: Vec<Rank> = remote.iter().map(|process| *process as Rank).collect();
    let sides = Sides {
        local: group.members().to_vec(),
        remote,
        is_first: *is_first != 0,
        context: *context,
        local_context,
    };
    let title = format!("intercommunicator {}", meeting.text.to_string_lossy());
    form(Origin { title, handler, session: group.session(), info: hints }, sides)
}

/// The leader's exchange. See `intercomm::exchange`.
fn meet(meeting: &Meeting, group: &Group, remote: GroupHandle, remote_leader: i32) -> Result<Vec<u64>> {
    let remote = Group::from_handle(remote)?;
    let own = meeting.world.rank();
    let other = member(&remote, remote_leader, "remote_leader")?;
    if group.has(other) {
        return Err(Error::new(Class::GROUP, "the remote leader is in the local group, too"));
    }
    let tag = agreement::text_tag(meeting.hash(Step::Leaders, &[own.min(other), own.max(other)]));
    exchange(&meeting.world, other, tag, own, group)
}

/// The process with a rank in a group.
fn member(group: &Group, rank: i32, what: &str) -> Result<Rank> {
    let found = usize::try_from(rank).ok().and_then(|at| group.members().get(at));
    found.copied().ok_or_else(|| {
        Error::new(Class::RANK, format!("{what} is {rank}; the group has {} processes", group.size()))
    })
}
