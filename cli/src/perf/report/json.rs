//! One JSON object, at the end: `{"header": {...}, "rows": [...], "pairs": [...], "warnings": [...]}`.

use std::io::{self, Write};

use serde::Serialize;

use super::rows::{Header, PairRow, Report, Row};

/// Collects all measurements.
#[derive(Default, Serialize)]
pub struct Json {
    header: Option<Header>,
    rows: Vec<Row>,
    pairs: Vec<PairRow>,
    warnings: Vec<String>,
}

impl Report for Json {
    fn header(&mut self, header: &Header, _: &mut dyn Write) -> io::Result<()> {
        self.header = Some(header.clone());
        self.warnings.clone_from(&header.warnings);
        Ok(())
    }

    fn rows(&mut self, rows: &[Row], _: &mut dyn Write) -> io::Result<()> {
        self.rows.extend_from_slice(rows);
        Ok(())
    }

    fn pair(&mut self, row: &PairRow, _: &mut dyn Write) -> io::Result<()> {
        self.pairs.push(row.clone());
        Ok(())
    }

    fn end(&mut self, noise: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        self.warnings.extend(noise.map(str::to_string));
        serde_json::to_writer_pretty(&mut *out, self)?;
        writeln!(out)
    }
}
