//! Picks an algorithm: by the user's word, else by predicted cost.

/// Latency, bandwidth and reduction cost of the slowest link that a plan would use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkModel {
    /// Microseconds for an empty message (alpha).
    pub latency_us: f64,
    /// Microseconds per byte moved (beta).
    pub us_per_byte: f64,
    /// Microseconds per byte reduced (gamma).
    pub reduce_us_per_byte: f64,
}
