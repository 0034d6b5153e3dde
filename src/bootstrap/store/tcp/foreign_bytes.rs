//! Targets of fuzzing: what a rank says to the store, and what a store answers.

use std::io;

use super::board::Board;
use super::client::Client;
use super::connection::Connection;
use super::limits::LIMITS;
use super::message::{Parsed, RESPONSE_HEADER, Request, Status, parse_response_header, response_header};
use crate::bootstrap::auth::hello::{ANY_RANK, Hello};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::store::key_value::Store;
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, connection, pieces, split, write};
use crate::sys::clock;
use crate::sys::socket::Socket;

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "store_requests", read: requests, seeds: conversations, room: 256 << 10 },
    // An answer is read in pieces of 1 MiB.
    Target { name: "store_answers", read: answers, seeds: some_answers, room: 3 << 20 },
];

/// A rank that has been let in speaks with the server.
fn requests(bytes: &[u8]) {
    let ([rank, length], bytes) = split(bytes);
    parse_again(bytes);
    let [client, server] = connection();
    let hello = Hello::new(Purpose::Store, u32::from(rank % 2), 2, ANY_RANK);
    let (mut connection, mut board) = (Connection::new(server, hello), Board::new(Some(2), LIMITS));
    let mut answered = Vec::new();
    for piece in pieces(bytes, length) {
        write(&client, piece);
        connection.turn(&mut board);
        let _ = read(&client, &mut answered);
        if connection.closed() {
            break;
        }
    }
    check_answers(&answered);
    drop(client);
    connection.turn(&mut board);
    assert!(connection.closed() && !connection.joined());
    if let Some(fault) = board.fault() {
        check_sentence(&fault.text, bytes);
    }
}

fn read(socket: &Socket, to: &mut Vec<u8>) -> io::Result<()> {
    let mut chunk = [0; 4096];
    while let Some(read @ 1..) = socket.read(&mut chunk)? {
        to.extend(&chunk[..read]);
    }
    Ok(())
}

/// What the server says is an answer, whatever it was asked.
fn check_answers(mut bytes: &[u8]) {
    while let Some(header) = bytes.first_chunk::<RESPONSE_HEADER>() {
        let (_, length) = parse_response_header(header, &LIMITS).expect("the header of an answer");
        bytes = bytes.get(RESPONSE_HEADER + length..).unwrap_or_default();
    }
}

fn parse_again(bytes: &[u8]) {
    if let Parsed::Whole(request, length) = Request::parse(bytes, &LIMITS) {
        assert!(length <= bytes.len());
        assert_eq!(Request::parse(&bytes[..length - 1], &LIMITS), Parsed::Incomplete);
        // Reasons are shortened where they are sent, so one may have become too long.
        if !matches!(request, Request::Fail { .. }) {
            let again = request.encode();
            assert_eq!(Request::parse(&again, &LIMITS), Parsed::Whole(request, again.len()));
        }
    }
    if let Some(header) = bytes.first_chunk()
        && let Some((status, length)) = parse_response_header(header, &LIMITS)
    {
        assert_eq!(response_header(status, length), *header);
    }
}

fn conversations() -> Vec<Vec<u8>> {
    let join = Request::Join.encode();
    let set = Request::Set { key: "record/1".into(), value: vec![1, 2, 3] }.encode();
    let get = Request::Get { key: "record/1".into(), timeout_ms: 5 }.encode();
    let never = Request::Get { key: "table".into(), timeout_ms: u64::MAX }.encode();
    let fail = Request::Fail { why: "no memory".into() }.encode();
    let (check, leave) = (Request::Check.encode(), Request::Leave.encode());
    let with = |head: [u8; 2], requests: &[&Vec<u8>]| {
        let requests = requests.iter().flat_map(|request| request.iter().copied());
        head.into_iter().chain(requests).collect()
    };
    vec![
        with([1, 0], &[&join, &set, &get, &check, &leave]),
        with([0, 3], &[&join, &set, &get, &never]),
        with([1, 17], &[&join, &fail]),
        with([1, 0], &[&set]),
        with([0, 0], &[&join, &check, &check, &set, &set, &leave, &join]),
    ]
}

/// Somebody answers a rank in the place of the store.
fn answers(bytes: &[u8]) {
    let ([kind], bytes) = split(bytes);
    let [own, store] = connection();
    write(&store, bytes);
    store.end_writing();
    let mut client = Client::over(own);
    // What has not come is not waited for: the stream has ended.
    let deadline = clock::now();
    for step in 0..8 {
        let result = match kind >> step & 1 {
            0 => client.get("key", deadline).map(drop),
            _ if kind & 0x80 != 0 => client.check(deadline),
            _ => client.set("key", b"value", deadline),
        };
        if let Err(error) = result {
            check_sentence(&error.to_string(), bytes);
        }
    }
}

fn some_answers() -> Vec<Vec<u8>> {
    let answer = |status, text: &[u8]| [&response_header(status, text.len())[..], text].concat();
    let ok = answer(Status::Ok, b"");
    vec![
        [&[2][..], &answer(Status::Ok, b"value"), &ok, &answer(Status::Ok, b"more")].concat(),
        [&[0x81][..], &ok, &answer(Status::Timeout, b"rank 1 has not come"), &ok].concat(),
        [&[0][..], &answer(Status::Failed, b"rank 1 has failed")].concat(),
        [&[0][..], &answer(Status::Disagreement, "ränk".as_bytes())].concat(),
        [&[0][..], &response_header(Status::Ok, 200 << 20), b"little"].concat(),
    ]
}
