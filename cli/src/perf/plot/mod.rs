//! `--plot`: a picture of the measurements.
//!
//! Collectives, and transfers between two ranks, are drawn as time and bandwidth over size, with one line for
//! each algorithm or collective ([`figure`]). A matrix is drawn as two heat maps. Everything is drawn when
//! all is measured.

mod figure;

use std::io::{self, Write};

use super::machines::Machine;
use super::report::{Header, Matrix, PairRow, Report, Row};
use crate::picture::{Drawn, Format, HeatMap, Theme, heat_map, lines};

/// Collects the measurements to draw.
pub struct Plot {
    format: Format,
    theme: Theme,
    /// What all measurements share, in words.
    title: String,
    notes: Vec<String>,
    rows: Vec<Row>,
    pairs: Vec<PairRow>,
    matrix: Option<Matrix>,
}

impl Plot {
    /// A picture without measurements.
    pub fn new(format: Format, theme: Theme) -> Plot {
        let (title, notes, rows, pairs) = Default::default();
        Plot { format, theme, title, notes, rows, pairs, matrix: None }
    }

    fn draw(&self) -> Drawn {
        let Plot { title, notes, theme, .. } = self;
        match &self.matrix {
            Some(matrix) => heat_map::draw(title, notes, &maps(matrix), *theme),
            None if self.pairs.is_empty() => lines::draw(&figure::of_rows(title, notes, &self.rows), *theme),
            None => lines::draw(&figure::of_pairs(title, notes, &self.pairs), *theme),
        }
    }
}

fn maps(matrix: &Matrix) -> [HeatMap; 2] {
    [matrix.latency(), matrix.bandwidth()].map(|values| HeatMap {
        title: values.title.clone(),
        ranks: values.ranks(),
        values: values.all().to_vec(),
    })
}

fn warning(text: impl std::fmt::Display) -> String {
    format!("Warning: {text}")
}

impl Report for Plot {
    fn header(&mut self, header: &Header, _: &mut dyn Write) -> io::Result<()> {
        self.matrix = header.matrix.then(|| Matrix::new(header.ranks));
        let transports = if header.transports.is_empty() { "alone" } else { &header.transports.join("+") };
        let Header { ranks, hosts, .. } = header;
        let hosts = if *hosts == 1 { "one host".into() } else { format!("{hosts} hosts") };
        self.title = format!("{ranks} ranks on {hosts}, {transports}");
        self.notes = header.machines.iter().map(Machine::words).collect();
        let Header { anyccl, date, datatype, op, kernels, calls, memory, .. } = header;
        self.notes.push(format!(
            "{datatype}, {op}, kernels {kernels}, {calls} calls, memory {memory}; anyccl {anyccl}, {date}"
        ));
        self.notes.extend(header.warnings.iter().map(warning));
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

    fn end(&mut self, noise: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        self.notes.extend(noise.map(warning));
        let svg = self.draw().map_err(io::Error::other)?;
        out.write_all(&self.format.encode(&svg, self.theme).map_err(io::Error::other)?)
    }
}
