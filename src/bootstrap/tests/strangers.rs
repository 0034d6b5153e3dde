//! Strangers at the door while the ranks gather.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Barrier};
use std::time::Duration;

use parking_lot::Mutex;

use super::{all_ok, join, mesh_of_tapped, ranks, soon};
use crate::bootstrap::auth::dial::{Dial, Target};
use crate::bootstrap::auth::gate::{Admission, Gate};
use crate::bootstrap::auth::handshake::Refusal;
use crate::bootstrap::auth::hello::{ANY_RANK, Hello, Objection};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::discovery::job::Job;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::mesh::connect::connect;
use crate::bootstrap::mesh::record::Record;
use crate::bootstrap::store::tcp::server::Server;
use crate::config::{Config, TransportChoice};
use crate::sys::listener::Listener;
use crate::sys::poll::PollSet;
use crate::sys::socket::Socket;

/// Connects strangers of four kinds. They are returned: those that say nothing stay connected.
fn strangers(at: SocketAddr, count: usize) -> Vec<TcpStream> {
    let mut connected = Vec::new();
    for kind in 0..count {
        let mut stream = TcpStream::connect(at).unwrap();
        // A stranger may be refused while it is still speaking.
        let _ = match kind % 4 {
            0 => Ok(()),
            1 => stream.write_all(b"GET / HTTP/1.0\r\n\r\n"),
            2 => stream.write_all(&[0xa5; 4096]),
            _ => {
                drop(stream);
                continue;
            }
        };
        connected.push(stream);
    }
    connected
}

#[test]
fn two_hundred_strangers_at_the_store_do_not_keep_four_ranks_from_meeting() {
    let key = JobKey::random().unwrap();
    let server = Server::start("127.0.0.1:0".parse().unwrap(), &key, 4).unwrap();
    let crowd = strangers(server.address(), 200);
    let meshes = ranks(4, |rank| {
        let client = join(server.address(), &key, Seat { rank, size: 4 }, soon()).unwrap();
        let mut job = Job { rank, size: 4, key: key.clone(), store: Some(Box::new(client)), source: "test" };
        let config = Config { transport: TransportChoice::Tcp, ..Config::default() };
        connect(&mut job, &config, b"", soon())
    });
    all_ok(meshes);
    drop(crowd);
}

/// Runs a gate until a rank has come through it, while the crowd is there.
fn admit_one(gate: &mut Gate) -> (Socket, Hello) {
    let mut set = PollSet::new();
    loop {
        set.clear();
        gate.register(&mut set);
        set.wait(gate.next_deadline().into_iter().chain([soon()]).min()).unwrap();
        for admission in gate.advance(&set) {
            if let Admission::Admitted(socket, hello) = admission {
                return (socket, hello);
            }
        }
    }
}

fn dial(target: SocketAddr, key: &JobKey, hello: Hello) -> Result<(Socket, Hello), Refusal> {
    let mut dial = Dial::start(&Target::Tcp(target), key, hello, Duration::from_secs(20))?;
    let mut set = PollSet::new();
    loop {
        set.clear();
        dial.register(&mut set);
        set.wait(dial.next_deadline()).unwrap();
        if let Some(there) = dial.advance(&set)? {
            return Ok(there);
        }
    }
}

#[test]
fn a_gate_too_small_for_the_crowd_lets_the_oldest_go_and_the_rank_in() {
    let key = JobKey::random().unwrap();
    let listener = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
    let at = listener.address().unwrap();
    let own = Hello::new(Purpose::Control, 0, 2, ANY_RANK);
    let mut gate = Gate::new(vec![listener], &key, &[Purpose::Control], own, 8);
    let mut crowd = strangers(at, 200);
    let admitted = std::thread::scope(|scope| {
        scope.spawn(|| dial(at, &key, Hello::new(Purpose::Control, 1, 2, 0)).map(drop).unwrap());
        admit_one(&mut gate)
    });
    assert_eq!(admitted.1.rank, 1);
    // The first stranger said nothing and was the first to go: it got our nonce at most.
    let mut heard = Vec::new();
    crowd[0].set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let end = crowd[0].read_to_end(&mut heard);
    assert!(heard.len() <= 32 && end.is_ok_and(|n| n <= 32), "{heard:?}");
}

