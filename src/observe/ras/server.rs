//! The thread that answers clients.
//!
//! It waits for all of them at once and never for one. A client that says nothing, or does not read, is
//! dropped after a while; one that watches may be silent for ever. What a client can make the thread keep is
//! bounded: a line, an unread answer, and the number of clients.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use super::askers::may_ask;
use super::monitor::{Event, Look};
use super::protocol::{Command, DONE, Format, Groups, LONGEST_LINE, parse};
use super::{json, text};
use crate::log_line;
use crate::observe::jobs::{self, Job, jobs_of};
use crate::sys::host::host_name;
use crate::sys::owned::Owned;
use crate::sys::poll::{Interest, PollSet, Token};
use crate::sys::{clock, interfaces};

/// Most clients at a time. One more replaces the one that has been there for longest.
const MOST_CLIENTS: usize = 64;
/// A client that neither says nor reads anything for so long is dropped.
const PATIENCE: Duration = Duration::from_secs(30);
/// Most bytes that wait for a client to read them, besides one answer.
const MOST_UNREAD: usize = 1 << 20;
/// Time between two looks at the job while a client watches.
const LOOK_PAUSE: Duration = Duration::from_secs(1);
/// Time without new clients after the system had no room for one.
const SHORTAGE_PAUSE: Duration = Duration::from_secs(1);

/// Serves clients until the listening socket is gone.
pub(super) fn serve(listener: &Owned<TcpListener>) {
    let mut server = Server { clients: Vec::new(), watch: None, pause: None };
    let mut set = PollSet::new();
    while server.turn(listener, &mut set).is_ok() {}
}

struct Server {
    clients: Vec<Client>,
    /// The last look at the job and the time of the next, while a client watches.
    watch: Option<(Look, Instant)>,
    /// Until when no client is accepted.
    pause: Option<Instant>,
}

impl Server {
    /// Waits until something is to be done, and does it.
    fn turn(&mut self, listener: &Owned<TcpListener>, set: &mut PollSet) -> io::Result<()> {
        set.clear();
        self.pause = self.pause.filter(|until| *until > clock::now());
        let new = if self.pause.is_none() { Some(set.add(&**listener, Interest::Read)) } else { None };
        let tokens: Vec<Token> = self.clients.iter().map(|client| client.add_to(set)).collect();
        let limits = self.clients.iter().filter_map(|client| client.until);
        let next = limits.chain(self.pause).chain(self.watch.as_ref().map(|(_, next)| *next)).min();
        set.wait(next)?;
        let now = clock::now();
        for (client, token) in self.clients.iter_mut().zip(tokens) {
            if set.ready(token) && !client.ends {
                client.read(now);
            }
        }
        // Before the answer to a client that begins to watch: it is to hear of all that happens from then on.
        self.watch(now);
        for client in &mut self.clients {
            client.write(now);
            client.is_gone |= client.until.is_some_and(|until| until <= now);
        }
        self.clients.retain(|client| !client.is_gone);
        if new.is_some_and(|new| set.ready(new)) { self.accept(listener, now) } else { Ok(()) }
    }

    fn accept(&mut self, listener: &TcpListener, now: Instant) -> io::Result<()> {
        match listener.accept() {
            Ok((stream, address)) => {
                let stream = Owned::new(stream);
                if stream.set_nonblocking(true).is_err() {
                    return Ok(());
                }
                if !stream.local_addr().is_ok_and(|here| may_ask(address, here)) {
                    log_line!(Info, "RAS: the client at {address} is of another user, and is not answered");
                    return Ok(());
                }
                if self.clients.len() == MOST_CLIENTS {
                    self.clients.remove(0);
                }
                self.clients.push(Client::new(stream, now));
            }
            Err(error) => match error.kind() {
                ErrorKind::WouldBlock | ErrorKind::Interrupted | ErrorKind::ConnectionAborted => {}
                // The program has closed the socket, or put another file in its place.
                _ if matches!(error.raw_os_error(), Some(libc::EBADF | libc::ENOTSOCK | libc::EINVAL)) => {
                    return Err(error);
                }
                _ => self.pause = Some(now + SHORTAGE_PAUSE),
            },
        }
        Ok(())
    }

