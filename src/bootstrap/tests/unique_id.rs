//! The 128 bytes.

use std::net::{SocketAddr, TcpStream};
use std::time::Instant;

use super::{all_ok, ranks, soon};
use crate::base::Error;
use crate::bootstrap::{JobKey, UNIQUE_ID_BYTES, UniqueId, job_from_id, mesh};
use crate::config::Config;

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

#[test]
fn the_store_of_an_id_ends_when_all_ranks_have_come() {
    let id = UniqueId::create(&Config::default()).unwrap();
    let places = id.decode().unwrap().1;
    drop(all_ok(ranks(2, |rank| {
        let mut job = job_from_id(&id, 2, rank, soon())?;
        mesh::connect(&mut job, &Config::default(), b"", soon())
    })));
    let deadline = soon();
    // The thread hears that the last rank has left, then closes: wait for that, not for a time.
    while places.iter().any(|place| TcpStream::connect(place).is_ok()) {
        assert!(Instant::now() < deadline, "still serving");
        std::thread::yield_now();
    }
}
