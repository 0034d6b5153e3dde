//! What a rank that cannot join reports: each cause has a sentence of its own.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::{join, shortly, soon};
use crate::base::Error;
use crate::bootstrap::discovery::job::open;
use crate::bootstrap::job::environment::Description;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::tcp::server::Server;
use crate::config::Config;
use crate::observe::log;
use crate::sys::clock::tests::with_clock;
use crate::sys::clock::{self, TestClock};
use crate::sys::port::ReservedPort;
use crate::sys::resolve::{Resolved, resolve};

const SIZE: u32 = 3;

/// The error of `rank`, which cannot join at `host`, `port` by `deadline`.
fn refusal(rank: u32, host: &str, port: u16, key: Option<JobKey>, deadline: Instant) -> Error {
    let place = StoreAddress::Tcp { host: host.into(), port, served: false };
    let description = Description { seat: Some(Seat { rank, size: SIZE }), place, key, source: "test" };
    open(description, &Config::default(), deadline).err().expect("there is nothing to join")
}

/// A deadline that is not reached by turning the clock for [`STEP`] again and again.
fn in_a_day() -> Instant {
    clock::now() + Duration::from_secs(86_400)
}

/// A turn of the clock. It is well below the patience of a connection.
const STEP: Duration = Duration::from_millis(50);

/// The error of rank 1, which is certain some time before the deadline.
fn early_refusal(clock: &TestClock, port: u16, key: Option<JobKey>) -> Error {
    let error = clock.advance_while(STEP, || refusal(1, "127.0.0.1", port, key, in_a_day()));
    assert!(!matches!(error, Error::Timeout { .. }), "{error}");
    error
}

/// A port of loopback at which `greet` serves every connection, for as long as the test process lives.
fn service(greet: impl Fn(std::net::TcpStream) + Send + 'static) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || listener.incoming().flatten().for_each(greet));
    port
}

#[test]
fn a_name_that_does_not_exist_is_an_error_at_once_on_every_rank() {
    let name = "no-such-host.invalid";
    if !matches!(resolve(name, 1), Resolved::Unknown(_)) {
        // The resolver of this machine cannot tell: then nothing is certain.
        return;
    }
    with_clock(|clock| {
        clock.stop();
        let port = ReservedPort::new().unwrap();
        for (rank, start) in [(0, "rank 0 cannot serve"), (1, "cannot join: the host name of the store at")] {
            let text = refusal(rank, name, port.number(), None, soon()).to_string();
            assert!(text.starts_with(start) && text.contains("does not resolve"), "{text}");
        }
    });
}

#[test]
fn a_rank_that_comes_when_its_time_is_over_blames_no_name() {
    let reserved = ReservedPort::new().unwrap();
    let text = refusal(1, "127.0.0.1", reserved.number(), None, clock::now()).to_string();
    assert!(text.contains("before the store at 127.0.0.1") && !text.contains("resolve"), "{text}");
}

#[test]
fn a_refused_connection_is_told_with_what_to_look_at() {
    let reserved = ReservedPort::new().unwrap();
    let port = reserved.number();
    let error = refusal(1, "127.0.0.1", port, None, shortly());
    let Error::Timeout { detail, .. } = &error else { panic!("{error}") };
    let start =
        format!("cannot join: no anyccl store answers at 127.0.0.1:{port} (connection refused). Is rank 0 ");
    assert!(detail.starts_with(&start), "{detail}");
}

#[test]
fn another_program_at_the_port_is_told_before_the_deadline() {
    with_clock(|clock| {
        let greeting = "SSH-2.0-OpenSSH_9.2p1 Debian-2+deb12u3\r\n";
        let held = Mutex::new(Vec::new());
        let port = service(move |mut stream| {
            let _ = stream.write_all(greeting.as_bytes());
            held.lock().push(stream);
        });
        // One service keeps silent after its greeting, the other closes.
        let closing = service(move |mut stream| {
            // Closing with unread input would discard the greeting.
            let _ = stream.read_exact(&mut [0; 32]);
            let _ = stream.write_all(&greeting.as_bytes()[..20]);
        });
        for port in [port, closing] {
            let text = early_refusal(clock, port, None).to_string();
            assert!(text.starts_with("cannot join: another program answers at 127.0.0.1:"), "{text}");
        }
    });
}

#[test]
fn a_wrong_key_is_told_before_the_deadline() {
    let server = Server::start("127.0.0.1:0".parse().unwrap(), &JobKey::random().unwrap(), SIZE).unwrap();
    with_clock(|clock| {
        let key = Some(JobKey::random().unwrap());
        let error = early_refusal(clock, server.address().port(), key);
        assert!(matches!(error, Error::Bootstrap(_)), "{error}");
        assert!(error.to_string().contains("has another job key. Do all ranks"), "{error}");
    });
}

#[test]
fn rank_0_does_not_serve_at_an_address_that_is_not_its_hosts() {
    // TEST-NET-3: no host has it.
    with_clock(|clock| {
        clock.stop();
        let port = ReservedPort::new().unwrap();
        let text = refusal(0, "203.0.113.7", port.number(), None, soon()).to_string();
        assert!(text.contains("203.0.113.7 is no address of this host"), "{text}");
    });
}

/// Turns the clock until there is a line of the log that holds all of `parts`.
fn wait_for_line(clock: &TestClock, lines: &Mutex<Vec<String>>, parts: &[&str]) -> String {
    let find = || lines.lock().iter().find(|line| parts.iter().all(|part| line.contains(part))).cloned();
    clock.advance_while(STEP, || {
        loop {
            if let Some(line) = find() {
                return line;
            }
            std::thread::yield_now();
        }
    })
}

#[test]
fn a_long_wait_says_for_whom_and_why() {
    with_clock(|clock| {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let sink = lines.clone();
        log::set_sink(Some(Box::new(move |_, line| sink.lock().push(line.to_string()))));

        // Nobody serves yet: rank 1 reports that, and joins when rank 0 has come.
        let reserved = ReservedPort::new().unwrap();
        let (port, key) = (reserved.number(), JobKey::random().unwrap());
        let at: SocketAddr = ([127, 0, 0, 1], port).into();
        std::thread::scope(|scope| {
            let (key, seat) = (&key, |rank| Seat { rank, size: 9 });
            let late = scope.spawn(move || join(at, key, seat(1), in_a_day()).map(drop));
            let line = wait_for_line(clock, &lines, &["waiting", &format!("127.0.0.1:{port}")]);
            assert!(
                line.starts_with("rank 1: waiting") && line.contains(": connection refused; up to "),
                "{line}"
            );
            let server = Server::start(at, key, 9).unwrap();
            late.join().unwrap().unwrap();

            // The store reports who has not come.
            let mut rank_7 = join(at, key, seat(7), in_a_day()).unwrap();
            let (sender, receiver) = std::sync::mpsc::channel();
            scope.spawn(move || sender.send(rank_7.get("table", in_a_day()).is_err()));
            let line = wait_for_line(clock, &lines, &["ranks 0, 2, 3, 4, 5, 6, 8 have not come"]);
            assert!(line.starts_with("waiting") && line.contains("for all ranks to come: "), "{line}");
            drop(server);
            assert!(receiver.recv().unwrap());
        });
        log::set_sink(None);
    });
}
