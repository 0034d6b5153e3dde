//! The poll loop that connects one rank with all others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::connected_ranks::ConnectedRanks;
use super::connections::{ConnectionEvent, Connections, Unconnected};
use super::failure_reports::{Knowledge, explain};
use super::peer::Peer;
use super::record::Record;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::waiting::{LONG, sentence};
use crate::log_line;
use crate::sys::clock;
use crate::sys::poll::{Interest, PollSet, Token};

/// How often to ask the store whether a rank has failed that is not connected yet.
const CHECK_EVERY: Duration = Duration::from_millis(250);
/// How long to wait for the store's answer at a time: connections wait meanwhile.
const CHECK_TIME: Duration = Duration::from_millis(20);
/// How many missing ranks the error names.
const NAMED: usize = 8;

/// The store's answer to whether the job has failed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Answer {
    Well,
    /// No answer in time: the store is busy, or cut off.
    None,
    /// The store has ended. This is normal once rank 0 has connected with all ranks.
    Gone,
}

/// Asks the store; an error when the job has failed.
fn ask_for_failure(store: &mut dyn Store, deadline: Instant) -> Result<Answer> {
    match store.check(deadline.min(clock::now() + CHECK_TIME)) {
        Ok(()) => Ok(Answer::Well),
        Err(Error::Timeout { .. }) => Ok(Answer::None),
        Err(Error::System { .. }) => Ok(Answer::Gone),
        Err(failure) => Err(failure),
    }
}

struct Assembly {
    connections: Connections,
    records: Arc<[Record]>,
    rank: Rank,
    peers: Vec<Option<Peer>>,
    missing: usize,
}

/// Connects a rank with all others. `start` is when the caller began to wait.
pub(super) fn assemble(
    unconnected: Unconnected,
    store: &mut dyn Store,
    start: Instant,
    deadline: Instant,
) -> Result<Vec<Option<Peer>>> {
    let (rank, records) = (unconnected.rank, Arc::clone(&unconnected.records));
    let mut assembly = Assembly {
        connections: Connections::new(unconnected, true),
        rank,
        peers: records.iter().map(|_| None).collect(),
        missing: records.len() - 1,
        records: Arc::clone(&records),
    };
    match assembly.run(store, start, deadline) {
        Ok(()) => Ok(assembly.peers),
        Err(error) => {
            let is_missed = matches!(error, Error::Timeout { .. });
            let knowledge = if is_missed { Knowledge::FirstHand } else { Knowledge::Hearsay };
            let labels = records.iter().map(|record| record.info.label(record.rank)).collect();
            // All connections, while they are still open: a rank that misses this one learns the reason.
            let (controls, _data) = Peer::apart(std::mem::take(&mut assembly.peers));
            Err(explain(store, ConnectedRanks::new(rank, labels, controls), error, knowledge))
        }
    }
}

impl Assembly {
    /// The error at the deadline.
    fn timed_out(&self, start: Instant, is_store_silent: bool) -> Error {
        let store = match is_store_silent {
            true => "; the store, which rank 0 or the launcher serves, is silent",
            false => "",
        };
        Error::Timeout { waited: clock::since(start), detail: format!("{}{store}", self.name_missing()) }
    }

    fn run(&mut self, store: &mut dyn Store, start: Instant, deadline: Instant) -> Result<()> {
        let mut set = PollSet::new();
        let mut next_check = Some(start + CHECK_EVERY);
        let mut is_silent = false;
        // Rank 0 reports for all ranks that miss the same ranks; rank 1 reports when rank 0 is missing.
        let own = self.rank;
        let mut tell_at = (own <= 1).then(|| clock::now() + LONG);
        (0..own).try_for_each(|rank| self.connections.connect(rank))?;
        // Starts the connections; nothing is ready yet.
        self.advance(&set)?;
        while self.missing > 0 {
            if clock::now() >= deadline {
                return Err(self.timed_out(start, is_silent));
            }
            if next_check.is_some_and(|t| t <= clock::now()) {
                let answer = ask_for_failure(store, deadline)?;
                is_silent = answer == Answer::None;
                next_check = (answer != Answer::Gone).then(|| clock::now() + CHECK_EVERY);
            }
            if tell_at.take_if(|at| *at <= clock::now()).is_some() && (own == 0 || self.peers[0].is_none()) {
                let (what, missing) = ("all ranks to connect", self.name_missing());
                log_line!(
                    Warn,
                    "rank {own}: {}",
                    sentence(clock::since(start), &what, &missing, Some(deadline))
                );
            }
            set.clear();
            self.connections.register(&mut set);
            let watched: Vec<(Rank, Token)> = self.watch(&mut set);
            let times = self.connections.next_deadline().into_iter();
            let until = times.chain(next_check).chain(tell_at).chain([deadline]).min();
            set.wait(until).map_err(|e| Error::system("poll", e))?;
            self.advance(&set)?;
            if self.missing > 0
                && let Some(shortage) = self.connections.take_shortage()
            {
                let what = format!("cannot accept the connection of a rank; {}", self.name_missing());
                return Err(Error::system(what, shortage));
            }
            if self.missing > 0
                && let Some((rank, _)) = watched.iter().find(|(_, token)| set.ready(*token))
            {
                return Err(self.lost(*rank));
            }
        }
        Ok(())
    }

    /// Watches connected ranks. A rank that ends while this one waits for others ends the job: better now
    /// than at the deadline.
    fn watch(&self, set: &mut PollSet) -> Vec<(Rank, Token)> {
        let connected = self.peers.iter().enumerate().filter_map(|(rank, peer)| Some((rank, peer.as_ref()?)));
        connected.map(|(rank, peer)| (rank as Rank, set.add(&peer.control, Interest::Hangup))).collect()
    }

    fn advance(&mut self, set: &PollSet) -> Result<()> {
        for event in self.connections.advance(set) {
            match event {
                ConnectionEvent::Connected(rank, peer) => {
                    self.peers[rank as usize] = Some(peer);
                    self.missing -= 1;
                }
                ConnectionEvent::Failed(_, error) => return Err(error),
                ConnectionEvent::Disagreement(text) => return Err(Error::Mismatch(text)),
            }
        }
        Ok(())
    }

    fn lost(&self, rank: Rank) -> Error {
        let info = &self.records[rank as usize].info;
        let at = format!("host {}, pid {}", info.host_name, info.pid);
        let detail = format!("{at}: it ended while the ranks were connecting; {}", self.name_missing());
        Error::PeerLost { rank, detail }
    }

    fn name_missing(&self) -> String {
        let absent = self.records.iter().filter(|r| r.rank != self.rank);
        let absent = absent.filter(|r| self.peers[r.rank as usize].is_none());
        let name = |record: &Record| {
            let why = self.connections.last_error(record.rank);
            let why = why.map_or(String::new(), |why| format!("; {why}"));
            format!("rank {} (host {}, pid {}{why})", record.rank, record.info.host_name, record.info.pid)
        };
        let named: Vec<String> = absent.take(NAMED).map(name).collect();
        let more = self.missing.saturating_sub(named.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("not connected with {}{more}", named.join(", "))
    }
}