    /// Looks at the job if a client watches and it is time.
    fn watch(&mut self, now: Instant) {
        if self.clients.iter().all(|client| client.watches.is_none()) {
            self.watch = None;
            return;
        }
        if self.watch.as_ref().is_some_and(|(_, next)| *next > now) {
            return;
        }
        let look = Look::of(&own_jobs());
        if let Some((before, _)) = &self.watch {
            let (host, events) = (host(), look.since(before));
            self.clients.iter_mut().for_each(|client| client.tell(&events, &host));
        }
        self.watch = Some((look, now + LOOK_PAUSE));
    }
}

/// One client.
struct Client {
    stream: Owned<TcpStream>,
    /// What it has said and is not a whole line yet.
    heard: Vec<u8>,
    /// What it has not read yet.
    unread: Vec<u8>,
    format: Format,
    /// Events that it watches, once it does.
    watches: Option<Groups>,
    /// Whether the connection ends when all is read.
    ends: bool,
    is_gone: bool,
    /// When it is dropped, unless something happens.
    until: Option<Instant>,
}

impl Client {
    fn new(stream: Owned<TcpStream>, now: Instant) -> Client {
        Client {
            stream,
            heard: Vec::new(),
            unread: Vec::new(),
            format: Format::default(),
            watches: None,
            ends: false,
            is_gone: false,
            until: Some(now + PATIENCE),
        }
    }

    fn add_to(&self, set: &mut PollSet) -> Token {
        let interest = match (self.unread.is_empty(), self.ends) {
            (true, _) => Interest::Read,
            (false, false) => Interest::ReadWrite,
            // It may have ended its own side, which can always be read.
            (false, true) => Interest::Write,
        };
        set.add(&*self.stream, interest)
    }

    fn read(&mut self, now: Instant) {
        let mut bytes = [0; LONGEST_LINE];
        match (&*self.stream).read(&mut bytes) {
            // A client that watches has gone; another may wait for an answer.
            Ok(0) => (self.ends, self.is_gone) = (true, self.unread.is_empty() || self.watches.is_some()),
            Ok(count) => {
                self.heard.extend(&bytes[..count]);
                self.obey(now);
            }
            Err(error) if is_passing(&error) => {}
            Err(_) => self.is_gone = true,
        }
    }

    /// Does what whole lines ask for.
    fn obey(&mut self, now: Instant) {
        while let Some(end) = self.heard.iter().position(|byte| *byte == b'\n')
            && !self.ends
        {
            let line: Vec<u8> = self.heard.drain(..=end).collect();
            let line = String::from_utf8_lossy(&line);
            self.obey_line(line.trim_end_matches(['\r', '\n']));
            self.until = self.watches.is_none().then_some(now + PATIENCE);
        }
        self.is_gone |= !self.ends && (self.heard.len() >= LONGEST_LINE || self.unread.len() > MOST_UNREAD);
    }

    fn obey_line(&mut self, line: &str) {
        match parse(line) {
            Command::Say(text) => self.say(&text),
            Command::SetFormat(format) => {
                self.format = format;
                self.say(DONE);
            }
            Command::Monitor(groups) => {
                self.watches = Some(groups);
                self.say(DONE);
            }
            Command::Status { is_verbose } => {
                let answer = status(self.format, is_verbose);
                self.say(&answer);
                self.ends = true;
            }
        }
    }

    fn say(&mut self, text: &str) {
        self.unread.extend(text.as_bytes());
    }

    /// Tells it the events that it watches.
    fn tell(&mut self, events: &[Event], host: &str) {
        let Some(groups) = self.watches else { return };
        for event in
            events.iter().filter(|event| if event.is_trace { groups.trace } else { groups.lifecycle })
        {
            let text = match self.format {
                Format::Text => text::event(event, host),
                Format::Json => json::event(event, host),
            };
            self.say(&text);
        }
        self.is_gone |= self.unread.len() > MOST_UNREAD;
    }

    fn write(&mut self, now: Instant) {
        while !self.unread.is_empty() {
            match (&*self.stream).write(&self.unread) {
                Ok(count) => {
                    self.unread.drain(..count);
                    self.until = self.watches.is_none().then_some(now + PATIENCE);
                }
                Err(error) if is_passing(&error) => return,
                Err(_) => {
                    self.is_gone = true;
                    return;
                }
            }
        }
        self.is_gone |= self.ends;
    }
}

