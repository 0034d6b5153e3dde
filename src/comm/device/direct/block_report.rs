//! What a rank reports to the leader about its blocks, if they differ in length.
//!
//! Only the two ranks between which a block moves know its length. So the leader compares what both report,
//! before its kernel uses it.

use crate::base::{Call, CallKind, Collective, Error, Result};

/// The blocks of a rank.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockReport {
    pub input: Vec<BlockSpan>,
    pub output: Vec<BlockSpan>,
}

/// A block: its distance from the side's first one by address, and its length, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockSpan {
    pub offset: u64,
    pub bytes: u64,
}

impl BlockReport {
    /// Bytes of the message of a rank among `size`.
    pub const fn bytes(size: usize) -> usize {
        2 * size * size_of::<BlockSpan>()
    }

    /// The message. Its blocks are as many on every side.
    pub fn to_bytes(&self, size: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(BlockReport::bytes(size));
        for side in [&self.input, &self.output] {
            let none = std::iter::repeat(&BlockSpan { offset: 0, bytes: 0 });
            for span in side.iter().chain(none).take(size) {
                bytes.extend(span.offset.to_le_bytes());
                bytes.extend(span.bytes.to_le_bytes());
            }
        }
        bytes
    }

    /// Reads a message.
    pub fn from_bytes(bytes: &[u8]) -> BlockReport {
        let word = |bytes: [u8; 8]| u64::from_le_bytes(bytes);
        let words = bytes.as_chunks().0.iter().copied().map(word);
        let words: Vec<u64> = words.collect();
        let mut spans =
            words.as_chunks().0.iter().map(|[offset, bytes]| BlockSpan { offset: *offset, bytes: *bytes });
        let size = spans.len() / 2;
        let input = spans.by_ref().take(size).collect();
        BlockReport { input, output: spans.collect() }
    }

    /// Whether no block is longer than `most` bytes.
    pub fn ends_within(&self, most: u64) -> bool {
        self.input.iter().chain(&self.output).all(|span| span.bytes <= most)
    }
}

/// Refuses a call if the two ranks of a block report different lengths.
pub fn check(collective: Collective, call: &Call, reports: &[BlockReport]) -> Result<()> {
    let (ranks, root) = (0..reports.len(), call.root as usize);
    for (from, to) in ranks.clone().flat_map(|from| ranks.clone().map(move |to| (from, to))) {
        let is_block = match collective {
            Collective::GatherV => to == root,
            Collective::ScatterV => from == root,
            _ => true,
        };
        let has_one_input = matches!(collective, Collective::AllGatherV | Collective::GatherV);
        let has_one_output = matches!(collective, Collective::ScatterV | Collective::ReduceScatterV);
        let sent = reports[from].input[if has_one_input { 0 } else { to }].bytes;
        let received = reports[to].output[if has_one_output { 0 } else { from }].bytes;
        if is_block && sent != received {
            let called = |bytes| {
                let kind = CallKind::OnDevice(collective);
                Call { kind, count: bytes / call.datatype.bytes() as u64, ..*call }
            };
            return Err(Error::Mismatch(format!(
                "the ranks disagree about the block from rank {from} to rank {to}: rank {from} called {}, rank {to} called {}",
                called(sent),
                called(received),
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Datatype;

    fn report(input: &[u64], output: &[u64]) -> BlockReport {
        let side = |side: &[u64]| side.iter().map(|bytes| BlockSpan { offset: 7, bytes: *bytes }).collect();
        BlockReport { input: side(input), output: side(output) }
    }

    #[test]
    fn a_report_survives_its_message() {
        let sent = report(&[3], &[4, 5, 6]);
        let received = BlockReport::from_bytes(&sent.to_bytes(3));
        assert_eq!((received.input[0], received.input[2]), (sent.input[0], BlockSpan::default()));
        assert_eq!(received.output, sent.output);
        assert!(received.ends_within(6) && !received.ends_within(5));
        assert_eq!(sent.to_bytes(3).len(), BlockReport::bytes(3));
    }

    #[test]
    fn both_ranks_of_a_block_must_report_its_length() {
        let check = |collective, reports: &[BlockReport]| {
            let kind = CallKind::Collective(collective);
            let call = Call { kind, datatype: Datatype::Float32, op: None, root: 1, count: 9 };
            check(collective, &call, reports)
        };
        let exchange = [report(&[4, 8], &[4, 12]), report(&[12, 0], &[8, 0])];
        assert!(check(Collective::AllToAllV, &exchange).is_ok());
        let wrong = [report(&[4, 8], &[4, 12]), report(&[12, 0], &[4, 0])];
        let error = check(Collective::AllToAllV, &wrong).unwrap_err();
        let text = error.to_string();
        assert!(matches!(error, Error::Mismatch(_)), "{text}");
        assert!(
            text.contains("rank 0 called all_to_all_v on devices(float32, a block of 2)")
                && text.contains("a block of 1"),
            "{text}"
        );
        let gather = [report(&[4, 0], &[9, 9]), report(&[8, 0], &[4, 8])];
        assert!(check(Collective::GatherV, &gather).is_ok());
        let scatter = [report(&[9, 9], &[4, 0]), report(&[4, 8], &[8, 0])];
        assert!(check(Collective::ScatterV, &scatter).is_ok());
        assert!(check(Collective::ReduceScatterV, &scatter).is_err());
    }
}
