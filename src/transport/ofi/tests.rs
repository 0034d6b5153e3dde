//! Tests of two ranks that agree and talk, over providers that work on any machine. The library comes from
//! `ANYCCL_OFI_LIB`, or from MPICH's package where the tests of launchers have installed it. Without one,
//! only the tests that do without a fabric do anything.

use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};

use super::*;
use crate::sys::clock;
use crate::sys::socket::Socket;

const HEADER: Header = Header { context: 1, sequence: 2, call: [3, 4] };
const OTHER: Header = Header { sequence: 9, ..HEADER };
const LOST: &str = "/there/is/no/libfabric.so.1";

fn library() -> Option<String> {
    let installed = concat!(env!("CARGO_MANIFEST_DIR"), "/target/launchers/mpich/lib/mpich/libfabric.so.1");
    let installed = Some(installed.to_string()).filter(|file| std::path::Path::new(file).exists());
    let found = std::env::var("ANYCCL_OFI_LIB").ok().or(installed);
    if found.is_none() {
        println!("skipped: no libfabric; `python3 capi-tests/launchers.py mpich` installs one");
    }
    found
}

fn sockets() -> [Vec<Socket>; 2] {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let a = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let b = listener.accept().unwrap().0;
    [a, b].map(|stream| vec![Socket::from_fd(stream.into(), false).unwrap()])
}

fn deadline() -> Instant {
    clock::now() + Duration::from_secs(60)
}

/// What each of two ranks has agreed to.
fn agree_as(wanted: [(&str, Wanted<'_>); 2]) -> [Result<Agreed, super::agree::LinkError>; 2] {
    let [a, b] = &sockets();
    thread::scope(|scope| {
        let agree_over = |sockets: &Vec<Socket>, (library, wanted)| {
            agree(std::slice::from_ref(sockets), Some(library), wanted, deadline())
        };
        let other = scope.spawn(move || agree_over(b, wanted[1]));
        [agree_over(a, wanted[0]), other.join().unwrap()]
    })
}

/// Two ends of a link.
fn pair(library: &str, provider: &str) -> [OfiLink; 2] {
    let outcomes = agree_as([(library, Wanted::Named(provider)); 2]);
    outcomes.map(|agreed| agreed.unwrap_or_else(|(_, error)| panic!("{error}")).links.remove(0).unwrap())
}

fn message(bytes: usize, seed: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * 7 + i / 251 + seed) as u8).collect()
}

fn offer(link: &mut OfiLink, header: &Header, rest: &[u8]) -> Option<usize> {
    // SAFETY: a slice is readable for its length.
    unsafe { link.send(header, rest.as_ptr(), rest.len(), SingleCopy::Never) }.unwrap()
}

/// Sends a message both ways, and receives it in pieces of at most `piece`.
fn through(links: &mut [OfiLink; 2], message: &[u8], piece: usize) {
    let (mut sent, mut got) = ([Some(0), Some(0)], [Vec::<u8>::new(), Vec::new()]);
    while got.iter().any(|got| got.len() < message.len()) || sent.iter().any(Option::is_some) {
        for (link, (sent, got)) in links.iter_mut().zip(sent.iter_mut().zip(&mut got)) {
            if let Some(at) = *sent
                && let Some(taken) = offer(link, &HEADER, &message[at..])
            {
                *sent = (at + taken < message.len()).then_some(at + taken);
            }
            if link.head().unwrap() == Some(HEADER) {
                let mut part = vec![0; piece];
                // SAFETY: a vector is writable for its length, and is not memory of the link.
                let taken = unsafe { link.take(part.as_mut_ptr(), piece, false) }.unwrap();
                got.extend(&part[..taken]);
            }
        }
    }
    assert!(got.iter().all(|got| got == message), "{} bytes, pieces of {piece}", message.len());
    assert_eq!((links[0].sent(), links[1].sent()), (links[1].received(), links[0].received()));
}

#[test]
fn messages_of_all_lengths_arrive_whole_over_each_provider() {
    let Some(library) = library() else { return };
    for provider in ["tcp", "tcp;ofi_rxm", "sockets", "udp"] {
        let mut links = pair(&library, provider);
        for bytes in [1, 16, 1000, 65_488, 65_536, 65_537, 1 << 20, (3 << 20) + 5] {
            for piece in [1000, 1 << 20] {
                through(&mut links, &message(bytes, bytes), piece);
            }
        }
        // The last notices: a provider may want to be asked at both ends.
        while links.iter().any(Link::has_undelivered) {}
        assert!(links.iter().all(|link| link.transport() == "ofi"));
    }
}

