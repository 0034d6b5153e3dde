//! Target of fuzzing: the records that ranks exchange when a communicator is made.

use super::agreement::{RECORD_BYTES, RankRecord, evaluate, same_bits, same_choice, same_wire};
use super::formation::{self, FormationRecord};
use crate::backend::BackendChoice;
use crate::foreign_bytes::harness::check_sentence;

pub(in crate::comm) fn records(bytes: &[u8]) {
    let whole = &bytes[..bytes.len() - bytes.len() % RECORD_BYTES];
    let agreed = evaluate(whole);
    let ranks = (whole.len() / RECORD_BYTES) as u32;
    assert!(agreed.ranks_per_core >= 1 && agreed.ranks_per_core <= ranks.max(1));
    for record in whole.chunks_exact(RECORD_BYTES) {
        let choice = RankRecord::read(record).choice;
        assert_eq!(BackendChoice::from_bytes(choice.to_bytes()), choice);
    }
    if let Err(error) = same_choice(whole) {
        check_sentence(&error.to_string(), &[]);
    }
    for error in [same_bits(whole), same_wire(whole)].into_iter().filter_map(Result::err) {
        check_sentence(&error.to_string(), &[]);
    }
    for record in bytes.chunks_exact(formation::RECORD_BYTES) {
        assert_eq!(FormationRecord::from_bytes(record).to_bytes(), record);
    }
}

pub(in crate::comm) fn seeds() -> Vec<Vec<u8>> {
    let record = |cores: u8, machine: u8, bits: u8| {
        let mut bytes = vec![0; RECORD_BYTES];
        (bytes[0], bytes[RECORD_BYTES - BackendChoice::BYTES - 1]) = (cores, bits);
        bytes[RECORD_BYTES - BackendChoice::BYTES - 2] = machine;
        bytes[RECORD_BYTES - BackendChoice::BYTES] = machine & 3;
        bytes
    };
    vec![
        record(3, 1, 7),
        [record(1, 1, 0), record(2, 1, 2)].concat(),
        [record(255, 1, 1), record(0, 2, 2), record(9, 2, 12)].concat(),
    ]
}
