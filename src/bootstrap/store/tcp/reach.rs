//! Finds the store among the addresses where it may be.
//!
//! A host has several addresses, and only some can be reached from here; which ones, only an attempt shows.
//! Attempts start one after the other without waiting for the earlier ones to fail. The first that proves the
//! key wins.

use std::io;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

use crate::base::{Error, Result};
use crate::bootstrap::auth::absence::{Absence, Found};
use crate::bootstrap::auth::dial::{Dial, Target};
use crate::bootstrap::auth::handshake::Refusal;
use crate::bootstrap::auth::hello::{Hello, Objection};
use crate::bootstrap::job::key::JobKey;
use crate::sys::clock;
use crate::sys::poll::PollSet;
use crate::sys::shortage::is_shortage;
use crate::sys::socket::Socket;

/// Head start of each address before the next is tried beside it.
const STAGGER: Duration = Duration::from_millis(250);
/// How long the attempt at one address may take.
const PATIENCE: Duration = Duration::from_secs(3);

/// Tries all addresses once, and gives the first connection that proved the key. An error means that the
/// store was found and cannot be used.
pub(crate) fn reach_once(
    addresses: &[SocketAddr],
    key: &JobKey,
    own: Hello,
    deadline: Instant,
) -> Result<Found<Socket>> {
    let mut absence = None;
    let mut untried = addresses.iter();
    let mut under_way: Vec<Dial> = Vec::new();
    let mut set = PollSet::new();
    let mut next_start = clock::now();
    loop {
        let now = clock::now();
        if now >= deadline {
            let late = Refusal::Io(io::ErrorKind::TimedOut.into());
            let waiting = under_way.iter().map(|dial| dial.absence(&late));
            return Ok(Err(waiting.chain(absence).max().unwrap_or(Absence::Untried)));
        }
        if under_way.is_empty() || now >= next_start {
            match untried.next() {
                Some(address) => {
                    let patience = PATIENCE.min(deadline - now);
                    match Dial::start(&Target::Tcp(*address), key, own, patience) {
                        Ok(dial) => under_way.push(dial),
                        Err(Refusal::Io(e)) if is_shortage(&e) => {
                            return Err(Error::system("cannot connect with the store", e));
                        }
                        Err(Refusal::Io(e)) => {
                            absence = absence.max(Some(Absence::NoAnswer(e.kind().to_string())));
                        }
                        Err(_) => {}
                    }
                    next_start = now + STAGGER;
                    if under_way.is_empty() {
                        continue;
                    }
                }
                None if under_way.is_empty() => {
                    let none = || Absence::Unresolved("no address".into());
                    return Ok(Err(absence.unwrap_or_else(none)));
                }
                None => {}
            }
        }
        set.clear();
        under_way.iter_mut().for_each(|dial| dial.register(&mut set));
        let next_start = (untried.len() > 0).then_some(next_start);
        let deadlines = under_way.iter().filter_map(Dial::next_deadline).chain(next_start);
        set.wait(deadlines.chain([deadline]).min()).map_err(|e| Error::system("poll", e))?;
        let mut still = Vec::new();
        for mut dial in under_way {
            match dial.advance(&set) {
                Ok(Some((socket, _))) => return Ok(Ok(socket)),
                Ok(None) => still.push(dial),
                Err(Refusal::Objection(Objection::Disagreement(text))) => return Err(Error::Mismatch(text)),
                Err(refusal) => absence = absence.max(Some(dial.absence(&refusal))),
            }
        }
        under_way = still;
    }
}
