//! Stores: over TCP, in memory, under torchrun, by unique id.

use std::net::TcpListener;
use std::time::Instant;

use super::{all_ok, meet_at, nobody, open_at, ranks, shortly, soon};
use crate::base::{Error, Result};
use crate::bootstrap::discovery::by_unique_id::job_from_id;
use crate::bootstrap::discovery::job::Job;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::seat::Seat;
use crate::bootstrap::job::store_address::StoreAddress;
use crate::bootstrap::job::unique_id::UniqueId;
use crate::bootstrap::mesh::connect::connect;
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::memory::MemoryStore;
use crate::bootstrap::store::tcp::client::Client;
use crate::bootstrap::store::tcp::server::Server;
use crate::config::Config;
use crate::sys::clock::tests::with_clock;
use crate::sys::listener::Listener;

const ANYWHERE: &str = "127.0.0.1:0";

fn serve(key: &JobKey, size: u32) -> Server {
    Server::start(ANYWHERE.parse().unwrap(), key, size).unwrap()
}

fn join(server: &Server, key: &JobKey, rank: u32, size: u32, deadline: Instant) -> Result<Client> {
    super::join(server.address(), key, Seat { rank, size }, deadline)
}

#[test]
fn a_get_waits_until_another_rank_has_set_the_key() {
    for mut pair in [
        {
            let key = JobKey::random().unwrap();
            let server = serve(&key, 2);
            let pair =
                [0, 1].map(|rank| Box::new(join(&server, &key, rank, 2, soon()).unwrap()) as Box<dyn Store>);
            // The server lives as long as the process: the test is about the clients.
            server.detach();
            pair
        },
        {
            let store = MemoryStore::new();
            [Box::new(store.clone()) as Box<dyn Store>, Box::new(store)]
        },
    ] {
        let [one, two] = &mut pair;
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| one.get("k", soon()));
            two.set("k", b"value", soon()).unwrap();
            assert_eq!(waiting.join().unwrap().unwrap(), b"value");
        });
        assert!(matches!(two.get("never", shortly()), Err(Error::Timeout { .. })));
    }
}

#[test]
fn setting_a_key_to_another_value_is_an_error() {
    let key = JobKey::random().unwrap();
    let server = serve(&key, 1);
    let mut client = join(&server, &key, 0, 1, soon()).unwrap();
    client.set("k", b"1", soon()).unwrap();
    client.set("k", b"1", soon()).unwrap();
    let text = client.set("k", b"2", soon()).unwrap_err().to_string();
    assert!(text.contains("set twice"), "{text}");
}

#[test]
fn a_timeout_at_the_store_names_the_ranks_that_have_not_come() {
    let key = JobKey::random().unwrap();
    let server = serve(&key, 4);
    let _one = join(&server, &key, 1, 4, soon()).unwrap();
    let mut zero = join(&server, &key, 0, 4, soon()).unwrap();
    let error = zero.get("record/2", shortly()).unwrap_err();
    assert!(
        matches!(&error, Error::Timeout { detail, .. } if detail == "ranks 2, 3 have not come"),
        "{error}"
    );
}

#[test]
fn a_rank_that_dies_while_gathering_is_reported_to_those_that_wait() {
    let key = JobKey::random().unwrap();
    let server = serve(&key, 3);
    let mut zero = join(&server, &key, 0, 3, soon()).unwrap();
    let one = join(&server, &key, 1, 3, soon()).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| zero.get("record/2", soon()));
        one.die();
        let text = waiting.join().unwrap().unwrap_err().to_string();
        assert!(text.contains("rank 1 ended"), "{text}");
    });
}

#[test]
fn a_rank_that_ended_before_it_came_is_told_to_those_that_wait() {
    let key = JobKey::random().unwrap();
    let server = serve(&key, 2);
    let mut zero = join(&server, &key, 0, 2, soon()).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| zero.get("record/1", soon()));
        server.note_end(1, "ended with exit code 0".into());
        let text = waiting.join().unwrap().unwrap_err().to_string();
        assert_eq!(text, "rank 1 ended with exit code 0 before it joined");
    });
}

