//! `--plot`: a picture of the measurements.
//!
//! Collectives, and transfers between two ranks, are drawn as time and bandwidth over size, with one line for
//! each algorithm or collective ([`figure`]). A matrix is drawn as two heat maps. Everything is drawn when
//! all is measured. All scales are logarithmic, so zeros are left out.

mod figure;

use std::io;

use super::machines::Machine;
use super::report::{Header, Matrix, Measurements, Values};
use crate::picture::{Drawn, Format, Heading, HeatMap, Theme, heat_map, lines};

/// The picture as a file of its own, which says what was measured and where.
pub fn file(measurements: &Measurements, format: Format, theme: Theme) -> io::Result<Vec<u8>> {
    let title = format!("{}: {}", measurements.header.what.name(), place(&measurements.header));
    let heading = Heading { title, notes: notes(measurements) };
    let svg = draw(measurements, &heading, 2, theme).map_err(io::Error::other)?;
    format.encode(&svg, theme).map_err(io::Error::other)
}

/// Whether anything was measured that has a place in a picture.
pub fn can_draw(measurements: &Measurements) -> bool {
    let Measurements { header, rows, pairs, .. } = measurements;
    if header.is_matrix() {
        return pairs.iter().any(|pair| pair.latency_us.median > 0.0);
    }
    rows.iter().any(|row| row.bytes > 0) || pairs.iter().any(|pair| pair.bytes > 0)
}

/// Draws the picture. Groups lie side by side if there are many, at most in so many columns.
pub fn draw(measurements: &Measurements, heading: &Heading, columns: usize, theme: Theme) -> Drawn {
    const MANY: usize = 4;
    let Measurements { header, rows, pairs, .. } = measurements;
    if header.is_matrix() {
        return heat_map::draw(&maps(&Matrix::of(header.ranks, pairs)), heading, theme);
    }
    let figure = if pairs.is_empty() { figure::of_rows(rows) } else { figure::of_pairs(pairs) };
    let columns = if figure.groups.len() < MANY { 1 } else { columns };
    lines::draw(&figure, heading, columns, theme)
}

/// Where all measurements were made, in words.
pub fn place(header: &Header) -> String {
    let transports = if header.transports.is_empty() { "alone" } else { &header.transports.join("+") };
    let Header { ranks, hosts, .. } = header;
    let hosts = if *hosts == 1 { "one host".into() } else { format!("{hosts} hosts") };
    let ranks = if *ranks == 1 { "1 rank".into() } else { format!("{ranks} ranks") };
    format!("{ranks} on {hosts}, {transports}")
}

fn notes(measurements: &Measurements) -> Vec<String> {
    let Measurements { header, warnings, .. } = measurements;
    let Header { anyccl, date, kernels, calls, .. } = header;
    let operands: String =
        header.operands().iter().map(|(name, value)| format!("{name} {value}, ")).collect();
    let memory = header.memory_in_words();
    let settings =
        format!("{operands}kernels {kernels}, {calls} calls, memory {memory}; anyccl {anyccl}, {date}");
    let machines = shortened(header.machines.iter().map(Machine::words).collect(), "machines");
    let warnings = warnings.iter().map(|warning| format!("Warning: {warning}")).collect();
    [machines, vec![settings], shortened(warnings, "warnings")].concat()
}

/// The lines, or the first few and the number of the others.
fn shortened(mut lines: Vec<String>, what: &str) -> Vec<String> {
    const MOST: usize = 5;
    if lines.len() > MOST {
        let others = lines.drain(MOST - 1..).count();
        lines.push(format!("and {others} other {what}"));
    }
    lines
}

/// Latency, and bandwidth unless messages have no bytes.
fn maps(matrix: &Matrix) -> Vec<HeatMap> {
    let has_place = |value: &f64| *value > 0.0;
    let map = |values: Values<'_>| HeatMap {
        ranks: values.ranks(),
        values: values.all().iter().map(|value| value.filter(has_place)).collect(),
        title: values.title,
    };
    let maps = [matrix.latency(), matrix.bandwidth()].map(map);
    maps.into_iter().filter(|map| map.values.iter().any(Option::is_some)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::perf::report::PairRow;
    use crate::perf::statistics::Summary;

    #[test]
    fn a_picture_names_few_machines_of_many() {
        let lines = |count: usize| shortened((0..count).map(|at| at.to_string()).collect(), "machines");
        assert_eq!(lines(5), ["0", "1", "2", "3", "4"]);
        assert_eq!(lines(64), ["0", "1", "2", "3", "and 60 other machines"]);
    }

    #[test]
    fn a_matrix_of_empty_messages_has_no_map_of_their_bandwidth() {
        let pair = |bytes: u64| PairRow {
            from: 0,
            to: 1,
            transport: "shm",
            bytes,
            calls: 1,
            samples: 1,
            latency_us: Summary::of(&[1.5]),
            stream_us: Summary::of(&[1.0]),
            bandwidth_gb_s: bytes as f64 / 1e3,
            correct: None,
        };
        let titles = |pairs: &[PairRow]| -> Vec<String> {
            maps(&Matrix::of(2, pairs)).into_iter().map(|map| map.title).collect()
        };
        assert_eq!(titles(&[pair(0)]), ["latency of 0 B in us"]);
        assert_eq!(titles(&[pair(0), pair(64)]).len(), 2);
    }
}
