//! The result of a simulation.

use super::path::Hop;
use super::symmetry::{Order, Symmetry};
use super::traffic::Traffic;

/// The result of a simulation.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// From the common begin to the end of the last rank.
    pub seconds: f64,
    /// The bytes that were moved.
    pub traffic: Traffic,
    /// The most scratch memory of a rank, in bytes.
    pub scratch: u64,
    /// The critical path, which determined the time.
    pub path: Vec<Hop>,
    /// The count that was simulated: that of the request, or a little more.
    pub count: usize,
    /// Why a part of the ranks was enough.
    pub symmetry: Symmetry,
    /// Whether the simulated ranks send in the order of all ranks.
    pub order: Order,
    /// Ranks that were simulated.
    pub ranks: u32,
    /// Forecasts of ends of transfers: what the simulation itself took.
    pub events: u64,
}