#[test]
fn a_launchers_store_serves_one_world_after_the_other() {
    let key = JobKey::random().unwrap();
    let server = serve(&key, 3);
    for _ in 0..3 {
        all_ok(ranks(3, |rank| {
            let client = join(&server, &key, rank, 3, soon())?;
            let store: Option<Box<dyn Store>> = Some(Box::new(client));
            let mut job = Job { rank, size: 3, key: key.clone(), store, source: "test" };
            connect(&mut job, &Config::default(), b"", soon())
        }));
    }
}

#[test]
fn rank_0_serves_the_tcp_store_that_the_environment_names() {
    let (at, _reserved) = nobody();
    let place = StoreAddress::Tcp { host: "127.0.0.1".into(), port: at.port(), served: false };
    all_ok(meet_at(&place, 4));
    // A second world meets: nothing of the first one is in the way.
    all_ok(meet_at(&place, 4));
}

#[test]
fn a_taken_port_is_an_error_that_says_what_to_do() {
    let taken = TcpListener::bind(ANYWHERE).unwrap();
    let port = taken.local_addr().unwrap().port();
    let place = StoreAddress::Tcp { host: "127.0.0.1".into(), port, served: false };
    let text = open_at(place, Seat { rank: 0, size: 2 }, soon()).err().unwrap().to_string();
    assert!(text.contains("served=1") && text.contains(&port.to_string()), "{text}");
}

#[test]
fn torchruns_ranks_meet_beside_torchs_own_store_and_beside_other_services() {
    let torch = TcpListener::bind(ANYWHERE).unwrap();
    let (host, port) = ("127.0.0.1".to_owned(), torch.local_addr().unwrap().port());
    let job = JobKey::random().unwrap().to_hex();
    // Services that accept and say nothing sit on the first candidates.
    let candidates = crate::bootstrap::discovery::ports::candidate_ports(&host, port, &job);
    let _services: Vec<_> =
        candidates[..2].iter().filter_map(|port| TcpListener::bind((&host[..], *port)).ok()).collect();
    all_ok(meet_at(&StoreAddress::Ports { launcher: "torchrun", host, taken: port, job }, 3));
}

#[test]
fn a_store_with_another_key_is_not_joined() {
    let server = serve(&JobKey::random().unwrap(), 2);
    let error = join(&server, &JobKey::random().unwrap(), 0, 2, shortly()).err().unwrap();
    assert!(matches!(&error, Error::Timeout { detail, .. } if detail.contains("job key")), "{error}");
}

#[test]
fn two_processes_with_one_rank_get_an_error_that_says_so() {
    let id = UniqueId::create(&Config::default()).unwrap();
    let _first = job_from_id(&id, 2, 1, soon()).unwrap();
    let text = job_from_id(&id, 2, 1, soon()).err().unwrap().to_string();
    assert!(text.contains("two processes say they are rank 1"), "{text}");
}

#[test]
fn a_server_that_is_dropped_frees_its_port() {
    let key = JobKey::random().unwrap();
    let server = serve(&key, 2);
    let at = server.address();
    let _client = join(&server, &key, 0, 2, soon()).unwrap();
    drop(server);
    Listener::tcp(at).unwrap();
}

#[test]
fn a_rank_that_waits_at_a_store_in_memory_is_told_at_once_that_another_has_failed() {
    with_clock(|clock| {
        clock.stop();
        let mut stores = MemoryStore::jobs(2).unwrap().into_iter().map(|job| job.store.unwrap());
        let (mut waiting, mut failing) = (stores.next().unwrap(), stores.next().unwrap());
        let waiter = std::thread::spawn(move || waiting.get("table", soon()).unwrap_err());
        failing.fail("no memory");
        let error = waiter.join().unwrap();
        assert!(matches!(&error, Error::Bootstrap(why) if why.contains("no memory")), "{error}");
    });
}
