//! The record that every rank publishes about itself.

use std::collections::HashSet;
use std::net::SocketAddr;
use std::sync::Arc;

use super::lanes;
use crate::base::{Error, Rank, Result, VERSION};
use crate::bootstrap::auth::hello::PROTOCOL;
use crate::bootstrap::job::address::{self, ADDRESSES};
use crate::bootstrap::job::wire::{Reader, Writer};
use crate::config::{ConnectChoice, MOST_LANES, TransportChoice};

/// Length limit of a host name, a host identity or a version.
pub(crate) const NAME_BYTES: usize = 256;
const UNIX_NAME_BYTES: usize = 107;

/// Host and process of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerInfo {
    /// Host name, for messages only.
    pub host_name: Arc<str>,
    /// Host identity: `ANYCCL_HOST_ID`, else machine and network namespace.
    pub host_id: Arc<str>,
    /// Process id on its host.
    pub pid: u32,
}

impl PeerInfo {
    /// The name of the rank with this host and process, for messages.
    pub fn label(&self, rank: Rank) -> String {
        format!("rank {rank} (host {}, pid {})", self.host_name, self.pid)
    }
}

/// One rank's record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Record {
    /// Version of the rank's bootstrap protocol.
    pub protocol: u16,
    /// Version of the rank's library.
    pub version: Arc<str>,
    /// The rank itself.
    pub rank: Rank,
    /// The world size that the rank was given.
    pub size: u32,
    /// Host name, host identity, process id.
    pub info: PeerInfo,
    /// The transports that the rank may use.
    pub transport: TransportChoice,
    /// When ranks connect, as this one would have it. The choice of rank 0 counts.
    pub connect: ConnectChoice,
    /// Lanes that the rank may use: connections for long messages. 1: the only one carries all. `None`: as
    /// many as the path needs.
    pub lanes: Option<u8>,
    /// The abstract name of the rank's Unix socket.
    pub unix_name: Box<[u8]>,
    /// The rank's TCP listeners, best first.
    pub addresses: Box<[SocketAddr]>,
    /// Number of first addresses over which lanes are spread: one of each interface that the user has listed.
    pub spread: u8,
}

impl Record {
    /// The record as bytes of the wire.
    pub fn encode(&self) -> Vec<u8> {
        let mut w = Writer::default();
        // The version comes first, so that every version can read it.
        w.u16(self.protocol);
        w.bytes(self.version.as_bytes());
        w.u32(self.rank);
        w.u32(self.size);
        w.bytes(self.info.host_name.as_bytes());
        w.bytes(self.info.host_id.as_bytes());
        w.u32(self.info.pid);
        w.u8(match self.transport {
            TransportChoice::Auto => 0,
            TransportChoice::Shm => 1,
            TransportChoice::Tcp => 2,
            TransportChoice::Ofi => 3,
        });
        w.u8(match self.connect {
            ConnectChoice::Auto => 0,
            ConnectChoice::AtStart => 1,
            ConnectChoice::OnDemand => 2,
        });
        w.u8(self.lanes.unwrap_or(0));
        w.bytes(&self.unix_name);
        w.u8(self.addresses.len() as u8);
        self.addresses.iter().for_each(|a| address::write(&mut w, a));
        w.u8(self.spread);
        w.0
    }

    /// Most data connections that this rank and a peer have with each other if they use TCP: one, or one
    /// more than the lanes that both may use.
    pub fn data_connections(&self, peer: &Record) -> u8 {
        let most = |record: &Record| record.lanes.unwrap_or(lanes::on_long_path(self.size));
        match most(self).min(most(peer)) {
            1 => 1,
            lanes => 1 + lanes,
        }
    }

    /// Whether these two ranks have lanes only on a long path.
    pub fn asks_path(&self, peer: &Record) -> bool {
        [self, peer].iter().any(|record| record.lanes.is_none()) && self.data_connections(peer) > 1
    }

