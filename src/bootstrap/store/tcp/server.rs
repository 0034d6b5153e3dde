//! The server of one store: a thread with a poll loop.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr};
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, OnceLock};
use std::thread::JoinHandle;
use std::time::Instant;

use super::service::{Service, Worlds, rest};
use crate::base::{Error, Rank, Result};
use crate::bootstrap::job::key::JobKey;
use crate::log_line;
use crate::sys::listener::Listener;
use crate::sys::poll::{Interest, PollSet};
use crate::sys::thread::spawn_quiet;

/// Byte that the owner sends when it detaches the server, instead of closing.
const GO_ON: u8 = 1;
/// Byte that the owner sends when it has noted the end of a rank.
const LOOK: u8 = 2;

/// A store served from this process by a thread of its own. Dropping it ends the thread.
pub struct Server {
    addresses: Vec<SocketAddr>,
    /// The thread ends when this end is shut down.
    stop: Option<UnixStream>,
    /// Ranks whose process has ended, and how.
    ended: Sender<(Rank, String)>,
    thread: Option<JoinHandle<()>>,
    shortage: Arc<OnceLock<String>>,
}

impl Server {
    /// Serves a job of `size` ranks at `at` until dropped (port 0 means any free one). A launcher does this
    /// for `ANYCCL_STORE=tcp://ADDRESS?served=1`. The ranks may come, leave and come again.
    pub fn start(at: SocketAddr, key: &JobKey, size: u32) -> Result<Server> {
        let listener = Listener::tcp(at).map_err(|e| Error::system(format!("cannot listen at {at}"), e))?;
        Server::serve(vec![listener], key, Some(size), Worlds::Many, None)
    }

    /// Serves on these listeners, at most until `deadline`. A `size` of `None` is learnt from the first rank.
    pub(crate) fn serve(
        listeners: Vec<Listener>,
        key: &JobKey,
        size: Option<u32>,
        worlds: Worlds,
        deadline: Option<Instant>,
    ) -> Result<Server> {
        let addresses = listeners.iter().filter_map(Listener::address).collect();
        let service = Service::new(listeners, key, size, worlds, deadline);
        let shortage = service.shortage();
        let (stop, owner) = UnixStream::pair().map_err(|e| Error::system("socketpair", e))?;
        let (ended, ends) = mpsc::channel();
        let thread = spawn_quiet("anyccl-store", move || run(service, owner, &ends))
            .map_err(|e| Error::system("cannot start the store's thread", e))?;
        Ok(Server { addresses, stop: Some(stop), ended, thread: Some(thread), shortage })
    }

    /// The address at which it listens, to hand to the ranks.
    pub fn address(&self) -> SocketAddr {
        self.addresses[0]
    }

    /// Why this process cannot accept connections, if it cannot.
    pub(crate) fn shortage(&self) -> Option<String> {
        self.shortage.get().cloned()
    }

    /// Notes that the process of `rank` has ended; `how` is the end of a sentence about it. Ranks that wait
    /// for it are told at once, unless it has joined their world.
    pub fn note_end(&self, rank: Rank, how: String) {
        // A thread that is gone has nobody to tell.
        let _ = self.ended.send((rank, how));
        if let Some(mut stop) = self.stop.as_ref() {
            let _ = stop.write_all(&[LOOK]);
        }
    }

    /// All addresses at which it listens.
    pub(crate) fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Lets the thread go on by itself until all ranks have left or its deadline has come.
    pub(crate) fn detach(mut self) {
        self.thread = None;
        if let Some(mut stop) = self.stop.take() {
            // The socket has room for one byte. Without this byte the thread would take the close for the
            // end.
            let _ = stop.write_all(&[GO_ON]);
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(stop) = self.stop.take() {
            // Closing is not enough: a process forked meanwhile may hold a copy.
            let _ = stop.shutdown(Shutdown::Both);
        }
        if let Some(thread) = self.thread.take() {
            // A panic of the thread does not matter to the owner that drops the server.
            let _ = thread.join();
        }
    }
}

/// Runs the store until the owner drops the server, or the store is over. `owner` becomes readable when the
/// server is dropped or detached, or a rank has ended.
fn run(mut service: Service, owner: UnixStream, ends: &Receiver<(Rank, String)>) {
    let (mut set, mut owner) = (PollSet::new(), Some(owner));
    loop {
        if service.has_many_connections() {
            rest();
        }
        set.clear();
        let told = owner.as_ref().map(|owner| set.add(owner, Interest::Read));
        let until = service.register(&mut set);
        if let Err(error) = set.wait(until) {
            log_line!(Error, "store: {error}; the ranks cannot gather");
            return;
        }
        if told.is_some_and(|token| set.ready(token)) {
            match said(owner.as_ref()) {
                Some(LOOK) => ends.try_iter().for_each(|(rank, how)| service.note_end(rank, how)),
                Some(GO_ON) => owner = None,
                _ => return,
            }
        }
        if !service.advance(&set) {
            return;
        }
    }
}

/// The byte that the owner has sent; `None`: it has dropped the server.
fn said(owner: Option<&UnixStream>) -> Option<u8> {
    let mut said = [0];
    owner.is_some_and(|mut owner| owner.read(&mut said).is_ok_and(|n| n == 1)).then_some(said[0])
}
