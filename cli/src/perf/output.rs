//! The output for the user: a report on standard output, written as it grows, further ones in files, and a
//! progress bar on standard error if that is a terminal.
//!
//! Only rank 0 reports; every rank may report an error. All files are checked before the measurement and
//! written after it, so an interrupted one leaves older results.

use std::io::{self, Write};
use std::path::Path;

use super::arguments::{PerfArguments, Target};
use super::noise::Noise;
use super::page::page;
use super::plot;
use super::report::{Csv, Header, PairRow, Report, Row, TextTable, WholeReport, json};
use crate::failure::Failure;
use crate::output::{ResultFile, cannot_write, refuse_closed_output};
use crate::picture::Format;
use crate::progress::Progress;

/// All destinations of rank 0; empty on the other ranks.
#[derive(Default)]
pub struct Files {
    /// Reports with their destinations.
    pub reports: Vec<(Box<dyn Report>, Destination)>,
    /// File of `--trace`.
    pub trace: Option<ResultFile>,
    /// File of `--tune`.
    pub tune: Option<ResultFile>,
}

/// The destination of a report.
pub enum Destination {
    /// Standard output, at once.
    Stdout,
    /// A file, at the end; and its text so far.
    File(ResultFile, Vec<u8>),
}

impl Destination {
    fn file(path: &Path) -> Result<Destination, Failure> {
        Ok(Destination::File(ResultFile::new(path)?, Vec::new()))
    }
}

impl Files {
    /// Checks all files that the user has named. The table goes to standard output, unless another report
    /// does.
    pub fn of(arguments: &PerfArguments) -> Result<Files, Failure> {
        let mut reports: Vec<(Box<dyn Report>, Destination)> = Vec::new();
        for (target, report) in [
            (&arguments.json, WholeReport::new(json) as Box<dyn Report>),
            (&arguments.csv, Box::new(Csv::default())),
        ] {
            match target {
                None => {}
                Some(Target::Stdout) => reports.push((report, Destination::Stdout)),
                Some(Target::File(path)) => reports.push((report, Destination::file(path)?)),
            }
        }
        if !reports.iter().any(|(_, destination)| matches!(destination, Destination::Stdout)) {
            reports.push((Box::new(TextTable::default()), Destination::Stdout));
        }
        let theme = arguments.theme;
        if let Some(path) = &arguments.plot {
            let format = Format::of(path).map_err(Failure::own)?;
            let report = WholeReport::new(move |all| plot::file(all, format, theme));
            reports.push((report, Destination::file(path)?));
        }
        if let Some(path) = &arguments.html {
            reports.push((WholeReport::new(move |all| page(all, theme)), Destination::file(path)?));
        }
        let [trace, tune] =
            [&arguments.trace, &arguments.tune].map(|path| path.as_deref().map(ResultFile::new).transpose());
        Ok(Files { reports, trace: trace?, tune: tune? })
    }
}

/// Reports and progress.
pub struct Output {
    /// Empty on ranks that do not report.
    reports: Vec<(Box<dyn Report>, Destination)>,
    noise: Noise,
    progress: Progress,
    /// Why the reports cannot be written. Nothing more is.
    failure: Option<Failure>,
}

impl Output {
    /// Begins the reports with the header.
    pub fn new(reports: Vec<(Box<dyn Report>, Destination)>, header: &Header) -> Output {
        let (noise, progress) = (Noise::default(), Progress::hidden());
        let to_stdout = reports.iter().any(|(_, destination)| matches!(destination, Destination::Stdout));
        let failure = if to_stdout { refuse_closed_output().err() } else { None };
        let mut output = Output { reports, noise, progress, failure };
        output.write(|report, out| report.header(header, out));
        output
    }

    /// Whether the reports cannot be written.
    pub fn has_failed(&self) -> bool {
        self.failure.is_some()
    }

    /// Announces `steps` measurements of `what`.
    pub fn begin(&mut self, what: &str, steps: usize) {
        if !self.reports.is_empty() {
            self.progress = Progress::new(what, steps);
        }
    }

    /// Notes that one of them is done.
    pub fn step(&self) {
        self.progress.step();
    }

    /// Measurements of one call, one for each algorithm.
    pub fn rows(&mut self, rows: &[Row]) {
        rows.iter().for_each(|row| self.noise.note(row.time_us.disagreement));
        self.write(|report, out| report.rows(rows, out));
    }

    /// Measurements of one pair of ranks.
    pub fn pair(&mut self, row: &PairRow) {
        self.noise.note(row.latency_us.disagreement.max(row.stream_us.disagreement));
        self.write(|report, out| report.pair(row, out));
    }

    /// Reports an error on standard error.
    pub fn complain(&self, text: &str) {
        self.progress.suspend(|| crate::failure::complain(text));
    }

    /// Ends all reports, and writes the files.
    pub fn end(mut self) -> Result<(), Failure> {
        let noise = self.noise.warning();
        self.progress = Progress::hidden();
        self.write(|report, out| report.end(noise.as_deref(), out));
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        for (_, destination) in self.reports {
            if let Destination::File(file, text) = destination {
                file.write(text)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, what: impl Fn(&mut dyn Report, &mut dyn Write) -> io::Result<()>) {
        let Output { reports, progress, failure, .. } = self;
        if failure.is_some() {
            return;
        }
        for (report, destination) in reports {
            let mut text = Vec::new();
            let written = what(report.as_mut(), &mut text).and_then(|()| match destination {
                Destination::File(_, whole) => whole.write_all(&text),
                Destination::Stdout => progress.suspend(|| {
                    let mut out = io::stdout().lock();
                    out.write_all(&text)?;
                    out.flush()
                }),
            });
            if let Err(error) = written {
                *failure = Some(Failure::own(cannot_write("standard output", &error)));
                return;
            }
        }
    }
}