    /// The addresses of a peer, in the order in which this rank tries them for data connection `lane`. The
    /// lanes are spread over as many interfaces as both have listed.
    pub fn places_of(&self, peer: &Record, lane: u8) -> Vec<SocketAddr> {
        let spread = usize::from(self.spread.min(peer.spread)).min(peer.addresses.len());
        let mut places = peer.addresses.to_vec();
        if spread > 1 && lane > 0 {
            places[..spread].rotate_left(usize::from(lane - 1) % spread);
        }
        places
    }

    /// Reads what rank `rank` of `size` published.
    pub fn decode(bytes: &[u8], rank: Rank, size: u32) -> Result<Record> {
        let mut r = Reader(bytes);
        let head = r.u16().zip(read_name(&mut r));
        let (protocol, version) = head.ok_or_else(|| nonsense(rank))?;
        if protocol != PROTOCOL {
            return Err(Error::Mismatch(format!(
                "rank {rank} runs anyccl {version} (bootstrap protocol {protocol}), this one is {VERSION} ({PROTOCOL}): \
                 use one version for all ranks"
            )));
        }
        let record = Record::decode_rest(&mut r, protocol, version).filter(|_| r.is_empty());
        let record = record.ok_or_else(|| nonsense(rank))?;
        if record.size != size {
            return Err(Error::Mismatch(format!(
                "rank {rank} was told a world of {} ranks, rank 0 one of {size}: every rank must be given the same size",
                record.size
            )));
        }
        if record.rank == rank { Ok(record) } else { Err(nonsense(rank)) }
    }

    fn decode_rest(r: &mut Reader<'_>, protocol: u16, version: Arc<str>) -> Option<Record> {
        Some(Record {
            protocol,
            version,
            rank: r.u32()?,
            size: r.u32()?,
            info: PeerInfo { host_name: read_name(r)?, host_id: read_name(r)?, pid: r.u32()? },
            transport: match r.u8()? {
                0 => TransportChoice::Auto,
                1 => TransportChoice::Shm,
                2 => TransportChoice::Tcp,
                3 => TransportChoice::Ofi,
                _ => return None,
            },
            connect: match r.u8()? {
                0 => ConnectChoice::Auto,
                1 => ConnectChoice::AtStart,
                2 => ConnectChoice::OnDemand,
                _ => return None,
            },
            lanes: match r.u8()? {
                0 => None,
                lanes => Some((lanes <= MOST_LANES).then_some(lanes)?),
            },
            unix_name: r.bytes(UNIX_NAME_BYTES)?.into(),
            addresses: {
                let count = usize::from(r.u8()?);
                if count > ADDRESSES {
                    return None;
                }
                (0..count).map(|_| address::read(r)).collect::<Option<Box<[_]>>>()?
            },
            spread: r.u8().filter(|spread| *spread > 0)?,
        })
    }

    /// Makes equal names one in memory. A rank keeps the records of all, and few names differ: that of the
    /// version, and those of the hosts.
    pub fn share_names(records: &mut [Record]) {
        let mut all = HashSet::new();
        let mut share = |name: &mut Arc<str>| match all.get(name) {
            Some(same) => *name = Arc::clone(same),
            None => _ = all.insert(Arc::clone(name)),
        };
        for record in records {
            share(&mut record.version);
            share(&mut record.info.host_name);
            share(&mut record.info.host_id);
        }
    }

    /// Upper limit of the length of an encoded record.
    pub const fn max_bytes() -> usize {
        64 + 3 * NAME_BYTES + UNIX_NAME_BYTES + ADDRESSES * 19
    }
}

fn read_name(r: &mut Reader<'_>) -> Option<Arc<str>> {
    r.bytes(NAME_BYTES).and_then(|bytes| std::str::from_utf8(bytes).ok()).map(Arc::from)
}

fn nonsense(rank: Rank) -> Error {
    Error::Bootstrap(format!("what rank {rank} published about itself cannot be understood"))
}

