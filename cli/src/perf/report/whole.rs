//! Reports that are made of everything, when all is measured.

use std::io::{self, Write};

use serde::Serialize;

use super::rows::{Header, PairRow, Report, Row};

/// Everything that was measured. Its names are those of the JSON report and stay stable.
#[derive(Serialize)]
pub struct Measurements {
    /// The part that all measurements share.
    pub header: Header,
    /// Measurements of collectives.
    pub rows: Vec<Row>,
    /// Measurements of transfers.
    pub pairs: Vec<PairRow>,
    /// What is doubtful, in sentences.
    pub warnings: Vec<String>,
}

/// Makes the text of a report.
type Form = Box<dyn Fn(&Measurements) -> io::Result<Vec<u8>>>;

/// A report of one form, which collects measurements until the end.
pub struct WholeReport {
    form: Form,
    /// Absent until the report begins.
    measurements: Option<Measurements>,
}

impl WholeReport {
    /// A report that `form` makes.
    pub fn new(form: impl Fn(&Measurements) -> io::Result<Vec<u8>> + 'static) -> Box<WholeReport> {
        Box::new(WholeReport { form: Box::new(form), measurements: None })
    }

    fn measurements(&mut self) -> &mut Measurements {
        self.measurements.as_mut().expect("a report begins with its header")
    }
}

impl Report for WholeReport {
    fn header(&mut self, header: &Header, _: &mut dyn Write) -> io::Result<()> {
        let (header, warnings) = (header.clone(), header.warnings.clone());
        self.measurements = Some(Measurements { header, rows: Vec::new(), pairs: Vec::new(), warnings });
        Ok(())
    }

    fn rows(&mut self, rows: &[Row], _: &mut dyn Write) -> io::Result<()> {
        self.measurements().rows.extend_from_slice(rows);
        Ok(())
    }

    fn pair(&mut self, row: &PairRow, _: &mut dyn Write) -> io::Result<()> {
        self.measurements().pairs.push(row.clone());
        Ok(())
    }

    fn end(&mut self, noise: Option<&str>, out: &mut dyn Write) -> io::Result<()> {
        let mut measurements = self.measurements.take().expect("a report begins with its header");
        measurements.warnings.extend(noise.map(str::to_string));
        let text = (self.form)(&measurements)?;
        out.write_all(&text)
    }
}
