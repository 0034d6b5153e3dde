//! What a rank has asked ranks of other hosts to do, until they have answered.
//!
//! A rank sends no more to a target than [`MOST_OPERATIONS`] and [`MOST_BYTES`] without answers. So neither
//! side holds more than that for the other.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use anyccl_engine::base::Rank;
use anyccl_engine::comm::Request;
use parking_lot::Mutex;

use super::countdown::Countdown;
use super::local::Local;
use crate::error::{Error, Result};

/// Most operations with one target that have no answer.
pub const MOST_OPERATIONS: usize = 256;
/// Most bytes of them, in both directions. A single operation may exceed it.
pub const MOST_BYTES: usize = 4 << 20;
/// Most operations, and bytes of them, that are sent behind a lock which is not there yet.
const MOST_BEHIND_LOCK: (usize, usize) = (32, 64 << 10);

/// An operation that a target was asked for.
pub struct Asked {
    pub rank: Rank,
    /// Bytes that count.
    pub bytes: usize,
    /// Elements that the answer brings, from a packed byte on: that many bytes.
    pub result: Option<(Arc<Local>, usize, usize)>,
    pub countdown: Option<Arc<Countdown>>,
}

/// What a rank has asked one target for.
#[derive(Default)]
struct Account {
    operations: usize,
    bytes: usize,
    /// The first failure since the last synchronization.
    failure: Option<Error>,
}

#[derive(Default)]
struct State {
    next: u64,
    /// `None`: nobody waits for the answer any more.
    asked: HashMap<u64, (Rank, Option<Asked>)>,
    accounts: HashMap<Rank, Account>,
    sends: VecDeque<Request>,
}

/// All operations without answers.
#[derive(Default)]
pub struct Outbox(Mutex<State>);

impl Outbox {
    /// Notes an operation, and gives its number. `None`: there is no room for it now.
    pub fn register(&self, asked: &mut Option<Asked>) -> Option<u64> {
        let mut state = self.0.lock();
        let wanted = asked.as_ref()?;
        let account = state.accounts.entry(wanted.rank).or_default();
        let is_full = account.operations >= MOST_OPERATIONS || account.bytes + wanted.bytes > MOST_BYTES;
        if is_full && account.operations > 0 {
            return None;
        }
        let wanted = asked.take()?;
        account.operations += 1;
        account.bytes += wanted.bytes;
        if let Some(countdown) = &wanted.countdown {
            countdown.add();
        }
        state.next += 1;
        let id = state.next;
        state.asked.insert(id, (wanted.rank, Some(wanted)));
        Some(id)
    }

    /// Whether another operation with that many bytes may be sent to a rank whose lock is not there yet.
    pub fn may_come_before_lock(&self, rank: Rank, bytes: usize) -> bool {
        let state = self.0.lock();
        let (operations, before) =
            state.accounts.get(&rank).map_or((0, 0), |account| (account.operations, account.bytes));
        operations < MOST_BEHIND_LOCK.0 && before + bytes <= MOST_BEHIND_LOCK.1
    }

    /// Takes out the operation that a rank has answered. `None`: the rank was not asked for it. Without an
    /// operation, nobody waits for the answer.
    pub fn take(&self, rank: Rank, id: u64) -> Option<Option<Asked>> {
        let mut state = self.0.lock();
        state.asked.get(&id).filter(|(its, _)| *its == rank)?;
        let (_, asked) = state.asked.remove(&id)?;
        if asked.is_none() {
            state.accounts.entry(rank).or_default().operations -= 1;
        }
        Some(asked)
    }

    /// The rank that was asked for a message of an access.
    pub fn rank_of(&self, access: &Arc<Countdown>) -> Option<Rank> {
        let state = self.0.lock();
        let is_part = |asked: &&Asked| asked.countdown.as_ref().is_some_and(|its| Arc::ptr_eq(its, access));
        state.asked.values().filter_map(|(_, asked)| asked.as_ref()).find(is_part).map(|asked| asked.rank)
    }

    /// Waits for no answer of a rank any more: what it was asked for has failed.
    pub fn give_up(&self, rank: Rank, failure: &Error) {
        let mut state = self.0.lock();
        let State { asked, accounts, .. } = &mut *state;
        for (its, asked) in asked.values_mut().filter(|(its, _)| *its == rank) {
            let Some(asked) = asked.take() else { continue };
            accounts.entry(*its).or_default().bytes -= asked.bytes;
            if let Some(countdown) = asked.countdown {
                countdown.end_one(Some(failure.clone()));
            }
        }
    }

    /// Notes the end of an operation that was taken out.
    pub fn end(&self, asked: Asked, failure: Option<Error>) {
        let mut state = self.0.lock();
        let account = state.accounts.entry(asked.rank).or_default();
        account.operations -= 1;
        account.bytes -= asked.bytes;
        if let Some(failure) = &failure {
            account.failure.get_or_insert_with(|| failure.clone());
        }
        if let Some(countdown) = asked.countdown {
            countdown.end_one(failure);
        }
    }

    /// Whether a rank, or every one, has answered everything.
    pub fn is_quiet(&self, rank: Option<Rank>) -> bool {
        let state = self.0.lock();
        let is_over = |account: &Account| account.operations == 0;
        match rank {
            Some(rank) => state.accounts.get(&rank).is_none_or(is_over),
            None => state.accounts.values().all(is_over),
        }
    }

    /// The first failure of operations with a rank, or with any, since this was last asked.
    pub fn take_failure(&self, rank: Option<Rank>) -> Result<()> {
        let mut state = self.0.lock();
        let mut first = None;
        for (_, account) in state.accounts.iter_mut().filter(|(its, _)| rank.is_none_or(|rank| rank == **its))
        {
            first = first.or(account.failure.take());
        }
        first.map_or(Ok(()), Err)
    }

    /// Keeps a message under way.
    pub fn keep(&self, request: Request) {
        self.0.lock().sends.push_back(request);
    }

    /// Removes messages that have been sent. A failure of one is also one of the window's communicator.
    pub fn forget_sent(&self) {
        let mut state = self.0.lock();
        while let Some(request) = state.sends.front_mut() {
            if matches!(request.test(), Ok(false)) {
                return;
            }
            state.sends.pop_front();
        }
    }

    /// Gives up everything, after a failure of the communicator.
    pub fn clear(&self) {
        *self.0.lock() = State::default();
    }
}
