//! Reports: their contents, and their forms.

mod csv;
mod json;
mod matrix;
mod rows;
mod table;

pub use csv::Csv;
pub use json::Json;
pub use matrix::Matrix;
pub use rows::{Header, PairRow, Report, Row};
pub use table::TextTable;
