//! Targets of fuzzing: what strangers and other ranks say before a connection is trusted.

use super::handshake::{Handshake, Refusal, Step};
use super::hello::{ANY_RANK, HELLO_BYTES, Hello, Objection};
use super::proof::Purpose;
use crate::bootstrap::job::key::JobKey;
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, connection, pieces, split, write};
use crate::sys::socket::Socket;

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "handshake", read: handshake, seeds: scripts, room: 64 << 10 },
    Target { name: "hello", read: hello, seeds: hellos, room: 16 << 10 },
];

const KEY: JobKey = JobKey([7; 32]);
const NONCE: [u8; 32] = [9; 32];
const PURPOSES: [Purpose; 4] = [Purpose::Store, Purpose::Control, Purpose::Data, Purpose::Request];
/// Bytes of a direction before the hello: nonce and proof, or a proof alone where the nonce is known.
const PROVED: usize = 64;
const PROVED_TO_KNOWN: usize = 32;

/// Two ranks greet each other through somebody who changes bytes on their way; or one greets a stranger.
fn handshake(bytes: &[u8]) {
    let ([kind], script) = split(bytes);
    let purpose = PURPOSES[usize::from(kind % 4)];
    let (target, answering) = match purpose {
        Purpose::Store => (ANY_RANK, ANY_RANK),
        Purpose::Control | Purpose::Data | Purpose::Request => (1, 1),
    };
    let (asks, answers) = (Hello::new(purpose, 2, 4, target), Hello::new(purpose, answering, 4, ANY_RANK));
    let is_known = kind & 0x20 != 0;
    let (connector, acceptor) = if is_known {
        let connector = Handshake::connector_knowing(NONCE, &KEY, asks).unwrap();
        (connector, Handshake::acceptor_known_by(NONCE, &KEY, &PURPOSES, answers))
    } else {
        let connector = Handshake::connector(&KEY, asks).unwrap();
        (connector, Handshake::acceptor(&KEY, &PURPOSES, answers).unwrap())
    };
    if kind & 0x80 != 0 {
        let side = if kind & 0x40 == 0 { connector } else { acceptor };
        return greet_stranger(side, script);
    }
    let mut man = ManInTheMiddle { script, has_changed: false };
    let mut asked = Direction::new(PROVED);
    let mut answered = Direction::new(if is_known { PROVED_TO_KNOWN } else { PROVED });
    let [own_a, far_a] = connection();
    let [own_b, far_b] = connection();
    let (mut a, mut b) = (Party::new(connector, own_a), Party::new(acceptor, own_b));
    loop {
        let moved = a.advance() | b.advance();
        let carried = man.carry(&far_a, &far_b, &mut asked) | man.carry(&far_b, &far_a, &mut answered);
        if !moved && !carried {
            break;
        }
    }
    let (a, b) = (a.outcome, b.outcome);
    if asked.has_changed_proof || answered.has_changed_proof {
        assert!(!matches!(a, Some(Ok(_))), "a changed proof was believed");
        // An acceptor whose nonce is known ends with its own proof.
        let may_end = is_known && !asked.has_changed_proof;
        assert!(may_end || !matches!(b, Some(Ok(_))), "a changed proof was believed");
    } else if !man.has_changed {
        let (Some(Ok(a)), Some(Ok(b))) = (a, b) else { panic!("unchanged, and not connected") };
        assert!(a.rank == answering && b.rank == 2 && a.purpose == purpose && b.purpose == purpose);
    }
}

/// One side of a handshake. It closes when it has ended.
struct Party {
    handshake: Handshake,
    socket: Option<Socket>,
    outcome: Option<Result<Hello, Refusal>>,
}

impl Party {
    fn new(handshake: Handshake, socket: Socket) -> Party {
        Party { handshake, socket: Some(socket), outcome: None }
    }

    /// Returns whether the handshake has ended in this turn.
    fn advance(&mut self) -> bool {
        let (Some(socket), None) = (&self.socket, &self.outcome) else { return false };
        self.outcome = match self.handshake.advance(socket) {
            Ok(Step::Wait(_)) => return false,
            Ok(Step::Done(hello)) => Some(Ok(hello)),
            Err(refusal) => {
                check_sentence(&refusal.to_string(), &[]);
                let _ = self.handshake.absence(&refusal);
                self.socket = None;
                Some(Err(refusal))
            }
        };
        true
    }
}

