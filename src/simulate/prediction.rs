//! The result of a simulation.

use super::path::Hop;
use super::symmetry::{Order, Symmetry};
use super::traffic::Traffic;

/// The result of a simulation.
#[derive(Clone, Debug)]
pub struct Prediction {
    /// Seconds from the common start to the end of the last rank.
    pub seconds: f64,
    /// The bytes that were moved.
    pub traffic: Traffic,
    /// The most scratch memory of a rank, in bytes.
    pub scratch: u64,
    /// The critical path, which determined the time.
    pub path: Vec<Hop>,
    /// The count that was simulated: that of the request, or slightly more.
    pub count: usize,
    /// The symmetry by which some ranks stood for all.
    pub symmetry: Symmetry,
    /// Whether the simulated ranks send in the same order as all ranks.
    pub order: Order,
    /// Number of ranks that were simulated.
    pub ranks: u32,
    /// Number of forecasts that were made, as a measure of the simulation's own work.
    pub events: u64,
}
