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
/// x
pub struct Tuning {
    /// x
    pub chunk_bytes: usize,
}
impl Tuning {
    /// x
    pub fn from_config(_: &crate::config::Config) -> crate::base::Result<Tuning> {
        todo!()
    }
    /// x
    pub fn to_bytes(&self) -> Vec<u8> {
        todo!()
    }
    /// x
    pub fn from_bytes(_: &[u8]) -> crate::base::Result<Tuning> {
        todo!()
    }
    /// x
    pub fn choose(
        &self,
        _: &crate::plan::PlanRequest,
        _: bool,
    ) -> crate::base::Result<&'static crate::algo::Algorithm> {
        todo!()
    }
}
