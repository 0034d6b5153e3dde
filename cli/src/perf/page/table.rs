//! Tables of the page, and the measurements as such.

use Column::{Numbers, Words};

use crate::markup::escape;
use crate::perf::noise::is_noisy;
use crate::perf::report::{Measurements, PairRow, Row, verdict};
use crate::perf::statistics::Summary;

/// A column and its name.
pub enum Column {
    /// Words, at the left edge.
    Words(&'static str),
    /// Numbers, at the right edge.
    Numbers(&'static str),
}

/// A table that the script can sort.
pub struct Table {
    columns: &'static [Column],
    body: String,
}

impl Column {
    /// A cell of this column.
    fn cell(&self, element: &str, content: &str) -> String {
        let class = if matches!(self, Column::Words(_)) { " class=\"words\"" } else { "" };
        format!("<{element}{class}>{}</{element}>", escape(content))
    }

    fn head(&self) -> String {
        let (Column::Words(name) | Column::Numbers(name)) = self;
        self.cell("th", name)
    }
}

impl Table {
    /// A table with these columns.
    pub fn new(columns: &'static [Column]) -> Table {
        Table { columns, body: String::new() }
    }

    /// Adds a row, whose result was right unless it is known to be wrong.
    pub fn add<const CELLS: usize>(&mut self, correct: Option<bool>, cells: [String; CELLS]) {
        debug_assert_eq!(CELLS, self.columns.len());
        let cells = self.columns.iter().zip(&cells).map(|(column, cell)| column.cell("td", cell));
        let class = if correct == Some(false) { " class=\"wrong\"" } else { "" };
        self.body += &format!("<tr{class}>{}</tr>\n", cells.collect::<String>());
    }

    /// The table below a heading.
    pub fn html(&self, heading: &str) -> String {
        let (heading, Table { columns, body }) = (escape(heading), self);
        let head: String = columns.iter().map(Column::head).collect();
        format!(
            "<h2>{heading}</h2>\n<div class=\"scroll\">\n<table>\n<thead>\n<tr>{head}</tr>\n</thead>\n\
             <tbody>\n{body}</tbody>\n</table>\n</div>\n"
        )
    }
}

/// All measurements, a line for each.
pub fn tables(measurements: &Measurements) -> String {
    let Measurements { rows, pairs, .. } = measurements;
    let table = if pairs.is_empty() { of_rows(rows) } else { of_pairs(pairs) };
    let times = rows.iter().map(|row| row.time_us).chain(pairs.iter().map(|pair| pair.latency_us));
    let mut notes = String::from("Times are in microseconds, bandwidths in 10<sup>9</sup> bytes per second.");
    if times.into_iter().any(|time| is_noisy(time.disagreement)) {
        notes += " ~ marks a median whose repeats disagree.";
    }
    if rows.iter().any(|row| !row.chosen) {
        notes += " * is what the library chooses.";
    }
    table.html("Measurements") + &format!("<p>{notes}</p>\n")
}

fn of_rows(rows: &[Row]) -> Table {
    let compared = rows.iter().any(|row| !row.chosen);
    let mut table = Table::new(&[
        Words("collective"),
        Numbers("bytes"),
        Numbers("count"),
        Words("place"),
        Words("algorithm"),
        Numbers("median us"),
        Numbers("min us"),
        Numbers("p95 us"),
        Numbers("alg GB/s"),
        Numbers("bus GB/s"),
        Words("check"),
    ]);
    for row in rows {
        let chosen = if compared && row.chosen { " *" } else { "" };
        let [median, min, p95] = times(row.time_us);
        table.add(
            row.correct,
            [
                row.collective.into(),
                row.bytes.to_string(),
                row.count.to_string(),
                row.place().into(),
                format!("{}{chosen}", row.algorithm),
                median,
                min,
                p95,
                format!("{:.3}", row.algorithm_bandwidth_gb_s),
                format!("{:.3}", row.bus_bandwidth_gb_s),
                verdict(row.correct).into(),
            ],
        );
    }
    table
}

fn of_pairs(pairs: &[PairRow]) -> Table {
    let mut table = Table::new(&[
        Numbers("from"),
        Numbers("to"),
        Words("transport"),
        Numbers("bytes"),
        Numbers("latency us"),
        Numbers("min us"),
        Numbers("p95 us"),
        Numbers("GB/s"),
        Words("check"),
    ]);
    for pair in pairs {
        let [median, min, p95] = times(pair.latency_us);
        table.add(
            pair.correct,
            [
                pair.from.to_string(),
                pair.to.to_string(),
                pair.transport.into(),
                pair.bytes.to_string(),
                median,
                min,
                p95,
                format!("{:.3}", pair.bandwidth_gb_s),
                verdict(pair.correct).into(),
            ],
        );
    }
    table
}

/// Median, minimum and 95th percentile.
fn times(time: Summary) -> [String; 3] {
    let mark = if is_noisy(time.disagreement) { " ~" } else { "" };
    [format!("{:.2}{mark}", time.median), format!("{:.2}", time.min), format!("{:.2}", time.p95)]
}
