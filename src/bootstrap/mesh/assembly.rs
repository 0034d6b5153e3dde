//! The poll loop that makes and accepts all connections of one rank.

use std::time::{Duration, Instant};

use super::attempt::Connector;
use super::connected_ranks::ConnectedRanks;
use super::failure_reports::{Knowledge, explain};
use super::outgoing::{OutgoingPeer, share_memory, unreachable};
use super::peer::Peer;
use super::record::Record;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::auth::gate::{Admission, Gate};
use crate::bootstrap::auth::hello::{ANY_RANK, Hello};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::discovery::job::Job;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::waiting::{LONG, sentence};
use crate::config::TransportChoice;
use crate::log_line;
use crate::sys::clock;
use crate::sys::listener::Listener;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::socket::Socket;

/// Limit of handshakes under way at once, beyond those that this rank expects.
const STRANGERS: usize = 256;
/// How often to ask the store whether a rank has failed that is not connected yet.
const CHECK_EVERY: Duration = Duration::from_millis(250);
/// How long to wait for the store's answer at a time: connections wait meanwhile.
const CHECK_TIME: Duration = Duration::from_millis(20);
/// How many missing ranks the error names.
const NAMED: usize = 8;

/// Connections that one higher rank has made so far.
struct IncomingPeer {
    control: Option<(Socket, u8)>,
    /// Connections for data, in their order.
    data: Vec<Option<Socket>>,
}

impl IncomingPeer {
    fn new(own: &Record, peer: &Record) -> IncomingPeer {
        let data = (0..own.data_connections(peer)).map(|_| None).collect();
        IncomingPeer { control: None, data }
    }

    /// The sockets, once all are connected that the peer has spoken of.
    fn take(&mut self) -> Option<Peer> {
        let (_, count) = self.control.as_ref()?;
        let data = self.data.get_mut(..usize::from(*count))?;
        if data.iter().any(Option::is_none) {
            return None;
        }
        let data = data.iter_mut().filter_map(Option::take).collect();
        Some(Peer { control: self.control.take()?.0, data })
    }
}

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

struct Assembly<'a> {
    connector: Connector<'a>,
    records: &'a [Record],
    gate: Gate,
    outgoing: Vec<OutgoingPeer>,
    /// Indexed by rank; used for higher ranks only.
    incoming: Vec<IncomingPeer>,
    peers: Vec<Option<Peer>>,
    missing: usize,
}

/// Connects with all ranks of `records`. Only processes of `user` may connect by Unix sockets; `None`: those
/// of any user. `start` is when the caller began to wait.
pub(super) fn assemble(
    job: &Job,
    store: &mut dyn Store,
    records: &[Record],
    listeners: Vec<Listener>,
    user: Option<u32>,
    start: Instant,
    deadline: Instant,
) -> Result<Vec<Option<Peer>>> {
    let own = &records[job.rank as usize];
    // Both ranks of an impossible pair notice before anything is connected.
    for peer in records.iter().filter(|peer| peer.rank != own.rank) {
        share_memory(own, peer)?;
    }
    let hello = Hello::new(Purpose::Control, own.rank, own.size, ANY_RANK);
    let capacity =
        STRANGERS + records.iter().map(|peer| 1 + usize::from(own.data_connections(peer))).sum::<usize>();
    let gate =
        Gate::new(listeners, &job.key, &[Purpose::Control, Purpose::Data], hello, capacity).restrict_to(user);
    let connector = Connector { key: &job.key, own, user };
    let outgoing = records[..job.rank as usize].iter().map(|peer| OutgoingPeer::new(&connector, peer));
    let mut assembly = Assembly {
        outgoing: outgoing.collect::<Result<_>>()?,
        connector,
        records,
        gate,
        incoming: records.iter().map(|peer| IncomingPeer::new(own, peer)).collect(),
        peers: records.iter().map(|_| None).collect(),
        missing: records.len() - 1,
    };
    match assembly.run(store, start, deadline) {
        Ok(()) => Ok(assembly.peers),
        Err(error) => {
            let is_missed = matches!(error, Error::Timeout { .. });
            let knowledge = if is_missed { Knowledge::FirstHand } else { Knowledge::Hearsay };
            let labels = records.iter().map(|record| record.info.label(record.rank)).collect();
            // All connections, while they are still open: a rank that misses this one learns the reason.
            let (controls, _data) = Peer::apart(std::mem::take(&mut assembly.peers));
            Err(explain(store, ConnectedRanks::new(job.rank, labels, controls), error, knowledge))
        }
    }
}

