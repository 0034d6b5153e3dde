//! Tests of the 128 bytes of a unique id and of its server.

use std::io::Write;
use std::net::{SocketAddr, TcpStream};

use super::{all_ok, ranks, soon};
use crate::base::Error;
use crate::bootstrap::discovery::by_unique_id::job_from_id;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::unique_id::{UNIQUE_ID_BYTES, UniqueId};
use crate::bootstrap::mesh::connect::connect;
use crate::config::Config;
use crate::sys::clock;
use crate::sys::clock::tests::alone;

fn addresses(texts: &[&str]) -> Vec<SocketAddr> {
    texts.iter().map(|text| text.parse().unwrap()).collect()
}

#[test]
fn key_and_addresses_survive_the_round_trip() {
    let (key, places) = (JobKey([7; 32]), addresses(&["10.0.0.1:5", "[2001:db8::1]:6", "127.0.0.1:7"]));
    let (read_key, read_places) = UniqueId::encode(&key, &places).decode().unwrap();
    assert!(read_key == key && read_places == places);
}

#[test]
fn when_there_is_no_room_for_all_addresses_loopback_is_among_those_that_stay() {
    let mut many: Vec<SocketAddr> = (1..=20).map(|n| format!("[2001:db8::{n}]:5").parse().unwrap()).collect();
    many.push("127.0.0.1:7".parse().unwrap());
    let (_, kept) = UniqueId::encode(&JobKey([7; 32]), &many).decode().unwrap();
    assert_eq!(kept, [&many[..3], &many[20..]].concat());
}

#[test]
fn every_damaged_bit_is_noticed() {
    let id = UniqueId::encode(&JobKey([7; 32]), &addresses(&["127.0.0.1:7"]));
    for bit in 0..UNIQUE_ID_BYTES * 8 {
        let mut damaged = id;
        damaged.0[bit / 8] ^= 1 << (bit % 8);
        let Err(Error::InvalidArgument { what, .. }) = job_from_id(&damaged, 2, 0, soon()).map(drop) else {
            panic!("bit {bit} was not noticed");
        };
        assert_eq!(what, "unique id");
    }
}

#[test]
fn an_id_of_zeros_is_an_error_that_says_where_ids_come_from() {
    let text = job_from_id(&UniqueId([0; UNIQUE_ID_BYTES]), 2, 0, soon()).err().unwrap().to_string();
    assert!(text.contains("all zero"), "{text}");
}

#[test]
fn two_ids_differ_and_loopback_is_in_each() {
    let config = Config::default();
    let (one, two) = (UniqueId::create(&config).unwrap(), UniqueId::create(&config).unwrap());
    assert!(one != two);
    assert!(one.decode().unwrap().1.iter().any(|address| address.ip().is_loopback()));
}

/// All ids of a process share their ports. The ports close with the last rank of this id only if there are no
/// other ids, so the test runs in a process of its own.
#[test]
fn the_store_of_an_id_ends_when_all_ranks_have_come() {
    alone(|| {
        let id = UniqueId::create(&Config::default()).unwrap();
        let places = id.decode().unwrap().1;
        drop(all_ok(ranks(2, |rank| {
            let mut job = job_from_id(&id, 2, rank, soon())?;
            connect(&mut job, &Config::default(), b"", soon())
        })));
        let deadline = soon();
        // The thread notices that the last rank has left, then closes: wait for this event, not for a time.
        while places.iter().any(|place| TcpStream::connect(place).is_ok()) {
            assert!(clock::now() < deadline, "still serving");
            std::thread::yield_now();
        }
    });
}

fn threads_that_serve_ids() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    tasks
        .filter(|task| {
            std::fs::read_to_string(task.path().join("comm")).is_ok_and(|name| name == "anyccl-ids\n")
        })
        .count()
}

fn descriptors() -> usize {
    std::fs::read_dir("/proc/self/fd").unwrap().count()
}

#[test]
fn two_thousand_unused_ids_cost_one_thread_and_no_descriptors_and_each_still_works() {
    let before = descriptors();
    let ids: Vec<UniqueId> = (0..2000).map(|_| UniqueId::create(&Config::default()).unwrap()).collect();
    // Other tests of this process open some, too; not one for each id.
    assert!(descriptors() < before + 1000, "{} descriptors, {before} before", descriptors());
    for id in [&ids[0], &ids[1000], &ids[1999]] {
        drop(all_ok(ranks(3, |rank| {
            let mut job = job_from_id(id, 3, rank, soon())?;
            connect(&mut job, &Config::default(), b"", soon())
        })));
    }
    // The thread has served, and so has its name. One that is ending may be seen next to its successor.
    assert!((1..=2).contains(&threads_that_serve_ids()), "{} threads", threads_that_serve_ids());
}

#[test]
fn strangers_who_name_no_id_do_not_keep_its_ranks_from_meeting() {
    let id = UniqueId::create(&Config::default()).unwrap();
    let at = id.decode().unwrap().1.into_iter().find(|at| at.ip().is_loopback()).unwrap();
    let mut crowd: Vec<TcpStream> = (0..300).map(|_| TcpStream::connect(at).unwrap()).collect();
    for (kind, stranger) in crowd.iter_mut().enumerate() {
        // A stranger may be refused while it is still speaking.
        let _ = stranger.write_all(&[0xa5; 64][..[0, 7, 32, 64][kind % 4]]);
    }
    drop(all_ok(ranks(3, |rank| {
        let mut job = job_from_id(&id, 3, rank, soon())?;
        connect(&mut job, &Config::default(), b"", soon())
    })));
}
