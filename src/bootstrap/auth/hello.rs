//! The hello: the first message on a connection after both sides have proved the key. It says who is
//! speaking.
//!
//! It has 32 bytes, little-endian. Magic and protocol version keep their place in every version, so that two
//! versions can name each other instead of misreading each other.

use super::proof::Purpose;
use crate::base::Rank;

/// Length on the wire.
pub(crate) const HELLO_BYTES: usize = 32;

/// Version of the protocols of the bootstrap. It is raised when an older library could not follow.
pub(crate) const PROTOCOL: u16 = 4;

/// Stands for "no particular rank": a store's own rank, and the target of a store's client.
pub(crate) const ANY_RANK: Rank = Rank::MAX;

const MAGIC: [u8; 4] = *b"ACCL";

/// Identity of the speaker, purpose of the connection, and the rank that is addressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Hello {
    /// The speaker's protocol version.
    pub protocol: u16,
    /// What the connection is for. An acceptor repeats the connector's.
    pub purpose: Purpose,
    /// On a control connection: number of data connections of the same pair.
    pub data: u8,
    /// On a data connection: which of those of the pair it is.
    pub lane: u8,
    /// The speaker.
    pub rank: Rank,
    /// Ranks in the speaker's world; 0 when it does not know.
    pub size: u32,
    /// The rank to which the speaker wants to speak.
    pub target: Rank,
}

/// Why a hello is not acceptable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Objection {
    /// Same job, but the two sides could never work together. The job has to fail with this sentence.
    Disagreement(String),
    /// The other side is not the wanted rank, or sent nonsense. Close and try elsewhere.
    Misdirected,
}

impl Hello {
    /// A hello of this library version.
    pub fn new(purpose: Purpose, rank: Rank, size: u32, target: Rank) -> Hello {
        Hello { protocol: PROTOCOL, purpose, data: 0, lane: 0, rank, size, target }
    }

    /// The hello as bytes of the wire.
    pub fn encode(&self) -> [u8; HELLO_BYTES] {
        let mut bytes = [0; HELLO_BYTES];
        bytes[..4].copy_from_slice(&MAGIC);
        bytes[4..6].copy_from_slice(&self.protocol.to_le_bytes());
        bytes[6] = self.purpose as u8;
        bytes[7] = self.data;
        bytes[8..12].copy_from_slice(&self.rank.to_le_bytes());
        bytes[12..16].copy_from_slice(&self.size.to_le_bytes());
        bytes[16..20].copy_from_slice(&self.target.to_le_bytes());
        bytes[20] = self.lane;
        bytes
    }

    /// Reads what the other side sent and compares it with our own hello.
    pub fn check(bytes: &[u8; HELLO_BYTES], own: &Hello) -> Result<Hello, Objection> {
        let word = |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
        if bytes[..4] != MAGIC {
            return Err(Objection::Misdirected);
        }
        let protocol = u16::from_le_bytes([bytes[4], bytes[5]]);
        let (rank, size, target) = (word(8), word(12), word(16));
        if protocol != own.protocol {
            return Err(Objection::Disagreement(format!(
                "{} speaks bootstrap protocol {protocol}, {} speaks {}: use one version of anyccl for all ranks",
                speaker(rank),
                speaker(own.rank),
                own.protocol,
            )));
        }
        let purpose = Purpose::from_number(bytes[6]).ok_or(Objection::Misdirected)?;
        let meant_for_us = target == own.rank || target == ANY_RANK;
        let whom_we_wanted = own.target == rank || own.target == ANY_RANK;
        if purpose != own.purpose || !meant_for_us || !whom_we_wanted {
            return Err(Objection::Misdirected);
        }
        if size != 0 && own.size != 0 && size != own.size {
            return Err(Objection::Disagreement(size_disagreement(rank, size, own.rank, own.size)));
        }
        Ok(Hello { protocol, purpose, data: bytes[7], lane: bytes[20], rank, size, target })
    }
}

/// The sentence for two ranks that were told different world sizes.
pub(crate) fn size_disagreement(rank: Rank, size: u32, other: Rank, other_size: u32) -> String {
    format!(
        "{} was told a world of {size} ranks, {} one of {other_size}: every rank must be given the same size",
        speaker(rank),
        speaker(other),
    )
}

fn speaker(rank: Rank) -> String {
    if rank == ANY_RANK { "the store".into() } else { format!("rank {rank}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn own() -> Hello {
        Hello::new(Purpose::Control, 2, 4, ANY_RANK)
    }

    #[test]
    fn a_hello_meant_for_us_is_read_as_it_was_written() {
        let theirs = Hello { data: 5, ..Hello::new(Purpose::Control, 3, 4, 2) };
        assert_eq!(Hello::check(&theirs.encode(), &own()), Ok(theirs));
    }

    #[test]
    fn a_hello_names_its_data_connection() {
        let theirs = Hello { lane: 3, ..Hello::new(Purpose::Data, 3, 4, 2) };
        let own = Hello { purpose: Purpose::Data, ..own() };
        assert_eq!(Hello::check(&theirs.encode(), &own).map(|hello| hello.lane), Ok(3));
    }

    #[test]
    fn a_hello_for_another_rank_or_purpose_is_misdirected() {
        for theirs in [Hello::new(Purpose::Control, 3, 4, 1), Hello::new(Purpose::Data, 3, 4, 2)] {
            assert_eq!(Hello::check(&theirs.encode(), &own()), Err(Objection::Misdirected));
        }
        let wanted_five = Hello { target: 5, ..own() };
        let theirs = Hello::new(Purpose::Control, 3, 4, 2);
        assert_eq!(Hello::check(&theirs.encode(), &wanted_five), Err(Objection::Misdirected));
    }

    #[test]
    fn another_version_or_world_size_is_named_with_ours() {
        let newer = Hello { protocol: 7, ..Hello::new(Purpose::Control, 3, 4, 2) };
        let Err(Objection::Disagreement(text)) = Hello::check(&newer.encode(), &own()) else { panic!() };
        assert!(text.contains("rank 3 speaks bootstrap protocol 7, rank 2 speaks 4"), "{text}");

        let larger = Hello::new(Purpose::Control, 3, 5, 2);
        let Err(Objection::Disagreement(text)) = Hello::check(&larger.encode(), &own()) else { panic!() };
        assert!(text.contains("rank 3 was told a world of 5 ranks, rank 2 one of 4"), "{text}");
    }

    proptest! {
        #[test]
        fn arbitrary_bytes_never_panic(bytes in any::<[u8; HELLO_BYTES]>(), magic in any::<bool>()) {
            let mut bytes = bytes;
            if magic {
                bytes[..4].copy_from_slice(&MAGIC);
            }
            let _ = Hello::check(&bytes, &own());
        }
    }
}