#[test]
fn messages_of_two_calls_alternate_and_an_abandoned_one_harms_nobody() {
    let Some(library) = library() else { return };
    let [mut a, mut b] = pair(&library, "tcp");
    let long = message(4 << 20, 1);
    let mut sent = 0;
    // As far as the peer has buffers.
    while let Some(taken) = offer(&mut a, &HEADER, &long[sent..]) {
        sent += taken;
    }
    assert!(sent > 0 && sent < long.len());
    // SAFETY: a vector is readable for its length.
    unsafe { a.abandon(&HEADER, long[sent..].as_ptr(), long.len() - sent) };
    let mut is_sent = false;
    loop {
        is_sent = is_sent || offer(&mut a, &OTHER, b"small") == Some(5);
        match b.head().unwrap() {
            Some(OTHER) => break,
            Some(_) => assert!(b.discard().unwrap()),
            None => {}
        }
    }
    let arrival = b.arrival().unwrap();
    // SAFETY: so many bytes have arrived, and stay until they are consumed.
    assert_eq!(unsafe { std::slice::from_raw_parts(arrival.data, arrival.bytes) }, b"small");
}

#[test]
fn an_empty_message_has_a_header() {
    let Some(library) = library() else { return };
    let [mut a, mut b] = pair(&library, "tcp");
    while offer(&mut a, &HEADER, &[]).is_none() {}
    while b.head().unwrap().is_none() {}
    let arrival = b.arrival().unwrap();
    assert!(arrival.complete && arrival.bytes == 0);
    b.consume(0).unwrap();
    assert_eq!(b.head().unwrap(), None);
}

#[test]
fn a_sleeper_is_woken_by_what_comes() {
    let Some(library) = library() else { return };
    for provider in ["tcp", "tcp;ofi_rxm", "sockets", "udp"] {
        let [mut a, mut b] = pair(&library, provider);
        let other = thread::spawn(move || {
            while offer(&mut a, &HEADER, b"late").is_none() {}
            a
        });
        let mut set = PollSet::new();
        while b.head().unwrap().is_none() {
            set.clear();
            assert!(b.watch(Interest::Read, &mut set));
            set.wait(Some(deadline())).unwrap();
        }
        drop(other.join());
    }
}

#[test]
fn frames_of_strangers_meet_no_receive() {
    let Some(file) = library() else { return };
    for provider in ["tcp", "tcp;ofi_rxm"] {
        let mut links = pair(&file, provider);
        let address = links[0].fabric.lock().address().unwrap();
        let library = Library::open(Some(&file)).unwrap();
        // Together they send more than the rank has buffers.
        for _ in 0..3 {
            let offer = library.choose(Wanted::Named(provider), Some([127, 0, 0, 1].into())).unwrap();
            let mut stranger = Fabric::open(offer, vec![1]).unwrap();
            stranger.meet(0, &address, 1, 1 << 16).unwrap();
            for sequence in 0..u64::from(recv::WINDOW) {
                let header = Header { sequence: sequence as u32, ..HEADER };
                // SAFETY: a slice is readable for its length.
                while unsafe { stranger.send(0, &header, b"let me in".as_ptr(), 9) }.unwrap().is_none() {
                    assert_eq!(links[0].head().unwrap(), None);
                }
            }
        }
        through(&mut links, &message(1 << 20, 3), 1 << 20);
    }
}

#[test]
fn a_rank_without_libfabric_is_named_with_the_reason() {
    let library = library();
    let with = library.as_deref().unwrap_or(LOST);
    for wanted in [[(with, Wanted::Any), (LOST, Wanted::Any)], [(LOST, Wanted::Any); 2]] {
        for outcome in agree_as(wanted) {
            let Err((peer, error)) = outcome else { panic!("it was agreed") };
            assert_eq!(peer, Some(0));
            let text = error.to_string();
            assert!(text.contains("ANYCCL_TRANSPORT=ofi, but ") && text.contains(LOST), "{text}");
        }
    }
}

#[test]
fn a_peer_that_says_nonsense_or_goes_away_is_named() {
    for said in [&b"HTTP/1.1 400 Bad Request\r\n"[..], b""] {
        let [a, b] = sockets();
        b[0].write(said).unwrap();
        let _open = (!said.is_empty()).then_some(b);
        let agreed = agree(std::slice::from_ref(&a), Some(LOST), Wanted::Any, deadline());
        let Err((peer, error)) = agreed else { panic!("it was agreed") };
        assert_eq!(peer, Some(0));
        let wanted = if said.is_empty() { "before it had connected" } else { "cannot be understood" };
        assert!(error.to_string().contains(wanted), "{error}");
    }
}