/// Passes bytes on as the script says: a byte for the length of a piece, and perhaps two for a change.
struct ManInTheMiddle<'a> {
    script: &'a [u8],
    has_changed: bool,
}

/// What was carried in one direction.
struct Direction {
    done: usize,
    /// Bytes at the beginning that nobody may change unnoticed.
    proved: usize,
    has_changed_proof: bool,
}

impl Direction {
    fn new(proved: usize) -> Direction {
        Direction { done: 0, proved, has_changed_proof: false }
    }
}

impl ManInTheMiddle<'_> {
    fn next(&mut self) -> u8 {
        let ([byte], rest) = split(self.script);
        self.script = rest;
        byte
    }

    /// Carries a piece in one direction.
    fn carry(&mut self, from: &Socket, to: &Socket, direction: &mut Direction) -> bool {
        let control = self.next();
        let mut piece = [0; 128];
        let length = if control & 0x3f == 0 { piece.len() } else { usize::from(control & 0x3f) };
        let read = from.read(&mut piece[..length]);
        let Ok(Some(read @ 1..)) = read else {
            if read.is_ok_and(|read| read == Some(0)) {
                to.end_writing();
            }
            return false;
        };
        if control & 0x80 != 0 {
            let (at, change) = (usize::from(self.next()) % read, self.next());
            piece[at] ^= change;
            self.has_changed |= change != 0;
            direction.has_changed_proof |= change != 0 && direction.done + at < direction.proved;
        }
        write(to, &piece[..read]);
        direction.done += read;
        true
    }
}

/// A stranger knows no key, so whatever it sends, it is not believed.
fn greet_stranger(handshake: Handshake, bytes: &[u8]) {
    let ([length], bytes) = split(bytes);
    let [own, stranger] = connection();
    let mut party = Party::new(handshake, own);
    for piece in pieces(bytes, length) {
        write(&stranger, piece);
        party.advance();
    }
    stranger.end_writing();
    party.advance();
    assert!(matches!(party.outcome, Some(Err(_))), "a stranger was believed");
}

fn scripts() -> Vec<Vec<u8>> {
    vec![
        vec![0],
        vec![1, 1, 7, 32, 33, 1, 1],
        vec![2, 0x80, 3, 1],
        vec![1, 0, 0, 0, 0x80, 40, 2],
        vec![0x21],
        vec![0x22, 0x80, 40, 1],
        vec![0x21, 7, 60, 50, 1, 0x80, 12, 1],
        vec![1, 32, 32, 32, 32, 32, 32, 0x80, 12, 1],
        [&[0x80, 5][..], b"HTTP/1.1 400 Bad Request\r\n\r\n", &[0; 80]].concat(),
        [&[0xc1, 0][..], &[0x5a; 100]].concat(),
        [&[0xe1, 0][..], &[0x5a; 200]].concat(),
    ]
}

/// A hello, compared with one's own, which the first bytes choose.
fn hello(bytes: &[u8]) {
    let ([kind, rank, target], rest) = split(bytes);
    let purpose = PURPOSES[usize::from(kind % 4)];
    let some = |rank: u8| if rank > 9 { ANY_RANK } else { u32::from(rank) };
    let own = Hello::new(purpose, some(rank), u32::from(kind / 64), some(target));
    let (wire, _): ([u8; HELLO_BYTES], _) = split(rest);
    match Hello::check(&wire, &own) {
        Ok(hello) => assert_eq!(Hello::check(&hello.encode(), &own), Ok(hello)),
        Err(Objection::Disagreement(text)) => check_sentence(&text, &[]),
        Err(Objection::Misdirected) => {}
    }
}

fn hellos() -> Vec<Vec<u8>> {
    let with = |head: [u8; 3], hello: Hello| [&head[..], &hello.encode()].concat();
    vec![
        with([1, 2, 99], Hello { data: 1, ..Hello::new(Purpose::Control, 3, 4, 2) }),
        with([0, 99, 3], Hello::new(Purpose::Store, 3, 0, ANY_RANK)),
        with([2 + 64, 1, 0], Hello::new(Purpose::Data, 0, 1, 1)),
        with([2 + 64, 1, 0], Hello { protocol: 9, ..Hello::new(Purpose::Data, 0, 2, 1) }),
    ]
}