#[test]
fn a_wrong_key_or_purpose_is_refused_without_an_answer_and_the_right_one_is_not() {
    let key = JobKey::random().unwrap();
    let listener = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
    let at = listener.address().unwrap();
    let own = Hello::new(Purpose::Control, 0, 2, ANY_RANK);
    let mut gate = Gate::new(vec![listener], &key, &[Purpose::Control, Purpose::Data], own, 8);
    let served = Barrier::new(2);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for (stranger_key, purpose) in
                [(JobKey::random().unwrap(), Purpose::Control), (key.clone(), Purpose::Store)]
            {
                let refused = dial(at, &stranger_key, Hello::new(purpose, 1, 2, 0)).unwrap_err();
                assert!(matches!(refused, Refusal::Closed | Refusal::Io(_)), "{refused}");
            }
            let _held = dial(at, &key, Hello::new(Purpose::Data, 1, 2, 0)).unwrap();
            served.wait();
        });
        let (_socket, hello) = admit_one(&mut gate);
        assert_eq!(hello.purpose, Purpose::Data, "only the last of the three may come through");
        served.wait();
    });
}

#[test]
fn a_peer_that_echoes_our_bytes_learns_and_gets_nothing() {
    let key = JobKey::random().unwrap();
    // An impostor that listens where a rank connects, and returns every byte.
    let mirror = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let at = mirror.local_addr().unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let (mut stream, _) = mirror.accept().unwrap();
            let mut bytes = [0; 64];
            while let Ok(read @ 1..) = stream.read(&mut bytes) {
                if stream.write_all(&bytes[..read]).is_err() {
                    break;
                }
            }
        });
        let mut hello = Hello::new(Purpose::Control, 1, 2, 0);
        hello.data = 1;
        let mut dial = Dial::start(&Target::Tcp(at), &key, hello, Duration::from_millis(200)).unwrap();
        let mut set = PollSet::new();
        let refused = loop {
            set.clear();
            dial.register(&mut set);
            set.wait(dial.next_deadline()).unwrap();
            match dial.advance(&set) {
                Ok(None) => {}
                Ok(Some(_)) => panic!("took its own reflection for a peer"),
                Err(refused) => break refused,
            }
        };
        assert!(matches!(refused, Refusal::Io(_) | Refusal::Stranger), "{refused}");
    });
}

#[test]
fn another_protocol_version_is_named_on_both_sides() {
    let key = JobKey::random().unwrap();
    let listener = Listener::tcp("127.0.0.1:0".parse().unwrap()).unwrap();
    let at = listener.address().unwrap();
    let own = Hello::new(Purpose::Control, 0, 2, ANY_RANK);
    let mut gate = Gate::new(vec![listener], &key, &[Purpose::Control], own, 8);
    let newer = Hello { protocol: 7, ..Hello::new(Purpose::Control, 1, 2, 0) };
    std::thread::scope(|scope| {
        let connector = scope.spawn(|| dial(at, &key, newer).unwrap_err().to_string());
        let mut set = PollSet::new();
        let acceptor = loop {
            set.clear();
            gate.register(&mut set);
            set.wait(gate.next_deadline()).unwrap();
            match gate.advance(&set).pop() {
                Some(Admission::Disagreement(text)) => break text,
                Some(Admission::Admitted(..)) => panic!("version 7 was let in"),
                None => {}
            }
        };
        assert!(acceptor.starts_with("rank 1 speaks bootstrap protocol 7, rank 0 speaks 4"), "{acceptor}");
        let connector = connector.join().unwrap();
        assert!(connector.starts_with("rank 0 speaks bootstrap protocol 4, rank 1 speaks 7"), "{connector}");
    });
}

#[test]
fn strangers_at_the_ranks_own_ports_do_not_keep_them_from_connecting_and_the_ports_close() {
    let crowd = Arc::new(Mutex::new((Vec::new(), Vec::new())));
    let told = crowd.clone();
    let betray = Arc::new(move |record: &mut Record| {
        let mut crowd = told.lock();
        for address in &record.addresses {
            crowd.0.push(*address);
            crowd.1.extend(strangers(*address, 80));
        }
    });
    let meshes = all_ok(mesh_of_tapped(4, betray, |_, config| config.transport = TransportChoice::Tcp));
    let crowd = crowd.lock();
    assert!(crowd.0.len() >= 3, "ranks 1 to 3 listen somewhere");
    for address in &crowd.0 {
        let error = TcpStream::connect(address).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::ConnectionRefused, "{address} is still open");
    }
    drop(meshes);
}

