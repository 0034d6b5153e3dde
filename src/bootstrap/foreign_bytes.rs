//! Targets of fuzzing: what strangers, other ranks, launchers and files say while a job starts.

use std::collections::HashMap;

use crate::base::Error;
use crate::bootstrap::auth::handshake::{Handshake, Refusal, Step};
use crate::bootstrap::auth::hello::{ANY_RANK, HELLO_BYTES, Hello, Objection};
use crate::bootstrap::auth::proof::Purpose;
use crate::bootstrap::discovery::interface::choose_among;
use crate::bootstrap::job::environment::{describe, half_a_launcher};
use crate::bootstrap::job::host_list;
use crate::bootstrap::job::key::JobKey;
use crate::bootstrap::job::key::hex;
use crate::bootstrap::job::store_address::parse_store;
use crate::bootstrap::job::unique_id::CHECKSUM_AT;
use crate::bootstrap::job::unique_id::{UNIQUE_ID_BYTES, UniqueId};
use crate::bootstrap::job::wire::{CHECKSUM_BYTES, checksum};
use crate::bootstrap::mesh::exchange;
use crate::bootstrap::mesh::record::{Record, sample};
use crate::bootstrap::store::beacon::Beacon;
use crate::bootstrap::store::file::{FileContents, parse};
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, connection, pieces, split, write};
use crate::sys::interfaces::Interface;
use crate::sys::socket::Socket;

pub(crate) use crate::bootstrap::store::pmi::foreign_bytes::TARGETS as PMI_TARGETS;
pub(crate) use crate::bootstrap::store::tcp::foreign_bytes::TARGETS as STORE_TARGETS;

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "handshake", read: handshake, seeds: scripts, room: 64 << 10 },
    Target { name: "hello", read: hello, seeds: hellos, room: 16 << 10 },
    Target { name: "records", read: records, seeds: tables, room: 64 << 10 },
    Target { name: "beacon", read: read_beacon, seeds: beacons, room: 16 << 10 },
    Target { name: "unique_id", read: unique_id, seeds: ids, room: 16 << 10 },
    Target { name: "store_file", read: store_file, seeds: files, room: 32 << 10 },
    Target { name: "environment", read: environment, seeds: environments, room: 64 << 20 },
    Target { name: "host_list", read: host_names, seeds: lists, room: 64 << 20 },
    Target { name: "interfaces", read: interfaces, seeds: rules, room: 32 << 10 },
];

const KEY: JobKey = JobKey([7; 32]);
/// Bytes of each direction before the hello: nonce and proof.
const PROVED: usize = 64;

fn text(bytes: &[u8]) -> std::borrow::Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

/// Two ranks greet each other through somebody who changes bytes on their way; or one greets a stranger.
fn handshake(bytes: &[u8]) {
    let ([kind], script) = split(bytes);
    let purpose = [Purpose::Store, Purpose::Control, Purpose::Data][usize::from(kind % 3)];
    let (asked, answering) = match purpose {
        Purpose::Store => (ANY_RANK, ANY_RANK),
        Purpose::Control | Purpose::Data => (1, 1),
    };
    let purposes: &[Purpose] = &[Purpose::Store, Purpose::Control, Purpose::Data];
    let connector = Handshake::connector(&KEY, Hello::new(purpose, 2, 4, asked)).unwrap();
    let acceptor = Handshake::acceptor(&KEY, purposes, Hello::new(purpose, answering, 4, ANY_RANK)).unwrap();
    if kind & 0x80 != 0 {
        let side = if kind & 0x40 == 0 { connector } else { acceptor };
        return greet_stranger(side, script);
    }
    let mut man = ManInTheMiddle { script, has_changed_proof: false, has_changed: false };
    let [own_a, far_a] = connection();
    let [own_b, far_b] = connection();
    let (mut a, mut b) = (Party::new(connector, own_a), Party::new(acceptor, own_b));
    let (mut passed_on, mut answered) = (0, 0);
    loop {
        let moved = a.advance() | b.advance();
        let carried = man.carry(&far_a, &far_b, &mut passed_on) | man.carry(&far_b, &far_a, &mut answered);
        if !moved && !carried {
            break;
        }
    }
    let (a, b) = (a.outcome, b.outcome);
    if man.has_changed_proof {
        assert!(!matches!(a, Some(Ok(_))) && !matches!(b, Some(Ok(_))), "a changed proof was believed");
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
    has_changed_proof: bool,
    has_changed: bool,
}

impl ManInTheMiddle<'_> {
    fn next(&mut self) -> u8 {
        let ([byte], rest) = split(self.script);
        self.script = rest;
        byte
    }

    /// Carries a piece in one direction, in which `done` bytes have been carried.
    fn carry(&mut self, from: &Socket, to: &Socket, done: &mut usize) -> bool {
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
            self.has_changed_proof |= change != 0 && *done + at < PROVED;
        }
        write(to, &piece[..read]);
        *done += read;
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
        vec![1, 32, 32, 32, 32, 32, 32, 0x80, 12, 1],
        [&[0x80, 5][..], b"HTTP/1.1 400 Bad Request\r\n\r\n", &[0; 80]].concat(),
        [&[0xc1, 0][..], &[0x5a; 100]].concat(),
    ]
}

