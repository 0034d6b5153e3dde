//! The server of unique ids. One thread, with one listener per address, serves the stores of all ids of this
//! process.
//!
//! A connector's nonce begins with the name of the key that it means ([`JobKey::name`]). The server accepts,
//! reads the nonce, and hands the connection to the store of that key; the proof is still to come. A
//! connection that names no store is closed. The thread begins with the first id. It ends, and closes its
//! listeners, when for every id all ranks have come or the deadline is over.
//!
//! A child of fork has no copy of the thread, and begins a server of its own ([`PerProcess`]).

use std::collections::{HashMap, VecDeque};
use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::listeners;
use crate::base::{Error, Result};
use crate::bootstrap::auth::gate::PATIENCE;
use crate::bootstrap::auth::proof::{NONCE_BYTES, Nonce};
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::key::{KEY_NAME_BYTES, KeyName};
use crate::bootstrap::store::tcp::service::{Service, Worlds, rest};
use crate::config::Config;
use crate::log_line;
use crate::sys::clock;
use crate::sys::listener::Listener;
use crate::sys::per_process::PerProcess;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::shortage::is_shortage;
use crate::sys::socket::Socket;
use crate::sys::thread::spawn_quiet;
use crate::sys::wake::Wake;

/// Limit of connections whose nonce has not come yet.
const UNNAMED: usize = 512;
/// How long the server stops accepting after an error.
const PAUSE: Duration = Duration::from_millis(20);
/// Connections taken from one listener at a time.
const BATCH: usize = 64;

/// The servers of this process: one, unless ids are made for different interfaces.
static SERVERS: PerProcess<Mutex<Vec<IdServer>>> = PerProcess::new();

fn servers() -> &'static Mutex<Vec<IdServer>> {
    &SERVERS.get_or(Mutex::default).value
}

#[cfg(test)]
pub(crate) fn hold() -> impl Drop {
    servers().lock()
}

/// The handle of a server, for threads that make ids.
struct IdServer {
    interface: Option<String>,
    addresses: Vec<SocketAddr>,
    new_stores: Arc<NewStores>,
}

/// Queue of new stores for the server's thread.
struct NewStores {
    stores: Mutex<Vec<(KeyName, Service)>>,
    wake: Wake,
}

/// Serves the store of an id with this key until `deadline`. Returns its addresses.
pub(crate) fn serve(key: &JobKey, config: &Config, deadline: Instant) -> Result<Vec<SocketAddr>> {
    let service = Service::new(Vec::new(), key, None, Worlds::One, Some(deadline));
    let mut servers = servers().lock();
    if let Some(server) = servers.iter().find(|server| server.interface == config.interface) {
        server.new_stores.stores.lock().push((key.name(), service));
        server.new_stores.wake.ring();
        return Ok(server.addresses.clone());
    }
    let server = IdServer::open(config, (key.name(), service))?;
    let addresses = server.addresses.clone();
    servers.push(server);
    Ok(addresses)
}

impl IdServer {
    /// Starts the thread of a server, whose first store is `first`.
    fn open(config: &Config, first: (KeyName, Service)) -> Result<IdServer> {
        let listeners = listeners::open(config)?;
        let addresses = listeners::addresses(&listeners);
        let wake = Wake::new().map_err(|e| Error::system("eventfd", e))?;
        let new_stores = Arc::new(NewStores { stores: Mutex::new(vec![first]), wake });
        let mut thread = ServerThread {
            new_stores: new_stores.clone(),
            listeners: listeners.into_iter().map(|listener| (listener, None)).collect(),
            unnamed: VecDeque::new(),
            stores: HashMap::new(),
            closed_until: None,
        };
        spawn_quiet("anyccl-ids", move || thread.run())
            .map_err(|e| Error::system("cannot start the thread that serves unique ids", e))?;
        Ok(IdServer { interface: config.interface.clone(), addresses, new_stores })
    }
}

/// A connection whose nonce has not come whole yet.
struct Unnamed {
    socket: Socket,
    nonce: Nonce,
    filled: usize,
    deadline: Instant,
    token: Option<Token>,
}

/// State of the thread behind a server.
struct ServerThread {
    new_stores: Arc<NewStores>,
    listeners: Vec<(Listener, Option<Token>)>,
    /// Connections in order of arrival, hence of deadline.
    unnamed: VecDeque<Unnamed>,
    stores: HashMap<KeyName, Service>,
    /// No connection is accepted before this time: the process is out of descriptors.
    closed_until: Option<Instant>,
}