fn is_passing(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// The state of this process's job.
fn status(format: Format, is_verbose: bool) -> String {
    let begin = clock::now();
    let jobs = own_jobs();
    let (host, took) = (host(), clock::now().saturating_duration_since(begin));
    match format {
        Format::Text => text::status(&jobs, is_verbose, &host, took),
        Format::Json => json::status(&jobs, &host, took),
    }
}

/// The job of this process; none if it has no communicator now.
fn own_jobs() -> Vec<Job> {
    let mut jobs = jobs_of(&jobs::all().unwrap_or_default(), 1);
    jobs.retain(|job| job.has(std::process::id()));
    jobs
}

/// How clients know this host: by the first address at which others may reach it, as with NCCL.
fn host() -> String {
    let all = interfaces::interfaces().unwrap_or_default();
    let addresses = || all.iter().filter(|one| one.up && !one.loopback).flat_map(|one| &one.addresses);
    let address = addresses().find(|address| address.is_ipv4()).or_else(|| addresses().next());
    address.map_or_else(host_name, |address| address.to_string())
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;
    use crate::sys::shared_port;

    /// Serves clients by a thread of its own, which ends with the process. Returns where.
    fn served() -> std::net::SocketAddr {
        let listener = shared_port::listen("127.0.0.1:0".parse().unwrap()).unwrap();
        let at = listener.local_addr().unwrap();
        thread::spawn(move || serve(&listener));
        at
    }

    fn connected(at: std::net::SocketAddr) -> TcpStream {
        let stream = TcpStream::connect(at).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        stream
    }

    /// What is said until the connection ends.
    fn all_said(stream: &mut TcpStream) -> String {
        let mut text = String::new();
        stream.read_to_string(&mut text).unwrap();
        text
    }

    fn said(stream: &mut TcpStream, bytes: usize) -> String {
        let mut text = vec![0; bytes];
        stream.read_exact(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn commands_in_pieces_or_together_are_answered_in_order_and_status_ends_the_connection() {
        let at = served();
        // Says nothing, and keeps nobody waiting.
        let _silent = connected(at);
        let mut client = connected(at);
        client.write_all(b"CLIENT PROT").unwrap();
        client.write_all(b"OCOL 2\r\nTIMEOUT 5\nwhat\n").unwrap();
        let expected = "SERVER PROTOCOL 2\nOK\nERROR: Unknown command what\n";
        assert_eq!(said(&mut client, expected.len()), expected);
        client.write_all(b"SET FORMAT json\nSTATUS\nSTATUS\n").unwrap();
        let answer = all_said(&mut client);
        assert!(answer.starts_with("OK\n{\n  \"nccl_version\""), "{answer}");
        assert_eq!(answer.matches("nccl_version").count(), 1);
        // A client that ends its own side first, as many tools do.
        let mut client = connected(at);
        client.write_all(b"VERBOSE STATUS\n").unwrap();
        client.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(all_said(&mut client).starts_with("NCCL version "));
    }

    #[test]
    fn a_client_that_sends_no_line_or_reads_nothing_is_dropped_and_others_are_served() {
        let at = served();
        let mut endless = connected(at);
        // The server may have ended the connection before all is sent.
        let _ = endless.write_all(&[b'x'; 4 * LONGEST_LINE]);
        assert!(matches!(endless.read(&mut [0]), Ok(0) | Err(_)), "it is dropped");
        let mut deaf = connected(at);
        while deaf.write_all(&b"x\n".repeat(LONGEST_LINE)).is_ok() {}
        let mut watching = connected(at);
        watching.write_all(b"MONITOR all\n").unwrap();
        assert_eq!(said(&mut watching, 3), "OK\n");
        let mut many: Vec<TcpStream> = (0..MOST_CLIENTS).map(|_| connected(at)).collect();
        let last = many.last_mut().unwrap();
        last.write_all(b"TIMEOUT 1\n").unwrap();
        assert_eq!(said(last, 3), "OK\n");
        assert_eq!(all_said(&mut watching), "", "the oldest makes room");
    }
}
