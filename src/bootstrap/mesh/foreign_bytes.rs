//! Targets of fuzzing: the records by which ranks describe themselves.

use super::exchange;
use super::record::{Record, sample};
use crate::base::Error;
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{Target, split};

pub(crate) const TARGETS: &[Target] =
    &[Target { name: "records", read: records, seeds: tables, room: 64 << 10 }];

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
