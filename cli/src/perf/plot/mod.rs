//! `--plot`: an SVG picture of the measurements.
//!
//! Collectives, and transfers between two ranks, are drawn as time and bandwidth over size, with one line for
//! each algorithm or collective. A matrix is drawn as two heat maps. Everything is drawn when all is
//! measured.

mod heat_map;
mod lines;
mod series;
mod style;

use std::io::{self, Write};

use super::report::{Header, Matrix, PairRow, Report, Row};
pub use lines::draw as draw_lines;
pub use series::{Figure, Panel, Series};
use style::Drawn;

/// Collects the measurements to draw.
#[derive(Default)]
pub struct Plot {
    title: String,
    rows: Vec<Row>,
    pairs: Vec<PairRow>,
    matrix: Option<Matrix>,
}

impl Plot {
    fn draw(&self) -> Drawn {
        match &self.matrix {
            Some(matrix) => heat_map::draw(&self.title, [&matrix.latency(), &matrix.bandwidth()]),
            None if self.pairs.is_empty() => lines::draw(&Figure::of_rows(&self.title, &self.rows)),
            None => lines::draw(&Figure::of_pairs(&self.title, &self.pairs)),
        }
    }
}

impl Report for Plot {
    fn header(&mut self, header: &Header, _: &mut dyn Write) -> io::Result<()> {
        self.matrix = header.matrix.then(|| Matrix::new(header.ranks));
        let transports = if header.transports.is_empty() { "alone" } else { &header.transports.join("+") };
        let Header { ranks, hosts, .. } = header;
        let hosts = if *hosts == 1 { "one host".into() } else { format!("{hosts} hosts") };
        self.title = format!("{ranks} ranks on {hosts}, {transports}");
        Ok(())
    }

    fn rows(&mut self, rows: &[Row], _: &mut dyn Write) -> io::Result<()> {
        self.rows.extend_from_slice(rows);
        Ok(())
    }

    fn pair(&mut self, row: &PairRow, _: &mut dyn Write) -> io::Result<()> {
        match &mut self.matrix {
            Some(matrix) => matrix.add(row),
            None => self.pairs.push(row.clone()),
        }
        Ok(())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(self.draw().map_err(io::Error::other)?.as_bytes())
    }
}
