//! Gathers one record per rank through the store.
//!
//! Every rank sets its record. Rank 0 gets all records and sets one table, which every rank gets: two
//! requests per rank, where all-with-all would be quadratic. If rank 0 finds that the ranks do not agree, it
//! publishes the disagreement instead, so that no rank waits for a table that never comes.

use std::time::{Duration, Instant};

use super::record::Record;
use crate::base::{Error, Rank, Result};
use crate::bootstrap::job::wire::{Reader, Writer};
use crate::bootstrap::store::key_value::Store;
use crate::bootstrap::store::missing::not_come;
use crate::sys::clock;

/// Longest blob that rank 0 may pass to everybody.
const SETTINGS_BYTES: usize = 1 << 20;

/// How long to look for further missing ranks after the first one.
const SWEEP: Duration = Duration::from_secs(1);

const TABLE: u8 = 1;
const MISMATCH: u8 = 2;
const FAILURE: u8 = 3;

/// The table that every rank has after the exchange.
#[derive(Debug)]
pub(crate) struct RecordTable {
    /// Records by rank.
    pub records: Vec<Record>,
    /// The settings of rank 0.
    pub settings: Vec<u8>,
}

/// Publishes `own` and returns the records of all ranks. Only rank 0's `settings` count.
pub(crate) fn exchange(
    store: &mut dyn Store,
    own: &Record,
    settings: &[u8],
    deadline: Instant,
) -> Result<RecordTable> {
    if own.rank != 0 {
        let told = store.set(&record_key(own.rank), &own.encode(), deadline);
        let told = told.and_then(|()| store.get("table", deadline));
        return decode(&told.inspect_err(|error| tell(store, error))?, own.size);
    }
    if settings.len() > SETTINGS_BYTES {
        let got = format!("{} bytes, at most {SETTINGS_BYTES} can be passed on", settings.len());
        return Err(Error::InvalidArgument { what: "settings", got });
    }
    let mut encoded = vec![own.encode()];
    let mut records = vec![own.clone()];
    for rank in 1..own.size {
        let got = store.get(&record_key(rank), deadline).map_err(|e| name_missing(e, store, rank, own.size));
        match got.and_then(|bytes| Ok((Record::decode(&bytes, rank, own.size)?, bytes))) {
            Ok((record, bytes)) => {
                records.push(record);
                encoded.push(bytes);
            }
            Err(error) => {
                let told = store.set("table", &encode_refusal(&error), clock::now());
                let _ = told.inspect_err(|error| tell(store, error));
                return Err(error);
            }
        }
    }
    let told = store.set("table", &encode(&encoded, settings), deadline);
    told.inspect_err(|error| tell(store, error))?;
    Ok(RecordTable { records, settings: settings.to_vec() })
}

/// Tells the other ranks that this one has failed at the store. They notice a timeout at their own deadline.
fn tell(store: &mut dyn Store, error: &Error) {
    if !matches!(error, Error::Timeout { .. }) {
        store.fail(&error.to_string());
    }
}

/// A timeout on `first` becomes one that names all ranks that have not published.
fn name_missing(error: Error, store: &mut dyn Store, first: Rank, size: u32) -> Error {
    let Error::Timeout { waited, .. } = error else { return error };
    let now = clock::now();
    let absent = |rank: &Rank| *rank == first || store.get(&record_key(*rank), now).is_err();
    // A store that has stopped answering must not make the message late.
    let missing: Vec<Rank> = (first..size).take_while(|_| clock::since(now) < SWEEP).filter(absent).collect();
    Error::Timeout { waited, detail: format!("of {size} ranks {}", not_come(&missing)) }
}

fn record_key(rank: Rank) -> String {
    format!("record/{rank}")
}

pub(crate) fn encode(records: &[Vec<u8>], settings: &[u8]) -> Vec<u8> {
    let mut w = Writer::default();
    w.u8(TABLE);
    w.bytes(settings);
    w.u32(records.len() as u32);
    records.iter().for_each(|record| w.bytes(record));
    w.0
}

pub(crate) fn encode_refusal(error: &Error) -> Vec<u8> {
    let mut w = Writer::default();
    w.u8(if matches!(error, Error::Mismatch(_)) { MISMATCH } else { FAILURE });
    w.bytes(error.to_string().as_bytes());
    w.0
}

pub(crate) fn decode(bytes: &[u8], size: u32) -> Result<RecordTable> {
    let nonsense = || Error::Bootstrap("the table that rank 0 published cannot be understood".into());
    let mut r = Reader(bytes);
    match r.u8() {
        Some(TABLE) => {}
        Some(kind @ (MISMATCH | FAILURE)) => {
            let text = r.string(SETTINGS_BYTES).ok_or_else(nonsense)?;
            return Err(if kind == MISMATCH { Error::Mismatch(text) } else { Error::Bootstrap(text) });
        }
        _ => return Err(nonsense()),
    }
    let settings = r.bytes(SETTINGS_BYTES).ok_or_else(nonsense)?.to_vec();
    let count = r.u32().ok_or_else(nonsense)?;
    if count != size {
        return Err(Error::Mismatch(format!(
            "rank 0 was told a world of {count} ranks, this rank one of {size}: every rank must be given the same size"
        )));
    }
    let mut records = Vec::with_capacity(size as usize);
    for rank in 0..size {
        let bytes = r.bytes(Record::max_bytes()).ok_or_else(nonsense)?;
        records.push(Record::decode(bytes, rank, size)?);
    }
    if r.is_empty() { Ok(RecordTable { records, settings }) } else { Err(nonsense()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bootstrap::mesh::record::sample;
    use proptest::prelude::*;

    fn table(size: u32) -> Vec<u8> {
        let records: Vec<_> = (0..size).map(|rank| sample(rank, size).encode()).collect();
        encode(&records, b"blob")
    }

    #[test]
    fn a_table_is_read_as_written_and_no_shorter_one_is() {
        let bytes = table(3);
        let read = decode(&bytes, 3).unwrap();
        assert_eq!(read.records, [sample(0, 3), sample(1, 3), sample(2, 3)]);
        assert_eq!(read.settings, b"blob");
        for shorter in 0..bytes.len() {
            assert!(decode(&bytes[..shorter], 3).is_err());
        }
    }

    #[test]
    fn a_refusal_reaches_the_reader_as_a_mismatch() {
        let bytes = encode_refusal(&Error::Mismatch("rank 1 says 3, rank 0 says 2".into()));
        let error = decode(&bytes, 2).unwrap_err();
        assert!(matches!(&error, Error::Mismatch(text) if text == "rank 1 says 3, rank 0 says 2"), "{error}");
    }

    proptest! {
        #[test]
        fn a_damaged_table_never_panics(at in any::<prop::sample::Index>(), byte in any::<u8>(), size in 0u32..4) {
            let mut bytes = table(2);
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = decode(&bytes, size);
        }
    }
}
