//! Upper limits of what a store holds.

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
}

/// Generous for a bootstrap: a record is below 4 KiB, and the table has one per rank.
pub(crate) const LIMITS: Limits =
    Limits { key_bytes: 256, value_bytes: 256 << 20, total_bytes: 512 << 20, keys: 1 << 21 };