impl ServerThread {
    fn run(&mut self) {
        let mut set = PollSet::new();
        loop {
            self.new_stores.wake.clear();
            self.stores.extend(self.new_stores.stores.lock().drain(..));
            if self.stores.is_empty() && self.has_closed() {
                return;
            }
            if self.stores.values().any(Service::has_many_connections) {
                rest();
            }
            set.clear();
            set.add(&self.new_stores.wake, Interest::Read);
            for (listener, token) in &mut self.listeners {
                *token = self.closed_until.is_none().then(|| set.add(listener, Interest::Read));
            }
            for unnamed in &mut self.unnamed {
                unnamed.token = Some(set.add(&unnamed.socket, Interest::Read));
            }
            let stores = self.stores.values_mut().filter_map(|store| store.register(&mut set)).min();
            let unnamed = self.unnamed.front().map(|unnamed| unnamed.deadline);
            let until = stores.into_iter().chain(unnamed).chain(self.closed_until).min();
            if let Err(error) = set.wait(until) {
                log_line!(Error, "unique ids: {error}; their ranks cannot gather");
                servers().lock().retain(|server| !Arc::ptr_eq(&server.new_stores, &self.new_stores));
                return;
            }
            self.closed_until = self.closed_until.filter(|until| *until > clock::now());
            self.stores.retain(|_, store| store.advance(&set));
            self.read_names(&set);
            self.accept(&set);
        }
    }

    /// Closes the server if nothing is left to serve. `false`: an id was made meanwhile.
    fn has_closed(&self) -> bool {
        let mut servers = servers().lock();
        let is_over = self.new_stores.stores.lock().is_empty();
        if is_over {
            servers.retain(|server| !Arc::ptr_eq(&server.new_stores, &self.new_stores));
        }
        is_over
    }

    fn accept(&mut self, set: &PollSet) {
        for (listener, token) in &mut self.listeners {
            if !token.take().is_some_and(|token| set.ready(token)) {
                continue;
            }
            for _ in 0..BATCH {
                let socket = match listener.accept() {
                    Ok(Some(socket)) => socket,
                    Ok(None) => break,
                    // Either no descriptors are left, then the oldest connection makes room; or the
                    // connection was gone already.
                    Err(error) => {
                        log_line!(Debug, "unique ids: accept failed: {error}");
                        if self.unnamed.pop_front().is_none() && is_shortage(&error) {
                            let number = error.raw_os_error().unwrap_or_default();
                            let shortage = || io::Error::from_raw_os_error(number);
                            self.stores.values_mut().for_each(|store| store.run_short(shortage()));
                        }
                        self.closed_until = Some(clock::now() + PAUSE);
                        break;
                    }
                };
                if self.unnamed.len() >= UNNAMED {
                    self.unnamed.pop_front();
                }
                self.unnamed.push_back(Unnamed {
                    socket,
                    nonce: [0; NONCE_BYTES],
                    filled: 0,
                    deadline: clock::now() + PATIENCE,
                    token: None,
                });
            }
        }
    }

    fn read_names(&mut self, set: &PollSet) {
        let now = clock::now();
        for mut unnamed in std::mem::take(&mut self.unnamed) {
            let ready = unnamed.token.take().is_some_and(|token| set.ready(token));
            match ready.then(|| unnamed.read()) {
                Some(Some(true)) => {
                    // Once more, because an id may have been made while this thread waited.
                    self.stores.extend(self.new_stores.stores.lock().drain(..));
                    let name = *unnamed.nonce.first_chunk::<KEY_NAME_BYTES>().expect("a nonce is longer");
                    if let Some(store) = self.stores.get_mut(&name) {
                        store.take(unnamed.socket, &unnamed.nonce, set);
                    }
                }
                Some(None) => {}
                Some(Some(false)) | None if unnamed.deadline > now => self.unnamed.push_back(unnamed),
                Some(Some(false)) | None => {}
            }
        }
    }
}

impl Unnamed {
    /// Whether the nonce is complete; `None`: the connection has ended.
    fn read(&mut self) -> Option<bool> {
        while self.filled < NONCE_BYTES {
            match self.socket.read(&mut self.nonce[self.filled..]) {
                Ok(None) => return Some(false),
                Ok(Some(0)) | Err(_) => return None,
                Ok(Some(read)) => self.filled += read,
            }
        }
        Some(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_child_serves_ids_although_its_parent_held_the_lock_at_the_fork() {
        let config = Config::default();
        let serves = || {
            let deadline = clock::now() + Duration::from_secs(20);
            JobKey::random().and_then(|key| serve(&key, &config, deadline)).is_ok()
        };
        assert!(serves(), "the parent");
        let held = servers().lock();
        // SAFETY: glibc keeps its own locks usable in the child. Every lock that the child takes besides is
        // new there. A child that waits all the same is ended by the alarm, and any child by `_exit`.
        let child = unsafe { libc::fork() };
        if child == 0 {
            // SAFETY: sets a timer of this process.
            unsafe { libc::alarm(20) };
            let code = if serves() { 0 } else { 1 };
            // SAFETY: ends the child at once.
            unsafe { libc::_exit(code) };
        }
        drop(held);
        assert!(child > 0);
        let mut status = -1;
        // SAFETY: the child of this function; the status goes to a local.
        assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
        assert_eq!(status, 0, "the child made no id, or waited for a lock");
    }
}