/// A hello, compared with one's own, which the first bytes choose.
fn hello(bytes: &[u8]) {
    let ([kind, rank, target], rest) = split(bytes);
    let purpose = [Purpose::Store, Purpose::Control, Purpose::Data][usize::from(kind % 3)];
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
        with([1, 2, 99], Hello { data_follows: true, ..Hello::new(Purpose::Control, 3, 4, 2) }),
        with([0, 99, 3], Hello::new(Purpose::Store, 3, 0, ANY_RANK)),
        with([2 + 64, 1, 0], Hello::new(Purpose::Data, 0, 1, 1)),
        with([2 + 64, 1, 0], Hello { protocol: 2, ..Hello::new(Purpose::Data, 0, 2, 1) }),
    ]
}

/// The record of a rank, and the table of all records.
fn records(bytes: &[u8]) {
    let ([kind], rest) = split(bytes);
    let size = u32::from(kind & 7);
    if kind & 0x80 == 0 {
        let rank = u32::from(kind >> 3 & 7);
        match Record::decode(rest, rank, size) {
            Ok(record) => assert_eq!(Record::decode(&record.encode(), rank, size).unwrap(), record),
            Err(error) => check_sentence(&error.to_string(), bytes),
        }
        return;
    }
    match exchange::decode(rest, size) {
        Ok(table) => {
            assert_eq!(table.records.len(), size as usize);
            let encoded: Vec<_> = table.records.iter().map(Record::encode).collect();
            let again = exchange::decode(&exchange::encode(&encoded, &table.settings), size).unwrap();
            assert!(again.records == table.records && again.settings == table.settings);
        }
        Err(error) => check_sentence(&error.to_string(), bytes),
    }
}

fn tables() -> Vec<Vec<u8>> {
    let records = |size: u32| (0..size).map(|rank| sample(rank, size).encode()).collect::<Vec<_>>();
    let table =
        |size: u8| [&[0x80 | size][..], &exchange::encode(&records(u32::from(size)), b"settings")].concat();
    let refusal = |error| [&[0x82][..], &exchange::encode_refusal(&error)].concat();
    vec![
        [&[1 << 3 | 4][..], &records(4)[1]].concat(),
        table(1),
        table(3),
        refusal(Error::Mismatch("rank 1 says 3, rank 0 says 2".into())),
        refusal(Error::Bootstrap("no memory".into())),
    ]
}

/// A beacon as it is, and with a right checksum.
fn read_beacon(bytes: &[u8]) {
    let _ = Beacon::parse(bytes);
    let whole = [bytes, &checksum(bytes)].concat();
    if let Some(beacon) = Beacon::parse(hex(&whole).as_bytes()) {
        assert_eq!(Beacon::parse(beacon.to_text().as_bytes()), Some(beacon));
    }
}

fn beacons() -> Vec<Vec<u8>> {
    let addresses = ["10.0.0.1:40113", "[2001:db8::1]:5"].map(|text| text.parse().unwrap()).to_vec();
    let text = Beacon { key: KEY, addresses }.to_text();
    let bytes = crate::bootstrap::job::key::unhex(text.as_bytes()).unwrap();
    vec![text.into_bytes(), bytes[..bytes.len() - CHECKSUM_BYTES].to_vec()]
}

/// A unique id as it is, and with a right checksum.
fn unique_id(bytes: &[u8]) {
    let (mut id, _): ([u8; UNIQUE_ID_BYTES], _) = split(bytes);
    if let Err(error) = UniqueId(id).decode() {
        check_sentence(&error.to_string(), &[]);
    }
    let sum = checksum(&id[..CHECKSUM_AT]);
    id[CHECKSUM_AT..].copy_from_slice(&sum);
    match UniqueId(id).decode() {
        Ok((key, addresses)) => {
            let again = UniqueId::encode(&key, &addresses).decode().unwrap();
            assert!(again.0 == key && again.1 == addresses);
        }
        Err(error) => check_sentence(&error.to_string(), &[]),
    }
}

fn ids() -> Vec<Vec<u8>> {
    let id = |addresses: &[&str]| {
        let addresses: Vec<_> = addresses.iter().map(|text| text.parse().unwrap()).collect();
        UniqueId::encode(&KEY, &addresses).0.to_vec()
    };
    vec![
        id(&["127.0.0.1:5"]),
        id(&["[2001:db8::1]:5", "10.0.0.1:40113", "[::1]:9", "10.0.0.2:40113", "127.0.0.1:40113"]),
    ]
}

