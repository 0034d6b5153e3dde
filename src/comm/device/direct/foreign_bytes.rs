//! Target of fuzzing: the records that ranks exchange about buffers on devices.

use super::block_report::BlockReport;
use super::buffers::BufferRecord;
use super::introduction::Introduction;
use super::ipc_cache::channel_records;
use super::message_record::MessageRecord;
use crate::foreign_bytes::harness::check_sentence;
use crate::foreign_bytes::{connection, pieces, split, write};
use crate::p2p::REFERENCE_BYTES;

pub(in crate::comm) fn records(bytes: &[u8]) {
    let ([kind, length], bytes) = split(bytes);
    match kind % 4 {
        0 => {
            let (bytes, report) = split::<{ BufferRecord::BYTES }>(bytes);
            let report = BlockReport::from_bytes(report);
            let again = report.to_bytes(report.input.len());
            assert_eq!(BlockReport::from_bytes(&again).input, report.input);
            let record = BufferRecord::from_bytes(&bytes);
            let again = record.to_bytes();
            assert_eq!(BufferRecord::from_bytes(&again).to_bytes(), again);
            // No buffers are published under any number.
            match record.buffers(0, |_| None) {
                Ok(_) => panic!("buffers that nobody has published"),
                Err(error) => check_sentence(&error.to_string(), &[]),
            }
        }
        1 => {
            let (bytes, _) = split::<{ Introduction::BYTES }>(bytes);
            let again = Introduction::from_bytes(&bytes).to_bytes();
            assert_eq!(Introduction::from_bytes(&again).to_bytes(), again);
        }
        2 => {
            let (bytes, _) = split::<REFERENCE_BYTES>(bytes);
            let record = MessageRecord::from_reference(&bytes);
            assert_eq!(MessageRecord::from_reference(&record.to_reference()), record);
            // Nobody shares the elements of a message here.
            assert!(record.as_buffers().buffers(0, |_| None).is_err());
        }
        _ => {
            let [own, peer] = connection();
            let parts = pieces(bytes, length).map(|piece| write(&peer, piece));
            channel_records(own, parts);
        }
    }
}

pub(in crate::comm) fn seeds() -> Vec<Vec<u8>> {
    let record = |kind: u8| {
        let mut bytes = vec![0; 88];
        (bytes[0], bytes[8], bytes[16]) = (kind, 1, 2);
        bytes
    };
    let stream: Vec<u8> = [5, 2, 4, 6, 5].into_iter().flat_map(record).collect();
    vec![
        [&[0, 0][..], &[1; BufferRecord::BYTES + BlockReport::bytes(2)]].concat(),
        [&[1, 0][..], &[1; Introduction::BYTES]].concat(),
        [&[2, 0][..], &[1; REFERENCE_BYTES]].concat(),
        [&[3, 0][..], &stream].concat(),
        [&[3, 13][..], &stream].concat(),
        [&[3, 0][..], &record(1), &record(3)].concat(),
    ]
}
