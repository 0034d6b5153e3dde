//! Targets of fuzzing: what leads to a store: a beacon, and a file.

use super::beacon::Beacon;
use super::file::announcement::{FileContents, parse};
use crate::bootstrap::job::key::{JobKey, hex, unhex};
use crate::bootstrap::job::wire::{CHECKSUM_BYTES, checksum};
use crate::foreign_bytes::Target;

pub(crate) const TARGETS: &[Target] = &[
    Target { name: "beacon", read: read_beacon, seeds: beacons, room: 16 << 10 },
    Target { name: "store_file", read: store_file, seeds: files, room: 32 << 10 },
];

const KEY: JobKey = JobKey([7; 32]);

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
    let bytes = unhex(text.as_bytes()).unwrap();
    vec![text.into_bytes(), bytes[..bytes.len() - CHECKSUM_BYTES].to_vec()]
}

fn store_file(bytes: &[u8]) {
    match parse(&String::from_utf8_lossy(bytes)) {
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