fn store_file(bytes: &[u8]) {
    match parse(&text(bytes)) {
        FileContents::Announcement(announcement) => {
            assert_eq!(parse(&announcement.to_text()), FileContents::Announcement(announcement));
        }
        FileContents::PlainAddress(address) => {
            assert_eq!(parse(&address.to_string()), FileContents::PlainAddress(address));
        }
        FileContents::Incomplete => {}
    }
}

fn files() -> Vec<Vec<u8>> {
    let nonce = KEY.to_hex();
    let head = format!("anyccl store 1\njob 5f0c3a9e77d14b20\nworld 4\nnonce {nonce}\ncreated 1763707616\n");
    let texts = [
        format!("{head}address 10.0.0.1:40113\naddress [fe80::1%2]:37001\nend\n"),
        format!("{head}end\n"),
        "10.0.0.1:40113\n".into(),
        "fe80::1".into(),
    ];
    texts.map(String::into_bytes).to_vec()
}

/// Variables of launchers, one per line.
fn environment(bytes: &[u8]) {
    let text = text(bytes);
    let variables: HashMap<&str, &str> = text.lines().filter_map(|line| line.split_once('=')).collect();
    let lookup = |name: &'static str| {
        variables.get(name).filter(|value| !value.is_empty()).map(|value| (*value).to_owned())
    };
    match describe(&lookup) {
        Ok(description) => {
            if let Some(seat) = description.seat {
                assert!(seat.rank < seat.size);
            }
        }
        Err(error) => check_sentence(&error.to_string(), bytes),
    }
    if let Some(error) = half_a_launcher(&lookup) {
        check_sentence(&error.to_string(), bytes);
    }
}

fn environments() -> Vec<Vec<u8>> {
    let key = KEY.to_hex();
    let texts = [
        format!("ANYCCL_RANK=1\nANYCCL_WORLD_SIZE=4\nANYCCL_STORE=tcp://[::1]:5000?served=1\nANYCCL_JOB_KEY={key}\n"),
        "ANYCCL_RANK=0\nANYCCL_WORLD_SIZE=2\nANYCCL_STORE=file:///tmp/x\n".into(),
        "RANK=1\nWORLD_SIZE=2\nMASTER_ADDR=node1\nMASTER_PORT=29500\nTORCHELASTIC_RUN_ID=a\nTORCHELASTIC_RESTART_COUNT=2\n"
            .into(),
        "PMI_FD=5\nPMI_RANK=1\nPMI_SIZE=2\nMPI_LOCALNRANKS=2\n".into(),
        "PMI_PORT=node1:4711\nPMI_ID=1\n".into(),
        "OMPI_COMM_WORLD_RANK=0\nOMPI_COMM_WORLD_SIZE=2\nOMPI_COMM_WORLD_LOCAL_SIZE=2\nPMIX_NAMESPACE=prterun-a-1@1\n"
            .into(),
        "SLURM_PROCID=1\nSLURM_STEP_NUM_TASKS=4\nSLURM_JOB_ID=7\nSLURM_STEP_ID=0\nSLURM_STEP_NODELIST=rack[1-2]n[01-03,7]\n"
            .into(),
    ];
    texts.map(String::into_bytes).to_vec()
}

/// A list of hosts of Slurm, and the address of a store.
fn host_names(bytes: &[u8]) {
    let text = text(bytes);
    if let Some(hosts) = host_list::expand(&text) {
        assert!(!hosts.is_empty());
    }
    if let Err(error) = parse_store(&text) {
        check_sentence(&error.to_string(), bytes);
    }
}

fn lists() -> Vec<Vec<u8>> {
    let texts = [
        "a",
        "login,rack[1-2]node[01-03,7]",
        "n[8-11]",
        "x[1-2]y[3,5]z,w",
        "n[0-999]",
        "tcp://[::1]:5?served=1",
    ];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}

fn interfaces(bytes: &[u8]) {
    let ([variable], rest) = split(bytes);
    let interface = |name: &str, address: &str, loopback| Interface {
        name: name.into(),
        addresses: vec![address.parse().unwrap()],
        up: true,
        loopback,
    };
    let all = [
        interface("lo", "127.0.0.1", true),
        interface("eth0", "10.0.0.1", false),
        interface("eth1", "fd00::1", false),
    ];
    let names = ["ANYCCL_SOCKET_IFNAME", "NCCL_SOCKET_IFNAME", "GLOO_SOCKET_IFNAME", "SAR_SOCKET_NAME"];
    let wanted = names[usize::from(variable) % names.len()];
    match choose_among(&all, &|name| (name == wanted).then(|| text(rest).into_owned())) {
        Ok(choice) => assert!(!choice.interfaces.is_empty() && !choice.addresses().is_empty()),
        Err(error) => check_sentence(&error.to_string(), bytes),
    }
}

fn rules() -> Vec<Vec<u8>> {
    ["\0eth", "\x01=eth0,lo", "\x02^=eth0", "\x03lo", "\0^eth1, lo"]
        .map(|text| text.as_bytes().to_vec())
        .to_vec()
}
