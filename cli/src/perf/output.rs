//! The output for the user: a report on standard output, written as it grows, further ones in files, and a
//! progress bar on standard error if that is a terminal.
//!
//! Only rank 0 reports; every rank may report an error. Files are created before anything is measured, so
//! that a wrong name does not cost an hour.

use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use super::arguments::{PerfArguments, Target};
use super::noise::Noise;
use super::page::page;
use super::plot;
use super::report::{Csv, Header, PairRow, Report, Row, TextTable, WholeReport, json};
use crate::Failure;
use crate::picture::Format;
use crate::progress::Progress;

type Written = Result<(), Failure>;

/// All destinations of rank 0; empty on the other ranks.
#[derive(Default)]
pub struct Files {
    /// Reports with their files; `None` is standard output.
    pub reports: Vec<(Box<dyn Report>, Option<File>)>,
    /// File of `--trace`.
    pub trace: Option<File>,
    /// File of `--tune`.
    pub tune: Option<File>,
}

impl Files {
    /// Creates all files that the user has named. The table goes to standard output, unless another report
    /// does.
    pub fn create(arguments: &PerfArguments) -> Result<Files, Failure> {
        let mut reports: Vec<(Box<dyn Report>, Option<File>)> = Vec::new();
        for (target, report) in [
            (&arguments.json, WholeReport::new(json) as Box<dyn Report>),
            (&arguments.csv, Box::new(Csv::default())),
        ] {
            match target {
                None => {}
                Some(Target::Stdout) => reports.push((report, None)),
                Some(Target::File(path)) => reports.push((report, Some(create(path)?))),
            }
        }
        if reports.iter().all(|(_, file)| file.is_some()) {
            reports.push((Box::new(TextTable::default()), None));
        }
        let theme = arguments.theme;
        if let Some(path) = &arguments.plot {
            let format = Format::of(path).map_err(Failure::own)?;
            let report = WholeReport::new(move |all| plot::file(all, format, theme));
            reports.push((report, Some(create(path)?)));
        }
        if let Some(path) = &arguments.html {
            reports.push((WholeReport::new(move |all| page(all, theme)), Some(create(path)?)));
        }
        let [trace, tune] =
            [&arguments.trace, &arguments.tune].map(|path| path.as_deref().map(create).transpose());
        Ok(Files { reports, trace: trace?, tune: tune? })
    }
}

fn create(path: &Path) -> Result<File, Failure> {
    // A file that others may write would not be read as ANYCCL_TUNING_FILE, so the mode does not rely on the
    // umask.
    let mut options = File::options();
    let file = options.write(true).create(true).truncate(true).mode(0o644).open(path);
    file.map_err(|error| Failure::own(format_args!("cannot write {}: {error}", path.display())))
}

/// Reports and progress.
pub struct Output {
    /// Empty on ranks that do not report.
    reports: Vec<(Box<dyn Report>, Option<File>)>,
    noise: Noise,
    progress: Progress,
}

impl Output {
    /// Begins the reports with the header.
    pub fn new(reports: Vec<(Box<dyn Report>, Option<File>)>, header: &Header) -> Result<Output, Failure> {
        let mut output = Output { reports, noise: Noise::default(), progress: Progress::hidden() };
        output.write(|report, out| report.header(header, out))?;
        Ok(output)
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
    pub fn rows(&mut self, rows: &[Row]) -> Written {
        rows.iter().for_each(|row| self.noise.note(row.time_us.disagreement));
        self.write(|report, out| report.rows(rows, out))
    }

    /// Measurements of one pair of ranks.
    pub fn pair(&mut self, row: &PairRow) -> Written {
        self.noise.note(row.latency_us.disagreement.max(row.stream_us.disagreement));
        self.write(|report, out| report.pair(row, out))
    }

    /// Reports an error on standard error.
    pub fn complain(&self, text: &str) {
        self.progress.suspend(|| crate::complain(text));
    }

    /// Ends all reports.
    pub fn end(mut self) -> Written {
        let noise = self.noise.warning();
        self.progress = Progress::hidden();
        self.write(|report, out| report.end(noise.as_deref(), out))
    }

    fn write(&mut self, what: impl Fn(&mut dyn Report, &mut dyn Write) -> io::Result<()>) -> Written {
        let Output { reports, progress, .. } = self;
        for (report, file) in reports {
            let mut text = Vec::new();
            let written = what(report.as_mut(), &mut text).and_then(|()| match file {
                Some(file) => file.write_all(&text),
                None => progress.suspend(|| {
                    let mut out = io::stdout().lock();
                    out.write_all(&text)?;
                    out.flush()
                }),
            });
            written.map_err(|error| Failure::own(format_args!("cannot write the report: {error}")))?;
        }
        Ok(())
    }
}
