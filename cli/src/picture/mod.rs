//! Pictures of measurements and predictions: lines over sizes ([`lines`]) and heat maps ([`heat_map`]).
//!
//! Every picture is drawn as SVG, in the colours of a [`Theme`], and encoded as the file's name says
//! ([`Format`]).

mod axis;
mod figure;
mod format;
mod heading;
pub mod heat_map;
mod layers;
pub mod lines;
mod marker;
mod panel;
mod theme;

pub use figure::{Figure, Group, Point, Series, Spread};
pub use format::Format;
pub use heading::Heading;
pub use heat_map::HeatMap;
pub use theme::Theme;

use marker::Done;

/// Font of all text.
const FONT: &str = "sans-serif";

/// A picture as SVG.
pub type Drawn = Done<String>;
