//! A process manager that speaks PMI-1, for ranks that are threads.

use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::Duration;

use super::{all_ok, open_at, ranks, soon};
use crate::base::{Error, Result};
use crate::bootstrap::discovery::job::open;
use crate::bootstrap::job::environment::Description;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::{ManagerAddress, StoreAddress};
use crate::bootstrap::mesh::connect::{self, Mesh};
use crate::bootstrap::store::pmi::session;
use crate::config::Config;
use crate::sys::clock;

/// Two ways in which process managers answer.
#[derive(Clone, Copy)]
enum Manner {
    /// Results in the order of the standard, short values.
    Strict,
    /// Fields in another order, more of them, `rc` everywhere.
    Chatty,
}

struct Manager {
    manner: Manner,
    values: Mutex<HashMap<String, String>>,
    barrier: Barrier,
}

impl Manager {
    fn new(manner: Manner, size: usize) -> Arc<Manager> {
        Arc::new(Manager { manner, values: Mutex::default(), barrier: Barrier::new(size) })
    }

    /// Serves one rank until it goes.
    fn serve(&self, requests: impl BufRead, mut answers: impl Write) {
        for line in requests.lines().map_while(|line| line.ok()) {
            let fields: HashMap<&str, &str> =
                line.split(' ').filter_map(|word| word.split_once('=')).collect();
            let key = fields.get("key").copied().unwrap_or_default();
            let (cmd, rest) = match fields["cmd"] {
                "init" => ("response_to_init", "pmi_version=1 pmi_subversion=1 rc=0".to_string()),
                "get_maxes" => {
                    ("maxes", format!("kvsname_max=256 keylen_max=64 vallen_max={}", self.value_bytes()))
                }
                "get_my_kvsname" => ("my_kvsname", "kvsname=kvs_1".to_string()),
                "put" => {
                    assert!(fields["value"].len() < self.value_bytes() && key.len() < 64, "{line}");
                    self.values.lock().unwrap().insert(key.to_string(), fields["value"].to_string());
                    ("put_result", "rc=0 msg=success".to_string())
                }
                "barrier_in" => {
                    self.barrier.wait();
                    ("barrier_out", String::new())
                }
                "get" => match self.values.lock().unwrap().get(key) {
                    Some(value) => ("get_result", format!("rc=0 msg=success value={value}")),
                    None => ("get_result", "rc=-1 msg=key_not_found value=unknown".to_string()),
                },
                "get_appnum" => ("appnum", "appnum=3".to_string()),
                "get_universe_size" => ("universe_size", "size=16".to_string()),
                "finalize" => ("finalize_ack", String::new()),
                other => panic!("{other} is not asked by ranks"),
            };
            let line = match self.manner {
                Manner::Strict => format!("cmd={cmd} {rest}"),
                Manner::Chatty => format!("rc=0 {rest} tag=0 cmd={cmd}"),
            };
            if answers.write_all(format!("{}\n", line.trim_end()).as_bytes()).is_err() {
                return;
            }
        }
    }

    fn value_bytes(&self) -> usize {
        match self.manner {
            Manner::Strict => 40,
            Manner::Chatty => 1024,
        }
    }
}

fn connect(seat: Option<Seat>, door: ManagerAddress) -> Result<Mesh> {
    let description = Description { seat, place: StoreAddress::Pmi(door), key: None, source: "test" };
    let mut job = open(description, &Config::default(), soon())?;
    connect::connect(&mut job, &Config::default(), b"", soon())
}

#[test]
fn ranks_meet_over_inherited_sockets_whatever_the_process_managers_manner() {
    for manner in [Manner::Strict, Manner::Chatty] {
        let manager = Manager::new(manner, 3);
        all_ok(ranks(3, |rank| {
            let (ours, theirs) = UnixStream::pair().unwrap();
            let manager = Arc::clone(&manager);
            thread::spawn(move || manager.serve(BufReader::new(theirs.try_clone().unwrap()), theirs));
            let door = ManagerAddress::Descriptor { number: ours.as_raw_fd(), one_host: true };
            connect(Some(Seat { rank, size: 3 }), door)
        }));
    }
}

#[test]
fn ranks_meet_over_tcp_and_are_told_who_they_are() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let manager = Manager::new(Manner::Strict, 2);
    thread::spawn(move || {
        for stream in listener.incoming().take(2) {
            let (stream, manager) = (stream.unwrap(), Arc::clone(&manager));
            thread::spawn(move || {
                let mut requests = BufReader::new(stream.try_clone().unwrap());
                let mut first = String::new();
                requests.read_line(&mut first).unwrap();
                let id =
                    first.trim().strip_prefix("cmd=initack pmiid=").expect("an introduction").to_string();
                let settings = format!("cmd=set size=2\ncmd=set rank={id}\ncmd=set debug=0\n");
                (&stream).write_all(format!("cmd=initack rc=0\n{settings}").as_bytes()).unwrap();
                manager.serve(requests, stream);
            });
        }
    });
    all_ok(ranks(2, |rank| {
        connect(None, ManagerAddress::Address { host: "127.0.0.1".into(), port, id: rank.to_string() })
    }));
}

#[test]
fn the_process_manager_tells_which_program_this_is_and_how_many_ranks_there_is_room_for() {
    let manager = Manager::new(Manner::Strict, 1);
    let (ours, theirs) = UnixStream::pair().unwrap();
    thread::spawn(move || manager.serve(BufReader::new(theirs.try_clone().unwrap()), theirs));
    let door = ManagerAddress::Descriptor { number: ours.as_raw_fd(), one_host: true };
    connect(Some(Seat { rank: 0, size: 1 }), door).unwrap();
    // Managers of tests beside this one say the same.
    assert_eq!(session::number("cmd=get_appnum", "appnum", "appnum"), Some(3));
    assert_eq!(session::number("cmd=get_universe_size", "universe_size", "size"), Some(16));
    assert_eq!(session::number("cmd=get_appnum", "appnum", "nothing"), None);
}

#[test]
fn a_number_that_is_no_connection_is_an_error_that_names_the_variable() {
    let door = ManagerAddress::Descriptor { number: 1 << 20, one_host: true };
    let text = connect(Some(Seat { rank: 0, size: 2 }), door).err().unwrap().to_string();
    assert!(text.contains("PMI_FD=1048576"), "{text}");
}

#[test]
fn a_rank_that_waits_for_one_that_runs_another_mpi_is_told_how_long_and_what_to_look_for() {
    let manager = Manager::new(Manner::Strict, 2);
    let (ours, theirs) = UnixStream::pair().unwrap();
    thread::spawn(move || manager.serve(BufReader::new(theirs.try_clone().unwrap()), theirs));
    let door = ManagerAddress::Descriptor { number: ours.as_raw_fd(), one_host: true };
    let end = clock::now() + Duration::from_millis(300);
    let outcome = open_at(StoreAddress::Pmi(door), Seat { rank: 0, size: 2 }, end)
        .and_then(|mut job| connect::connect(&mut job, &Config::default(), b"", end));
    match outcome {
        Err(Error::Timeout { waited, detail }) => {
            assert!(waited > Duration::ZERO && detail.contains("another MPI"), "{waited:?}: {detail}");
        }
        other => panic!("{:?}", other.map(drop)),
    }
}