#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn sample(rank: Rank, size: u32) -> Record {
    Record {
        protocol: PROTOCOL,
        version: VERSION.into(),
        rank,
        size,
        info: PeerInfo { host_name: "b".into(), host_id: "b-id".into(), pid: 4711 },
        transport: TransportChoice::Ofi,
        connect: ConnectChoice::OnDemand,
        lanes: Some(3),
        unix_name: (*b"name\0with zero").into(),
        addresses: ["10.0.0.1:5", "[2001:db8::1]:6"].map(|one| one.parse().unwrap()).into(),
        spread: 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_record_is_read_as_written_and_no_shorter_or_longer_one_is() {
        let bytes = sample(3, 4).encode();
        assert!(bytes.len() <= Record::max_bytes());
        assert_eq!(Record::decode(&bytes, 3, 4).unwrap(), sample(3, 4));
        let auto = Record { lanes: None, ..sample(3, 4) };
        assert_eq!(Record::decode(&auto.encode(), 3, 4).unwrap(), auto);
        for shorter in 0..bytes.len() {
            assert!(Record::decode(&bytes[..shorter], 3, 4).is_err());
        }
        let longer = [&bytes[..], &[0]].concat();
        assert!(Record::decode(&longer, 3, 4).is_err());
    }

    #[test]
    fn equal_names_are_kept_once() {
        let mut records = [sample(0, 3), sample(1, 3), sample(2, 3)];
        records[1].info.host_name = "a".into();
        let before = records.clone();
        Record::share_names(&mut records);
        assert_eq!(records, before);
        let [zero, one, two] = &records;
        assert!(Arc::ptr_eq(&zero.version, &two.version) && Arc::ptr_eq(&zero.version, &one.version));
        assert!(Arc::ptr_eq(&zero.info.host_name, &two.info.host_name));
        assert!(Arc::ptr_eq(&zero.info.host_id, &one.info.host_id));
    }

    #[test]
    fn lanes_are_spread_over_as_many_interfaces_as_both_have_listed() {
        let addresses = |text: &str| text.split(' ').map(|one| one.parse().unwrap()).collect();
        let record = |spread| Record {
            spread,
            addresses: addresses("10.0.0.1:1 10.1.0.1:2 10.2.0.1:3 127.0.0.1:4"),
            ..sample(0, 2)
        };
        let first = |mine, theirs| -> Vec<u16> {
            (0..5).map(|lane| record(mine).places_of(&record(theirs), lane)[0].port()).collect()
        };
        assert_eq!(first(3, 3), [1, 1, 2, 3, 1]);
        assert_eq!(first(2, 3), [1, 1, 2, 1, 2]);
        assert_eq!(first(3, 1), [1; 5]);
        assert_eq!(first(9, 200), [1, 1, 2, 3, 4]);
        let last: Box<[SocketAddr]> = addresses("10.1.0.1:2 10.2.0.1:3 10.0.0.1:1 127.0.0.1:4");
        assert_eq!(record(3).places_of(&record(3), 2), *last);
    }

    #[test]
    fn another_version_is_named_with_ours_even_if_its_record_looks_different() {
        let mut other = Writer::default();
        other.u16(9);
        other.bytes(b"3.0.0");
        other.bytes(b"something newer");
        let text = Record::decode(&other.0, 1, 2).unwrap_err().to_string();
        assert!(text.contains("rank 1 runs anyccl 3.0.0") && text.contains(VERSION), "{text}");
    }

    #[test]
    fn another_world_size_is_named_with_ours() {
        let text = Record::decode(&sample(1, 3).encode(), 1, 2).unwrap_err().to_string();
        assert!(text.contains("a world of 3 ranks, rank 0 one of 2"), "{text}");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Record::decode(&bytes, 0, 1);
        }

        #[test]
        fn a_damaged_record_never_panics(at in 0usize..200, byte in any::<u8>()) {
            let mut bytes = sample(0, 1).encode();
            let at = at % bytes.len();
            bytes[at] = byte;
            let _ = Record::decode(&bytes, 0, 1);
        }
    }
}
