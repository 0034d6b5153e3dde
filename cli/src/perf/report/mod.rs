//! Reports: their contents, and their forms.

mod csv;
mod json;
mod matrix;
mod rows;
mod table;
mod whole;

pub use csv::Csv;
pub use json::json;
pub use matrix::{Matrix, Values};
pub use rows::{Header, PairRow, Report, Row, verdict};
pub use table::TextTable;
pub use whole::{Measurements, WholeReport};
