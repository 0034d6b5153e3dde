//! The cost model: links, and the terms of the formulas that predict algorithms. Pure arithmetic.
//!
//! A [`LinkModel`] describes a link in the terms of the alpha-beta-gamma model: latency, time per byte, time
//! per reduced byte. Several hosts have two kinds of links, [`Paths`]. An algorithm that ignores hosts sees a
//! mixture of them ([`Traffic`]); a ring sees the [`Edges`] between neighbours. `formula` has the terms of
//! which the cost functions in `algo` are made. A [`Curve`] holds measured times by size, for the simulator.

mod curve;
mod edges;
mod formula;
mod link;
mod paths;
#[cfg(test)]
pub(crate) mod tests;
mod times;

pub use curve::Curve;
pub(crate) use curve::{FIGURES, rounded};
pub use edges::Edges;
pub(crate) use formula::{
    Terms, along, around, burst, collected, halving, hop, moved, moved_and_reduced, reduced,
};
pub use link::LinkModel;
pub use paths::{Paths, Traffic};
pub use times::{CollectiveTimes, MessageTimes, Times};
