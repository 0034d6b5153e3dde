//! Upper limits of what a store holds, in total and for one client.

use crate::base::Rank;

/// Largest sizes that a store accepts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Bytes of one key.
    pub key_bytes: usize,
    /// Bytes of one value.
    pub value_bytes: usize,
    /// Bytes of all values together.
    pub total_bytes: usize,
    /// Number of keys.
    pub keys: usize,
    /// Number of answers that a client has not read.
    pub answers: usize,
}

/// Generous for a bootstrap: a record is below 4 KiB, and the table has one per rank.
pub(crate) const LIMITS: Limits =
    Limits { key_bytes: 256, value_bytes: 256 << 20, total_bytes: 512 << 20, keys: 1 << 21, answers: 16 };

/// Bytes that a rank other than 0 sets: its record, with much to spare.
const RECORD_BYTES: usize = 64 << 10;
/// Bytes that rank 0 sets for each rank: a record.
const ROW_BYTES: usize = 8 << 10;
/// Bytes that rank 0 sets besides: the settings that it passes on.
const SETTINGS_BYTES: usize = 2 << 20;

impl Limits {
    /// The limits for a client that has not joined: its request has neither key nor value.
    pub fn of_stranger(self) -> Limits {
        Limits { key_bytes: 0, value_bytes: 0, ..self }
    }

    /// The limits for one rank of `size`. Only rank 0 sets something large, the table of all ranks.
    pub fn of_rank(self, rank: Rank, size: u32) -> Limits {
        let bytes = match rank {
            0 => (size as usize).saturating_mul(ROW_BYTES).saturating_add(SETTINGS_BYTES),
            _ => RECORD_BYTES,
        };
        Limits { value_bytes: self.value_bytes.min(bytes), ..self }
    }
}