impl Assembly<'_> {
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
        let own = self.connector.own.rank;
        let mut tell_at = (own <= 1).then(|| clock::now() + LONG);
        // Starts the connections; nothing is ready yet.
        self.advance_outgoing(&set)?;
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
            self.gate.register(&mut set);
            self.outgoing.iter_mut().for_each(|outgoing| outgoing.register(&mut set));
            let watched: Vec<(Rank, Token)> = self.watch(&mut set);
            let dials = self.outgoing.iter().filter_map(OutgoingPeer::next_deadline);
            let until = dials
                .chain(self.gate.next_deadline())
                .chain(next_check)
                .chain(tell_at)
                .chain([deadline])
                .min();
            set.wait(until).map_err(|e| Error::system("poll", e))?;
            self.advance_outgoing(&set)?;
            for admission in self.gate.advance(&set) {
                match admission {
                    Admission::Admitted(socket, hello) => self.admit(socket, hello)?,
                    Admission::Disagreement(text) => return Err(Error::Mismatch(text)),
                }
            }
            if self.missing > 0
                && let Some(shortage) = self.gate.take_shortage()
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

    fn advance_outgoing(&mut self, set: &PollSet) -> Result<()> {
        for outgoing in &mut self.outgoing {
            let rank = outgoing.peer as usize;
            outgoing.advance(&self.connector, &self.records[rank], set)?;
            if let Some(peer) = outgoing.take() {
                self.peers[rank] = Some(peer);
                self.missing -= 1;
            }
        }
        let peers = &self.peers;
        self.outgoing.retain(|outgoing| peers[outgoing.peer as usize].is_none());
        Ok(())
    }

    fn admit(&mut self, socket: Socket, hello: Hello) -> Result<()> {
        let rank = hello.rank as usize;
        let own = self.connector.own;
        if hello.rank <= own.rank || rank >= self.records.len() || self.peers[rank].is_some() {
            log_line!(Debug, "rank {}: closed a second connection of rank {}", own.rank, hello.rank);
            return Ok(());
        }
        // A peer that connects again has given up its earlier connection.
        let incoming = &mut self.incoming[rank];
        match hello.purpose {
            Purpose::Control => {
                if usize::from(hello.data) > incoming.data.len() {
                    log_line!(Debug, "rank {}: rank {} wants too many connections", own.rank, hello.rank);
                    return Ok(());
                }
                let peer = &self.records[rank];
                let insists = [own, peer].iter().any(|r| r.transport == TransportChoice::Shm);
                if insists && !socket.is_unix() {
                    return Err(unreachable(own, peer));
                }
                incoming.control = Some((socket, hello.data));
            }
            Purpose::Data => match incoming.data.get_mut(usize::from(hello.lane)) {
                Some(data) => *data = Some(socket),
                None => {
                    let (from, lane) = (hello.rank, hello.lane);
                    log_line!(Debug, "rank {}: closed connection {lane} of rank {from}", own.rank);
                    return Ok(());
                }
            },
            Purpose::Store => return Ok(()),
        }
        if let Some(peer) = incoming.take() {
            self.peers[rank] = Some(peer);
            self.missing -= 1;
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
        let absent = self.records.iter().filter(|r| r.rank != self.connector.own.rank);
        let absent = absent.filter(|r| self.peers[r.rank as usize].is_none());
        let name = |record: &Record| {
            let why = self.outgoing.iter().find(|o| o.peer == record.rank).and_then(OutgoingPeer::last_error);
            let why = why.map_or(String::new(), |why| format!("; {why}"));
            format!("rank {} (host {}, pid {}{why})", record.rank, record.info.host_name, record.info.pid)
        };
        let named: Vec<String> = absent.take(NAMED).map(name).collect();
        let more = self.missing.saturating_sub(named.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        format!("not connected with {}{more}", named.join(", "))
    }
}