#[test]
fn a_process_of_another_user_does_not_come_in_by_a_unix_socket() {
    let (key, me) = (JobKey::random().unwrap(), crate::sys::host::user_id());
    let own = Hello::new(Purpose::Control, 0, 2, ANY_RANK);
    // This process plays the other user's: the gate admits another user id.
    for (user, comes_in) in [(Some(me), true), (None, true), (Some(me + 1), false)] {
        let name = format!("anyccl-test-{}", JobKey::random().unwrap().to_hex()).into_bytes();
        let listener = Listener::unix(&name).unwrap();
        let mut gate = Gate::new(vec![listener], &key, &[Purpose::Control], own, 8).restrict_to(user);
        let hello = Hello::new(Purpose::Control, 1, 2, 0);
        let mut dial = Dial::start(&Target::Unix(name), &key, hello, Duration::from_secs(20)).unwrap();
        assert_eq!(user.and_then(|user| dial.other_user(user)).is_none(), comes_in);
        let mut set = PollSet::new();
        let end = loop {
            set.clear();
            gate.register(&mut set);
            dial.register(&mut set);
            set.wait(Some(soon())).unwrap();
            gate.advance(&set);
            match dial.advance(&set) {
                Ok(None) => {}
                end => break end,
            }
        };
        assert_eq!(end.is_ok(), comes_in);
    }
}

/// Connects by a Unix socket whose gate belongs to rank 0 of two. Returns what came of it for the connector,
/// and what the gate has admitted.
fn dial_unix(gate_key: &JobKey, key: &JobKey, hello: Hello) -> (Result<Hello, Refusal>, Vec<Admission>) {
    let name = format!("anyccl-test-{}", JobKey::random().unwrap().to_hex()).into_bytes();
    let own = Hello::new(Purpose::Control, 0, 2, ANY_RANK);
    let listener = Listener::unix(&name).unwrap();
    let mut gate = Gate::new(vec![listener], gate_key, &[Purpose::Control, Purpose::Data], own, 8);
    let mut dial = Dial::start(&Target::Unix(name), key, hello, Duration::from_secs(20)).unwrap();
    let (mut set, mut admissions) = (PollSet::new(), Vec::new());
    loop {
        set.clear();
        gate.register(&mut set);
        dial.register(&mut set);
        set.wait(Some(soon())).unwrap();
        admissions.extend(gate.advance(&set));
        match dial.advance(&set) {
            Ok(None) => {}
            Ok(Some((_, hello))) => return (Ok(hello), admissions),
            Err(refusal) => return (Err(refusal), admissions),
        }
    }
}

#[test]
fn a_unix_socket_admits_the_job_with_one_answer_and_refuses_others_without() {
    let key = JobKey::random().unwrap();
    let (end, admissions) = dial_unix(&key, &key, Hello::new(Purpose::Data, 1, 2, 0));
    assert!(matches!(end, Ok(hello) if hello.rank == 0 && hello.purpose == Purpose::Data));
    let admitted = |hello: &Hello| hello.rank == 1 && hello.purpose == Purpose::Data;
    assert!(matches!(&admissions[..], [Admission::Admitted(_, hello)] if admitted(hello)));

    let stranger = JobKey::random().unwrap();
    for (own, purpose) in [(&stranger, Purpose::Control), (&key, Purpose::Store)] {
        let (end, admissions) = dial_unix(&key, own, Hello::new(purpose, 1, 2, 0));
        assert!(matches!(end, Err(Refusal::Closed | Refusal::Io(_))), "{:?}", end.err());
        assert!(admissions.is_empty());
    }

    let (end, admissions) = dial_unix(&key, &key, Hello::new(Purpose::Control, 1, 3, 0));
    let Err(Refusal::Objection(Objection::Disagreement(text))) = end else { panic!("connected") };
    assert!(text.contains("a world of 2 ranks") && text.contains("one of 3"), "{text}");
    assert!(matches!(&admissions[..], [Admission::Disagreement(_)]));
}
