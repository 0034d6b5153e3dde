//! `--plot`: a picture of the measurements.
//!
//! Collectives, and transfers between two ranks, are drawn as time and bandwidth over size, with one line for
//! each algorithm or collective ([`figure`]). A matrix is drawn as two heat maps. Everything is drawn when
//! all is measured.

mod figure;

use std::io;

use super::machines::Machine;
use super::report::{Header, Matrix, Measurements};
use crate::picture::{Drawn, Format, HeatMap, Theme, heat_map, lines};

/// The picture as a file of its own, which says what was measured and where.
pub fn file(measurements: &Measurements, format: Format, theme: Theme) -> io::Result<Vec<u8>> {
    let svg = draw(measurements, &notes(measurements), theme).map_err(io::Error::other)?;
    format.encode(&svg, theme).map_err(io::Error::other)
}

/// Draws the picture with these lines of text below its title.
pub fn draw(measurements: &Measurements, notes: &[String], theme: Theme) -> Drawn {
    let Measurements { header, rows, pairs, .. } = measurements;
    let title = title(header);
    if header.matrix {
        return heat_map::draw(&title, notes, &maps(&Matrix::of(header.ranks, pairs)), theme);
    }
    let figure = if pairs.is_empty() {
        figure::of_rows(&title, notes, rows)
    } else {
        figure::of_pairs(&title, notes, pairs)
    };
    lines::draw(&figure, theme)
}

/// What all measurements share, in words.
pub fn title(header: &Header) -> String {
    let transports = if header.transports.is_empty() { "alone" } else { &header.transports.join("+") };
    let Header { ranks, hosts, .. } = header;
    let hosts = if *hosts == 1 { "one host".into() } else { format!("{hosts} hosts") };
    let ranks = if *ranks == 1 { "1 rank".into() } else { format!("{ranks} ranks") };
    format!("{ranks} on {hosts}, {transports}")
}

fn notes(measurements: &Measurements) -> Vec<String> {
    let Measurements { header, warnings, .. } = measurements;
    let Header { anyccl, date, datatype, op, kernels, calls, memory, .. } = header;
    let settings = format!(
        "{datatype}, {op}, kernels {kernels}, {calls} calls, memory {memory}; anyccl {anyccl}, {date}"
    );
    let warnings = warnings.iter().map(|warning| format!("Warning: {warning}"));
    header.machines.iter().map(Machine::words).chain([settings]).chain(warnings).collect()
}

fn maps(matrix: &Matrix) -> [HeatMap; 2] {
    [matrix.latency(), matrix.bandwidth()].map(|values| HeatMap {
        title: values.title.clone(),
        ranks: values.ranks(),
        values: values.all().to_vec(),
    })
}
